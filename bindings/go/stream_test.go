// SPDX-License-Identifier: BSD-2-Clause

package cprng

import (
	"bytes"
	"encoding/gob"
	"encoding/hex"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"log/slog"
	"math"
	"math/big"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
)

func must(s *Stream, err error) *Stream {
	if err != nil {
		panic(err)
	}
	return s
}

// Catches an error of the C library that is missing or different in Go.
func TestErrors(t *testing.T) {
	_, engine := NewStream("no such engine", 1)
	_, short := NewStreamBytes("", make([]byte, 15))
	s := must(NewStream("", 1))
	_, before := s.Seek(-1, io.SeekCurrent)
	_, end := s.Seek(0, io.SeekEnd)
	_, seed := NewStreamString("", "a\x00b")
	_, latin := NewStreamString("", "Stra\xdfe")
	_, surrogate := NewStreamString("", "a\xed\xa0\x80b")
	_, cut := NewStreamString("chacha8\x00x", "a")
	_, cutBytes := NewStreamBytes("chacha8\x00", make([]byte, 16))
	_, cutInteger := NewStream("\x00", 1)
	for i, pair := range [][2]error{
		{engine, ErrEngine}, {short, ErrSize}, {before, ErrRange}, {end, ErrArgument},
		{s.UnmarshalBinary(make([]byte, 128)), ErrCheckpoint}, {s.Sample(make([]uint64, 3), 2), ErrArgument},
		{s.FillNormal(make([]float64, 1), 0, -1), ErrArgument},
		{seed, ErrArgument}, {latin, ErrArgument}, {surrogate, ErrArgument}, {cut, ErrEngine}, {cutBytes, ErrEngine}, {cutInteger, ErrEngine},
	} {
		if pair[0] != pair[1] {
			t.Errorf("error %d is %v instead of %v", i, pair[0], pair[1])
		}
	}
	if offset, err := s.Seek(10, io.SeekCurrent); offset != 10 || err != nil || s.Tell() != 10 {
		t.Errorf("%d, %v", offset, err)
	}
}

func panics(call func()) (with any) {
	defer func() { with = recover() }()
	call()
	return nil
}

// Catches an invalid stream that aborts the process, or that counts as valid after an invalid checkpoint; and a stream
// changed by such a checkpoint.
func TestWhatIsNoStream(t *testing.T) {
	s := must(NewStream("", 1))
	good := parsed(s.MarshalBinary())
	var untouched, failed Stream
	for _, broken := range [][]byte{nil, {}, good[:127], make([]byte, 128), append(good[:127:127], good[127]^1)} {
		if failed.UnmarshalBinary(broken) == nil || s.UnmarshalBinary(broken) == nil {
			t.Errorf("taken for a checkpoint: %x", broken)
		}
	}
	if s.Uint64() != must(NewStream("", 1)).Uint64() {
		t.Error("a broken checkpoint has changed a stream")
	}
	for _, none := range []*Stream{&untouched, &failed, nil} {
		for i, call := range []func(){
			func() { none.Uint8() }, func() { none.Uint64() }, func() { none.Float64() }, func() { none.Uint64N(6) },
			func() { none.Uint64Range(1, 6) }, func() { none.Int64Range(1, 6) }, func() { none.Normal(0, 1) }, func() { none.Exponential(1) },
			func() { none.Shuffle(3, func(i, j int) {}) }, func() { none.Bernoulli(0.5) }, func() { none.BernoulliRatio(1, 2) },
			func() { none.Weighted(parsed(NewWeights([]uint64{1}))) },
		} {
			if text, _ := panics(call).(string); !strings.Contains(text, "no stream") {
				t.Errorf("number %d of no stream: %q", i, text)
			}
		}
		out := make([]float64, 1)
		_, read := none.Read(make([]byte, 1))
		_, seek := none.Seek(0, io.SeekStart)
		_, child := none.Child(1)
		_, text := none.TextOf(1, "ab")
		_, uuid4 := none.UUID4()
		_, uuid7 := none.UUID7(1)
		for i, err := range []error{read, seek, child, text, uuid4, uuid7, none.Fill(out), none.FillNormal(out, 0, 1),
			none.FillExponential(out, 1), none.Sample(make([]uint64, 1), 2), none.FillUint32N(make([]uint32, 1), 2),
			none.FillUint64N(make([]uint64, 1), 2), none.FillUint64Range(make([]uint64, 1), 1, 2), none.FillInt64Range(make([]int64, 1), 1, 2)} {
			if err != ErrArgument {
				t.Errorf("call %d of no stream: %v", i, err)
			}
		}
		if offset := none.Tell(); offset != 0 {
			t.Errorf("offset %d of no stream", offset)
		}
		if none == nil {
			// Methods with a value receiver panic with Go's own message for nil.
			if none.UnmarshalBinary(good) != ErrArgument || none.UnmarshalText([]byte(hex.EncodeToString(good))) != ErrArgument {
				t.Error("a checkpoint is restored to nil")
			}
			continue
		}
		if _, err := none.MarshalBinary(); err != ErrArgument {
			t.Errorf("a checkpoint of no stream: %v", err)
		}
		if err := none.UnmarshalBinary(good); err != nil || none.Uint64() != must(NewStream("", 1)).Uint64() {
			t.Errorf("no stream from a checkpoint: %v", err)
		}
	}
}

