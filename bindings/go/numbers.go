// SPDX-License-Identifier: BSD-2-Clause

package cprng

import (
	"encoding/binary"
	"math"
	"math/bits"
	"slices"
	"unsafe"
)

// valid returns the state of a stream, and panics if the stream is invalid.
func (s *Stream) valid() *state {
	st := s.state()
	if st == nil {
		panic("cprng: this Stream is no stream: NewStream makes one, and so does UnmarshalBinary without an error")
	}
	return st
}

const (
	atEnd         = "cprng: a number was asked of a Stream at its end"
	emptyRange    = "cprng: a number was asked of an empty range"
	fewerThanNone = "cprng: Shuffle of fewer than 0 elements"
)

// to returns the number of integers from lo to hi, both ends included, where 0 stands for 2^64.  It panics if there are none.
func to[T int64 | uint64](lo, hi T) uint64 {
	if lo > hi {
		panic(emptyRange)
	}
	return uint64(hi) - uint64(lo) + 1
}

// whole restores the offset if a panic ends a function that takes several numbers.  It is deferred.
func (s *state) whole(offset uint64) {
	if problem := recover(); problem != nil {
		s.seek(offset)
		panic(problem)
	}
}

// refused returns ErrRange if a function panics at the stream's end, and restores the offset.  It is deferred.
func (s *state) refused(offset uint64, err *error) {
	if problem := recover(); problem == atEnd {
		s.seek(offset)
		*err = ErrRange
	} else if problem != nil {
		panic(problem)
	}
}

// slow returns the next bytes, at most 8, as a little-endian integer, even across the end of the buffer.
func (s *state) slow(size int) uint64 {
	if s.end-s.tell() < uint64(size) {
		panic(atEnd)
	}
	var p [8]byte
	s.take(p[:size])
	return binary.LittleEndian.Uint64(p[:])
}

func (s *state) uint32() uint32 {
	at := uint(bufferSize - s.left)
	if at > bufferSize-4 {
		return uint32(s.slow(4))
	}
	s.left -= 4
	return binary.LittleEndian.Uint32(s.buffer[at:])
}

func (s *state) uint64() uint64 {
	at := uint(bufferSize - s.left)
	if at > bufferSize-8 {
		return s.slow(8)
	}
	s.left -= 8
	return binary.LittleEndian.Uint64(s.buffer[at:])
}

// Uint8 returns the next byte.  If the stream ends before a number's last byte, this method and those below panic and leave the
// offset unchanged.
func (s *Stream) Uint8() uint8 { return uint8(s.valid().slow(1)) }

// Uint16 returns a little-endian integer of two bytes.
func (s *Stream) Uint16() uint16 { return uint16(s.valid().slow(2)) }

// Uint32 returns a little-endian integer of four bytes.
func (s *Stream) Uint32() uint32 { return s.valid().uint32() }

// Uint64 returns a little-endian integer of eight bytes.
func (s *Stream) Uint64() uint64 { return s.valid().uint64() }

// Bool returns the lowest bit of a byte.
func (s *Stream) Bool() bool { return s.Uint8()&1 == 1 }

// Float32 returns a uniform multiple of 2^-24 in [0, 1), from 4 bytes.
func (s *Stream) Float32() float32 { return float32(s.Uint32()>>8) * (1.0 / (1 << 24)) }

// Float64 returns a uniform multiple of 2^-53 in [0, 1), from 8 bytes.
func (s *Stream) Float64() float64 { return uniform.of(s.Uint64(), 0, 1) }

// Uint64N returns a uniform integer in [0, n), by Lemire's method (doi:10.1145/3230636).  Like math/rand/v2, it and the methods below
// panic if the range is empty, and leave the offset unchanged.
func (s *Stream) Uint64N(n uint64) uint64 {
	st := s.valid()
	if n <= math.MaxUint32 {
		if n == 0 {
			panic(emptyRange)
		}
		bound := uint32(n)
		m := uint64(st.uint32()) * n
		if uint32(m) < bound && uint32(m) < -bound%bound {
			return st.again(n, 4) >> 32
		}
		return m >> 32
	}
	high, low := bits.Mul64(st.uint64(), n)
	if low < n && low < -n%n {
		return st.again(n, 8)
	}
	return high
}

// again makes a number below n by further tries, after a try of size bytes was rejected.  If size is 4, the number is in the upper
// half of the result.
func (s *state) again(n uint64, size uint64) uint64 {
	defer s.whole(s.tell() - size)
	if size == 4 {
		for bound := uint32(n); ; {
			if m := uint64(s.uint32()) * n; uint32(m) >= -bound%bound {
				return m
			}
		}
	}
	for {
		if high, low := bits.Mul64(s.uint64(), n); low >= -n%n {
			return high
		}
	}
}

