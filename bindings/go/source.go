// SPDX-License-Identifier: BSD-2-Clause

//go:build cgo

package cprng

import (
	"math/rand/v2"
	"unsafe"
)

// Words of a block or source: 1 KiB per call of C.
const blockWords = 128

var _ rand.Source = (*Source)(nil)

// A Source is for math/rand/v2:
//
//	r := rand.New(cprng.NewSource())
//	die := 1 + r.IntN(6)
//
// All of its numbers are cryptographically strong.  Only one goroutine at a time may use a source, as with the sources
// of math/rand/v2; give each its own.  Any number of goroutines may call [Read] for bytes.  A source must not be
// copied: copies give the same numbers.
type Source struct {
	_ noCopy
	b block
}

// NewSource returns a source.
func NewSource() *Source {
	return new(Source)
}

// Uint64 returns a uniform integer of 64 bits.
func (s *Source) Uint64() uint64 {
	b := &s.b
	at := b.left - 1
	if uint(at) >= blockWords || b.seen != invalidations.Load() {
		at = b.fill() - 1
	}
	word := b.words[at]
	b.words[at] = 0
	b.left = at
	return word
}

// Fetched but unserved bytes: words[:left], taken from the top.
type block struct {
	left  int
	seen  uint64 // the count of invalidations before the fetch
	words [blockWords]uint64
}

// fill fetches all words again, and returns how many there are.
func (b *block) fill() int {
	// Read the count first: after an invalidation in between these bytes are old, and the next draw fetches others.
	b.seen = invalidations.Load()
	fast(bytesOf(b.words[:]))
	b.left = blockWords
	return blockWords
}

// take serves len(p) bytes, at most largestFromBlock, and erases them.
func (b *block) take(p []byte) {
	words := (len(p) + 7) / 8
	if b.left < words || b.seen != invalidations.Load() {
		b.fill()
	}
	from := b.words[b.left-words : b.left]
	copy(p, bytesOf(from))
	clear(from)
	b.left -= words
}

func bytesOf(words []uint64) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(words))), 8*len(words))
}

// go vet reports copies of structs that contain this.
type noCopy struct{}

func (*noCopy) Lock()   {}
func (*noCopy) Unlock() {}
