// SPDX-License-Identifier: BSD-2-Clause

package cprng

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
)

type row struct {
	Engine                 string
	Integer, String, Bytes *string
	Path                   []string
	Checkpoint             string
	Steps                  [][]any
}

func (r row) open() *Stream {
	var s *Stream
	switch {
	case r.Integer != nil:
		s = must(NewStream(r.Engine, integer(*r.Integer)))
	case r.String != nil:
		s = must(NewStreamString(r.Engine, *r.String))
	case r.Bytes != nil:
		s = must(NewStreamBytes(r.Engine, unhex(*r.Bytes)))
	default:
		s = new(Stream)
		must(s, s.UnmarshalBinary(unhex(r.Checkpoint)))
	}
	for _, index := range r.Path {
		s = must(s.Child(integer(index)))
	}
	return s
}

func vectors(t *testing.T) (v struct{ Seeds, Sequences, Ends, Choices []row }) {
	t.Helper()
	text, err := os.ReadFile("../../tests/vectors/numbers.json")
	if err != nil {
		t.Skip("not in a checkout")
	}
	if err := json.Unmarshal(text, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

func parsed[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

func integer(text any) uint64 { return parsed(strconv.ParseUint(text.(string), 10, 64)) }
func signed(text any) int64   { return parsed(strconv.ParseInt(text.(string), 10, 64)) }
func real(text any) float64   { return parsed(strconv.ParseFloat(text.(string), 64)) }
func unhex(text string) []byte {
	return parsed(hex.DecodeString(text))
}

// shown returns what was made, or the error.
func shown(made any, err error) any {
	if err != nil {
		return err
	}
	return made
}

func digest(numbers []float64, err error) any {
	h := sha256.New()
	binary.Write(h, binary.LittleEndian, numbers)
	return shown(hex.EncodeToString(h.Sum(nil)), err)
}

func texts(numbers []uint64) []any {
	list := []any{}
	for _, number := range numbers {
		list = append(list, strconv.FormatUint(number, 10))
	}
	return list
}

var bit = map[bool]string{false: "0", true: "1"}

// perform returns the package's result for a step, in the format of the vectors' file.
func perform(s *Stream, step []any) any {
	number := func(i int) int { return int(step[i].(float64)) }
	exact := func(value float64) any {
		stated := step[len(step)-1]
		if math.Float64bits(value) == math.Float64bits(real(stated)) {
			return stated
		}
		return value
	}
	switch step[0] {
	case "read":
		p := make([]byte, number(1))
		n, err := s.Read(p)
		return shown(hex.EncodeToString(p[:n]), err)
	case "seek":
		err := s.SeekTo(integer(step[1]))
		return shown(strconv.FormatUint(s.Tell(), 10), err)
	case "tell":
		return strconv.FormatUint(s.Tell(), 10)
	case "u8":
		return fmt.Sprint(s.Uint8())
	case "u16":
		return fmt.Sprint(s.Uint16())
	case "u32":
		return fmt.Sprint(s.Uint32())
	case "u64":
		return fmt.Sprint(s.Uint64())
	case "bool":
		return bit[s.Bool()]
	case "uniform32", "uniform64":
		return strconv.FormatUint(s.Uint64N(integer(step[1])), 10)
	case "range64":
		return strconv.FormatUint(s.Uint64Range(integer(step[1]), integer(step[2])), 10)
	case "int_range":
		return strconv.FormatInt(s.Int64Range(signed(step[1]), signed(step[2])), 10)
	case "shuffle":
		order := make([]uint64, integer(step[1]))
		for i := range order {
			order[i] = uint64(i)
		}
		s.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		return texts(order)
	case "sample":
		chosen := make([]uint64, integer(step[1]))
		err := s.Sample(chosen, integer(step[2]))
		return shown(texts(chosen), err)
	case "float":
		return exact(float64(s.Float32()))
	case "double":
		return exact(s.Float64())
	case "normal":
		return exact(s.Normal(real(step[1]), real(step[2])))
	case "exponential":
		return exact(s.Exponential(real(step[1])))
	case "floats":
		h := sha256.New()
		for range number(1) {
			binary.Write(h, binary.LittleEndian, s.Float32())
		}
		return hex.EncodeToString(h.Sum(nil))
	case "doubles":
		out := make([]float64, number(1))
		return digest(out, s.Fill(out))
	case "normals":
		out := make([]float64, number(1))
		return digest(out, s.FillNormal(out, 0, 1))
	case "exponentials":
		out := make([]float64, number(1))
		return digest(out, s.FillExponential(out, 1))
	case "bernoulli":
		return bit[s.Bernoulli(real(step[1]))]
	case "bernoulli_ratio":
		return bit[s.BernoulliRatio(integer(step[1]), integer(step[2]))]
	case "weighted":
		var weights, choices []uint64
		for _, weight := range step[1].([]any) {
			weights = append(weights, integer(weight))
		}
		w, err := NewWeights(weights)
		if err != nil {
			return err
		}
		for range number(2) {
			choices = append(choices, uint64(s.Weighted(w)))
		}
		return texts(choices)
	case "text":
		made, err := s.TextOf(number(1), string(unhex(step[2].(string))))
		return shown(hex.EncodeToString([]byte(made)), err)
	case "uuid4":
		made, err := s.UUID4()
		return shown(made.String(), err)
	case "uuid7":
		made, err := s.UUID7(int64(integer(step[1])))
		return shown(made.String(), err)
	case "checkpoint":
		return hex.EncodeToString(parsed(s.MarshalBinary()))
	}
	return errors.New("no such step")
}

// Catches a seed, child or checkpoint that differs from the model.
func TestSeedsAndChildrenHaveTheStatedKeys(t *testing.T) {
	rows := vectors(t).Seeds
	if len(rows) != 70 {
		t.Fatalf("%d rows", len(rows))
	}
	for _, r := range rows {
		checkpoint := parsed(r.open().MarshalBinary())
		if hex.EncodeToString(checkpoint) != r.Checkpoint {
			t.Errorf("%+v", r)
		}
		var again Stream
		if err := again.UnmarshalBinary(checkpoint); err != nil || !bytes.Equal(parsed(again.MarshalBinary()), checkpoint) {
			t.Errorf("a checkpoint is not gone on from: %v", err)
		}
	}
}

// full returns the step whose range C takes in place of an empty one, which Go refuses.
func full(step []any) []any {
	step = slices.Clone(step)
	switch n := len(step) - 2; {
	case slices.Contains([]any{"uniform32", "uniform64", "bernoulli_ratio"}, step[0]) && step[n] == "0":
		step[n] = "1"
	case step[0] == "range64" && integer(step[1]) > integer(step[2]), step[0] == "int_range" && signed(step[1]) > signed(step[2]):
		step[1], step[2] = step[2], step[1]
	}
	return step
}

// performed calls perform, and returns "refused" if the arguments are refused, or the end of the stream is reported: by [ErrRange], or by a
// panic if the method returns no error.
func performed(t *testing.T, s *Stream, step []any) (made any) {
	if usual := full(step); !reflect.DeepEqual(usual, step) {
		if with := panics(func() { perform(s, step) }); with != emptyRange {
			t.Errorf("%v: %v", step, with)
		}
		step = usual
	}
	returnsError := slices.Contains([]any{"read", "seek", "doubles", "normals", "exponentials", "sample", "text", "uuid4", "uuid7"}, step[0])
	before := s.Tell()
	defer func() {
		if with := recover(); with != nil {
			if text, _ := with.(string); returnsError || !strings.Contains(text, "at its end") {
				t.Errorf("%v panics: %v", step, with)
			}
			if made = "refused"; step[0] == "floats" { // the package draws them one by one
				s.SeekTo(before)
			}
		}
	}()
	made = perform(s, step)
	if made == ErrRange || made == ErrArgument {
		return "refused"
	}
	return made
}

func sequences(t *testing.T, rows []row, expected int) {
	t.Helper()
	steps := 0
	for _, r := range rows {
		s := r.open()
		for i, step := range r.Steps {
			if made := performed(t, s, step); !reflect.DeepEqual(made, step[len(step)-1]) {
				t.Fatalf("%s, step %d: %v, and made was %v", r.Engine, i, step, made)
			}
			steps++
		}
	}
	if steps != expected {
		t.Errorf("%d steps", steps)
	}
}

// Catches a number made from other bytes or in another way than the specification says.
func TestSequencesAreTheStatedOnes(t *testing.T) { sequences(t, vectors(t).Sequences, 1697) }

// Catches a stream that ends at another offset, refused bytes before the end, and an offset moved by a refused call.
func TestEndsAreTheStatedOnes(t *testing.T) { sequences(t, vectors(t).Ends, 503) }

// Catches a choice or UUID that is made from other bytes or in another way than the specification says, and at a stream's end as above.
func TestChoicesAreTheStatedOnes(t *testing.T) { sequences(t, vectors(t).Choices, 953) }

// arrayOfOne returns the result of a step of a bounded integer by an array of one, and nil for other steps.
func arrayOfOne(s *Stream, step []any) any {
	wide, whole, err := []uint64{0}, []int64{0}, error(nil)
	switch step[0] {
	case "uniform32":
		narrow := []uint32{0}
		err = s.FillUint32N(narrow, uint32(integer(step[1])))
		wide[0] = uint64(narrow[0])
	case "uniform64":
		err = s.FillUint64N(wide, integer(step[1]))
	case "range64":
		err = s.FillUint64Range(wide, integer(step[1]), integer(step[2]))
	case "int_range":
		if err = s.FillInt64Range(whole, signed(step[1]), signed(step[2])); err == nil {
			return strconv.FormatInt(whole[0], 10)
		}
	default:
		return nil
	}
	if err == ErrRange {
		return "refused"
	} else if err != nil {
		return err
	}
	return texts(wide)[0]
}

// Catches an array of bounded integers that differs from the stated numbers, or that moves the offset of a stream at its end.
func TestArraysHaveTheStatedIntegers(t *testing.T) {
	v := vectors(t)
	seen, refused := 0, 0
	for _, r := range slices.Concat(v.Sequences, v.Ends) {
		s := r.open()
		for _, step := range r.Steps {
			var again Stream
			must(&again, again.UnmarshalBinary(parsed(s.MarshalBinary())))
			performed(t, s, step)
			if usual := full(step); !reflect.DeepEqual(usual, step) {
				if made := arrayOfOne(&again, step); made != nil && made != ErrArgument {
					t.Errorf("%v: %v", step, made)
				}
				step = usual
			}
			if made := arrayOfOne(&again, step); made != nil {
				if made != step[len(step)-1] || again.Tell() != s.Tell() {
					t.Fatalf("%s: %v, and made was %v", r.Engine, step, made)
				}
				if seen++; made == "refused" {
					refused++
				}
			}
		}
	}
	if seen < 300 || refused < 20 {
		t.Errorf("%d steps, %d of them refused", seen, refused)
	}
}
