// SPDX-License-Identifier: BSD-2-Clause

//go:build amd64 && !race

// Only on amd64: other machines are emulated, and an emulator cannot be forked.  Not with the race detector, whose threads a fork
// lacks.

package cprng

import (
	"bytes"
	"context"
	"encoding/binary"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"runtime/debug"
	"strconv"
	"syscall"
	"testing"
	"time"
	"unsafe"
)

const (
	copiesDraw = 4096 // UUIDs for each copy
	fromBlock  = 8 * blockWords / 16
	fromBuffer = 4032 / 16 // one CPU's buffer in the C library
)

// uuids fills an array with version 4 UUIDs.
func uuids(p []byte) {
	for ; len(p) >= 16; p = p[16:] {
		Read(p[:16])
		p[6], p[8] = p[6]&0x0f|0x40, p[8]&0x3f|0x80
	}
}

// keepOnFork undoes the advice by which the kernel wipes pages on a fork: a restored checkpoint has lost it.  For the vDSO's states
// the kernel refuses, so they are copied to ordinary memory, where they lie after a restore, too.  In the pure form they stay
// wiped, as if the kernel had noticed the copy: they belong to Go, behind crypto/rand, and this test would see only them.
func keepOnFork(t *testing.T) {
	const keep, fixed = 19, 3 // MADV_KEEPONFORK; MREMAP_MAYMOVE | MREMAP_FIXED
	maps, err := os.ReadFile("/proc/self/smaps")
	if err != nil {
		t.Skip(err)
	}
	for _, found := range regexp.MustCompile(`(?m)^([0-9a-f]+)-([0-9a-f]+) (?:.*\n)*?VmFlags:(.*)$`).FindAllSubmatch(maps, -1) {
		if !bytes.Contains(found[3], []byte(" wf")) {
			continue
		}
		at, _ := strconv.ParseUint(string(found[1]), 16, 64)
		end, _ := strconv.ParseUint(string(found[2]), 16, 64)
		size := uintptr(end - at)
		if _, _, refused := syscall.RawSyscall(syscall.SYS_MADVISE, uintptr(at), size, keep); refused == 0 || Pure {
			continue
		}
		content, err := syscall.Mmap(-1, 0, int(size), syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_PRIVATE|syscall.MAP_ANON)
		if err != nil {
			t.Fatal(err)
		}
		address := at
		copy(content, unsafe.Slice(*(**byte)(unsafe.Pointer(&address)), size)) // not Go's memory
		if _, _, failed := syscall.RawSyscall6(syscall.SYS_MREMAP, uintptr(unsafe.Pointer(unsafe.SliceData(content))), size, size,
			fixed, uintptr(at), 0); failed != 0 {
			t.Fatal(failed)
		}
	}
}

// drawInCopies runs in the process that forks.  The child has only this thread, so garbage collection is off and no other
// goroutine runs.  The child writes its UUIDs to standard output first, then the parent.
func drawInCopies(t *testing.T, announced bool) {
	runtime.LockOSThread()
	debug.SetGCPercent(-1)
	mask := [128]uint64{}
	syscall.RawSyscall(syscall.SYS_SCHED_GETAFFINITY, 0, uintptr(len(mask)*8), uintptr(unsafe.Pointer(&mask)))
	for i, word := range mask {
		if word != 0 {
			clear(mask[:])
			mask[i] = word & -word
			break
		}
	}
	syscall.RawSyscall(syscall.SYS_SCHED_SETAFFINITY, 0, uintptr(len(mask)*8), uintptr(unsafe.Pointer(&mask)))
	all := make([]byte, 16*copiesDraw)
	uuids(all[:16])
	keepOnFork(t)
	child, _, failed := syscall.RawSyscall6(syscall.SYS_CLONE, uintptr(syscall.SIGCHLD), 0, 0, 0, 0, 0)
	if failed != 0 {
		t.Fatal(failed)
	}
	if announced {
		Invalidate()
	}
	uuids(all)
	if child != 0 {
		var status syscall.WaitStatus
		syscall.Wait4(int(child), &status, 0, nil)
	}
	for left := all; len(left) > 0; {
		n, _, failed := syscall.RawSyscall(syscall.SYS_WRITE, 1, uintptr(unsafe.Pointer(unsafe.SliceData(left))), uintptr(len(left)))
		if failed != 0 {
			syscall.RawSyscall(syscall.SYS_EXIT_GROUP, 1, 0, 0)
		}
		left = left[n:]
	}
	syscall.RawSyscall(syscall.SYS_EXIT_GROUP, 0, 0, 0)
}

// copied returns the output of both copies.  If another thread of the runtime (sysmon) held a lock at the fork, the child never
// gets that lock; then the process is run again, at most five times in all.
func copied(variable string) (output []byte, err error) {
	for range 5 {
		limit, cancel := context.WithTimeout(context.Background(), time.Minute)
		command := exec.CommandContext(limit, os.Args[0], "-test.run=^TestCopiesOfWhichNothingIsAnnounced$")
		command.Env = append(os.Environ(), variable, "GOMAXPROCS=1")
		command.Stderr = os.Stderr
		command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
		command.Cancel = func() error { return syscall.Kill(-command.Process.Pid, syscall.SIGKILL) }
		output, err = command.Output()
		if limit.Err() != nil {
			err = limit.Err()
		}
		cancel()
		if err != context.DeadlineExceeded {
			break
		}
	}
	return output, err
}

// Catches more bytes served by both copies of a process, from a block or the C library, than docs/snapshots.md allows; and bytes
// that both still serve after an invalidation.
func TestCopiesOfWhichNothingIsAnnounced(t *testing.T) {
	const variable = "CPRNG_GO_COPIES"
	if how := os.Getenv(variable); how != "" {
		drawInCopies(t, how == "announced")
	}
	unannounced := fromBlock
	if !Pure {
		unannounced += fromBuffer
	}
	for how, most := range map[string]int{"unannounced": unannounced, "announced": 0} {
		output, err := copied(variable + "=" + how)
		if err == context.DeadlineExceeded {
			t.Skip("another thread of Go's runtime held a lock in each copy")
		}
		if err != nil || len(output) != 2*16*copiesDraw {
			t.Fatalf("%v, %d bytes", err, len(output))
		}
		seen, common := map[[2]uint64]bool{}, 0
		for p := output; len(p) > 0; p = p[16:] {
			uuid := [2]uint64{binary.LittleEndian.Uint64(p), binary.LittleEndian.Uint64(p[8:])}
			if seen[uuid] {
				common++
			}
			seen[uuid] = true
		}
		t.Logf("%s: %d UUIDs in common", how, common)
		// At least the rest of the block is in common: otherwise the processes are not copies.
		if common > most || common < min(most, fromBlock-1) {
			t.Errorf("%s: %d UUIDs in common; %d are the most", how, common, most)
		}
	}
}
