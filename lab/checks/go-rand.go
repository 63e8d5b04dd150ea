// SPDX-License-Identifier: BSD-2-Clause

package main

import (
	crypto "crypto/rand"
	"encoding/binary"
	"fmt"
	math "math/rand/v2"
	"os"
	"syscall"
)

var buffer [256]byte
var sink uint32

func cpuSeconds() float64 {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		panic(err)
	}
	return float64(usage.Utime.Nano()+usage.Stime.Nano()) * 1e-9
}

func measure(name string, call func(calls int)) {
	for calls := 1; ; calls *= 2 {
		begin := cpuSeconds()
		call(calls)
		if took := cpuSeconds() - begin; took > 0.1 {
			fmt.Printf("%s %.4f\n", name, took/float64(calls)*1e9)
			return
		}
	}
}

func main() {
	if os.Args[1] == "math" {
		measure("bits32", func(calls int) {
			for i := 0; i < calls; i++ {
				sink = math.Uint32()
			}
		})
		measure("fill256", func(calls int) {
			for i := 0; i < 32*calls; i++ {
				binary.LittleEndian.PutUint64(buffer[i%32*8:], math.Uint64())
			}
		})
		return
	}
	for name, bytes := range map[string][]byte{"bits32": buffer[:4], "fill256": buffer[:]} {
		measure(name, func(calls int) {
			for i := 0; i < calls; i++ {
				crypto.Read(bytes)
			}
		})
	}
}