// IntN returns what Uint64N does.
func (s *Stream) IntN(n int) int { return int(s.Uint64N(uint64(max(n, 0)))) }

// Uint64Range returns a uniform integer in [lo, hi], both ends included.
func (s *Stream) Uint64Range(lo, hi uint64) uint64 {
	if n := to(lo, hi); n != 0 {
		return lo + s.Uint64N(n)
	}
	return s.Uint64()
}

// Int64Range returns a uniform integer in [lo, hi], both ends included.
func (s *Stream) Int64Range(lo, hi int64) int64 {
	return int64(uint64(lo) + s.Uint64Range(0, to(lo, hi)-1))
}

// Shuffle puts n elements into a random order, as rand.Shuffle does, with the specification's choices.  If the stream ends too
// early, it panics: the offset is unchanged, and the elements are in another order.
func (s *Stream) Shuffle(n int, swap func(i, j int)) {
	if n < 0 {
		panic(fewerThanNone)
	}
	if n < 2 {
		return
	}
	st := s.valid()
	defer st.whole(st.tell())
	for n > 1 {
		at := uint(bufferSize - st.left)
		if at > bufferSize-4 || uint64(n) > math.MaxUint32 {
			n--
			swap(n, int(s.Uint64N(uint64(n)+1)))
			continue
		}
		// What Uint64N does, without a call.
		m, bound := uint64(binary.LittleEndian.Uint32(st.buffer[at:]))*uint64(n), uint32(n)
		st.left -= 4
		if uint32(m) < bound && uint32(m) < -bound%bound {
			continue
		}
		n--
		swap(n, int(m>>32))
	}
}

// Perm returns the integers in [0, n) in the order of Shuffle.
func (s *Stream) Perm(n int) []int { return perm(n, s.Shuffle) }

// Sample fills out with distinct integers in [0, n), in random order.  If the stream ends too early, it returns [ErrRange] and
// leaves the offset unchanged, and the contents of out are not a sample.
func (s *Stream) Sample(out []uint64, n uint64) (err error) {
	k := uint64(len(out))
	st := s.state()
	if st == nil || k > n {
		return ErrArgument
	}
	defer st.refused(st.tell(), &err)
	have := uint64(0)
	if k > n/2 {
		for i := uint64(0); have < k; i++ {
			if s.Uint64N(n-i) < k-have {
				out[have] = i
				have++
			}
		}
	}
	for have < k {
		st.below(out[have:], 0, n-1)
		sort(out, n)
		have = uint64(len(slices.Compact(out)))
	}
	s.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	return nil
}

// sort puts integers below n into ascending order: many of them by a radix sort, lowest byte first, which is then faster.
func sort(v []uint64, n uint64) {
	if len(v) < 128 {
		slices.Sort(v)
		return
	}
	from, to := v, make([]uint64, len(v))
	for shift := 0; shift < bits.Len64(n-1); shift += 8 {
		var next [257]int
		for _, x := range from {
			next[x>>shift&255+1]++
		}
		for digit := range 255 {
			next[digit+1] += next[digit]
		}
		for _, x := range from {
			digit := x >> shift & 255
			to[next[digit]] = x
			next[digit]++
		}
		from, to = to, from
	}
	copy(v, from) // or onto itself
}

// Normal returns a normally distributed number, from 8 bytes.  mu and sigma must be finite, and sigma not negative: otherwise
// it returns NaN and takes no bytes.
func (s *Stream) Normal(mu, sigma float64) float64 { return one(s, normal, mu, sigma) }

// Exponential returns an exponentially distributed number, from 8 bytes.  mean must be finite and not negative: otherwise it
// returns NaN and takes no bytes.
func (s *Stream) Exponential(mean float64) float64 { return one(s, exponential, 0, mean) }

func one(from numbers, d distribution, location, scale float64) float64 {
	if !finite(location, scale) {
		return math.NaN()
	}
	return d.of(from.Uint64(), location, scale)
}

// Fill fills out with the numbers that Float64 would return.
func (s *Stream) Fill(out []float64) error { return s.fill(uniform, 0, 1, out) }

// FillNormal fills out with the numbers that Normal would return.
func (s *Stream) FillNormal(out []float64, mu, sigma float64) error {
	return s.fill(normal, mu, sigma, out)
}

// FillExponential fills out with the numbers that Exponential would return.
func (s *Stream) FillExponential(out []float64, mean float64) error {
	return s.fill(exponential, 0, mean, out)
}

func (s *Stream) fill(d distribution, location, scale float64, out []float64) error {
	return s.array(finite(location, scale), func(st *state) { st.fill(d, location, scale, out) })
}

