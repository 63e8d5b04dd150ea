// SPDX-License-Identifier: BSD-2-Clause

//go:build !cgo || purego || !((linux && !android) || darwin || freebsd || netbsd || openbsd || (windows && (amd64 || arm64)))

package cprng

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"encoding/binary"
	"math/bits"
	"slices"
	"sync/atomic"
)

// Pure is true if the package was compiled without the C library: without cgo, with the build tag purego, or on a system that
// the library does not support.
const Pure = true

// crypto/rand aborts the process rather than return an error.
func fast(p []byte)   { rand.Read(p) }
func fetch(p []byte)  { rand.Read(p) }
func strong(p []byte) { rand.Read(p) }

func generationOfC() *atomic.Uint64 { return nil }

// crypto/rand buffers nothing in the process that could be dropped or reseeded.
func invalidate()     {}
func reseed() error   { return nil }
func version() string { return "0.1.0" }

// The keystream of an engine.
type keystream interface {
	// read writes the bytes at an offset, which is a multiple of blockSize.  They lie before the end of the stream.
	read(offset uint64, p []byte)
}

func newKeystream(e *engine, key, nonce []byte) (keystream, error) {
	if e.family == aesCTR {
		block, err := aes.NewCipher(key)
		return &counterMode{block: block, nonce: nonce}, err
	}
	// A key of 16 bytes fills both halves, and has a different constant.
	constants := "expand 32-byte k"
	if len(key) == 16 {
		constants = "expand 16-byte k"
	}
	return &matrix{
		engine:    e,
		constants: [4]uint32(words([]byte(constants))),
		key:       [8]uint32(words(append(key[:len(key):len(key)], key[len(key)-16:]...))),
		nonce:     words(nonce),
	}, nil
}

func words(p []byte) (w []uint32) {
	for ; len(p) >= 4; p = p[4:] {
		w = append(w, binary.LittleEndian.Uint32(p))
	}
	return w
}

// AES in counter mode.
type counterMode struct {
	block  cipher.Block
	nonce  []byte
	stream cipher.Stream
	at     uint64 // offset of the stream
}

func (k *counterMode) read(offset uint64, p []byte) {
	if k.stream == nil || k.at != offset {
		var counter [aes.BlockSize]byte // nonce + offset / 16, big-endian, modulo 2^128
		low, carry := bits.Add64(binary.BigEndian.Uint64(k.nonce[8:]), offset/aes.BlockSize, 0)
		binary.BigEndian.PutUint64(counter[8:], low)
		binary.BigEndian.PutUint64(counter[:], binary.BigEndian.Uint64(k.nonce)+carry)
		k.stream = cipher.NewCTR(k.block, counter[:])
	}
	clear(p)
	k.stream.XORKeyStream(p, p)
	k.at = offset + uint64(len(p))
}

// ChaCha and Salsa20, whose blocks are matrices of 16 words.  The standard library has neither with these rounds and counters.
type matrix struct {
	engine    *engine
	constants [4]uint32
	key       [8]uint32
	nonce     []uint32
}

func (k *matrix) read(offset uint64, p []byte) {
	c, key, n := &k.constants, &k.key, k.nonce
	for number := offset / blockSize; len(p) != 0; number++ {
		low, high := uint32(number), uint32(number>>32)
		var block [blockSize]byte
		switch {
		case k.engine.family == salsa20:
			salsaBlock(&block, k.engine.rounds, [16]uint32{c[0], key[0], key[1], key[2], key[3], c[1], n[0], n[1],
				low, high, c[2], key[4], key[5], key[6], key[7], c[3]})
		case len(n) == 3: // RFC 8439
			high = n[0]
			n = n[1:]
			fallthrough
		default:
			chachaBlock(&block, k.engine.rounds, [16]uint32{c[0], c[1], c[2], c[3], key[0], key[1], key[2], key[3],
				key[4], key[5], key[6], key[7], low, high, n[0], n[1]})
			n = k.nonce
		}
		p = p[copy(p, block[:]):]
	}
}

