// SPDX-License-Identifier: BSD-2-Clause

package cprng

import (
	"bytes"
	crypto "crypto/rand"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
	"time"
	"unsafe"
)

// Two of n 64-bit numbers are equal with probability n^2 / 2^65; one such pair is allowed.
func assertUnique(t *testing.T, numbers []uint64) {
	t.Helper()
	count := len(numbers)
	slices.Sort(numbers)
	if twice := count - len(slices.Compact(numbers)); twice > 1 {
		t.Errorf("%d of %d numbers came twice", twice, count)
	}
}

// Catches a fill that leaves a byte unwritten, or writes beyond the end, at sizes near those of blocks; and a type that does not
// implement io.Reader.
func TestAllBytesAreWritten(t *testing.T) {
	fills := map[string]func(p []byte) (int, error){
		"Read":   Read,
		"Reader": func(p []byte) (int, error) { return io.ReadFull(iotest.OneByteReader(Reader), p) },
		"Strong": func(p []byte) (int, error) { Strong(p); return len(p), nil },
	}
	for name, fill := range fills {
		for _, size := range []int{0, 1, 7, 8, 9, 31, 32, 255, 256, 257, 1023, 1024, 1025, 5000} {
			low, high := bytes.Repeat([]byte{0xff}, size), make([]byte, size)
			for range 20 { // a written byte stays the same with probability 2^-160
				p := make([]byte, size+2)
				if n, err := fill(p[1 : size+1]); n != size || err != nil {
					t.Fatalf("%s: %d bytes: %d, %v", name, size, n, err)
				}
				if p[0] != 0 || p[size+1] != 0 {
					t.Fatalf("%s: written outside of %d bytes", name, size)
				}
				for i, b := range p[1 : size+1] {
					low[i] &= b
					high[i] |= b
				}
			}
			for i := range low {
				if low[i] == high[i] {
					t.Errorf("%s: byte %d of %d was not written", name, i, size)
				}
			}
		}
	}
}

// Catches a block that serves two goroutines at once: of 64 goroutines, some have the same shard; and a draw that takes numbers from a shard
// that another goroutine holds, or that waits for it.
func TestGoroutinesShareNoOutput(t *testing.T) {
	for _, draw := range []func() uint64{Uint64, func() uint64 {
		var word [1]uint64
		Read(bytesOf(word[:]))
		return word[0]
	}} {
		all := make([]uint64, 64*10000)
		var done sync.WaitGroup
		for own := range slices.Chunk(all, 10000) {
			done.Add(1)
			go func() {
				defer done.Done()
				for i := range own {
					own[i] = draw()
				}
			}()
		}
		done.Wait()
		held := make([]block, len(shards))
		for i := range shards {
			if !shards[i].taken.CompareAndSwap(0, 1) {
				t.Errorf("shard %d is still taken", i)
			}
			held[i] = shards[i].block
		}
		for range 1000 {
			all = append(all, draw())
		}
		for i := range shards {
			if shards[i].block != held[i] {
				t.Errorf("shard %d was drawn from while another held it", i)
			}
			shards[i].taken.Store(0)
		}
		assertUnique(t, all)
	}
}

// Catches more undrawn numbers in shards than docs/snapshots.md states, and fewer shards than processors.
func TestShardsFollowTheProcessors(t *testing.T) {
	var done sync.WaitGroup
	for range 1000 {
		done.Add(1)
		go func() {
			defer done.Done()
			Uint64()
		}()
	}
	done.Wait()
	used := 0
	for i := range shards {
		used += min(shards[i].left, 1)
	}
	processors := min(runtime.NumCPU(), 32)
	if most := int(lastShard) + 1; used < 1 || used > most || most < processors || most >= 2*processors || most&(most-1) != 0 {
		t.Errorf("%d processors: %d shards, of which %d were used", processors, most, used)
	}
}

// Catches a block that serves numbers of before an invalidation because crypto/rand's Reader, which a program has replaced, panicked in
// the fetch; and a form with cgo that reads it.
func TestPanickingReader(t *testing.T) {
	for name, draw := range map[string]func(b *block) uint64{"uint64": (*block).uint64, "take": func(b *block) uint64 {
		var word [1]uint64
		b.take(bytesOf(word[:]))
		return word[0]
	}} {
		b := new(block)
		draw(b)
		next := b.words[b.left-1]
		Invalidate()
		reader := crypto.Reader
		crypto.Reader = panicking{}
		failed := panics(func() { draw(b) }) != nil
		crypto.Reader = reader
		if failed != Pure {
			t.Errorf("%s: whether the replaced Reader was read: %v", name, failed)
		}
		if draw(b) == next {
			t.Errorf("%s: a number of before the invalidation was served", name)
		}
	}
}

