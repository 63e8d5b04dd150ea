// SPDX-License-Identifier: BSD-2-Clause

// What Go programs draw from, measured in Go: a call from C would cost more than a draw, and Go's runtime, with its
// signals and threads, does not belong into the program that measures the others.
//
//	cprng-lab-go math|crypto          answers requests on standard input, one a line, until its end
//	cprng-lab-go first math|crypto    draws one byte, and tells the nanoseconds that took
//
// A request is a line "THREADS SECONDS COUNT WHAT LENGTH BOUNDS".  THREADS 0: so many calls in the main thread; the answer
// is their number and CPU seconds.  Otherwise threads call for so many seconds; calls in all, and wall-clock seconds.
package main

import (
	"bufio"
	crypto "crypto/rand"
	"encoding/binary"
	"fmt"
	"math/big"
	math "math/rand/v2"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"
)

type request struct {
	threads int
	seconds float64
	count   uint64
	what    string
	length  uint64
	bounds  []uint32
}

// Each gives a function that makes so many calls.
type source func(r *request) func(count uint64)

// So that no draw is left out as unused.
var sink atomic.Uint64

func mathSource(r *request) func(count uint64) {
	switch r.what {
	case "8":
		return func(count uint64) {
			var sum uint8
			for ; count != 0; count-- {
				sum ^= uint8(math.Uint32() >> 24)
			}
			sink.Store(uint64(sum))
		}
	case "16":
		return func(count uint64) {
			var sum uint16
			for ; count != 0; count-- {
				sum ^= uint16(math.Uint32() >> 16)
			}
			sink.Store(uint64(sum))
		}
	case "32":
		return func(count uint64) {
			var sum uint32
			for ; count != 0; count-- {
				sum ^= math.Uint32()
			}
			sink.Store(uint64(sum))
		}
	case "64":
		return func(count uint64) {
			var sum uint64
			for ; count != 0; count-- {
				sum ^= math.Uint64()
			}
			sink.Store(sum)
		}
	case "below":
		mask := len(r.bounds) - 1
		return func(count uint64) {
			var sum uint32
			for i := 0; count != 0; count-- {
				sum ^= math.Uint32N(r.bounds[i])
				i = (i + 1) & mask
			}
			sink.Store(uint64(sum))
		}
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
	}
}

func read(buf []byte) {
	if _, err := crypto.Read(buf); err != nil {
		fail(err)
	}
}

func cryptoSource(r *request) func(count uint64) {
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
		}
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
	}
}

// Of this thread.
func cpuSeconds() float64 {
	const threadCPUTime = 3 // CLOCK_THREAD_CPUTIME_ID
	var t syscall.Timespec
	_, _, errno := syscall.RawSyscall(syscall.SYS_CLOCK_GETTIME, threadCPUTime, uintptr(unsafe.Pointer(&t)), 0)
	if errno != 0 {
		fail(errno)
	}
	return float64(t.Sec) + float64(t.Nsec)*1e-9
}

func runInThreads(r *request, from source) (uint64, float64) {
	const atOnce = 64 // calls between two looks at the flag
	var ready, done sync.WaitGroup
	var calls atomic.Uint64
	var stop atomic.Bool
	begin := make(chan struct{})
	for i := 0; i < r.threads; i++ {
		ready.Add(1)
		done.Add(1)
		go func() {
			runtime.LockOSThread()
			work := from(r)
			ready.Done()
			<-begin
			// Once at the least: on a busy machine the time may be over before a thread runs.
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
	time.Sleep(time.Duration(r.seconds * float64(time.Second)))
	stop.Store(true)
	done.Wait()
	return calls.Load(), time.Since(start).Seconds()
}

func parse(line string) *request {
	r := &request{}
	var bounds string
	if _, err := fmt.Sscan(line, &r.threads, &r.seconds, &r.count, &r.what, &r.length, &bounds); err != nil {
		fail(err)
	}
	for _, text := range strings.Split(bounds, ",") {
		bound, err := strconv.ParseUint(text, 10, 32)
		if err != nil {
			fail(err)
		}
		r.bounds = append(r.bounds, uint32(bound))
	}
	return r
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
		r := parse(line)
		if r.threads != 0 {
			calls, seconds := runInThreads(r, from)
			fmt.Println(calls, seconds)
			continue
		}
		// Memory is touched before it is measured, and kept while it is the same.
		if key := fmt.Sprint(r.what, r.length, len(r.bounds)); key != last {
			work = nil
			runtime.GC()
			last, work = key, from(r)
			work(1)
		}
		begin := cpuSeconds()
		work(r.count)
		fmt.Println(r.count, cpuSeconds()-begin)
	}
}

func first(from source) {
	begin := time.Now()
	work := from(&request{what: "8", length: 1})
	work(1)
	fmt.Println(time.Since(begin).Nanoseconds())
}

func fail(what any) {
	fmt.Fprintln(os.Stderr, "cprng-lab-go:", what)
	os.Exit(1)
}

func main() {
	sources := map[string]source{"math": mathSource, "crypto": cryptoSource}
	run := serve
	arguments := os.Args[1:]
	if len(arguments) == 2 && arguments[0] == "first" {
		run, arguments = first, arguments[1:]
	}
	if len(arguments) != 1 || sources[arguments[0]] == nil {
		fail("usage: cprng-lab-go [first] math|crypto")
	}
	run(sources[arguments[0]])
}
