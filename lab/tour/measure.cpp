// SPDX-License-Identifier: BSD-2-Clause
#include "measure.hpp"

#include <cstdio>
#include <cstdlib>

#include <time.h>

alignas(4096) unsigned char request_buffer[large_request];

void fail(const std::string &name)
{
	std::fprintf(stderr, "cprng-tour: %s has failed\n", name.c_str());
	std::exit(1);
}

double cpu_seconds()
{
	struct timespec t;
	check(clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t) == 0, "clock_gettime");
	return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
}

void measurements::report_progress() const
{
	if (progress >= 0 && dprintf(progress, "%d %d\n", done_, total()) < 0)
		std::exit(1);
}

// Outside the timed loop.
void measurements::finish(benchmark::State &state, std::size_t bytes)
{
	const auto n = static_cast<std::int64_t>(state.iterations());
	state.SetItemsProcessed(n);
	if (bytes != 0)
		state.SetBytesProcessed(n * static_cast<std::int64_t>(bytes));
	done_++;
	report_progress();
}