type panicking struct{}

func (panicking) Read([]byte) (int, error) { panic("no bytes") }

// Catches sources that repeat each other's or their own numbers, over many blocks.
func TestSourcesShareNoOutput(t *testing.T) {
	one, other := NewSource(), NewSource()
	var all []uint64
	for range 50 * blockWords {
		all = append(all, one.Uint64(), other.Uint64())
	}
	assertUnique(t, all)
}

// Catches an array of bounded integers with another range, without one of its values, with a repeated word, or without one of its
// numbers: by chance with probability 2^-120.
func TestArraysHaveAllIntegersOfTheirRange(t *testing.T) {
	for _, count := range []int{500, 501, 5000} {
		narrow, wide, whole := make([]uint32, count), make([]uint64, count), make([]int64, count)
		FillUint32N(narrow, 6)
		FillUint64N(wide, 6)
		FillInt64Range(whole, -3, 2)
		var seen [3][6]int
		for i := range count {
			seen[0][narrow[i]]++
			seen[1][wide[i]]++
			seen[2][whole[i]+3]++
		}
		for _, often := range seen {
			if slices.Contains(often[:], 0) {
				t.Errorf("of %d numbers: %v", count, seen)
			}
		}
		FillUint64Range(wide, 0, math.MaxUint64) // all words
		again := slices.Clone(wide)
		FillUint64N(again, 1<<63+1) // refuses every other word
		if slices.Max(wide) <= 1<<63 || slices.Max(again) > 1<<63 {
			t.Errorf("up to %d and %d", slices.Max(wide), slices.Max(again))
		}
		assertUnique(t, append(wide, again...))
		FillUint32N(narrow, 1)
		FillUint64N(again, 1)
		if slices.Max(narrow) != 0 || slices.Max(again) != 0 {
			t.Error("numbers below 1 are not 0")
		}
	}
	FillUint32N(nil, 6)
	FillInt64Range(nil, 1, 6)
	for i, empty := range []func(){func() { FillUint32N(nil, 0) }, func() { FillUint64N(nil, 0) }, func() { FillUint64Range(nil, 2, 1) },
		func() { FillInt64Range(nil, 2, 1) }, func() { BernoulliRatio(0, 0) }} {
		if with := panics(empty); with != emptyRange {
			t.Errorf("empty range %d: %v", i, with)
		}
	}
}

// Catches a choice of draws with another probability, an alphabet without its last symbol, and UUIDs of another version, out of order, or
// twice: by chance with probability 2^-120.
func TestChoicesOfDraws(t *testing.T) {
	w := parsed(NewWeights([]uint64{1, 0, 2, 1}))
	var seen [9]int
	for range 500 {
		seen[Weighted(w)]++
		for i, yes := range []bool{Bernoulli(0.5), !Bernoulli(0.5), BernoulliRatio(2, 3), !BernoulliRatio(2, 3),
			Bernoulli(0) || Bernoulli(math.NaN()) || BernoulliRatio(0, 3) || !Bernoulli(1) || !BernoulliRatio(3, 3)} {
			if yes {
				seen[4+i]++
			}
		}
	}
	for i, often := range seen {
		if (often == 0) != (i == 1 || i == 8) {
			t.Errorf("%v", seen)
		}
	}
	for _, length := range []int{0, 1, 500} {
		made := parsed(TextOf(length, "abcdef"))
		if len(made) != length || strings.Trim(made, "abcdef") != "" || (length == 500 && strings.Count(made, "f") == 0) {
			t.Errorf("%q", made)
		}
	}
	_, none := TextOf(3, "")
	_, many := TextOf(3, strings.Repeat("x", 257))
	_, negative := TextOf(-1, "x")
	_, zero := NewWeights([]uint64{0, 0})
	_, large := NewWeights([]uint64{1 << 63, 1 << 63})
	_, empty := NewWeights(nil)
	for i, err := range []error{none, many, negative, zero, large, empty} {
		if err != ErrArgument {
			t.Errorf("error %d: %v", i, err)
		}
	}
	if panics(func() { Weighted(new(Weights)) }) == nil || panics(func() { Weighted(nil) }) == nil {
		t.Error("a choice of no weights")
	}
}

