// SPDX-License-Identifier: BSD-2-Clause
// Memory grows with the CPUs in use, not with threads.  (unit/process/memory_lock.cpp tests locked memory.)
#include "../../support/run.hpp"
#include "../../support/fake_os.hpp"
#include "../../support/scenario.hpp"
#include "../../support/internals.hpp"
#include "../../support/machine.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>

namespace {

void check_alone(const scenario::Scenario &scenario)
{
	SKIP_IF(machine::emulated() || CPRNG_TESTS_SANITIZED, "an emulator or a sanitizer also uses the memory");
	SKIP_IF(!machine::buffered(), "no buffers");
	scenario::check(scenario);
}

// Resident KiB of the mapped memory between two addresses.
unsigned long resident_between(const void *from, const void *to)
{
	unsigned long resident = 0;
	char line[512];
	bool within = false;
	const auto low = reinterpret_cast<unsigned long>(from), high = reinterpret_cast<unsigned long>(to);
	FILE *f = std::fopen("/proc/self/smaps", "r");

	REQUIRE_IN_CHILD(f != nullptr);
	while (std::fgets(line, sizeof(line), f) != nullptr) {
		unsigned long begin, end, kib;
		// A field of smaps begins with its name, which may look like a number ("Rss" does not).
		if (std::sscanf(line, "%lx-%lx ", &begin, &end) == 2)
			within = begin < high && low < end;
		else if (within && std::sscanf(line, "Rss: %lu kB", &kib) == 1)
			resident += kib;
	}
	std::fclose(f);
	return resident;
}

// Does not count the page before the buffers, which may be in the same mapping and is always resident.
unsigned long resident_buffers()
{
	const struct cprng_process *p = cprng_process();
	const unsigned long resident = resident_between(p->fork_state, p->buffers + p->buffer_count);

	return resident - (resident >= 4 ? 4 : 0);
}

// Bytes in use in the arena that all threads share.
std::size_t allocated()
{
#if defined(__GLIBC_PREREQ)
#if __GLIBC_PREREQ(2, 33)
	return mallinfo2().uordblks;
#endif
#endif
	return 0; // unknown: then only mappings are compared
}

void draw_and_end(int number)
{
	unsigned char bytes[600];

	for (int i = 0; i < 50; i++)
		(void)cprng_fast64();
	cprng_fast(bytes, static_cast<std::size_t>(number) % sizeof(bytes));
	if (number % 16 == 0)
		cprng_strong(bytes, 32);
	if (number % 16 == 1)
		(void)cprng_add_entropy(1, bytes, 8, 1);
	if (number % 64 == 2)
		cprng_invalidate();
}

void threads_that_end(int n)
{
	for (int done = 0; done < n; done += 50) {
		std::vector<std::thread> threads;
		for (int i = 0; i < 50; i++)
			threads.emplace_back(draw_and_end, done + i);
		for (std::thread &t : threads)
			t.join();
	}
}

// The number of buffers that threads may have used: one per CPU, or all slots, because the threads' addresses spread over
// all of them.
std::size_t usable_states()
{
	return machine::per_cpu() ? machine::cpus().size() : cprng_process()->buffer_count;
}

// KiB of the process's Fortuna.  Part of it may already be resident, since refills read the pools once a second.
constexpr unsigned long fortuna_kib = (sizeof(struct cprng_process_fortuna) + 4095) / 4096 * 4;

// The C library keeps stacks and arenas of ended threads, and their number depends on scheduling.  So the test examines only
// the library's own memory: the pages of its buffers, its number of mappings, and the allocations in one arena.
// Catches a buffer, a mapping, a claim or an allocation per thread.
CHILD_TEST_CASE("memory: thousands of threads that come and go", check_alone)
{
	unsigned char bytes[32];

#ifdef M_ARENA_MAX
	mallopt(M_ARENA_MAX, 1);
#endif
	machine::cpus();
	REQUIRE_IN_CHILD(resident_buffers() == 0);
	(void)cprng_fast64();
	REQUIRE_IN_CHILD(resident_buffers() == 0);
	(void)cprng_fast64();
	const unsigned long one = resident_buffers();
	// Fortuna's pages.
	cprng_strong(bytes, sizeof(bytes));
	const unsigned long calls = fake_os.mmap.calls;
	// The C library's caches for future threads.
	threads_that_end(1000);
	const std::size_t before = allocated();
	threads_that_end(4000);
	const std::size_t after = allocated();
	const unsigned long all = resident_buffers();
	dprintf(STDOUT_FILENO,
		"buffers: %lu KiB after two draws, %lu after 5000 threads; %lu mappings, then %lu; "
		"%zu bytes allocated, then %zu after 4000 threads more",
		one, all, calls, fake_os.mmap.calls, before, after);
	// A full buffer extends into the page where the next one begins.  A buffer per thread would take 20000 KiB.
	const bool reaches = reinterpret_cast<std::uintptr_t>(cprng_process()->buffers) % 4096 != 0;
	REQUIRE_IN_CHILD(one == (reaches && cprng_process()->small_refill > 1 ? 8 : 4));
	REQUIRE_IN_CHILD(all <= (reaches ? 8 : 4) * usable_states() + fortuna_kib);
	REQUIRE_IN_CHILD(fake_os.mmap.calls == calls);
	// A leaking thread leaks at least 32 bytes; the C library caches a few stacks.
	REQUIRE_IN_CHILD(after <= before + 8 * 4000);
}

// An invalidation must not make pages resident by reading them.
// Catches an invalidation that writes to the buffers of CPUs that never drew, which makes them resident.
CHILD_TEST_CASE("memory: invalidation touches no page that was never used", check_alone)
{
	(void)cprng_fast64();
	for (int i = 0; i < 10; i++) {
		cprng_invalidate();
		(void)cprng_fast64();
	}
	const unsigned long kib = resident_buffers();
	dprintf(STDOUT_FILENO, "%lu KiB", kib);
	REQUIRE_IN_CHILD(kib <= 4 * (machine::cpus().size() + 1));
}

// One huge page would hold the buffers of 512 CPUs, of which one draws.
const scenario::Scenario small_pages("small pages", [] {
	std::size_t small = 0;

	fake_os.cpu_mask_size.answer = 1024;
	fake_os.madvise.before = [&](void *, std::size_t len, int advice) {
		small += advice == MADV_NOHUGEPAGE ? len : 0;
	};
	(void)cprng_fast64();
	REQUIRE_IN_CHILD(small >= cprng_process()->buffer_count * sizeof(struct cprng_buffer));
});

} // namespace

// Catches a huge page for many buffers of which only one is used.
TEST_CASE("memory: buffers are in small pages")
{
	SKIP_IF(!machine::buffered(), "no buffers");
	scenario::check(small_pages);
}
