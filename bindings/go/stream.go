// SPDX-License-Identifier: BSD-2-Clause

package cprng

/*
#cgo noescape cprng_stream_slow_1
#cgo nocallback cprng_stream_slow_1
#cgo noescape cprng_stream_read
#cgo nocallback cprng_stream_read
#include <stdlib.h>
#include <cprng/cprng.h>
*/
import "C"

import (
	"encoding"
	"encoding/binary"
	"io"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"unsafe"
)

var (
	_ rand.Source                = (*Stream)(nil)
	_ io.ReadSeeker              = (*Stream)(nil)
	_ encoding.BinaryMarshaler   = (*Stream)(nil)
	_ encoding.BinaryUnmarshaler = (*Stream)(nil)
)

// A Stream gives reproducible bytes and numbers from a seed: for simulations and test data, NOT for secrets.  Equal
// seeds always give equal numbers, on every machine and in every language that has the library; the project's
// docs/streams-specification.md defines how numbers are made from bytes.
//
// It is a source for math/rand/v2, whose own numbers (r.IntN, r.NormFloat64) follow Go's rules; the methods here follow
// the specification.  One goroutine at a time may use it: give each a [Stream.Child].  The zero Stream is invalid: its
// methods return [ErrArgument], or panic if they return no error, until [Stream.UnmarshalBinary] makes it a stream.
type Stream struct {
	_      noCopy
	s      *C.cprng_stream // aligned memory; nil: no stream
	memory []byte
	origin string // engine, seed and children, for display
}

const alignment = 64

// newStream returns zeroed memory for a stream, at C's alignment.
func newStream() *Stream {
	memory := make([]byte, C.sizeof_cprng_stream+alignment)
	start := unsafe.Pointer(unsafe.SliceData(memory))
	return &Stream{s: (*C.cprng_stream)(unsafe.Add(start, -uintptr(start)%alignment)), memory: memory}
}

// begun returns the stream, or nil after an error.
func (s *Stream) begun(code C.int, origin string) (*Stream, error) {
	if err := check(code); err != nil {
		return nil, err
	}
	s.origin = origin
	return s, nil
}

func seeded(engine, seed string) string {
	if engine == "" {
		engine = C.CPRNG_STREAM_ENGINE
	}
	return engine + ", seed " + seed
}

// c returns the C object; C would abort the process if asked for a number of an invalid stream.
func (s *Stream) c() *C.cprng_stream {
	if s.s == nil {
		panic("cprng: this Stream is no stream: NewStream makes one, and so does UnmarshalBinary without an error")
	}
	return s.s
}

// String returns engine, seed and children, as far as they are known; for a seed of bytes, which may be a key, only its length.
func (s *Stream) String() string {
	if s.s == nil {
		return "cprng.Stream(none)"
	}
	return "cprng.Stream(" + s.origin + ")"
}

// GoString returns what String does, so that no format shows the key.
func (s *Stream) GoString() string { return s.String() }

// engineName returns the name as a C string, which the caller frees; C reads up to a NUL.
func engineName(engine string) (name *C.char, free func(), err error) {
	if engine == "" {
		return nil, func() {}, nil
	}
	if strings.IndexByte(engine, 0) >= 0 {
		return nil, nil, ErrEngine
	}
	name = C.CString(engine)
	return name, func() { C.free(unsafe.Pointer(name)) }, nil
}

// NewStream starts an integer's stream, with an engine: "chacha8", "chacha20", "aes256-ctr", ...; "" means "chacha8".
func NewStream(engine string, seed uint64) (*Stream, error) {
	s := newStream()
	name, free, err := engineName(engine)
	if err != nil {
		return nil, err
	}
	defer free()
	return s.begun(C.cprng_stream_seed_integer(s.s, name, C.uint64_t(seed)), seeded(engine, strconv.FormatUint(seed, 10)))
}

// NewStreamString starts the stream of a string, which must be nonempty and contain no NUL.  The string "42" is not the
// integer 42.
func NewStreamString(engine, seed string) (*Stream, error) {
	if strings.IndexByte(seed, 0) >= 0 {
		return nil, ErrArgument
	}
	s := newStream()
	name, free, err := engineName(engine)
	if err != nil {
		return nil, err
	}
	defer free()
	text := C.CString(seed)
	defer C.free(unsafe.Pointer(text))
	return s.begun(C.cprng_stream_seed_string(s.s, name, text), seeded(engine, strconv.Quote(seed)))
}

