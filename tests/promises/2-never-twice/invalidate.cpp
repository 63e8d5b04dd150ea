// SPDX-License-Identifier: BSD-2-Clause
// cprng_invalidate and cprng_reseed drop buffered bytes, and other threads' draws continue.
#include "../../support/run.hpp"
#include "../../support/internals.hpp"
#include "../../support/machine.hpp"
#include "../../support/repeats.hpp"

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

#include <unistd.h>

namespace {

// Fills the buffer of every CPU that this process may use.
void fill_all()
{
	unsigned char bytes[64];

	for (int cpu : machine::cpus()) {
		machine::pin(0, cpu);
		cprng_draw_by_refill(cprng_process(), bytes, sizeof(bytes));
	}
	machine::unpin();
}

std::vector<unsigned char> buffered_bytes()
{
	const struct cprng_process *p = cprng_process();
	std::vector<unsigned char> all;

	for (std::uint32_t i = 0; i < p->buffer_count; i++) {
		const cprng_buffer &b = p->buffers[i];
		all.insert(all.end(), b.out, b.out + b.left);
		if (b.key_tag != 0)
			all.insert(all.end(), b.key, b.key + sizeof(b.key));
	}
	return all;
}

void check_dropped(void (*drop)())
{
	const struct cprng_process *p = cprng_process();

	for (int turn = 0; turn < run::volume(10, 50); turn++) {
		fill_all();
		const std::vector<unsigned char> old = buffered_bytes();
		const std::uint64_t generation = p->fork_state->generation;
		REQUIRE(old.size() > 500);
		drop();

		CHECK(p->fork_state->generation != generation);
		CHECK(p->fork_state->generation != 0);
		for (std::uint32_t i = 0; i < p->buffer_count; i++) {
			const cprng_buffer &b = p->buffers[i];
			CHECK(b.left == 0);
			CHECK(b.key_tag == 0);
			CHECK(std::all_of(b.key, b.key + sizeof(b.key), [](unsigned char c) { return c == 0; }));
			CHECK(std::all_of(b.out, b.out + sizeof(b.out), [](unsigned char c) { return c == 0; }));
		}
		// The next bytes differ: 10^4 windows against 10^4, 6 * 10^-12.
		Windows windows(old.size() + 16);
		windows.add(old.data(), old.size());
		for (int cpu : machine::cpus()) {
			unsigned char fresh[4096];
			machine::pin(0, cpu);
			for (std::size_t i = 0; i < sizeof(fresh); i += 256)
				cprng_fast(fresh + i, 256);
			CHECK(windows.count(fresh, sizeof(fresh)) == 0);
		}
		machine::unpin();
	}
}

} // namespace

// Catches a buffer or key that an invalidation or a reseed misses.
TEST_CASE("invalidate: nothing that was buffered survives")
{
	SKIP_IF(!machine::buffered(), "no buffers");
	check_dropped(cprng_invalidate);
	check_dropped([] { CHECK(cprng_reseed() == 0); });
}

// Catches an invalidation that requires an existing generation, or that undoes one.
TEST_CASE("invalidate: before the first draw of a forked child, and in it")
{
	const pid_t pid = fork();
	REQUIRE(pid >= 0);
	if (pid == 0) {
		cprng_invalidate();
		if (cprng_reseed() != 0)
			_exit(1);
		std::uint64_t a = cprng_fast64();
		cprng_invalidate();
		std::uint64_t b = cprng_fast64();
		const int reseeded = cprng_reseed();
		std::uint64_t c = cprng_fast64();
		_exit(a != 0 && b != 0 && c != 0 && a != b && b != c && reseeded == 0 ? 0 : 1);
	}
	CHECK(machine::ended_well(pid));
}

// Catches a deadlock between two invalidations, and a zero from an erased buffer that is served.
TEST_CASE("invalidate: several threads at once, and in handlers")
{
	std::vector<std::thread> threads;
	std::atomic<std::size_t> zeros{ 0 };

	for (int t = 0; t < 4; t++) {
		threads.emplace_back([&zeros] {
			for (std::size_t i = 0; i < machine::scaled(2000, 20); i++) {
				cprng_invalidate();
				zeros += cprng_fast64() == 0;
			}
		});
	}
	for (std::thread &t : threads)
		t.join();
	CHECK(zeros == 0);
}
