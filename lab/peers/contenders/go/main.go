// SPDX-License-Identifier: BSD-2-Clause

// The generators of Go programs, measured in Go: a call from C would cost more than a draw, and Go's runtime, with its
// signals and threads, would disturb the program that measures the others.
//
//	cprng-lab-go serve math|crypto         answers requests on standard input (lab/peers/contenders/program.hpp)
//	cprng-lab-go first-byte math|crypto    draws one byte, and prints the nanoseconds that took
//	cprng-lab-go choices                   see choices.go
package main

import (
	"bufio"
	crypto "crypto/rand"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math/big"
	math "math/rand/v2"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"
)

type request struct {
	what   string
	length uint64
	bounds []uint32
}

// Each returns a function that makes that many calls, and the memory that they fill; numbers are added up in `sink`.
type source func(r *request) (func(count uint64), []byte)

// Keeps the compiler from removing draws.
var sink atomic.Uint64

func mathSource(r *request) (func(count uint64), []byte) {
	switch r.what {
	case "8":
		return func(count uint64) {
			var sum uint8
			for ; count != 0; count-- {
				sum ^= uint8(math.Uint32() >> 24)
			}
			sink.Store(uint64(sum))
		}, nil
	case "16":
		return func(count uint64) {
			var sum uint16
			for ; count != 0; count-- {
				sum ^= uint16(math.Uint32() >> 16)
			}
			sink.Store(uint64(sum))
		}, nil
	case "32":
		return func(count uint64) {
			var sum uint32
			for ; count != 0; count-- {
				sum ^= math.Uint32()
			}
			sink.Store(uint64(sum))
		}, nil
	case "64":
		return func(count uint64) {
			var sum uint64
			for ; count != 0; count-- {
				sum ^= math.Uint64()
			}
			sink.Store(sum)
		}, nil
	case "below":
		mask := len(r.bounds) - 1
		return func(count uint64) {
			var sum uint32
			for i := 0; count != 0; count-- {
				sum ^= math.Uint32N(r.bounds[i])
				i = (i + 1) & mask
			}
			sink.Store(uint64(sum))
		}, nil
	}
	// The package has no function for bytes.
	buf := make([]byte, r.length)
	return func(count uint64) {
		for ; count != 0; count-- {
			at := buf
			for ; len(at) >= 8; at = at[8:] {
				binary.LittleEndian.PutUint64(at, math.Uint64())
			}
			for word := math.Uint64(); len(at) != 0; at = at[1:] {
				at[0] = byte(word)
				word >>= 8
			}
		}
	}, buf
}

func read(buf []byte) {
	if _, err := crypto.Read(buf); err != nil {
		fail(err)
	}
}

func cryptoSource(r *request) (func(count uint64), []byte) {
	if r.what == "below" {
		bounds := make([]*big.Int, len(r.bounds))
		for i, bound := range r.bounds {
			bounds[i] = big.NewInt(int64(bound))
		}
		mask := len(bounds) - 1
		return func(count uint64) {
			var sum uint64
			for i := 0; count != 0; count-- {
				n, err := crypto.Int(crypto.Reader, bounds[i])
				if err != nil {
					fail(err)
				}
				sum ^= n.Uint64()
				i = (i + 1) & mask
			}
			sink.Store(sum)
		}, nil
	}
	length := r.length
	if bits, err := strconv.Atoi(r.what); err == nil {
		length = uint64(bits / 8)
	}
	buf := make([]byte, length)
	return func(count uint64) {
		for ; count != 0; count-- {
			read(buf)
		}
	}, buf
}

// The CPU time of this thread.
func cpuSeconds() float64 {
	const threadCPUTime = 3 // CLOCK_THREAD_CPUTIME_ID
	var t syscall.Timespec
	_, _, errno := syscall.RawSyscall(syscall.SYS_CLOCK_GETTIME, threadCPUTime, uintptr(unsafe.Pointer(&t)), 0)
	if errno != 0 {
		fail(errno)
	}
	return float64(t.Sec) + float64(t.Nsec)*1e-9
}