// Catches a stream that does not describe itself, or that shows its seed or memory.
func TestStreamsShowThemselves(t *testing.T) {
	moved, none := must(NewStreamString("aes256-ctr", "a seed")), new(Stream)
	moved.Uint16()
	for shown, s := range map[string]*Stream{"chacha8 at 0": must(must(NewStream("", 9)).Child(7)), "aes256-ctr at 2": moved, "none": none} {
		for _, format := range []string{"%v", "%+v", "%#v", "%s"} {
			for _, s := range []any{s, *s} {
				if made := fmt.Sprintf(format, s); made != "cprng.Stream("+shown+")" {
					t.Errorf("%s: %.100s", format, made)
				}
			}
		}
	}
	if _, err := NewStreamBytes("", make([]byte, 15)); !strings.Contains(err.Error(), "seed") || strings.Contains(err.Error(), "event") {
		t.Errorf("a short seed: %v", err)
	}
}

// Catches a verb or a log that shows the key, or buffered bytes of a stream or source.
func TestNoFormatShowsMemory(t *testing.T) {
	s, source := must(NewStream("", 4)), NewSource()
	key := parsed(s.MarshalBinary())[32:64]
	s.Uint64()
	source.Uint64()
	type holder struct {
		Public  *Stream
		private Stream
		source  Source
	}
	var log bytes.Buffer
	for _, value := range []any{s, *s, source, *source, holder{s, *s, *source}, &holder{s, *s, *source}, []*Stream{s}, rand.New(source)} {
		for _, format := range []string{"%v", "%+v", "%#v", "%s", "%d", "%x", "%X", "%q", "%o", "%b", "%c", "%U", "%e", "%t", "%p", "%20v"} {
			shown := fmt.Sprintf(format, value)
			if len(shown) > 400 || strings.Contains(shown, strings.Trim(fmt.Sprint(key[:4]), "[]")) {
				t.Errorf("%s of %T: %.100s", format, value, shown)
			}
		}
	}
	for _, handler := range []slog.Handler{slog.NewJSONHandler(&log, nil), slog.NewTextHandler(&log, nil)} {
		slog.New(handler).Info("a stream", "stream", s, "value", *s)
	}
	if shown := log.String(); strings.Count(shown, "chacha8 at 8") != 4 || strings.Contains(shown, hex.EncodeToString(key)) {
		t.Error(shown)
	}
}

// Catches a stream written as an empty object or restored as a different stream; and a source that is written at all.
func TestStreamsAreWritten(t *testing.T) {
	type game struct {
		Level  int
		Dice   Stream
		Weeks  *Stream
		Unused *Stream
	}
	dice, weeks := must(NewStream("", 1)), must(must(NewStreamString("aes128-ctr", "weeks")).Child(3))
	dice.Uint16()
	saved := game{3, *dice, weeks, nil}
	asJSON := parsed(json.Marshal(saved))
	asXML := parsed(xml.Marshal(saved))
	var asGob bytes.Buffer
	if err := gob.NewEncoder(&asGob).Encode(saved); err != nil {
		t.Fatal(err)
	}
	next := [2]uint64{dice.Uint64(), weeks.Uint64()}
	for name, read := range map[string]func(*game) error{
		"JSON": func(g *game) error { return json.Unmarshal(asJSON, g) },
		"XML":  func(g *game) error { return xml.Unmarshal(asXML, g) },
		"gob":  func(g *game) error { return gob.NewDecoder(&asGob).Decode(g) },
	} {
		var restored game
		if err := read(&restored); err != nil {
			t.Fatal(name, err)
		}
		if restored.Level != 3 || restored.Unused != nil || [2]uint64{restored.Dice.Uint64(), restored.Weeks.Uint64()} != next {
			t.Errorf("%s: another game", name)
		}
	}
	text := parsed(dice.MarshalText())
	if string(text) != hex.EncodeToString(parsed(dice.MarshalBinary())) {
		t.Errorf("%s", text)
	}
	before := dice.Tell()
	for _, wrong := range []string{"", "x", string(text[1:]), string(text[2:]), string(text) + "00", "00" + string(text[2:])} {
		if err := dice.UnmarshalText([]byte(wrong)); err != ErrCheckpoint || dice.Tell() != before {
			t.Errorf("%q: %v", wrong, err)
		}
	}
	for _, value := range []any{Stream{}, new(Stream), Source{}, NewSource(), struct{ S *Source }{NewSource()}} {
		if text, err := json.Marshal(value); err == nil {
			t.Errorf("%T is written as %s", value, text)
		}
		if err := gob.NewEncoder(io.Discard).Encode(value); err == nil {
			t.Errorf("%T is written by gob", value)
		}
	}
}