func chachaBlock(out *[blockSize]byte, rounds int, in [16]uint32) {
	x0, x1, x2, x3, x4, x5, x6, x7 := in[0], in[1], in[2], in[3], in[4], in[5], in[6], in[7]
	x8, x9, x10, x11, x12, x13, x14, x15 := in[8], in[9], in[10], in[11], in[12], in[13], in[14], in[15]
	for ; rounds > 0; rounds -= 2 {
		x0, x4, x8, x12 = chachaQuarter(x0, x4, x8, x12)
		x1, x5, x9, x13 = chachaQuarter(x1, x5, x9, x13)
		x2, x6, x10, x14 = chachaQuarter(x2, x6, x10, x14)
		x3, x7, x11, x15 = chachaQuarter(x3, x7, x11, x15)
		x0, x5, x10, x15 = chachaQuarter(x0, x5, x10, x15)
		x1, x6, x11, x12 = chachaQuarter(x1, x6, x11, x12)
		x2, x7, x8, x13 = chachaQuarter(x2, x7, x8, x13)
		x3, x4, x9, x14 = chachaQuarter(x3, x4, x9, x14)
	}
	add(out, &in, &[16]uint32{x0, x1, x2, x3, x4, x5, x6, x7, x8, x9, x10, x11, x12, x13, x14, x15})
}

func chachaQuarter(a, b, c, d uint32) (uint32, uint32, uint32, uint32) {
	a += b
	d = bits.RotateLeft32(d^a, 16)
	c += d
	b = bits.RotateLeft32(b^c, 12)
	a += b
	d = bits.RotateLeft32(d^a, 8)
	c += d
	b = bits.RotateLeft32(b^c, 7)
	return a, b, c, d
}

func salsaBlock(out *[blockSize]byte, rounds int, in [16]uint32) {
	x0, x1, x2, x3, x4, x5, x6, x7 := in[0], in[1], in[2], in[3], in[4], in[5], in[6], in[7]
	x8, x9, x10, x11, x12, x13, x14, x15 := in[8], in[9], in[10], in[11], in[12], in[13], in[14], in[15]
	for ; rounds > 0; rounds -= 2 {
		x0, x4, x8, x12 = salsaQuarter(x0, x4, x8, x12)
		x5, x9, x13, x1 = salsaQuarter(x5, x9, x13, x1)
		x10, x14, x2, x6 = salsaQuarter(x10, x14, x2, x6)
		x15, x3, x7, x11 = salsaQuarter(x15, x3, x7, x11)
		x0, x1, x2, x3 = salsaQuarter(x0, x1, x2, x3)
		x5, x6, x7, x4 = salsaQuarter(x5, x6, x7, x4)
		x10, x11, x8, x9 = salsaQuarter(x10, x11, x8, x9)
		x15, x12, x13, x14 = salsaQuarter(x15, x12, x13, x14)
	}
	add(out, &in, &[16]uint32{x0, x1, x2, x3, x4, x5, x6, x7, x8, x9, x10, x11, x12, x13, x14, x15})
}

func salsaQuarter(a, b, c, d uint32) (uint32, uint32, uint32, uint32) {
	b ^= bits.RotateLeft32(a+d, 7)
	c ^= bits.RotateLeft32(b+a, 9)
	d ^= bits.RotateLeft32(c+b, 13)
	a ^= bits.RotateLeft32(d+c, 18)
	return a, b, c, d
}

func add(out *[blockSize]byte, in, x *[16]uint32) {
	for i := range x {
		binary.LittleEndian.PutUint32(out[4*i:], x[i]+in[i])
	}
}

// fill makes numbers from the bytes at the offset.  The bytes lie before the end of the stream, and the parameters are valid.
func (s *state) fill(d distribution, location, scale float64, out []float64) {
	for i := range out {
		out[i] = d.of(s.uint64(), location, scale)
	}
}

// Arrays of bounded integers: the range from first to last may wrap around.
func (s *state) fill32(out []uint32, bound uint32)       { narrow(s, out, 0, bound) }
func (s *state) fill64(out []uint64, first, last uint64) { s.below(out, first, last) }

func draw32(out []uint32, bound uint32)       { draw(out, 0, uint64(bound)) }
func draw64(out []uint64, first, last uint64) { draw(out, first, last-first+1) }

// draw makes integers, each from a word of a block.
func draw[T uint32 | uint64](out []T, first T, bound uint64) {
	b := blocks.Get().(*block)
	for i := range out {
		out[i] = first + T(b.below(bound))
	}
	blocks.Put(b)
}

// sample makes a sample of at most n integers.
func sample(out []uint64, n uint64) {
	all := out
	if uint64(len(out)) > n/2 {
		all = make([]uint64, n)
		for i := range all {
			all[i] = uint64(i)
		}
	} else {
		for have := 0; have < len(out); have = len(slices.Compact(out)) {
			draw64(out[have:], 0, n-1)
			sort(out, n)
		}
	}
	Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	copy(out, all)
}