// FillUint32N fills out with the numbers that Uint64N would return.  It and the methods below return [ErrArgument] if the range is empty.
func (s *Stream) FillUint32N(out []uint32, n uint32) error {
	return s.array(n != 0, func(st *state) { st.fill32(out, n) })
}

// FillUint64N fills out with the numbers that Uint64N would return.
func (s *Stream) FillUint64N(out []uint64, n uint64) error {
	return s.array(n != 0, func(st *state) { st.fill64(out, 0, n-1) })
}

// FillUint64Range fills out with the numbers that Uint64Range would return.
func (s *Stream) FillUint64Range(out []uint64, lo, hi uint64) error {
	return s.array(lo <= hi, func(st *state) { st.fill64(out, lo, hi) })
}

// FillInt64Range fills out with the numbers that Int64Range would return.
func (s *Stream) FillInt64Range(out []int64, lo, hi int64) error {
	return s.array(lo <= hi, func(st *state) { st.fill64(unsigned(out), uint64(lo), uint64(hi)) })
}

func (s *Stream) array(valid bool, fill func(st *state)) (err error) {
	st := s.state()
	if st == nil || !valid {
		return ErrArgument
	}
	defer st.refused(st.tell(), &err)
	fill(st)
	return nil
}

func unsigned(out []int64) []uint64 {
	return unsafe.Slice((*uint64)(unsafe.Pointer(unsafe.SliceData(out))), len(out))
}

// below makes integers from first to last, which may wrap around.
func (s *state) below(out []uint64, first, last uint64) {
	bound := last - first + 1 // 0: 2^64
	if bound-1 < math.MaxUint32 {
		narrow(s, out, first, uint32(bound))
		return
	}
	refused := -bound % max(bound, 1)
	for i := 0; i < len(out); {
		word := s.uint64()
		high, low := bits.Mul64(word, bound)
		if bound == 0 {
			high = word
		}
		if out[i] = first + high; low >= refused {
			i++
		}
	}
}

// narrow makes integers from 4 bytes each.
func narrow[T uint32 | uint64](s *state, out []T, first T, bound uint32) {
	refused := -bound % max(bound, 1)
	for i := 0; i < len(out); {
		word := uint32(0)
		if at := uint(bufferSize - s.left); at <= bufferSize-4 {
			word = binary.LittleEndian.Uint32(s.buffer[at:])
			s.left -= 4
		} else {
			word = uint32(s.slow(4))
		}
		m := uint64(word) * uint64(bound)
		if out[i] = first + T(m>>32); uint32(m) >= refused {
			i++
		}
	}
}

func finite(location, scale float64) bool {
	return math.Abs(location) <= math.MaxFloat64 && scale >= 0 && scale <= math.MaxFloat64
}

type distribution int

const (
	uniform distribution = iota
	normal
	exponential
	integers32
	integers64
)

// of returns the number made from 8 bytes.
//
// The specification requires each operation to be rounded.  Go may fuse a product with a sum, and does so on arm64, ppc64,
// riscv64, s390x and for GOAMD64=v3, unless the product is converted.  So each product that is a term of a sum has float64()
// around it, except where it is exact.  On arm64, a test detects each conversion that is missing.
func (d distribution) of(word uint64, location, scale float64) float64 {
	var standard float64
	switch d {
	case normal:
		standard = standardNormal(word | 1)
	case exponential:
		w := word | 1
		k, f := split(float64(w) * 0x1p-64)
		if k == 0 {
			f = -(float64(-w) * 0x1p-64)
		}
		return minusLog(k, f) * scale // a sum would turn -0 into 0
	default:
		return float64(word>>11) * 0x1p-53
	}
	return float64(standard*scale) + location
}

// A rational function of degree 7: the coefficients of its numerator and denominator, starting with x^0.
type rational struct{ p, q [8]float64 }