// Catches copies that repeat each other's numbers.
func TestACopyIsTheSame(t *testing.T) {
	s, again := must(NewStream("", 5)), must(NewStream("", 5))
	copied := *s
	for range 300 {
		if s.Uint64() != again.Uint64() || copied.Uint64() != again.Uint64() {
			t.Fatal("a copy of a stream is another one")
		}
	}
	source := NewSource()
	source.Uint64()
	other := *source
	var all []uint64
	for range 3 * blockWords {
		all = append(all, source.Uint64(), other.Uint64())
	}
	assertUnique(t, all)
}

// Catches an end at which a stream goes on, moves, or ends the process.
func TestTheEndOfAStream(t *testing.T) {
	at := func(nonce int, offset uint64) *Stream {
		s := must(NewStreamKey("chacha8", make([]byte, 32), make([]byte, nonce)))
		return must(s, s.SeekTo(offset))
	}
	for _, s := range []*Stream{at(12, 1<<38-4), at(8, math.MaxUint64-4)} {
		offset := s.Tell()
		_, read := s.Read(make([]byte, 5))
		out := make([]float64, 1)
		for i, err := range []error{read, s.Fill(out), s.FillNormal(out, 0, 1), s.FillExponential(out, 1)} {
			if err != ErrRange {
				t.Errorf("call %d beyond the end: %v", i, err)
			}
		}
		order := []int{0, 1, 2, 3, 4}
		for i, call := range []func(){func() { s.Uint64() }, func() { s.Float64() }, func() { s.Normal(0, 1) }, func() { s.Uint64N(1 << 40) },
			func() { s.Shuffle(5, reflect.Swapper(order)) }} {
			if text, _ := panics(call).(string); !strings.Contains(text, "at its end") {
				t.Errorf("number %d beyond the end: %q", i, text)
			}
		}
		slices.Sort(order)
		if s.Tell() != offset || !slices.Equal(order, []int{0, 1, 2, 3, 4}) {
			t.Errorf("moved from %d to %d, order %v", offset, s.Tell(), order)
		}
		if s.Uint32(); s.Tell() != offset+4 || panics(func() { s.Uint8() }) == nil {
			t.Error("the last bytes are refused, or not the last ones")
		}
	}
	if panics(func() { at(12, 1<<38+1) }) == nil {
		t.Error("an offset beyond the end")
	}
}

// Catches arithmetic that is fused or rounded differently than in C, where the digests come from; and single numbers that
// differ from those of an array.
func TestManyNumbersAreThoseOfC(t *testing.T) {
	const count = 100000
	s, single := must(NewStream("", 7)), must(NewStream("", 7))
	normals, exponentials := make([]float64, count), make([]float64, count)
	made := []any{digest(normals, s.FillNormal(normals, 3, 0.7)), digest(exponentials, s.FillExponential(exponentials, 0.7))}
	if !reflect.DeepEqual(made, []any{"917c807dbf27fcf7d8d8789a6ed78f876e677c5305f1cbb5540662ccd6a2ee14",
		"8f378b51b4ece5e28b0a2a3b926f29fb3bc25b80ae91ef02dc971ab650aa8ac9"}) {
		t.Error(made...)
	}
	for i, number := range append(normals, exponentials...) {
		one := single.Normal
		if i >= count {
			one = func(_, mean float64) float64 { return single.Exponential(mean) }
		}
		if math.Float64bits(one(3, 0.7)) != math.Float64bits(number) {
			t.Fatalf("number %d differs from that of the array", i)
		}
	}
}