// NewStreamBytes starts the stream of a seed of 16 bytes or more.
func NewStreamBytes(engine string, seed []byte) (*Stream, error) {
	s := newStream()
	name, free, err := engineName(engine)
	if err != nil {
		return nil, err
	}
	defer free()
	code := C.cprng_stream_seed_bytes(s.s, name, unsafe.Pointer(unsafe.SliceData(seed)), C.size_t(len(seed)))
	return s.begun(code, seeded(engine, "of "+strconv.Itoa(len(seed))+" bytes"))
}

// Child starts child number index, independent of the stream and of its other children.
func (s *Stream) Child(index uint64) (*Stream, error) {
	child := newStream()
	return child.begun(C.cprng_stream_spawn(s.s, C.uint64_t(index), child.s), s.origin+", child "+strconv.FormatUint(index, 10))
}

// Spawn is the older name of [Stream.Child].
//
// Deprecated: all languages have Child; this name goes with version 1.0.
func (s *Stream) Spawn(index uint64) (*Stream, error) { return s.Child(index) }

// MarshalBinary returns a checkpoint, the same on every machine; it is as secret as the key.
func (s *Stream) MarshalBinary() ([]byte, error) {
	checkpoint := make([]byte, C.CPRNG_STREAM_CHECKPOINT_SIZE)
	return checkpoint, check(C.cprng_stream_save(s.s, unsafe.Pointer(unsafe.SliceData(checkpoint)), C.size_t(len(checkpoint))))
}

// UnmarshalBinary continues from a checkpoint.  After an error the stream is unchanged.
func (s *Stream) UnmarshalBinary(checkpoint []byte) error {
	restored := newStream()
	_, err := restored.begun(
		C.cprng_stream_restore(restored.s, unsafe.Pointer(unsafe.SliceData(checkpoint)), C.size_t(len(checkpoint))), "from a checkpoint")
	if err == nil {
		s.s, s.memory, s.origin = restored.s, restored.memory, restored.origin
	}
	return err
}

// Read fills p with the next bytes.  It returns len(p) and nil, or 0 and [ErrRange] if the stream ends first.
func (s *Stream) Read(p []byte) (int, error) {
	if err := check(C.cprng_stream_read(s.s, unsafe.Pointer(unsafe.SliceData(p)), C.size_t(len(p)))); err != nil {
		return 0, err
	}
	return len(p), nil
}

// Seek sets the offset of the next byte, in constant time.  io.SeekEnd is refused, because a stream has no end to count
// from, and so are offsets above 2^63 - 1, which [Stream.Tell] may return.  An error leaves the offset unchanged.
func (s *Stream) Seek(offset int64, from int) (int64, error) {
	target := uint64(offset)
	switch {
	case from == io.SeekCurrent:
		at := s.Tell()
		target += at // modulo 2^64
		if (offset < 0) != (target < at) || target > math.MaxInt64 {
			return 0, ErrRange
		}
	case from != io.SeekStart || offset < 0:
		return 0, ErrArgument
	}
	if err := check(C.cprng_stream_seek(s.s, C.uint64_t(target))); err != nil {
		return 0, err
	}
	return int64(target), nil
}

// Tell returns the offset of the next byte.
func (s *Stream) Tell() uint64 {
	return uint64(C.cprng_stream_tell(s.s))
}

// next returns the next bytes, up to 8, as a little-endian integer; as <cprng/stream_numbers.h> has it.
func (s *Stream) next(size int) uint64 {
	c := s.c()
	if int(c.next) > -size {
		return uint64(C.cprng_stream_slow_1(c, C.uint(size)))
	}
	buffer := (*[C.CPRNG_STREAM_BUFFER]byte)(unsafe.Pointer(&c.buffer))
	at := buffer[C.CPRNG_STREAM_BUFFER+int(c.next):]
	c.next += C.ptrdiff_t(size)
	switch size {
	case 1:
		return uint64(at[0])
	case 2:
		return uint64(binary.LittleEndian.Uint16(at))
	case 4:
		return uint64(binary.LittleEndian.Uint32(at))
	}
	return binary.LittleEndian.Uint64(at)
}

