// SPDX-License-Identifier: BSD-2-Clause
// Faults injected into the library's system calls: the program is linked with --wrap for each of them.
#ifndef CPRNG_TESTS_FAULTS_HPP
#define CPRNG_TESTS_FAULTS_HPP

#include <cstddef>
#include <cstdint>

#include "os/linux/vdso.h"

struct Faults {
	enum class Getrandom { works, fails, one_byte, interrupted, too_much, replay, waits };

	Getrandom getrandom = Getrandom::works;
	long getrandom_error = 0;            // for `fails`: a negative error number
	unsigned long replayed = 0;          // for `replay`: how many words of always the same numbers were given
	int waits_from = -1, waits_for = -1; // for `waits`: a byte into the one, then the end of the other
	unsigned int mmap_fails = 0;         // bit i: the i-th call
	bool madvise_refused = false;
	bool madvise_pretends = false; // every advice is taken, and nothing done
	bool mlock_refused = false;
	bool membarrier_missing = false;
	bool membarrier_fails = false; // though the query promised it
	bool vdso_missing = false;
	bool tid_address_hidden = false; // from the function that asks for it
	bool tid_address_fixed = false;
	long cpu_mask_size = 0; // 0: what the kernel says
	enum class Clock { works, refused, stands };
	Clock clock = Clock::works;      // as the library sees it; it stands at 1000 seconds
	unsigned long seconds_ahead = 0; // all clocks are
	bool pools_silent = false;       // cprng_strong_try_key has nothing

	// The library's vDSO, when not NULL (tests/promises/4-recovery/recovery.cpp).
	cprng_vgetrandom vdso = nullptr;

	unsigned long getrandom_calls = 0, mmap_calls = 0, strong_keys = 0;
	unsigned long small_pages = 0; // bytes for which small pages were asked
	std::size_t mlock_most = 0;    // bytes of the longest call
	unsigned long mlock_calls = 0;
	void (*futex_wait)(std::uint32_t *word) = nullptr; // in place of the kernel's
	unsigned long getrandom_cut = 0;                   // calls that the kernel ended early
};

extern Faults faults;

// How often the library asked for the page of the virtual machine since the program was loaded.
extern unsigned long vmclock_maps;

#endif
