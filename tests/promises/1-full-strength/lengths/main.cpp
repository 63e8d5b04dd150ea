// SPDX-License-Identifier: BSD-2-Clause
// lengths [--placement=unbuffered] [--cpu-ceiling=baseline] [options of doctest]
//
// Every length is filled to its end, with a library whose internal limits are so low (lowered/) that all lengths around
// them can be tried.  The real ones: tests/promises/1-full-strength/lengths.cpp.
#include "doctest/doctest.h"

#include "seams.hpp"

#include "cpu/cpu.h"

#include <cstdio>
#include <cstring>
#include <vector>

bool seams::wiping_refused;
unsigned long seams::fortuna_reads, seams::kernel_reads;

extern "C" {
bool __real_cprng_os_wipe_on_fork(void *p, std::size_t len);
int __real_cprng_fortuna_core_read(const struct cprng_fortuna_core *f, void *buf, std::size_t len,
				   enum cprng_wait wait);
void __real_cprng_entropy_by_call(void *buf, std::size_t len);

bool __wrap_cprng_os_wipe_on_fork(void *p, std::size_t len);
int __wrap_cprng_fortuna_core_read(const struct cprng_fortuna_core *f, void *buf, std::size_t len,
				   enum cprng_wait wait);
void __wrap_cprng_entropy_by_call(void *buf, std::size_t len);
}

bool __wrap_cprng_os_wipe_on_fork(void *p, std::size_t len)
{
	return !seams::wiping_refused && __real_cprng_os_wipe_on_fork(p, len);
}

int __wrap_cprng_fortuna_core_read(const struct cprng_fortuna_core *f, void *buf, std::size_t len, enum cprng_wait wait)
{
	// Those of cprng_strong(): a refill that takes a key of the pools does not wait.
	seams::fortuna_reads += wait == CPRNG_WAIT ? 1 : 0;
	return __real_cprng_fortuna_core_read(f, buf, len, wait);
}

void __wrap_cprng_entropy_by_call(void *buf, std::size_t len)
{
	seams::kernel_reads++;
	__real_cprng_entropy_by_call(buf, len);
}

int main(int argc, char **argv)
{
	std::vector<char *> rest;
	cprng_info info;

	for (int i = 0; i < argc; i++) {
		if (std::strcmp(argv[i], "--placement=unbuffered") == 0)
			seams::wiping_refused = true;
		else if (std::strcmp(argv[i], "--cpu-ceiling=baseline") == 0)
			cprng_cpu_set_ceiling(0);
		else
			rest.push_back(argv[i]);
	}
	cprng_get_info(&info, sizeof(info));
	std::printf("placement %s, engine %s/%s, entropy %s\n", info.placement, info.engine, info.backend,
		    info.entropy);
	std::fflush(stdout);
	return doctest::Context(static_cast<int>(rest.size()), rest.data()).run();
}
