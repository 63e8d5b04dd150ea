// SPDX-License-Identifier: BSD-2-Clause

package cprng

import (
	"encoding/binary"
	"encoding/hex"
	"math"
	"math/bits"
	"runtime"
	"strings"
	"sync/atomic"
	"time"
	"unsafe"
)

// The numbers that choices take, from draws or from a stream.
type numbers interface {
	Uint64() uint64
	Uint64N(n uint64) uint64
}

// Draws, for any number of goroutines.
type draws struct{}

func (draws) Uint64() uint64 { return draws{}.below(0) }

func (draws) Uint64N(n uint64) uint64 {
	if n == 0 {
		panic(emptyRange)
	}
	return draws{}.below(n)
}

func (draws) below(n uint64) uint64 {
	var here byte // the address of a goroutine's stack, of at least 2 KiB, chooses its shard
	s := &shards[uint64(uintptr(unsafe.Pointer(&here)))>>11*0x9e3779b97f4a7c15>>59&lastShard]
	if !s.taken.CompareAndSwap(0, 1) { // by another goroutine
		b := blocks.Get().(*block)
		number := b.below(n)
		blocks.Put(b)
		return number
	}
	number := s.below(n)
	s.taken.Store(0)
	return number
}

// Blocks of single numbers.  Two atomic operations take a third of the time of a sync.Pool.
var shards [32]struct {
	taken atomic.Uint32
	block
	_ [128]byte // no cache line of up to 128 bytes is shared
}

// The shards in use: the power of two at or above the number of processors.  More would find a shard taken less often, but keep more numbers
// that a copy of the machine has in common (docs/snapshots.md).
var lastShard = uint64(1)<<bits.Len(uint(min(runtime.NumCPU(), len(shards))-1)) - 1

// Uint64 returns a uniform integer of 64 bits.  It and the functions below may be called by any number of goroutines, and those with the
// names of math/rand/v2 panic when its functions do.
func Uint64() uint64 { return draws{}.Uint64() }

// N returns a uniform integer in [0, n), of any type of integers, such as time.Duration.
func N[Int interface {
	~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~uintptr
}](n Int) Int {
	return Int(draws{}.Uint64N(uint64(max(n, 0))))
}

// IntN returns a uniform integer in [0, n).
func IntN(n int) int { return N(n) }

// Int64N returns a uniform integer in [0, n).
func Int64N(n int64) int64 { return N(n) }

// Uint32N returns a uniform integer in [0, n).
func Uint32N(n uint32) uint32 { return N(n) }

// Uint64N returns a uniform integer in [0, n).
func Uint64N(n uint64) uint64 { return N(n) }

// Int64Range returns a uniform integer in [lo, hi], both ends included.
func Int64Range(lo, hi int64) int64 { return lo + int64(draws{}.below(to(lo, hi))) }

// Float64 returns a uniform multiple of 2^-53 in [0, 1).
func Float64() float64 { return uniform.of(Uint64(), 0, 1) }

// Normal returns a normally distributed number, or NaN as [Stream.Normal] does.
func Normal(mu, sigma float64) float64 { return one(draws{}, normal, mu, sigma) }

// Exponential returns an exponentially distributed number, or NaN as [Stream.Exponential] does.
func Exponential(mean float64) float64 { return one(draws{}, exponential, 0, mean) }

// Shuffle puts n elements into a random order.
func Shuffle(n int, swap func(i, j int)) {
	if n < 0 {
		panic(fewerThanNone)
	}
	b := blocks.Get().(*block)
	for ; uint64(n) > math.MaxUint32; n-- {
		swap(n-1, int(b.below(uint64(n))))
	}
	for n > 1 {
		word := b.uint64()
		for range 2 { // an index from each half, unless swap changed the generation
			if b.seen != b.number.Load() {
				break
			}
			bound, m := uint32(n), uint64(uint32(word))*uint64(n)
			if n > 1 && (uint32(m) >= bound || uint32(m) >= -bound%bound) {
				n--
				swap(n, int(m>>32))
			}
			word >>= 32
		}
	}
	blocks.Put(b)
}

// Perm returns the integers in [0, n) in random order.
func Perm(n int) []int { return perm(n, Shuffle) }

func perm(n int, shuffle func(n int, swap func(i, j int))) []int {
	p := make([]int, n)
	for i := range p {
		p[i] = i
	}
	shuffle(n, func(i, j int) { p[i], p[j] = p[j], p[i] })
	return p
}