// The tables of docs/streams-specification.md.
var (
	centre = rational{
		[8]float64{0x1.b18d91e9eef75p+1, 0x1.0a4888b1a436ep+7, 0x1.ece5d2213c0ccp+10, 0x1.ad1d8cd4ee71dp+13,
			0x1.66c3e869b752ap+15, 0x1.06c1c55b78f20p+16, 0x1.052d26b2e45e4p+15, 0x1.39a296f7d925ep+11},
		[8]float64{1, 0x1.5281b386e1ab5p+5, 0x1.5797efdc8b3f7p+9, 0x1.512322e75c89fp+12,
			0x1.4b772d5d65266p+14, 0x1.3317caa64f4bep+15, 0x1.c0e457cb1ae76p+14, 0x1.46a7eca984b69p+12},
	}
	near = rational{
		[8]float64{0x1.64248e92491bep+0, 0x1.0bdf7ce279ccbp+1, 0x1.30d20c71d79d0p+0, 0x1.4cfafe3ed5fbep-2,
			0x1.6c3572cdacac7p-5, 0x1.795a7cb3a7f07p-9, 0x1.38543ebdb1bddp-14, 0x1.08a0023b42583p-21},
		[8]float64{1, 0x1.1d73ab45b2b9ap+0, 0x1.e122ef9bf04a2p-2, 0x1.7ec9fc874e2f2p-4,
			0x1.258941a0ef1abp-7, 0x1.8b59a8c6a6fcfp-12, 0x1.67fafeda3091ap-18, 0x1.77793defc6c2fp-27},
	}
	middle = rational{
		[8]float64{0x1.b35a47ecc4b30p+1, 0x1.8044eb61f1947p+0, 0x1.0814eb05c4af8p-2, 0x1.659e7f6678389p-6,
			0x1.f18f6ed1dcdb3p-11, 0x1.50f31eeb4183bp-16, 0x1.77a51c27a62f3p-23, 0x1.bafcedd9950b2p-32},
		[8]float64{1, 0x1.71a01ee18ba93p-2, 0x1.96a371dc24cf3p-5, 0x1.aac474125adaep-9,
			0x1.b59232e6b70e7p-14, 0x1.90c8003f04337p-20, 0x1.fac0faa76c594p-28, 0x1.77c6ffe803f44p-38},
	}
	far = rational{
		[8]float64{0x1.7844f7521c453p+2, 0x1.065272233bf0ep+0, 0x1.1e905f7875db5p-4, 0x1.369458e3b7deap-9,
			0x1.5c9e0eca1f96fp-15, 0x1.80934fc293918p-22, 0x1.613488b56f3b4p-30, 0x1.5bd0440810ec9p-40},
		[8]float64{1, 0x1.2b481b3a0d279p-3, 0x1.0b6e3ece7bfa2p-7, 0x1.c9d6a77a68fc8p-13,
			0x1.80fa275120643p-19, 0x1.233dc3d55e5cdp-26, 0x1.32eb0b3b45efap-35, 0x1.7f855a4334b7fp-47},
	}
)

func polynomial(c *[8]float64, x float64) float64 {
	x2 := x * x
	x4 := x2 * x2
	low := (c[0] + float64(c[1]*x)) + float64((c[2]+float64(c[3]*x))*x2)
	high := (c[4] + float64(c[5]*x)) + float64((c[6]+float64(c[7]*x))*x2)
	return low + float64(high*x4)
}

// standardNormal returns the inverse of the normal distribution function at 1/2 + w / 2^64, where w is the word as signed.
func standardNormal(word uint64) float64 {
	w := int64(word)
	q := float64(w) * 0x1p-64
	if r := 0.180625 - float64(q*q); r >= 0 {
		return q * polynomial(&centre.p, r) / polynomial(&centre.q, r)
	}
	magnitude := uint64(max(w, -w))
	log := minusLog(split(float64(1<<63-magnitude) * 0x1p-64))
	tail, x := &far, log-20
	switch {
	case log < 8:
		tail, x = &near, log-2.5
	case log < 20:
		tail, x = &middle, log-8
	}
	return math.Copysign(polynomial(&tail.p, x)/polynomial(&tail.q, x), q)
}

// split returns k and m - 1, where p = 2^k m and sqrt(1/2) <= m < sqrt(2).
func split(p float64) (k, f float64) {
	const root, one = 0x3fe6a09e667f3bcd, 0x3ff0000000000000 // sqrt(1/2) and 1, as bits
	shifted := math.Float64bits(p) + (one - root)
	return float64(int(shifted>>52) - 1023), math.Float64frombits(shifted&(1<<52-1)+root) - 1
}

// logRest returns log((1 + s) / (1 - s)) - 2s + s h + k l, where l is the low part of log(2).
func logRest(k, s, h float64) float64 {
	z := s * s
	z2 := z * z
	z4 := z2 * z2
	low := (0x1.5555555555558p-1 + float64(0x1.9999999995296p-2*z)) + float64((0x1.2492492df812dp-2+float64(0x1.c71c62de0a6f8p-3*z))*z2)
	high := (0x1.7462b68bb997bp-3 + float64(0x1.39fe28513767cp-3*z)) + float64(0x1.2b5ac1053f4aep-3*z2)
	r := float64(z * (low + float64(high*z4)))
	return float64(s*(h+r)) + float64(k*0x1.a39ef35793c76p-33)
}

// minusLog returns -log(2^k (1 + f)).
func minusLog(k, f float64) float64 {
	h := float64(0.5 * f * f)
	return ((h - logRest(k, f/(2+f), h)) - f) - k*0x1.62e42fee00000p-1 // exact: the constant has 32 bits
}
