// SPDX-License-Identifier: BSD-2-Clause

// Package cprng gives cryptographic random numbers at the speed of the hardware, and reproducible streams of numbers.
//
// [Read] and [Reader] are for bytes; a [Source] is for math/rand/v2, whose functions then make numbers of cryptographic
// strength; [Strong] is for long-lived keys; a [Stream] is for simulations.
//
// The package has two forms.  With cgo, it wraps the C library cprng, which it contains and compiles; with the build tag
// cprng_installed, it wraps the library that pkg-config finds.  Without cgo, or with the build tag purego, it is pure Go: the same
// streams, and bytes from crypto/rand.  [Pure] tells which form was compiled; the page docs/go.md lists what the pure form lacks.
//
// A call of C or of the system costs more than a draw, so bytes are fetched in blocks, which lie in Go's memory.  A
// block's bytes are erased as they are served.  The page also lists the promises of the C library that hold for blocks.
package cprng

import (
	"errors"
	"io"
	"sync"
	"sync/atomic"
)

// Longest request served from a block; longer ones are fetched separately.
const largestFromBlock = 256

// generation returns the address of an odd number that changes with each invalidation: bytes fetched under another number are not
// served.  It is even before the first fetch, and 0 in a child of fork(2).  The number is the C library's, so that blocks are dropped
// whenever its buffers are.  Where the library buffers nothing, the number is the package's own.
var generation = sync.OnceValues(func() (number *atomic.Uint64, own bool) {
	if number = generationOfC(); number != nil {
		return number, false
	}
	return newGeneration(), true
})

// now returns the generation, and begins one if there is none.
func now() (number *atomic.Uint64, value uint64) {
	number, own := generation()
	for {
		if value = number.Load(); value&1 != 0 {
			return number, value
		}
		// A draw begins the library's generation.
		var first [1]uint64
		fast(bytesOf(first[:]))
		if own {
			number.CompareAndSwap(value, first[0]|1)
		}
	}
}

// dropBlocks changes the generation unless the C library has done so.
func dropBlocks() {
	if number, own := generation(); own {
		number.Add(2)
	}
}

// A goroutine holds a block while it draws from it, so there are as many blocks as concurrent goroutines.
var blocks = sync.Pool{New: func() any { return new(block) }}

// Reader is [Read] for functions that take an io.Reader; it can replace crypto/rand.Reader.
var Reader io.Reader = reader{}

type reader struct{}

func (reader) Read(p []byte) (int, error) {
	return Read(p)
}

// Read fills p with random bytes.  It always returns len(p) and nil: if the system's entropy is unavailable, the
// process aborts.  Any number of goroutines may call it concurrently.
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

// FillUint32N fills out with uniform integers in [0, n).  Like math/rand/v2, it and the functions below panic if the range is empty.  Any
// number of goroutines may call them, like [Read].
func FillUint32N(out []uint32, n uint32) {
	if n == 0 {
		panic(emptyRange)
	}
	draw32(out, n)
}

// FillUint64N fills out with uniform integers in [0, n).
func FillUint64N(out []uint64, n uint64) {
	if n == 0 {
		panic(emptyRange)
	}
	draw64(out, 0, n-1)
}

// FillUint64Range fills out with uniform integers in [lo, hi], both ends included.
func FillUint64Range(out []uint64, lo, hi uint64) { draw64(out, lo, lo+to(lo, hi)-1) }

// FillInt64Range fills out with uniform integers in [lo, hi], both ends included.
func FillInt64Range(out []int64, lo, hi int64) {
	draw64(unsigned(out), uint64(lo), uint64(lo)+to(lo, hi)-1)
}

// Strong fills p with bytes for long-lived keys, from the process's Fortuna or, in the pure form, from crypto/rand.  Nothing is
// buffered: each call fetches its bytes.
func Strong(p []byte) {
	if len(p) != 0 {
		strong(p)
	}
}

// Invalidate drops all buffered bytes, including those of blocks and sources: no byte drawn after it returns was
// generated before the call.  Call it after a restore from a snapshot.
func Invalidate() {
	invalidate()
	dropBlocks()
}

// Reseed does what [Invalidate] does, and the C library reseeds from the kernel before the next bytes.  If the kernel does not
// answer, Reseed returns an error and changes nothing.
func Reseed() error {
	if err := reseed(); err != nil {
		return err
	}
	dropBlocks()
	return nil
}

// Version returns the version of the linked C library or, in the pure form, that of the package.
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