// Sample fills out with distinct integers in [0, n), in random order.  It returns [ErrArgument] if out has more than n elements.
func Sample(out []uint64, n uint64) error {
	if uint64(len(out)) > n {
		return ErrArgument
	}
	sample(out, n)
	return nil
}

// Bernoulli returns true with probability p, exactly: false if p is negative or NaN, true if p is above 1.
func Bernoulli(p float64) bool { return bernoulli(draws{}, p) }

// BernoulliRatio returns true with probability numerator / denominator, exactly.  It panics if the denominator is 0.
func BernoulliRatio(numerator, denominator uint64) bool {
	return draws{}.Uint64N(denominator) < numerator
}

// Bernoulli returns true with probability p, exactly, from 8 bytes, rarely more.
func (s *Stream) Bernoulli(p float64) bool {
	if st := s.valid(); st.end-st.tell() < 256 { // the digits of p fill at most 17 words
		defer st.whole(st.tell())
	}
	return bernoulli(s, p)
}

// BernoulliRatio returns true with probability numerator / denominator, exactly, from one number of Uint64N.  It panics if the denominator is 0.
func (s *Stream) BernoulliRatio(numerator, denominator uint64) bool {
	return s.Uint64N(denominator) < numerator
}

// bernoulli compares the binary digits of a uniform number with those of p, 64 at a time.  All products and differences are exact.
func bernoulli(from numbers, p float64) bool {
	if !(p > 0) {
		p = 0
	}
	if p >= 1 {
		from.Uint64()
		return true
	}
	for {
		p *= 0x1p64
		digits := uint64(p)
		p -= float64(digits)
		if word := from.Uint64(); word != digits || p == 0 {
			return word < digits
		}
	}
}

// Weights are set up once for choices in constant time.  The probabilities are exact.  Any number of goroutines may use them.
type Weights struct {
	table []alias
	sum   uint64
}

// Column i of the table has sum units: share of them belong to weight i, the others to weight other.
type alias struct {
	share uint64
	other int
}

// NewWeights sets up weights, in linear time, by the table of the specification.  It returns [ErrArgument] if their sum is 0, or if their
// number times their sum is 2^64 or more.
func NewWeights(weights []uint64) (*Weights, error) {
	w := &Weights{table: make([]alias, len(weights))}
	count, carry := uint64(len(weights)), uint64(0)
	for _, weight := range weights {
		if w.sum, carry = bits.Add64(w.sum, weight, 0); carry != 0 {
			return nil, ErrArgument
		}
	}
	if high, _ := bits.Mul64(count, w.sum); w.sum == 0 || high != 0 {
		return nil, ErrArgument
	}
	// Large weights fill the columns of small ones, and then their own and those of the next large ones.
	next := func(from int, large bool) int {
		for from < len(weights) && (count*weights[from] > w.sum) != large {
			from++
		}
		return from
	}
	for i := range w.table {
		w.table[i] = alias{w.sum, i}
	}
	small, large, left := next(0, false), next(0, true), uint64(0)
	if large < len(weights) {
		left = count * weights[large]
	}
	for large < len(weights) {
		if left > w.sum {
			share := count * weights[small]
			w.table[small] = alias{share, large}
			left -= w.sum - share
			small = next(small+1, false)
			continue
		}
		filled := large
		if large = next(large+1, true); large < len(weights) {
			w.table[filled] = alias{left, large}
			left += count*weights[large] - w.sum
		}
	}
	return w, nil
}

// Weighted returns the index of a weight, each with probability weight / sum.  It panics if w does not come from [NewWeights].
func Weighted(w *Weights) int { return w.choose(draws{}) }

// Weighted returns the index of a weight, from one number of Uint64N.  It panics if w does not come from [NewWeights].
func (s *Stream) Weighted(w *Weights) int { return w.choose(s) }

func (w *Weights) choose(from numbers) int {
	if w == nil || w.sum == 0 {
		panic("cprng: these Weights are not set up: NewWeights makes them")
	}
	unit := from.Uint64N(uint64(len(w.table)) * w.sum)
	column := unit / w.sum
	if unit%w.sum < w.table[column].share {
		return int(column)
	}
	return w.table[column].other
}

