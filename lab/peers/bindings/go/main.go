// SPDX-License-Identifier: BSD-2-Clause

// The measurement of lab/peers/bindings/rust, in Go:
//
//	cprng-lab-bindings-go TASK GENERATOR SECONDS    prints the nanoseconds of a call, by the thread's CPU time
//
// Without arguments it lists its tasks, each with its generators.
package main

import (
	crypto "crypto/rand"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"strconv"
	"syscall"
	"unsafe"

	cprng "github.com/cprng/cprng/bindings/go"
)

// Keeps the compiler from removing draws.
var sink uint64

func fill(read func([]byte) (int, error), size int) func(int) {
	p := make([]byte, size)
	return func(count int) {
		for range count {
			if _, err := read(p); err != nil {
				panic(err)
			}
		}
		sink += uint64(p[0])
	}
}

// The package's functions, without a generator.
func global() map[string]func(int) {
	return map[string]func(int){
		"u64": func(count int) {
			sum := uint64(0)
			for range count {
				sum ^= rand.Uint64()
			}
			sink += sum
		},
		"below": func(count int) {
			sum := 0
			for range count {
				sum ^= rand.IntN(1000000)
			}
			sink += uint64(sum)
		},
		"double": func(count int) {
			sum := 0.0
			for range count {
				sum += rand.Float64()
			}
			sink += uint64(sum)
		},
	}
}

// r.Uint64() and so on of a rand.Rand, as programs use it.
func of(r *rand.Rand) map[string]func(int) {
	return map[string]func(int){
		"u64": func(count int) {
			sum := uint64(0)
			for range count {
				sum ^= r.Uint64()
			}
			sink += sum
		},
		"below": func(count int) {
			sum := 0
			for range count {
				sum ^= r.IntN(1000000)
			}
			sink += uint64(sum)
		},
		"double": func(count int) {
			sum := 0.0
			for range count {
				sum += r.Float64()
			}
			sink += uint64(sum)
		},
	}
}

func tasks() map[[2]string]func(int) {
	all := map[[2]string]func(int){}
	stream, err := cprng.NewStream("", 42)
	if err != nil {
		panic(err)
	}
	for name, r := range map[string]*rand.Rand{
		"cprng Source": rand.New(cprng.NewSource()),
		"cprng Stream": rand.New(stream),
		"rand.ChaCha8": rand.New(rand.NewChaCha8([32]byte{42})),
		"rand.PCG":     rand.New(rand.NewPCG(1, 2)),
	} {
		for task, run := range of(r) {
			all[[2]string{task, name}] = run
		}
	}
	for task, run := range global() {
		all[[2]string{task, "math/rand/v2"}] = run
	}
	for name, size := range map[string]int{"32 B": 32, "4 KiB": 4096, "64 KiB": 65536} {
		all[[2]string{name, "cprng.Read"}] = fill(cprng.Read, size)
		all[[2]string{name, "crypto/rand.Read"}] = fill(crypto.Read, size)
	}
	return all
}

// The CPU time of this thread.
func cpuSeconds() float64 {
	const threadCPUTime = 3 // CLOCK_THREAD_CPUTIME_ID
	var t syscall.Timespec
	if _, _, errno := syscall.RawSyscall(syscall.SYS_CLOCK_GETTIME, threadCPUTime, uintptr(unsafe.Pointer(&t)), 0); errno != 0 {
		panic(errno)
	}
	return float64(t.Sec) + float64(t.Nsec)*1e-9
}

func main() {
	all := tasks()
	if len(os.Args) == 1 {
		for name := range all {
			fmt.Printf("%s\t%s\n", name[0], name[1])
		}
		return
	}
	run := all[[2]string{os.Args[1], os.Args[2]}]
	seconds, err := strconv.ParseFloat(os.Args[3], 64)
	if err != nil || run == nil {
		panic("cprng-lab-bindings-go TASK GENERATOR SECONDS")
	}
	runtime.LockOSThread()
	for count := 16; ; count *= 2 {
		begin := cpuSeconds()
		run(count)
		if took := cpuSeconds() - begin; took >= seconds {
			fmt.Println(took * 1e9 / float64(count))
			return
		}
	}
}
