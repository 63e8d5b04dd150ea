// SPDX-License-Identifier: BSD-2-Clause

package cprng

import (
	"errors"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"sync/atomic"
	"unsafe"
)

// Number of words in a block or source: 1 KiB for each fetch.
const blockWords = 128

var _ rand.Source = (*Source)(nil)

// A Source is a source for math/rand/v2:
//
//	r := rand.New(cprng.NewSource())
//	die := 1 + r.IntN(6)
//
// All of its numbers are cryptographically strong.  Only one goroutine at a time may use a source, as with the sources
// of math/rand/v2; give each its own.  Any number of goroutines may call [Read] for bytes.  A copy of a source shares its
// numbers.
type Source struct {
	own **block // nil: not used yet; a pointer to a pointer, as in a Stream
}

// NewSource returns a source.
func NewSource() *Source {
	b := new(block)
	return &Source{&b}
}

// Uint64 returns a uniform integer of 64 bits.
func (s *Source) Uint64() uint64 {
	if s.own == nil {
		*s = *NewSource()
	}
	return (*s.own).uint64()
}

func (b *block) uint64() uint64 {
	at := b.left - 1
	if uint(at) >= blockWords || b.seen != b.number.Load() {
		at = b.fill() - 1
	}
	word := b.words[at]
	b.words[at] = 0
	b.left = at
	return word
}

// below returns an integer below n, where 0 stands for 2^64.
func (b *block) below(n uint64) uint64 {
	for {
		word := b.uint64()
		high, low := bits.Mul64(word, n)
		if n == 0 {
			return word
		}
		if low >= n || low >= -n%n {
			return high
		}
	}
}

// Format prints only the name of the type, with any verb.
func (s Source) Format(f fmt.State, verb rune) { format(f, verb, "cprng.Source") }

// MarshalText returns an error, so that JSON and other encodings do not write a source as an empty object.
func (s Source) MarshalText() ([]byte, error) {
	return nil, errors.New("cprng: a Source is not written: its numbers are secret; a Stream has checkpoints")
}

// format prints a text as a string, even for verbs that would show fields.
func format(f fmt.State, verb rune, text string) {
	if verb == 'v' {
		verb = 's'
	}
	fmt.Fprintf(f, fmt.FormatString(f, verb), text)
}

// Fetched but unserved bytes: words[:left], taken from the top.
type block struct {
	left   int
	number *atomic.Uint64 // the current generation; nil before the first fetch
	seen   uint64         // the generation before the fetch
	words  [blockWords]uint64
}

// fill fetches all words again, and returns their number.
func (b *block) fill() int {
	b.left = 0 // a replaced crypto/rand.Reader may panic below: then the next draw fetches
	// Read the generation first: if an invalidation happens in between, these bytes count as old, and the next draw fetches others.
	b.number, b.seen = now()
	fetch(bytesOf(b.words[:]))
	b.left = blockWords
	return blockWords
}

// take serves len(p) bytes, 1 to largestFromBlock, and erases them.
func (b *block) take(p []byte) {
	words := (len(p) + 7) / 8
	if b.left < words || b.seen != b.number.Load() {
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
