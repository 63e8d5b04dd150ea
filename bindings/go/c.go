// SPDX-License-Identifier: BSD-2-Clause

//go:build cgo && !purego && ((linux && !android) || darwin || freebsd || netbsd || openbsd || (windows && (amd64 || arm64)))

package cprng

//go:generate ../../tools/one-file --first-line "//go:build !purego && !cprng_installed && (linux && !android || darwin || freebsd || netbsd || openbsd || windows && (amd64 || arm64))" .

/*
#cgo !cprng_installed CFLAGS: -O2
#cgo cprng_installed CFLAGS: -DCPRNG_INSTALLED
#cgo cprng_installed pkg-config: cprng
#cgo noescape cprng_fast
#cgo nocallback cprng_fast
#cgo noescape cprng_strong
#cgo nocallback cprng_strong
#cgo noescape cprng_go_fetch
#cgo nocallback cprng_go_fetch
#cgo noescape cprng_go_read
#cgo nocallback cprng_go_read
#cgo noescape cprng_go_fill
#cgo nocallback cprng_go_fill
#ifdef CPRNG_INSTALLED
#include <cprng/cprng.h>
#elif __has_include("cprng.h")
#include "cprng.h"
#else
#error "cprng.c and cprng.h are missing: in the checkout's bindings/go go generate makes them (docs/go.md)"
#endif

static void cprng_go_fetch(unsigned char *out, size_t len)
{
	const size_t most = 512;
	for (size_t n; len != 0; out += n, len -= n) {
		n = len < most ? len : most;
		cprng_fast(out, n);
	}
}

static int cprng_go_read(cprng_stream *s, uint64_t offset, unsigned char *out, size_t len)
{
	int error = cprng_stream_seek(s, offset);
	return error != 0 ? error : cprng_stream_read(s, out, len);
}

static int cprng_go_fill(cprng_stream *s, uint64_t offset, int kind, double *out, size_t count, double location, double scale)
{
	int error = cprng_stream_seek(s, offset);
	if (error != 0)
		return error;
	if (kind == 0)
		return cprng_stream_fill_double(s, out, count);
	return kind == 1 ? cprng_stream_fill_normal(s, out, count, location, scale) : cprng_stream_fill_exponential(s, out, count, scale);
}
*/
import "C"

import (
	"errors"
	"sync/atomic"
	"unsafe"
)

// Pure is true where the package was compiled without the C library: without cgo, with the build tag purego, or on a system that
// the library does not know.
const Pure = false

func fast(p []byte) {
	C.cprng_fast(unsafe.Pointer(unsafe.SliceData(p)), C.size_t(len(p)))
}

// fetch is fast for a block.  Short requests use up the buffer of a CPU, which is all that a copy of the process has in common with
// this one, and start a new one.  A long one would take only a key from it.
func fetch(p []byte) {
	C.cprng_go_fetch((*C.uchar)(unsafe.SliceData(p)), C.size_t(len(p)))
}

func strong(p []byte) {
	C.cprng_strong(unsafe.Pointer(unsafe.SliceData(p)), C.size_t(len(p)))
}

func generationOfC() *atomic.Uint64 {
	return (*atomic.Uint64)(unsafe.Pointer(C.cprng_generation_number()))
}

func invalidate()     { C.cprng_invalidate() }
func reseed() error   { return check(C.cprng_reseed()) }
func version() string { return C.GoString(C.cprng_version()) }

func check(code C.int) error {
	switch code {
	case C.CPRNG_OK:
		return nil
	case C.CPRNG_ERR_ENTROPY:
		return ErrEntropy
	}
	return errors.New("cprng: " + C.GoString(C.cprng_strerror(code)))
}

// The keystream of an engine, made by C.
type keystream struct {
	c *C.cprng_stream
}

const alignment = 64

func newKeystream(e *engine, key, nonce []byte) (k keystream, err error) {
	start := unsafe.Pointer(unsafe.SliceData(make([]byte, C.sizeof_cprng_stream+alignment)))
	k.c = (*C.cprng_stream)(unsafe.Add(start, -uintptr(start)%alignment))
	var name [16]C.char // ends with a NUL
	for i := range len(e.name) {
		name[i] = C.char(e.name[i])
	}
	err = check(C.cprng_stream_init(k.c, &name[0], unsafe.Pointer(unsafe.SliceData(key)), C.size_t(len(key)),
		unsafe.Pointer(unsafe.SliceData(nonce)), C.size_t(len(nonce))))
	return k, err
}

// read writes the bytes at an offset, before the end of the stream.
func (k keystream) read(offset uint64, p []byte) {
	demand(C.cprng_go_read(k.c, C.uint64_t(offset), (*C.uchar)(unsafe.SliceData(p)), C.size_t(len(p))))
}

// fill makes numbers of the bytes at the offset, before the end of the stream and with valid parameters.
func (s *state) fill(d distribution, location, scale float64, out []float64) {
	demand(C.cprng_go_fill(s.keys.c, C.uint64_t(s.tell()), C.int(d), (*C.double)(unsafe.SliceData(out)), C.size_t(len(out)),
		C.double(location), C.double(scale)))
	s.seek(s.tell() + 8*uint64(len(out)))
}

// demand panics where C refuses what was looked at before.
func demand(code C.int) {
	if err := check(code); err != nil {
		panic(err)
	}
}