// Text returns 26 characters of base32, which have 130 random bits, as crypto/rand does.
func Text() string {
	made, _ := TextOf(26, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")
	return made
}

// TextOf returns a text of an alphabet, whose 1 to 256 bytes are equally likely: an identifier, a password.  It reads the alphabet at the
// places that the draws choose.  For another alphabet it returns [ErrArgument].
func TextOf(length int, alphabet string) (string, error) {
	return text(Read, length, alphabet)
}

// TextOf returns a text of an alphabet, from a byte of the stream for each try.  It returns [ErrArgument] unless the alphabet has 1 to 256
// bytes, and [ErrRange], with the offset unchanged, if the stream ends first.
func (s *Stream) TextOf(length int, alphabet string) (string, error) {
	offset := s.Tell()
	made, err := text(s.Read, length, alphabet)
	if st := s.state(); st != nil && err != nil {
		st.seek(offset)
	}
	return made, err
}

func text(read func([]byte) (int, error), length int, alphabet string) (string, error) {
	symbols := len(alphabet)
	if symbols < 1 || symbols > 256 || length < 0 {
		return "", ErrArgument
	}
	out := make([]byte, length)
	for rest := out; len(rest) != 0; {
		if _, err := read(rest); err != nil {
			return "", err
		}
		made := 0
		for _, b := range rest { // Lemire's method, with 8 bits
			if m := int(b) * symbols; m%256 >= 256%symbols {
				rest[made] = alphabet[m/256]
				made++
			}
		}
		rest = rest[made:]
	}
	return unsafe.String(unsafe.SliceData(out), length), nil // not copied
}

// A UUID of RFC 9562.
type UUID [16]byte

// String returns the 36 characters of the UUID.
func (u UUID) String() string {
	text := hex.EncodeToString(u[:])
	return text[:8] + "-" + text[8:12] + "-" + text[12:16] + "-" + text[16:20] + "-" + text[20:]
}

// MarshalText returns what String does.
func (u UUID) MarshalText() ([]byte, error) { return []byte(u.String()), nil }

// UnmarshalText reads the 36 characters of a UUID of any version, and returns [ErrArgument] for another text.
func (u *UUID) UnmarshalText(text []byte) (err error) {
	var made UUID
	digits, err := hex.DecodeString(strings.ReplaceAll(string(text), "-", ""))
	copy(made[:], digits)
	if err != nil || !strings.EqualFold(made.String(), string(text)) {
		return ErrArgument
	}
	*u = made
	return nil
}

// mark sets the version and the variant.
func (u *UUID) mark(version byte) {
	u[6] = u[6]&0x0f | version<<4
	u[8] = u[8]&0x3f | 0x80
}

const endOfTime = 1 << 48 // milliseconds of a UUID

// UUID4 returns a UUID of version 4, which has 122 random bits.
func UUID4() (u UUID) {
	Read(u[:])
	u.mark(4)
	return u
}

// The milliseconds of the last UUID of version 7, and a counter of 12 bits.
var stamp atomic.Uint64

// UUID7 returns a UUID of version 7: milliseconds since 1970, a counter, and 62 random bits.  Each is greater than all that this package
// made before in the process, also if the clock is set back: then the time is ahead of the clock.
func UUID7() (u UUID) {
	var start [2]byte // below 2048: a second UUID of the millisecond is greater (RFC 9562, 6.2, method 1)
	Read(start[:])
	random := uint64(binary.LittleEndian.Uint16(start[:])) & 0x7ff
	now := uint64(max(time.Now().UnixMilli(), 0))<<12 | random
	for {
		last := stamp.Load()
		next := last + 1
		if next&0xfff == 0 { // the counter was full
			next |= random
		}
		if now>>12 > last>>12 {
			next = now
		}
		if stamp.CompareAndSwap(last, next) {
			Read(u[8:])
			u.put(next >> 12)
			binary.BigEndian.PutUint16(u[6:], uint16(next&0xfff))
			u.mark(7)
			return u
		}
	}
}

func (u *UUID) put(milliseconds uint64) {
	var place [8]byte
	binary.BigEndian.PutUint64(place[:], milliseconds)
	copy(u[:], place[2:])
}

// UUID4 returns a UUID of version 4, from 16 bytes.  It returns [ErrRange] if the stream ends first.
func (s *Stream) UUID4() (u UUID, err error) {
	if _, err = s.Read(u[:]); err == nil {
		u.mark(4)
	}
	return u, err
}

// UUID7 returns a UUID of version 7 of this time in milliseconds since 1970, from 10 bytes.  Those of one time are in no order.  It returns
// [ErrArgument] if the time is negative or 2^48 or more, and [ErrRange] if the stream ends first.
func (s *Stream) UUID7(milliseconds int64) (u UUID, err error) {
	if milliseconds < 0 || milliseconds >= endOfTime {
		return u, ErrArgument
	}
	if _, err = s.Read(u[6:]); err == nil {
		u.put(uint64(milliseconds))
		u.mark(7)
	}
	return u, err
}