// Catches a fused term of a sum that affects only few numbers of a stream.  The digest comes from a machine without fused
// operations, and all terms have the same order of magnitude.
func TestTermsAreRounded(t *testing.T) {
	values := make([]float64, 4000)
	source := rand.New(rand.NewPCG(1, 2))
	for i := range values {
		x := 0.5 + source.Float64()
		if values[i] = logRest(0x1p33*source.Float64(), x, source.Float64()); i%2 == 0 {
			var c [8]float64
			for j := range c {
				c[j] = source.Float64()
			}
			values[i] = polynomial(&c, x)
		}
	}
	const expected = "0106769a8ee0836566c252da4b637fe68f41d9f93a805c5e50442387107c8340"
	if made := digest(values, nil); made != expected {
		t.Error(made)
	}
}

// Catches an order that loses or repeats an element, or differs from the choices; and an invalid count that is accepted.
func TestShuffle(t *testing.T) {
	for _, size := range []int{0, 1, 2, 100} {
		s, choices := must(NewStream("", 9)), must(NewStream("", 9))
		order, expected := make([]int, size), make([]int, size)
		for i := range order {
			order[i], expected[i] = i, i
		}
		s.Shuffle(size, reflect.Swapper(order))
		for left := size; left > 1; left-- {
			chosen := choices.Uint64N(uint64(left))
			expected[left-1], expected[chosen] = expected[chosen], expected[left-1]
		}
		if !reflect.DeepEqual(order, expected) || s.Tell() != choices.Tell() {
			t.Errorf("%d elements: %v", size, order)
		}
		if slices.Sort(order); size > 0 && (order[0] != 0 || order[size-1] != size-1 || len(slices.Compact(order)) != size) {
			t.Errorf("%d elements: %v", size, order)
		}
	}
	s := must(NewStream("", 9))
	if panics(func() { s.Shuffle(-1, func(i, j int) {}) }) == nil || s.Tell() != 0 {
		t.Error("-1 elements are shuffled")
	}
}

// Catches an array of bounded integers, made by Go or by C, that differs from single calls.
func TestArraysHaveTheNumbersOfSingleCalls(t *testing.T) {
	for _, bound := range []uint64{1, 6, 1000, 1<<31 + 1, math.MaxUint32, 1 << 32, 1<<63 + 1, math.MaxUint64} {
		for _, count := range []int{0, 1, 7, 50, 51, 257, 3001} {
			arrays, singles := must(NewStream("", bound)), must(NewStream("", bound))
			narrow, wide := make([]uint32, count), make([]uint64, count)
			whole := make([]int64, count)
			same := func(err error, equal func(i int) bool) {
				t.Helper()
				for i := range count {
					if !equal(i) {
						t.Fatalf("number %d of %d below %d", i, count, bound)
					}
				}
				if err != nil || arrays.Tell() != singles.Tell() {
					t.Fatalf("%d below %d: %v", count, bound, err)
				}
			}
			same(arrays.FillUint32N(narrow, uint32(bound)|1), func(i int) bool { return uint64(narrow[i]) == singles.Uint64N(uint64(uint32(bound)|1)) })
			same(arrays.FillUint64N(wide, bound), func(i int) bool { return wide[i] == singles.Uint64N(bound) })
			same(arrays.FillUint64Range(wide, 1, bound), func(i int) bool { return wide[i] == singles.Uint64Range(1, bound) })
			same(arrays.FillUint64Range(wide, 0, bound), func(i int) bool { return wide[i] == singles.Uint64Range(0, bound) })
			same(arrays.FillInt64Range(whole, -5, int64(bound>>1)), func(i int) bool { return whole[i] == singles.Int64Range(-5, int64(bound>>1)) })
		}
	}
}

// Catches a long array of bounded integers that goes on at the end of a stream, or moves it.
func TestLongArraysEndWithTheStream(t *testing.T) {
	s := must(NewStream("", 6))
	must(s, s.SeekTo(math.MaxUint64-4*1000))
	offset := s.Tell()
	for i, err := range []error{s.FillUint32N(make([]uint32, 1001), 6), s.FillUint64N(make([]uint64, 1001), 6),
		s.FillUint64Range(make([]uint64, 501), 1, math.MaxUint64), s.FillInt64Range(make([]int64, 1001), -3, 3)} {
		if err != ErrRange || s.Tell() != offset {
			t.Errorf("array %d beyond the end: %v, offset %d", i, err, s.Tell())
		}
	}
	if err := s.FillUint32N(make([]uint32, 1000), 1<<31); err != nil || s.Tell() != math.MaxUint64 {
		t.Errorf("the last 1,000 numbers: %v, offset %d", err, s.Tell())
	}
}

