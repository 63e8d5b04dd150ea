// SPDX-License-Identifier: BSD-2-Clause
// Faults injected into the library's system calls: the program is linked with --wrap for each.
#ifndef CPRNG_TESTS_FAULTS_HPP
#define CPRNG_TESTS_FAULTS_HPP

#include <cstddef>
#include <cstdint>

#include "os/linux/vdso.h"

struct Faults {
	enum class Getrandom { works, fails, one_byte, interrupted, too_much, replay, waits };

	Getrandom getrandom = Getrandom::works;
	long getrandom_error = 0;   // for `fails`: a negative error number
	unsigned long replayed = 0; // for `replay`: words returned of a fixed sequence
	// For `waits`: read a byte from the one descriptor, then wait for the end of the other.
	int waits_from = -1, waits_for = -1;
	unsigned int mmap_fails = 0; // bit i: the i-th call
	bool madvise_refused = false;
	bool madvise_pretends = false; // accepts every advice and does nothing
	bool mlock_refused = false;
	bool membarrier_missing = false;
	bool membarrier_fails = false; // although the query reported support
	bool vdso_missing = false;
	bool tid_address_hidden = false; // from the function that queries it
	bool tid_address_fixed = false;
	long cpu_mask_size = 0; // 0: the kernel's
	enum class Clock { works, refused, stands };
	Clock clock = Clock::works;      // the library's view; a standing clock shows 1000 seconds
	unsigned long seconds_ahead = 0; // of all clocks
	bool pools_silent = false;       // cprng_strong_try_key returns nothing
	bool no_cipher = false;          // none gives its known answers
	bool no_arithmetic = false;      // the same of the backends of numbers
	bool real_copy_number = false;   // else it is 0, and a key that is used twice is noticed by its output

	// Replaces the library's vDSO, unless NULL (tests/promises/4-recovery/recovery.cpp).
	cprng_vgetrandom vdso = nullptr;

	// What starts of keystreams are made of (src/process/draw.c).  By default nothing differs, so that a key used twice is
	// noticed by its output.
	bool real_count = false, real_word = false;
	std::uint64_t count = 0, word = 0; // where they are not real
	std::uint32_t period = 0;
	unsigned long words = 0; // that were asked for

	unsigned long getrandom_calls = 0, mmap_calls = 0, strong_keys = 0;
	unsigned long small_pages = 0; // bytes for which small pages were requested
	std::size_t mlock_most = 0;    // the longest call's bytes
	unsigned long mlock_calls = 0;
	void (*futex_wait)(std::uint32_t *word) = nullptr; // replaces the kernel's
	unsigned long getrandom_cut = 0;                   // calls that the kernel ended early
};

extern Faults faults;

// How often the library requested the virtual machine's page since the program was loaded.
extern unsigned long announcement_searches;

#endif