// Uint8 returns the next byte.  If a stream ends before a number's last byte, the process is aborted.
func (s *Stream) Uint8() uint8 { return uint8(s.next(1)) }

// Uint16 returns an integer of two bytes, the first being the least significant.
func (s *Stream) Uint16() uint16 { return uint16(s.next(2)) }

// Uint32 returns an integer of four bytes.
func (s *Stream) Uint32() uint32 { return uint32(s.next(4)) }

// Uint64 returns an integer of eight bytes.
func (s *Stream) Uint64() uint64 { return s.next(8) }

// Bool returns the lowest bit of a byte.
func (s *Stream) Bool() bool { return s.Uint8()&1 == 1 }

// Float32 returns a uniform multiple of 2^-24 in [0, 1), from 4 bytes.
func (s *Stream) Float32() float32 { return float32(s.Uint32()>>8) * (1.0 / (1 << 24)) }

// Float64 returns a uniform multiple of 2^-53 in [0, 1), from 8 bytes.
func (s *Stream) Float64() float64 { return float64(s.Uint64()>>11) * (1.0 / (1 << 53)) }

// Uint64N returns a uniform integer of [0, n); 0 if n is 0 or 1.
func (s *Stream) Uint64N(n uint64) uint64 {
	return uint64(C.cprng_stream_uniform64(s.c(), C.uint64_t(n)))
}

// Uint64Range returns a uniform integer of [lo, hi], both ends included.
func (s *Stream) Uint64Range(lo, hi uint64) uint64 {
	return uint64(C.cprng_stream_range64(s.c(), C.uint64_t(lo), C.uint64_t(hi)))
}

// Int64Range returns a uniform integer of [lo, hi], both ends included.
func (s *Stream) Int64Range(lo, hi int64) int64 {
	return int64(C.cprng_stream_int_range(s.c(), C.int64_t(lo), C.int64_t(hi)))
}

// Normal returns a normally distributed number, from 8 bytes.  Use [Stream.FillNormal] for many: a call of C costs more.
func (s *Stream) Normal(mu, sigma float64) float64 {
	return float64(C.cprng_stream_normal(s.c(), C.double(mu), C.double(sigma)))
}

// Exponential returns an exponentially distributed number, from 8 bytes.
func (s *Stream) Exponential(mean float64) float64 {
	return float64(C.cprng_stream_exponential(s.c(), C.double(mean)))
}

// Fill fills out with what Float64 returns.
func (s *Stream) Fill(out []float64) error {
	return check(C.cprng_stream_fill_double(s.s, doubles(out), C.size_t(len(out))))
}

// FillNormal fills out with what Normal returns.
func (s *Stream) FillNormal(out []float64, mu, sigma float64) error {
	return check(C.cprng_stream_fill_normal(s.s, doubles(out), C.size_t(len(out)), C.double(mu), C.double(sigma)))
}

// FillExponential fills out with what Exponential returns.
func (s *Stream) FillExponential(out []float64, mean float64) error {
	return check(C.cprng_stream_fill_exponential(s.s, doubles(out), C.size_t(len(out)), C.double(mean)))
}

// Sample fills out with distinct integers of [0, n), in random order.
func (s *Stream) Sample(out []uint64, n uint64) error {
	return check(C.cprng_stream_sample(s.s, (*C.uint64_t)(unsafe.SliceData(out)), C.size_t(len(out)), C.uint64_t(n)))
}

// Shuffle puts n elements into a random order, as rand.Shuffle does, with the specification's choices.
func (s *Stream) Shuffle(n int, swap func(i, j int)) {
	if n < 0 {
		panic("cprng: Shuffle of fewer than 0 elements")
	}
	for ; n > 1; n-- {
		swap(n-1, int(s.Uint64N(uint64(n))))
	}
}

func doubles(out []float64) *C.double {
	return (*C.double)(unsafe.SliceData(out))
}