// Catches a sort of samples that differs from that of the standard library.
func TestSortOfSamples(t *testing.T) {
	source := rand.New(rand.NewPCG(3, 4))
	for _, n := range []uint64{1, 2, 255, 256, 257, 1 << 16, 1<<16 + 1, 1 << 40, math.MaxUint64} {
		for _, count := range []int{0, 1, 127, 128, 1000} {
			v := make([]uint64, count)
			for i := range v {
				v[i] = source.Uint64N(n)
			}
			expected := slices.Sorted(slices.Values(v))
			if sort(v, n); !slices.Equal(v, expected) {
				t.Errorf("%d below %d", count, n)
			}
		}
	}
}

// Catches an offset that comes back negative, and a stream moved by a failed call.
func TestSeekEndsWhereItsResultDoes(t *testing.T) {
	s := must(NewStream("", 1))
	for _, step := range []struct {
		offset int64
		from   int
		result int64
		err    error
	}{
		{math.MaxInt64 - 8, io.SeekStart, math.MaxInt64 - 8, nil},
		{9, io.SeekCurrent, 0, ErrRange},
		{math.MaxInt64, io.SeekCurrent, 0, ErrRange},
		{8, io.SeekCurrent, math.MaxInt64, nil},
		{1, io.SeekCurrent, 0, ErrRange},
		{math.MinInt64, io.SeekCurrent, 0, ErrRange},
		{-math.MaxInt64, io.SeekCurrent, 0, nil},
		{-1, io.SeekCurrent, 0, ErrRange},
	} {
		before := s.Tell()
		result, err := s.Seek(step.offset, step.from)
		if result != step.result || err != step.err || (err != nil && s.Tell() != before) {
			t.Errorf("Seek(%d, %d) from %d gave %d, %v", step.offset, step.from, before, result, err)
		}
	}
	// Past 2^63 - 1, which reads can reach.
	if _, err := s.Seek(math.MaxInt64, io.SeekStart); err != nil {
		t.Fatal(err)
	}
	s.Uint64()
	if _, err := s.Seek(0, io.SeekCurrent); err != ErrRange {
		t.Error(err)
	}
	if offset, err := s.Seek(-8, io.SeekCurrent); offset != math.MaxInt64 || err != nil {
		t.Errorf("%d, %v", offset, err)
	}
}

// Catches a key, nonce or large integer that gives another stream than in other programs, and one that the caller can still change.
func TestKeysAndLargeIntegers(t *testing.T) {
	key, nonce := unhex("000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"), unhex("000000090000004a00000000")
	s := must(NewStreamKey("chacha20", key, nonce)) // RFC 8439, 2.3.2
	clear(key)
	clear(nonce)
	block := make([]byte, 16)
	must(s, s.SeekTo(64))
	if s.Read(block); hex.EncodeToString(block) != "10f1e7e4d13b5915500fdd1fa32071c4" {
		t.Errorf("%x", block)
	}
	if kept := hex.EncodeToString(parsed(s.MarshalBinary())[32:76]); kept != "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f000000090000004a00000000" {
		t.Error(kept)
	}
	for number, key := range map[string]string{"-42": "4cf07ee8c55792a05db0c08da9f4d8f56c3bccf4ed7a709346e7354ecda28553",
		"18446744073709551874": "b7e0335b7dcb09ea5eae969f8ed24a0f411af759b479cc5b9687a1f13ef67d0f"} {
		seed, _ := new(big.Int).SetString(number, 10)
		if must(NewStreamInt("", seed)).Uint64() != must(NewStreamKey("chacha8", unhex(key), nil)).Uint64() {
			t.Error(number)
		}
	}
	for engine, sizes := range map[string][2]int{"": {32, 8}, "no such engine": {32, 8}, "chacha20": {31, 8}, "aes128-ctr": {32, 16}, "salsa20": {32, 12}} {
		if _, err := NewStreamKey(engine, make([]byte, sizes[0]), make([]byte, sizes[1])); err != ErrEngine && err != ErrArgument {
			t.Errorf("%s: %v", engine, err)
		}
	}
}