func runInThreads(r *request, threads int, seconds float64, from source) (uint64, float64) {
	const atOnce = 64 // calls between two looks at the flag
	var ready, done sync.WaitGroup
	var calls atomic.Uint64
	var stop atomic.Bool
	begin := make(chan struct{})
	for i := 0; i < threads; i++ {
		ready.Add(1)
		done.Add(1)
		go func() {
			runtime.LockOSThread()
			work, _ := from(r)
			ready.Done()
			<-begin
			// At least once: on a busy machine the time may be over before a thread runs.
			own := uint64(0)
			for again := true; again; again = !stop.Load() {
				work(atOnce)
				own += atOnce
			}
			calls.Add(own)
			done.Done()
		}()
	}
	ready.Wait()
	start := time.Now()
	close(begin)
	time.Sleep(time.Duration(seconds * float64(time.Second)))
	stop.Store(true)
	done.Wait()
	return calls.Load(), time.Since(start).Seconds()
}

func scan(line string, values ...any) {
	if _, err := fmt.Sscan(line, values...); err != nil {
		fail(err)
	}
}

func parse(what string, length uint64, bounds string) *request {
	r := &request{what: what, length: length}
	for _, text := range strings.Split(bounds, ",") {
		bound, err := strconv.ParseUint(text, 10, 32)
		if err != nil {
			fail(err)
		}
		r.bounds = append(r.bounds, uint32(bound))
	}
	return r
}

// One number; a byte source returns its bytes.
func number(from source, what, bound string) uint64 {
	sink.Store(0)
	work, bytes := from(parse(what, 0, bound))
	work(1)
	if bytes == nil {
		return sink.Load()
	}
	value := uint64(0)
	for _, b := range bytes {
		value = value<<8 | uint64(b)
	}
	return value
}

func serve(from source) {
	runtime.LockOSThread()
	in := bufio.NewReader(os.Stdin)
	var last string
	var work func(count uint64)
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			return
		}
		verb, rest, _ := strings.Cut(line, " ")
		var what, bounds string
		var length uint64
		switch verb {
		case "loop":
			var count uint64
			scan(rest, &count, &what, &length, &bounds)
			// Touch the memory before measuring, and keep it while its size is the same.
			r := parse(what, length, bounds)
			if key := fmt.Sprint(what, length, len(r.bounds)); key != last {
				work = nil
				debug.FreeOSMemory()
				last = key
				work, _ = from(r)
				work(1)
			}
			begin := cpuSeconds()
			work(count)
			fmt.Println(count, cpuSeconds()-begin)
		case "threads":
			var threads int
			var seconds float64
			scan(rest, &threads, &seconds, &what, &length, &bounds)
			calls, took := runInThreads(parse(what, length, bounds), threads, seconds, from)
			fmt.Println(calls, took)
		case "bytes":
			scan(rest, &length)
			work, bytes := from(parse("fill", length, "1"))
			work(1)
			fmt.Println(hex.EncodeToString(bytes))
		case "number":
			scan(rest, &what, &bounds)
			fmt.Println(number(from, what, bounds))
		default:
			fail("no such request: " + verb)
		}
	}
}

func first(from source) {
	begin := time.Now()
	work, _ := from(&request{what: "8", length: 1})
	work(1)
	fmt.Println(time.Since(begin).Nanoseconds())
}

func fail(what any) {
	fmt.Fprintln(os.Stderr, "cprng-lab-go:", what)
	os.Exit(1)
}

func main() {
	if len(os.Args) == 2 && os.Args[1] == "choices" {
		serveChoices()
		return
	}
	sources := map[string]source{"math": mathSource, "crypto": cryptoSource}
	verbs := map[string]func(source){"serve": serve, "first-byte": first}
	if len(os.Args) != 3 || verbs[os.Args[1]] == nil || sources[os.Args[2]] == nil {
		fail("usage: cprng-lab-go serve|first-byte math|crypto")
	}
	verbs[os.Args[1]](sources[os.Args[2]])
}
