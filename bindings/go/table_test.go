// SPDX-License-Identifier: BSD-2-Clause

package cprng

import (
	"bytes"
	crypto "crypto/rand"
	"io"
	"math"
	"math/big"
	v1 "math/rand"
	"math/rand/v2"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// within compiles only if both calls have the same type.
func within[T int | int32 | int64 | uint | uint32 | uint64 | float32 | float64 | time.Duration](lo, hi, today, here T) bool {
	return lo <= min(today, here) && max(today, here) <= hi
}

func bothPanic(today, here func()) bool { return panics(today) != nil && panics(here) == emptyRange }

func sameType[T any](today, here T) bool { return true }

// What the rows of the table in docs/go.md say, as far as a program can tell.  The package of the rows of uuid is not there.
func rows() map[string][]bool {
	p, q, order := make([]byte, 32), make([]byte, 32), []int{1, 2, 3}
	swap := reflect.Swapper(order)
	ofSource := rand.New(NewSource())
	stream, short := must(NewStreamBytes("", p)), new(Stream)
	_, noEngine := NewStream("no such engine", 42)
	_, tooShort := NewStreamBytes("", p[:15])
	read, readError := Read(q)
	largest := big.NewInt(6)
	number, prime := parsed(crypto.Int(Reader, largest)), parsed(crypto.Prime(Reader, 64))
	id := UUID4()
	_, isV1 := any(stream).(v1.Source)
	return map[string][]bool{
		"rand.Read(p)":                   {read == 32 && readError == nil && !bytes.Equal(p, q), sameType(crypto.Read, Read)},
		"rand.Reader":                    {sameType(crypto.Reader, Reader)},
		"rand.Text()":                    {len(crypto.Text()) == 26, regexp.MustCompile("^[A-Z2-7]{26}$").MatchString(Text())},
		"rand.Int(rand.Reader, max)":     {number.Cmp(largest) < 0 && number.Sign() >= 0, panics(func() { crypto.Int(Reader, new(big.Int)) }) != nil},
		"rand.Prime(rand.Reader, bits)":  {prime.BitLen() == 64 && prime.ProbablyPrime(20)},
		"rand.IntN(n)":                   {within(0, 5, rand.IntN(6), IntN(6)), bothPanic(func() { rand.IntN(0) }, func() { IntN(0) })},
		"rand.Int64N(n)":                 {within(0, 5, rand.Int64N(6), Int64N(6)), bothPanic(func() { rand.Int64N(-1) }, func() { Int64N(-1) })},
		"rand.Uint32N(n)":                {within(0, 5, rand.Uint32N(6), Uint32N(6)), bothPanic(func() { rand.Uint32N(0) }, func() { Uint32N(0) })},
		"rand.Uint64N(n)":                {within(0, 5, rand.Uint64N(6), Uint64N(6)), bothPanic(func() { rand.Uint64N(0) }, func() { Uint64N(0) })},
		"rand.N(n)":                      {within(0, time.Hour, rand.N(time.Hour), N(time.Hour)), bothPanic(func() { rand.N(-1) }, func() { N(-1) })},
		"rand.Int32N(n), rand.UintN(n)":  {within(0, 5, rand.Int32N(6), N(int32(6))), within(0, 5, rand.UintN(6), N(uint(6)))},
		"rand.Uint64()":                  {sameType(rand.Uint64, Uint64), Uint64() != Uint64()},
		"rand.Uint32(), rand.Uint()":     {sameType(rand.Uint32(), uint32(Uint64())), sameType(rand.Uint(), uint(Uint64()))},
		"rand.Int64()":                   {within(0, math.MaxInt64, rand.Int64(), Int64Range(0, math.MaxInt64))},
		"rand.Int32(), rand.Int()":       {within(0, math.MaxInt32, rand.Int32(), int32(Int64Range(0, math.MaxInt32))), sameType(rand.Int(), int(Int64Range(0, math.MaxInt)))},
		"rand.Float64()":                 {within(0, 1-0x1p-53, rand.Float64(), Float64())},
		"rand.Float32()":                 {within(0, 1-0x1p-24, rand.Float32(), ofSource.Float32())},
		"rand.NormFloat64()":             {within(-40, 40, rand.NormFloat64(), Normal(0, 1)), math.IsNaN(Normal(0, -1))},
		"rand.ExpFloat64()":              {within(0, 50, rand.ExpFloat64(), Exponential(1)), math.IsNaN(Exponential(-1))},
		"rand.Shuffle(n, swap)":          {sameType(rand.Shuffle, Shuffle), panics(func() { rand.Shuffle(-1, swap) }) != nil && panics(func() { Shuffle(-1, swap) }) != nil},
		"rand.Perm(n)":                   {slices.Max(rand.Perm(3)) == 2 && slices.Max(Perm(3)) == 2, panics(func() { rand.Perm(-1) }) != nil && panics(func() { Perm(-1) }) != nil},
		"rand.Perm(n)[:k]":               {Sample(make([]uint64, 3), 1<<60) == nil, Sample(make([]uint64, 3), 2) == ErrArgument},
		"rand.New(rand.NewPCG(1, 2))":    {within(0, 5, rand.New(rand.NewPCG(1, 2)).IntN(6), rand.New(stream).IntN(6)), noEngine == ErrEngine},
		"rand.NewChaCha8(seed)":          {rand.NewChaCha8([32]byte{}).Uint64() != must(NewStreamBytes("", p)).Uint64(), tooShort == ErrSize},
		"rand.NewZipf(r, s, v, max)":     {rand.NewZipf(ofSource, 2, 1, 9).Uint64() <= 9},
		"source.MarshalBinary()":         {len(parsed(stream.MarshalBinary())) == 128, short.UnmarshalBinary(p) == ErrCheckpoint},
		"rand.Seed(42)":                  {must(NewStream("", 42)).Uint64() == must(NewStream("", 42)).Uint64()},
		"rand.Intn(n)":                   {within(0, 5, v1.Intn(6), IntN(6)), bothPanic(func() { v1.Intn(0) }, func() { IntN(0) })},
		"rand.Int63n(n), rand.Int31n(n)": {within(0, 5, v1.Int63n(6), Int64N(6)), within(0, 5, v1.Int31n(6), N(int32(6)))},
		"rand.Int63(), rand.Int31()":     {within(0, math.MaxInt64, v1.Int63(), Int64Range(0, math.MaxInt64)), within(0, math.MaxInt32, v1.Int31(), int32(Int64Range(0, math.MaxInt32)))},
		"rand.New(rand.NewSource(42))":   {!isV1, sameType(rand.New(stream), ofSource)},
		"uuid.New(), uuid.NewRandom()":   {id[6]>>4 == 4 && id[8]>>6 == 2, sameType([16]byte{}, [16]byte(id))},
		"uuid.NewString()":               {len(id.String()) == 36},
		"uuid.NewV7()":                   {UUID7().String() < UUID7().String()},
		"uuid.Parse(s)":                  {id.UnmarshalText([]byte(id.String())) == nil, id.UnmarshalText([]byte("{"+id.String()+"}")) == ErrArgument},
		"uuid.SetRand(r)":                {sameType[io.Reader](nil, Reader)},
	}
}

// Catches a row of the page's first table whose calls do not compile, or that states another type, range or error; a row that no test runs;
// and a test without its row.
func TestTheTableOfThePage(t *testing.T) {
	page, err := os.ReadFile("../../docs/go.md")
	if err != nil {
		t.Skip("not in a checkout")
	}
	_, table, _ := strings.Cut(string(page), "| what you use today |")
	table, _, _ = strings.Cut(table, "\n\n")
	cases := rows()
	for _, row := range strings.Split(table, "\n")[2:] {
		today := strings.ReplaceAll(strings.TrimSpace(strings.Split(row, "|")[1]), "`", "")
		t.Run(today, func(t *testing.T) {
			holds, found := cases[today]
			delete(cases, today)
			if !found || slices.Contains(holds, false) {
				t.Errorf("%s: %v", row, holds)
			}
		})
	}
	if len(cases) != 0 {
		t.Error("rows that the page lacks: ", cases)
	}
}
