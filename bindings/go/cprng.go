// SPDX-License-Identifier: BSD-2-Clause

// Package cprng gives cryptographic random numbers at the speed of the hardware, and reproducible streams of numbers.
//
// [Read] and [Reader] are for bytes; a [Source] is for math/rand/v2, whose functions then make numbers of cryptographic
// strength; [Strong] is for keys that live long; a [Stream] is for simulations.
//
// The package has two forms.  With cgo it is a front for the C library cprng, which it contains and compiles; with the build tag
// cprng_installed, for the library that pkg-config finds.  Without cgo, or with the build tag purego, it is Go alone: the same
// streams, and bytes of crypto/rand.  [Pure] says which form was compiled; the page docs/go.md says what the pure form lacks.
//
// A call of C, or of the system, costs more than a draw does, so bytes are fetched by blocks, which lie in Go's memory.  A
// block's bytes are erased as they are served.  The page also says which promises of the C library hold through a block.
package cprng

import (
	"errors"
	"io"
	"sync"
	"sync/atomic"
)

// Longest request served from a block; each longer one is fetched by itself.
const largestFromBlock = 256

// generation returns the address of an odd number that changes with each invalidation: bytes fetched under another one are not
// served.  It is even before the first fetch, and 0 in a child of fork(2).  The number is the C library's, so that blocks are dropped
// by whatever drops its buffers; or the package's own, where the library buffers nothing.
var generation = sync.OnceValues(func() (number *atomic.Uint64, own bool) {
	if number = generationOfC(); number != nil {
		return number, false
	}
	return newGeneration(), true
})

// now returns the generation, and begins one where there is none.
func now() (number *atomic.Uint64, value uint64) {
	number, own := generation()
	for {
		if value = number.Load(); value&1 != 0 {
			return number, value
		}
		// A draw begins the library's.
		var first [1]uint64
		fast(bytesOf(first[:]))
		if own {
			number.CompareAndSwap(value, first[0]|1)
		}
	}
}

// dropBlocks changes the generation if the C library has not.
func dropBlocks() {
	if number, own := generation(); own {
		number.Add(2)
	}
}

// A goroutine holds a block while it is served from it, so there are as many blocks as concurrent goroutines.
var blocks = sync.Pool{New: func() any { return new(block) }}

// Reader is a [Read] for functions that take an io.Reader; crypto/rand.Reader may be replaced by it.
var Reader io.Reader = reader{}

type reader struct{}

func (reader) Read(p []byte) (int, error) {
	return Read(p)
}

// Read fills p with random bytes.  It always returns len(p) and nil: if the system's entropy is unavailable, the
// process is aborted.  Any number of goroutines may call it at once.
func Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	if len(p) > largestFromBlock {
		fast(p)
		return len(p), nil
	}
	b := blocks.Get().(*block)
	b.take(p)
	blocks.Put(b)
	return len(p), nil
}

// Strong fills p for long-lived keys, by a call each time: from the process's Fortuna, in the pure form from crypto/rand.
func Strong(p []byte) {
	if len(p) != 0 {
		strong(p)
	}
}

// Invalidate drops all buffered bytes, including those of blocks and sources: no byte drawn after its return was
// generated before the call.  Call it after a restore from a snapshot.
func Invalidate() {
	invalidate()
	dropBlocks()
}

// Reseed does what [Invalidate] does, and the C library reseeds from the kernel before the next bytes.  If the kernel does
// not answer it fails and changes nothing.
func Reseed() error {
	if err := reseed(); err != nil {
		return err
	}
	dropBlocks()
	return nil
}

// Version returns the version of the linked C library; in the pure form, that of the package.
func Version() string {
	return version()
}

// Errors, with the texts of the C library.
var (
	ErrArgument   = errors.New("cprng: invalid argument")
	ErrEngine     = errors.New("cprng: unknown engine")
	ErrSize       = errors.New("cprng: too few bytes for a seed: 16 are the least, and a string has one")
	ErrRange      = errors.New("cprng: past the end of the keystream")
	ErrEntropy    = errors.New("cprng: no random numbers from the kernel")
	ErrCheckpoint = errors.New("cprng: not a checkpoint of a stream, or not a whole one")
)
