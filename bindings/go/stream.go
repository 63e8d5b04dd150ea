// SPDX-License-Identifier: BSD-2-Clause

package cprng

import (
	"bytes"
	"crypto/sha256"
	"encoding"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io"
	"log/slog"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

var (
	_ rand.Source                = (*Stream)(nil)
	_ io.ReadSeeker              = (*Stream)(nil)
	_ encoding.BinaryMarshaler   = Stream{}
	_ encoding.BinaryUnmarshaler = (*Stream)(nil)
	_ encoding.TextMarshaler     = Stream{}
	_ encoding.TextUnmarshaler   = (*Stream)(nil)
)

// A Stream gives reproducible bytes and numbers from a seed: for simulations and test data, NOT for secrets.  Equal
// seeds always give equal numbers, on every machine and in every language that has the library; the project's
// docs/streams-specification.md defines how numbers are made from bytes.
//
// It is a source for math/rand/v2, whose own numbers (r.IntN, r.NormFloat64) follow Go's rules; the methods here follow
// the specification.  Only one goroutine at a time may use it: give each a [Stream.Child].  A copy of a Stream is the same
// stream: numbers taken from one are gone from the other.
//
// The zero Stream and a nil one are invalid: their methods return [ErrArgument], or panic if they return no error.
// [Stream.UnmarshalBinary] or [Stream.UnmarshalText] makes the zero Stream valid.
type Stream struct {
	own **state // nil: invalid.  Package fmt follows no pointer to a pointer, even in another type's private field
}

// state returns nil if the stream is invalid.
func (s *Stream) state() *state {
	if s == nil || s.own == nil {
		return nil
	}
	return *s.own
}

type state struct {
	left       int    // number of unserved bytes, at the buffer's end
	behind     uint64 // stream offset just past the buffer
	end        uint64 // offset just past the stream's last byte
	engine     *engine
	key, nonce []byte
	keys       keystream
	buffer     [bufferSize]byte
}

const (
	bufferSize = 1024
	blockSize  = 64 // a multiple of each engine's
)

type engine struct {
	name         string
	family       family
	rounds       int
	keys, nonces [2]int // sizes in bytes; first those that seeds use
}

type family int

const (
	chacha family = iota
	salsa20
	aesCTR
)

// The table of docs/streams-specification.md.  Seeds without an engine's name use the first engine.
var engines = []engine{
	{"chacha8", chacha, 8, [2]int{32, 16}, [2]int{8, 12}},
	{"chacha12", chacha, 12, [2]int{32, 16}, [2]int{8, 12}},
	{"chacha20", chacha, 20, [2]int{32, 16}, [2]int{8, 12}},
	{"salsa20", salsa20, 20, [2]int{32, 16}, [2]int{8, 8}},
	{"salsa20-12", salsa20, 12, [2]int{32, 16}, [2]int{8, 8}},
	{"salsa20-8", salsa20, 8, [2]int{32, 16}, [2]int{8, 8}},
	{"aes256-ctr", aesCTR, 14, [2]int{32, 32}, [2]int{16, 16}},
	{"aes128-ctr", aesCTR, 10, [2]int{16, 16}, [2]int{16, 16}},
}

func find(name string) (*engine, error) {
	if name == "" {
		return &engines[0], nil
	}
	if i := slices.IndexFunc(engines, func(e engine) bool { return e.name == name }); i >= 0 {
		return &engines[i], nil
	}
	return nil, ErrEngine
}

// padded returns the name, padded with zeros to 16 bytes.
func (e *engine) padded() []byte {
	return append([]byte(e.name), make([]byte, 16-len(e.name))...)
}

// begin starts the keystream of a key, at offset 0.
func begin(e *engine, key, nonce []byte) (*Stream, error) {
	keys, err := newKeystream(e, key, nonce)
	if err != nil {
		return nil, err
	}
	s := &state{engine: e, key: key, nonce: nonce, keys: keys, end: math.MaxUint64}
	if len(nonce) == 12 { // RFC 8439's counter has 32 bits
		s.end = blockSize << 32
	}
	return &Stream{&s}, nil
}

// derive starts the stream of a seed or child.  Its key is a hash of the parts.
func derive(e *engine, kind byte, parts ...[]byte) (*Stream, error) {
	h := sha256.New()
	h.Write([]byte("cprng stream key"))
	h.Write([]byte{kind})
	h.Write(e.padded())
	for _, part := range parts {
		h.Write(part)
	}
	return begin(e, h.Sum(nil)[:e.keys[0]:e.keys[0]], make([]byte, e.nonces[0]))
}

func seeded(name string, kind byte, seed []byte) (*Stream, error) {
	e, err := find(name)
	if err != nil {
		return nil, err
	}
	return derive(e, kind, le64(uint64(len(seed))), seed)
}

func le64(value uint64) []byte {
	return binary.LittleEndian.AppendUint64(nil, value)
}

// NewStream starts the stream of an integer, with an engine: "chacha8", "chacha20", "aes256-ctr", ...; "" means "chacha8".
func NewStream(engine string, seed uint64) (*Stream, error) {
	return NewStreamInt(engine, new(big.Int).SetUint64(seed))
}

// NewStreamInt starts the stream of an integer of any size; 42 is the same seed here and in [NewStream].
func NewStreamInt(engine string, seed *big.Int) (*Stream, error) {
	kind, magnitude := byte('i'), seed.Bytes()
	if seed.Sign() < 0 {
		kind = 'n'
	}
	slices.Reverse(magnitude)
	return seeded(engine, kind, magnitude)
}

// NewStreamString starts the stream of a string, which must be nonempty and valid UTF-8, without a NUL.  The string "42" and the
// integer 42 are different seeds.
func NewStreamString(engine, seed string) (*Stream, error) {
	if strings.IndexByte(seed, 0) >= 0 || !utf8.ValidString(seed) {
		return nil, ErrArgument
	}
	if seed == "" {
		return nil, ErrSize
	}
	return seeded(engine, 's', []byte(seed))
}

// NewStreamBytes starts the stream of a seed of 16 bytes or more.
func NewStreamBytes(engine string, seed []byte) (*Stream, error) {
	if len(seed) < 16 {
		return nil, ErrSize
	}
	return seeded(engine, 'b', seed)
}

// NewStreamKey starts the stream of a key and a nonce as another program has it, such as 32 and 12 bytes of chacha20 in RFC 8439, whose
// stream ends after 256 GiB.  The engine must be named; a nil nonce is all zero.  It returns [ErrArgument] for other sizes than the engine's.
func NewStreamKey(engine string, key, nonce []byte) (*Stream, error) {
	e, err := find(engine)
	if engine == "" || err != nil {
		return nil, ErrEngine
	}
	if nonce == nil {
		nonce = make([]byte, e.nonces[0])
	}
	if !slices.Contains(e.keys[:], len(key)) || !slices.Contains(e.nonces[:], len(nonce)) {
		return nil, ErrArgument
	}
	return begin(e, bytes.Clone(key), bytes.Clone(nonce))
}

// Child starts child number index, independent of the stream and of its other children.
func (s *Stream) Child(index uint64) (*Stream, error) {
	st := s.state()
	if st == nil {
		return nil, ErrArgument
	}
	return derive(st.engine, 'c', []byte{byte(len(st.key)), byte(len(st.nonce))}, st.key, st.nonce, le64(index))
}

// String returns the engine and the offset, and neither the key nor the seed.
func (s Stream) String() string {
	st := s.state()
	if st == nil {
		return "cprng.Stream(none)"
	}
	return "cprng.Stream(" + st.engine.name + " at " + strconv.FormatUint(st.tell(), 10) + ")"
}

// Format prints what String returns, whatever the verb, so that the key is never shown.
func (s Stream) Format(f fmt.State, verb rune) { format(f, verb, s.String()) }

// LogValue returns what String returns: otherwise log/slog would write the checkpoint.
func (s Stream) LogValue() slog.Value { return slog.StringValue(s.String()) }

const checkpointSize = 128

// MarshalBinary returns a checkpoint, the same on every machine.  It is as secret as the key.  encoding/gob calls this method.
func (s Stream) MarshalBinary() ([]byte, error) {
	st := s.state()
	if st == nil {
		return nil, ErrArgument
	}
	var c [checkpointSize]byte
	copy(c[:], "cprngstr\x01")
	c[9], c[10] = byte(len(st.key)), byte(len(st.nonce))
	copy(c[16:], st.engine.name)
	copy(c[32:], st.key)
	copy(c[64:], st.nonce)
	binary.LittleEndian.PutUint64(c[80:], st.tell())
	sum := sha256.Sum256(c[:96])
	copy(c[96:], sum[:])
	return c[:], nil
}

// UnmarshalBinary continues from a checkpoint.  After an error the stream is unchanged.
func (s *Stream) UnmarshalBinary(checkpoint []byte) error {
	if s == nil {
		return ErrArgument
	}
	restored, err := restore(checkpoint)
	if err == nil {
		*s = *restored
	}
	return err
}

// restore accepts a checkpoint only if MarshalBinary writes the same bytes for the restored stream.
func restore(checkpoint []byte) (*Stream, error) {
	if len(checkpoint) != checkpointSize {
		return nil, ErrCheckpoint
	}
	key, nonce := 32+int(checkpoint[9]), 64+int(checkpoint[10])
	if key > 64 || nonce > 80 {
		return nil, ErrCheckpoint
	}
	s, err := NewStreamKey(string(bytes.TrimRight(checkpoint[16:32], "\x00")), checkpoint[32:key], checkpoint[64:nonce])
	if err != nil || s.SeekTo(binary.LittleEndian.Uint64(checkpoint[80:])) != nil {
		return nil, ErrCheckpoint
	}
	if again, err := s.MarshalBinary(); err != nil || !bytes.Equal(again, checkpoint) {
		return nil, ErrCheckpoint
	}
	return s, nil
}

// MarshalText returns the checkpoint in hexadecimal digits.  It is as secret as the key.  JSON and XML use this method.
func (s Stream) MarshalText() ([]byte, error) {
	checkpoint, err := s.MarshalBinary()
	if err != nil {
		return nil, err
	}
	return hex.AppendEncode(nil, checkpoint), nil
}

// UnmarshalText continues from a checkpoint of [Stream.MarshalText].  After an error the stream is unchanged.
func (s *Stream) UnmarshalText(text []byte) error {
	checkpoint, err := hex.AppendDecode(nil, text)
	if err != nil {
		return ErrCheckpoint
	}
	return s.UnmarshalBinary(checkpoint)
}

func (s *state) tell() uint64 {
	return s.behind - uint64(s.left)
}

// seek sets the offset, which is not past the end.
func (s *state) seek(offset uint64) {
	if step := offset - s.tell(); step <= uint64(s.left) {
		s.left -= int(step) // a step back is a huge number and does not come here
	} else {
		s.left, s.behind = 0, offset
	}
}

// refill fills the empty buffer, beginning with the block of the next byte.  The stream must not be at its end.
func (s *state) refill() {
	within := int(s.behind % blockSize)
	n := int(min(bufferSize-uint64(within), s.end-s.behind))
	s.keys.read(s.behind-uint64(within), s.buffer[:within+n])
	// Near the end of the stream the bytes do not fill the buffer: move them to the buffer's end.
	copy(s.buffer[bufferSize-n:], s.buffer[within:within+n])
	s.behind += uint64(n)
	s.left = n
}

// take serves the next len(p) bytes, which lie before the end of the stream.
func (s *state) take(p []byte) {
	for {
		n := copy(p, s.buffer[bufferSize-s.left:])
		s.left -= n
		if p = p[n:]; len(p) == 0 {
			return
		}
		// Whole blocks of a long request bypass the buffer.
		if whole := len(p) &^ (blockSize - 1); whole >= bufferSize && s.behind%blockSize == 0 {
			s.keys.read(s.behind, p[:whole])
			s.behind += uint64(whole)
			p = p[whole:]
		}
		if len(p) == 0 {
			return
		}
		s.refill()
	}
}

// Read fills p with the next bytes.  It returns len(p) and nil, or 0 and [ErrRange] if the stream ends first.
func (s *Stream) Read(p []byte) (int, error) {
	st := s.state()
	if st == nil {
		return 0, ErrArgument
	}
	if uint64(len(p)) > st.end-st.tell() {
		return 0, ErrRange
	}
	st.take(p)
	return len(p), nil
}

// Seek sets the offset of the next byte, in constant time.  It refuses io.SeekEnd, because a stream has no end to count
// from, and offsets above 2^63 - 1, for which there is [Stream.SeekTo].  An error leaves the offset unchanged.
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
	if err := s.SeekTo(target); err != nil {
		return 0, err
	}
	return int64(target), nil
}

// SeekTo sets the offset of the next byte, in constant time.  It returns [ErrRange], and leaves the offset unchanged, if the stream ends
// before: most have 2^64 - 1 bytes.
func (s *Stream) SeekTo(offset uint64) error {
	st := s.state()
	if st == nil {
		return ErrArgument
	}
	if offset > st.end {
		return ErrRange
	}
	st.seek(offset)
	return nil
}

// Tell returns the offset of the next byte.
func (s *Stream) Tell() uint64 {
	if st := s.state(); st != nil {
		return st.tell()
	}
	return 0
}
