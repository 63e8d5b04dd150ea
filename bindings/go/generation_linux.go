// SPDX-License-Identifier: BSD-2-Clause

package cprng

import (
	"sync/atomic"
	"syscall"
	"unsafe"
)

// A page that is zero in a child of fork(2), so that the child does not serve its parent's blocks.
func newGeneration() *atomic.Uint64 {
	const wipeOnFork = 18 // MADV_WIPEONFORK, Linux 4.14
	page, err := syscall.Mmap(-1, 0, syscall.Getpagesize(), syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_PRIVATE|syscall.MAP_ANONYMOUS)
	if err != nil {
		return new(atomic.Uint64)
	}
	_ = syscall.Madvise(page, wipeOnFork) // older kernels refuse: then the page behaves as on other systems
	return (*atomic.Uint64)(unsafe.Pointer(unsafe.SliceData(page)))
}
