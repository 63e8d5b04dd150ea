# SPDX-License-Identifier: BSD-2-Clause
#
# The one list of the library's sources, for every build of it.  Explicit, so that a stray file is not built;
# tools/lint-sources finds a source that the list lacks.  A source that belongs to one architecture or system is empty on the
# others: its preprocessor asks.

# Freestanding: no operating system below them but core/port.h.  A kernel takes these as they are.
set(CPRNG_FREESTANDING_SOURCES
	src/core/sha256.c
	src/cpu/cpu.c
	src/cpu/detect_aarch64.c
	src/cpu/detect_generic.c
	src/cpu/detect_x86_64.c
	src/cpu/random_instructions_aarch64.c
	src/cpu/random_instructions_generic.c
	src/cpu/random_instructions_x86_64.c
	src/cpu/registers_aarch64.c
	src/cpu/registers_generic.c
	src/cpu/registers_x86_64.c
	src/engine/engine.c
	src/engine/known_answers.c
	src/engine/selftest.c
	src/engine/aesctr/aesctr.c
	src/engine/aesctr/aesctr_aesni.c
	src/engine/aesctr/aesctr_armv8.c
	src/engine/aesctr/aesctr_avx2.c
	src/engine/aesctr/aesctr_portable.c
	src/engine/aesctr/aesctr_ssse3.c
	src/engine/aesctr/aesctr_vaes256.c
	src/engine/aesctr/aesctr_vaes512.c
	src/engine/chacha/chacha.c
	src/engine/chacha/chacha_avx2.c
	src/engine/chacha/chacha_avx512.c
	src/engine/chacha/chacha_neon.c
	src/engine/chacha/chacha_simd128.c
	src/engine/chacha/chacha_sse2.c
	src/engine/chacha/chacha_ssse3.c
	src/engine/salsa20/salsa20.c
	src/engine/salsa20/salsa20_avx2.c
	src/engine/salsa20/salsa20_avx512.c
	src/engine/salsa20/salsa20_neon.c
	src/engine/salsa20/salsa20_simd128.c
	src/engine/salsa20/salsa20_sse2.c
	src/fortuna/accumulator.c
	src/fortuna/fortuna.c
	src/fortuna/generator.c
	src/fortuna/harvest.c
	src/fortuna/health.c
)

# What needs an operating system: an implementation of src/os/os.h, linux/ or posix/ (CPRNG_POSIX), with unix/; the BSDs have
# bsd/ in place of posix/alone.c; Windows has windows/ and WASI has wasi/, with posix/absent.c.
set(CPRNG_HOSTED_SOURCES
	src/os/die.c
	src/os/bsd/bsd.c
	src/os/bsd/freebsd.c
	src/os/bsd/futex.c
	src/os/bsd/macos.c
	src/os/linux/announcements.c
	src/os/linux/entropy.c
	src/os/linux/generation_file.c
	src/os/linux/sequences.c
	src/os/linux/sequences_glibc.c
	src/os/linux/sequences_none.c
	src/os/linux/sequences_other.c
	src/os/linux/sys.c
	src/os/linux/system.c
	src/os/linux/vdso.c
	src/os/linux/vmclock.c
	src/os/posix/absent.c
	src/os/posix/alone.c
	src/os/posix/calls.c
	src/os/posix/system.c
	src/os/unix/end.c
	src/os/unix/files.c
	src/os/wasi/files.c
	src/os/wasi/system.c
	src/os/windows/access.c
	src/os/windows/calls.c
	src/os/windows/entropy.c
	src/os/windows/files.c
	src/os/windows/system.c
	src/process/draw.c
	src/process/fortuna_object.c
	src/process/foreign.c
	src/process/generation.c
	src/process/jitter.c
	src/process/kernel_bytes.c
	src/process/lock.c
	src/process/process.c
	src/process/seed_file.c
	src/process/sources.c
	src/process/process_fortuna.c
	src/process/vfork.c
	src/process/vm_clone.c
	src/process/placement/percpu.c
	src/process/placement/slots.c
	src/process/placement/unbuffered.c
	src/numbers/arrays.c
	src/numbers/choices.c
	src/numbers/numbers.c
	src/numbers/numbers_avx2.c
	src/numbers/numbers_avx512.c
	src/numbers/numbers_lanes2.c
)
# Of those, the ones with the symbols of the public headers, which the shared library exports and the static one hides.
set(CPRNG_API_SOURCES
	src/api/fortuna.c
	src/api/draw_choices.c
	src/api/draws.c
	src/api/invalidate.c
	src/api/queries.c
	src/process/inlined.c
	src/stream/stream.c
	src/stream/stream_numbers.c
	src/stream/stream_seed.c
)
list(APPEND CPRNG_HOSTED_SOURCES ${CPRNG_API_SOURCES})
