// SPDX-License-Identifier: BSD-2-Clause
// lengths [--placement=unbuffered] [options of support/main.cpp and ceiling.cpp]
//
// Every length is filled completely, by a library with internal limits so low (lowered/) that all lengths around them
// can be tested.  tests/promises/1-full-strength/lengths.cpp tests the real limits.
#include "seams.hpp"

#include "../../../support/program.hpp"
#include "../../../support/replace.hpp"

#include <cstdio>
#include <string>

bool seams::wiping_refused;
unsigned long seams::fortuna_reads, seams::kernel_reads;

REPLACE(bool, cprng_os_wipe_on_fork, (void *p, std::size_t len))
{
	return !seams::wiping_refused && __real_cprng_os_wipe_on_fork(p, len);
}

REPLACE(int, cprng_fortuna_core_read,
	(const struct cprng_fortuna_core *f, void *buf, std::size_t len, enum cprng_wait wait))
{
	// Counts only calls by cprng_strong(), which wait; a refill's read from the pools does not.
	seams::fortuna_reads += wait == CPRNG_WAIT ? 1 : 0;
	return __real_cprng_fortuna_core_read(f, buf, len, wait);
}

REPLACE(long, cprng_os_entropy, (void *buf, std::size_t len))
{
	seams::kernel_reads++;
	return __real_cprng_os_entropy(buf, len);
}

namespace {

bool takes(const std::string &argument)
{
	if (argument != "--placement=unbuffered")
		return false;
	seams::wiping_refused = true;
	return true;
}

int begin(doctest::Context &)
{
	cprng_info info;

	cprng_get_info(&info, sizeof(info));
	std::printf("placement %s, engine %s/%s, entropy %s\n", info.placement, info.engine, info.backend,
		    info.entropy);
	return 0;
}

const bool added = program::add({ nullptr, takes, begin, nullptr });

} // namespace
