// SPDX-License-Identifier: BSD-2-Clause
// Memory grows with the CPUs that are in use, not with threads.
#include "../support/run.hpp"
#include "fresh.hpp"
#include "internals.hpp"
#include "machine.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

#include <unistd.h>

namespace {

struct Usage {
	unsigned long resident_kib = 0; // of what is mapped between two addresses
	std::size_t mappings = 0;       // of the process
};

Usage usage_between(const void *from, const void *to)
{
	Usage usage;
	char line[512];
	bool within = false;
	const auto low = reinterpret_cast<unsigned long>(from), high = reinterpret_cast<unsigned long>(to);
	FILE *f = std::fopen("/proc/self/smaps", "r");

	REQUIRE_FRESH(f != nullptr);
	while (std::fgets(line, sizeof(line), f) != nullptr) {
		unsigned long begin, end, kib;
		// A field of smaps begins with its name, which may look like a number ("Rss" does not).
		if (std::sscanf(line, "%lx-%lx ", &begin, &end) == 2) {
			within = begin < high && low < end;
			usage.mappings++;
		} else if (within && std::sscanf(line, "Rss: %lu kB", &kib) == 1) {
			usage.resident_kib += kib;
		}
	}
	std::fclose(f);
	return usage;
}

// Less the page before them, which may be of the same mapping and is always there.
Usage usage_of_buffers()
{
	const struct cprng_process *p = cprng_process();
	Usage usage = usage_between(p->fork_state, p->buffers + p->buffer_count);

	usage.resident_kib -= usage.resident_kib >= 4 ? 4 : 0;
	return usage;
}

Usage usage_of_process()
{
	return usage_between(nullptr, reinterpret_cast<void *>(~0ul));
}

void draw_some()
{
	unsigned char bytes[300];

	for (int i = 0; i < 50; i++) {
		(void)cprng_fast64();
		cprng_fast(bytes, sizeof(bytes));
	}
	cprng_fast(bytes, 1);
}

void threads_that_end(int n)
{
	for (int done = 0; done < n; done += 50) {
		std::vector<std::thread> threads;
		for (int i = 0; i < 50; i++)
			threads.emplace_back(draw_some);
		for (std::thread &t : threads)
			t.join();
	}
}

// Buffers that threads may have used: one for each CPU; as many slots as there are, because the threads' addresses are
// spread over all of them.
std::size_t usable_states()
{
	return machine::per_cpu() ? machine::cpus().size() : cprng_process()->buffer_count;
}

// Once for the process, of which some may have come into use: the pools, and a read of them each second.
constexpr unsigned long fortuna_kib = (sizeof(struct cprng_strong) + 4095) / 4096 * 4;

const fresh::Scenario growth("memory: growth", [] {
	machine::cpus();
	REQUIRE_FRESH(usage_of_buffers().resident_kib == 0);
	(void)cprng_fast64();
	const unsigned long one = usage_of_buffers().resident_kib;
	// What the C library keeps of threads that have ended: stacks, arenas.
	threads_that_end(300);
	const Usage before = usage_of_process();
	const unsigned long buffers_before = usage_of_buffers().resident_kib;
	threads_that_end(1000);
	const Usage after = usage_of_process();
	const unsigned long buffers_after = usage_of_buffers().resident_kib;
	dprintf(STDOUT_FILENO,
		"buffers: %lu KiB after one draw, %lu after 300 threads, %lu after 1300; process: %lu KiB in %zu "
		"mappings, then %lu in %zu",
		one, buffers_before, buffers_after, before.resident_kib, before.mappings, after.resident_kib,
		after.mappings);
	REQUIRE_FRESH(one == 4);
	REQUIRE_FRESH(buffers_after <= 4 * usable_states() + fortuna_kib);
	// Some pages of slack for the C library; a buffer for each thread would be 4000 KiB.
	REQUIRE_FRESH(after.resident_kib <= before.resident_kib + 4 * usable_states() + 1024);
	REQUIRE_FRESH(after.mappings <= before.mappings + 2 * usable_states());
});

// What an invalidation looks at it does not bring to life.
const fresh::Scenario invalidation("memory: invalidation", [] {
	(void)cprng_fast64();
	for (int i = 0; i < 10; i++) {
		cprng_invalidate();
		(void)cprng_fast64();
	}
	const unsigned long kib = usage_of_buffers().resident_kib;
	dprintf(STDOUT_FILENO, "%lu KiB", kib);
	REQUIRE_FRESH(kib <= 4 * machine::cpus().size());
});

void check_alone(const fresh::Scenario &scenario)
{
	SKIP_IF(machine::emulated() || CPRNG_TESTS_SANITIZED, "the memory is not the program's alone");
	SKIP_IF(!machine::buffered(), "no buffers");
	fresh::check(scenario);
}

} // namespace

TEST_CASE("memory: a thousand threads that come and go")
{
	check_alone(growth);
}

TEST_CASE("memory: invalidation touches no page that was never used")
{
	check_alone(invalidation);
}
