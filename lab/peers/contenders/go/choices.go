// SPDX-License-Identifier: BSD-2-Clause

package main

import (
	"bufio"
	crypto "crypto/rand"
	"encoding/binary"
	"fmt"
	math "math/rand/v2"
	"os"
	"runtime"
	"slices"
)

// Times the work on the array, and describes what it leaves.
func measured[T any](array []T, seconds float64, value func(T) float64, work func()) string {
	work()
	took := 0.0
	for count := 1; took < seconds/2; count *= 2 {
		begin := cpuSeconds()
		for i := 0; i < count; i++ {
			work()
		}
		if took = cpuSeconds() - begin; took >= seconds/2 {
			took /= float64(count)
			break
		}
	}
	values := make([]float64, len(array))
	moved := 0
	for i, element := range array {
		if values[i] = value(element); values[i] != float64(i) {
			moved++
		}
	}
	slices.Sort(values)
	least, most := values[0], values[len(values)-1]
	return fmt.Sprint(took/float64(len(array))*1e9, least, most, len(slices.Compact(values)), moved)
}

func valueOf[T uint32 | uint64 | int | float64](x T) float64 { return float64(x) }

func shuffled[T any](count int, seconds float64, element func(i int) T, value func(T) float64) string {
	array := make([]T, count)
	for i := range array {
		array[i] = element(i)
	}
	return measured(array, seconds, value, func() {
		math.Shuffle(count, func(i, j int) { array[i], array[j] = array[j], array[i] })
	})
}

func filled[T uint32 | float64](count int, seconds float64, draw func() T) string {
	array := make([]T, count)
	return measured(array, seconds, valueOf[T], func() {
		for i := range array {
			array[i] = draw()
		}
	})
}

func choose(kind string, of, count int, seconds float64) string {
	switch {
	case kind == "shuffle" && of == 4:
		return shuffled(count, seconds, func(i int) uint32 { return uint32(i) }, valueOf[uint32])
	case kind == "shuffle" && of == 8:
		return shuffled(count, seconds, func(i int) uint64 { return uint64(i) }, valueOf[uint64])
	case kind == "shuffle" && of == 24:
		return shuffled(count, seconds, func(i int) [3]uint64 { return [3]uint64{uint64(i)} },
			func(x [3]uint64) float64 { return float64(x[0]) })
	case kind == "sample" && of <= 1000000: // the package has only permutations
		array := make([]int, count)
		return measured(array, seconds, valueOf[int], func() { copy(array, math.Perm(of)) })
	case kind == "bounded":
		return filled(count, seconds, func() uint32 { return math.Uint32N(uint32(of)) })
	case kind == "double":
		return filled(count, seconds, math.Float64)
	case kind == "normal":
		return filled(count, seconds, math.NormFloat64)
	case kind == "exponential":
		return filled(count, seconds, math.ExpFloat64)
	case kind == "bernoulli":
		return filled(count, seconds, func() uint32 {
			if math.Float64() < 0.3 {
				return 1
			}
			return 0
		})
	case kind == "text": // 26 characters of 32
		array := make([]string, count)
		return measured(array, seconds, func(s string) float64 { return float64(binary.BigEndian.Uint64([]byte(s))) }, func() {
			for i := range array {
				array[i] = crypto.Text()
			}
		})
	}
	return "-"
}

// Go's choices for cprng-lab choices; lab/peers/choices/choices.hpp has the requests.
func serveChoices() {
	runtime.LockOSThread()
	fmt.Println(runtime.Version())
	for in := bufio.NewScanner(os.Stdin); in.Scan(); {
		var kind string
		var of, count int
		var seconds float64
		scan(in.Text(), &kind, &of, &count, &seconds)
		fmt.Println(choose(kind, of, count, seconds))
	}
}