// Catches a shuffle or a sample of draws without one of its orders, with an element twice, or with another one: by chance with probability
// 2^-60; and an order that stays the same.
func TestOrdersOfDraws(t *testing.T) {
	orders, few, many := map[[3]int]bool{}, map[[2]uint64]bool{}, map[[2]uint64]bool{}
	for range 600 {
		orders[[3]int(Perm(3))] = true
		var chosen [2]uint64
		parsed(0, Sample(chosen[:], 4))
		few[chosen] = true
		parsed(0, Sample(chosen[:], 3))
		many[chosen] = true
	}
	if len(orders) != 6 || len(few) != 12 || len(many) != 6 {
		t.Error(orders, few, many)
	}
	for _, size := range []int{0, 1, 2, 1000, 1001} {
		for _, n := range []int{size, 2 * size, 1 << 30} {
			sample := make([]uint64, size)
			parsed(0, Sample(sample, uint64(n)))
			sorted := slices.Sorted(slices.Values(sample))
			if size != 0 && int(sorted[size-1]) >= n || len(slices.Compact(sorted)) != size || size >= 1000 && slices.IsSorted(sample) {
				t.Errorf("%d of %d: %v", size, n, sample)
			}
		}
		p := Perm(size)
		if size >= 1000 && slices.IsSorted(p) || !slices.Equal(slices.Sorted(slices.Values(p)), slices.Sorted(slices.Values(must(NewStream("", 1)).Perm(size)))) {
			t.Errorf("%d elements: %v", size, p)
		}
	}
	if err := Sample(make([]uint64, 3), 2); err != ErrArgument {
		t.Error(err)
	}
}

// Catches UUIDs out of order, or one that two goroutines get.
func TestUUIDs(t *testing.T) {
	stamp.Store(uint64(time.Now().Add(time.Hour).UnixMilli())<<12 | 0xffe) // the clock was set back, and the counter is full
	all := make(chan UUID, 8000)
	var done sync.WaitGroup
	for range 4 {
		done.Add(1)
		go func() {
			defer done.Done()
			last := UUID{}
			for range 2000 {
				next := UUID7()
				if bytes.Compare(last[:8], next[:8]) >= 0 {
					t.Errorf("%s after %s", next, last)
				}
				last = next
				all <- next
			}
		}()
	}
	done.Wait()
	close(all)
	seen := map[UUID]bool{}
	for u := range all {
		seen[u] = true
		if s := u.String(); len(s) != 36 || s[14] != '7' || s[8] != '-' || !strings.Contains("89ab", s[19:20]) {
			t.Fatal(s)
		}
	}
	if len(seen) != 8000 {
		t.Errorf("%d UUIDs", len(seen))
	}
	stamp.Store(0)
	before := time.Now().UnixMilli()
	made := UUID7()
	if at := int64(binary.BigEndian.Uint64(append([]byte{0, 0}, made[:6]...))); at < before || at > time.Now().UnixMilli() {
		t.Errorf("%s is not of %d", made, before)
	}
	if s := UUID4().String(); s[14] != '4' || s == UUID4().String() {
		t.Error(s)
	}
	again := UUID{}
	if err := json.Unmarshal(parsed(json.Marshal(made)), &again); err != nil || again != made {
		t.Errorf("%s after %s: %v", again, made, err)
	}
	for _, wrong := range []string{"", made.String()[:35], made.String() + "0", "{" + made.String() + "}", strings.Replace(made.String(), "-", "0", 1)} {
		if err := again.UnmarshalText([]byte(wrong)); err != ErrArgument || again != made {
			t.Errorf("%q: %v", wrong, err)
		}
	}
}

// Catches a block that keeps served bytes.
func TestServedBytesAreErased(t *testing.T) {
	s := NewSource()
	for range 3 * blockWords {
		word := s.Uint64()
		if slices.Contains((*s.own).words[:], word) {
			t.Fatal("a number stays in its source")
		}
	}
	var b block
	for _, size := range []int{1, 8, 13, 32, 256} {
		p := make([]byte, size)
		for range 100 {
			b.take(p)
			if size >= 8 && bytes.Contains(bytesOf(b.words[:]), p) {
				t.Fatalf("%d bytes stay in their block", size)
			}
			if tail := b.words[b.left:]; slices.ContainsFunc(tail, func(word uint64) bool { return word != 0 }) {
				t.Fatalf("behind %d bytes something stays in the block", size)
			}
		}
	}
}

