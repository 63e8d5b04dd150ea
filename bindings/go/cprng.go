// SPDX-License-Identifier: BSD-2-Clause

// Package cprng gives cryptographic random numbers at the speed of the hardware, and reproducible streams of numbers.
//
// It is a front for the C library cprng, which has to be installed (pkg-config finds it).  [Read] and [Reader] are for bytes;
// a [Source] is for math/rand/v2, whose functions then make numbers of cryptographic strength; [Strong] is for keys that live
// long; a [Stream] is for simulations.
//
// A call of C costs more than a draw does, so bytes are fetched by blocks, which lie in Go's memory.  A block's bytes are erased
// as they are served.  The README says which promises of the C library hold through a block and which do not.
package cprng

/*
#cgo pkg-config: cprng
#cgo noescape cprng_fast
#cgo nocallback cprng_fast
#cgo noescape cprng_strong
#cgo nocallback cprng_strong
#include <stdlib.h>
#include <cprng/cprng.h>
*/
import "C"

import (
	"errors"
	"io"
	"sync"
	"sync/atomic"
	"unsafe"
)

// Longest request served from a block; each longer one calls C.
const largestFromBlock = 256

// Counts invalidations: bytes fetched before the latest are not served.
var invalidations atomic.Uint64

// A goroutine holds a block while it is served from it, so there are as many blocks as concurrent goroutines.
var blocks = sync.Pool{New: func() any { return new(block) }}

// Reader is a [Read] for functions that take an io.Reader; crypto/rand.Reader may be replaced by it.
var Reader io.Reader = reader{}

type reader struct{}

func (reader) Read(p []byte) (int, error) {
	return Read(p)
}

// Read fills p with random bytes.  It always returns len(p) and nil: if the kernel's entropy is unavailable, the
// process is aborted.  Any number of goroutines may call it at once.
func Read(p []byte) (int, error) {
	if len(p) > largestFromBlock {
		fast(p)
		return len(p), nil
	}
	b := blocks.Get().(*block)
	b.take(p)
	blocks.Put(b)
	return len(p), nil
}

// Strong fills p with bytes of the process's Fortuna, by a call of C: for long-lived keys.
func Strong(p []byte) {
	if len(p) != 0 {
		C.cprng_strong(unsafe.Pointer(unsafe.SliceData(p)), C.size_t(len(p)))
	}
}

// Invalidate drops all buffered bytes, including those of blocks and sources: no byte drawn after its return was
// generated before the call.  Call it after a restore from a snapshot.
func Invalidate() {
	C.cprng_invalidate()
	invalidations.Add(1)
}

// Reseed does what [Invalidate] does, and reseeds from the kernel before the next bytes.  If the kernel does not answer
// it fails and changes nothing.
func Reseed() error {
	if err := check(C.cprng_reseed()); err != nil {
		return err
	}
	invalidations.Add(1)
	return nil
}

// Version returns the version of the linked C library.
func Version() string {
	return C.GoString(C.cprng_version())
}

func fast(p []byte) {
	C.cprng_fast(unsafe.Pointer(unsafe.SliceData(p)), C.size_t(len(p)))
}

// Errors of the C library.
var (
	ErrArgument   = errors.New("cprng: " + text(C.CPRNG_ERR_ARGUMENT))
	ErrEngine     = errors.New("cprng: " + text(C.CPRNG_ERR_ENGINE))
	ErrSize       = errors.New("cprng: too few bytes for a seed: 16 are the least, and a string has one")
	ErrRange      = errors.New("cprng: " + text(C.CPRNG_ERR_RANGE))
	ErrEntropy    = errors.New("cprng: " + text(C.CPRNG_ERR_ENTROPY))
	ErrCheckpoint = errors.New("cprng: " + text(C.CPRNG_ERR_CHECKPOINT))
)

func text(code C.int) string {
	return C.GoString(C.cprng_strerror(code))
}

func check(code C.int) error {
	switch code {
	case C.CPRNG_OK:
		return nil
	case C.CPRNG_ERR_ARGUMENT:
		return ErrArgument
	case C.CPRNG_ERR_ENGINE:
		return ErrEngine
	case C.CPRNG_ERR_SIZE:
		return ErrSize
	case C.CPRNG_ERR_RANGE:
		return ErrRange
	case C.CPRNG_ERR_ENTROPY:
		return ErrEntropy
	case C.CPRNG_ERR_CHECKPOINT:
		return ErrCheckpoint
	}
	return errors.New("cprng: " + text(code))
}