// Catches an invalidation that blocks and sources ignore, including one by code outside this package; and a child of fork(2) that
// serves its parent's blocks: the generation is 0 in a child and in its own children.
func TestBlocksAreDropped(t *testing.T) {
	number, own := generation()
	drops := map[string]func() error{
		"Invalidate": func() error { Invalidate(); return nil },
		"Reseed":     Reseed,
		"a fork":     func() error { number.Store(0); return nil },
	}
	if !own {
		drops["cprng_invalidate"] = func() error { invalidate(); return nil }
	}
	for name, drop := range drops {
		s, b := NewSource(), new(block)
		for range 3 {
			s.Uint64()
			b.take(make([]byte, 8))
			next := [2]uint64{(*s.own).words[(*s.own).left-1], b.words[b.left-1]}
			if err := drop(); err != nil {
				t.Fatal(err)
			}
			var word [1]uint64
			b.take(bytesOf(word[:]))
			if s.Uint64() == next[0] || word[0] == next[1] {
				t.Errorf("after %s a byte of before it was served", name)
			}
		}
	}
}

// Catches a generation whose page the kernel does not wipe on a fork.
func TestTheGenerationIsWipedOnFork(t *testing.T) {
	if runtime.GOOS != "linux" {
		return
	}
	maps, err := os.ReadFile("/proc/self/smaps")
	if err != nil || !bytes.Contains(maps, []byte("VmFlags")) {
		t.Skip("no /proc/self/smaps")
	}
	number, _ := generation()
	at := uintptr(unsafe.Pointer(number))
	mapping := regexp.MustCompile(fmt.Sprintf(`(?m)^%x-[^ ]* (?:.*\n)*?VmFlags:(.*)$`, at)).FindSubmatch(maps)
	if mapping == nil {
		t.Skip("another process's addresses: that of an emulator")
	}
	if !bytes.Contains(mapping[1], []byte(" wf")) {
		t.Errorf("the page at %x: %s", at, mapping[1])
	}
}

// Catches numbers that are not uniform under math/rand/v2.  The bounds are eight standard deviations.
func TestMathRand(t *testing.T) {
	const count = 20000
	for name, source := range map[string]rand.Source{"Source": NewSource(), "Stream": must(NewStream("", 1))} {
		r := rand.New(source)
		for what, test := range map[string]struct {
			next            func() float64
			mean, deviation float64
		}{
			"Float64":     {r.Float64, 0.5, 0.2887},
			"IntN":        {func() float64 { return float64(r.IntN(7)) }, 3, 2},
			"NormFloat64": {r.NormFloat64, 0, 1},
			"ExpFloat64":  {r.ExpFloat64, 1, 1},
			"Uint32":      {func() float64 { return float64(r.Uint32()) / (1 << 32) }, 0.5, 0.2887},
		} {
			sum := 0.0
			for range count {
				sum += test.next()
			}
			if off := (sum/count - test.mean) / (test.deviation / math.Sqrt(count)); math.Abs(off) > 8 {
				t.Errorf("%s, %s: the mean is %v deviations off", name, what, off)
			}
		}
		if order := r.Perm(1000); slices.IsSorted(order) { // probability 1 / 1000!
			t.Errorf("%s: the order is no other", name)
		}
	}
}

// Catches a module whose version differs from the C library's.
func TestVersionsAgree(t *testing.T) {
	header, err := os.ReadFile("../../include/cprng/cprng.h")
	if err != nil {
		t.Skip("not in a checkout")
	}
	version := ""
	for _, part := range regexp.MustCompile(`(?m)^#define CPRNG_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)$`).FindAllSubmatch(header, -1) {
		version += "." + string(part[1])
	}
	if "."+Version() != version {
		t.Errorf("linked with %s, beside %s", Version(), version[1:])
	}
}

// Catches a build of a form that the test script did not ask for.
func TestForm(t *testing.T) {
	if pure, stated := os.LookupEnv("CPRNG_GO_PURE"); stated && pure != strconv.FormatBool(Pure) {
		t.Errorf("Pure is %v", Pure)
	}
}

// Catches an error whose text differs from C's.
func TestErrorsHaveTheTextsOfC(t *testing.T) {
	source, err := os.ReadFile("../../src/api/queries.c")
	if err != nil {
		t.Skip("not in a checkout")
	}
	for name, err := range map[string]error{"ARGUMENT": ErrArgument, "ENGINE": ErrEngine, "RANGE": ErrRange, "ENTROPY": ErrEntropy,
		"CHECKPOINT": ErrCheckpoint} {
		text := regexp.MustCompile("case CPRNG_ERR_" + name + `:\n\t\treturn "(.*)";`).FindSubmatch(source)
		if text == nil || "cprng: "+string(text[1]) != err.Error() {
			t.Errorf("%s: %v", name, err)
		}
	}
}
