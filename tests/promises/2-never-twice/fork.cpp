// SPDX-License-Identifier: BSD-2-Clause
// Parent, child and grandchild share no output and no Fortuna state, whichever call created the child.
#include "../../support/run.hpp"
#include "../../support/internals.hpp"
#include "../../support/machine.hpp"
#include "../../support/fork_calls.hpp"
#include "../../support/repeats.hpp"

#include "doctest/doctest.h"

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include <sys/mman.h>
#include <unistd.h>

namespace {

// One process's draws for comparison: all widths, lengths from the buffer and from one-time keys, and Fortuna's.
struct Sample {
	std::uint64_t filled;
	unsigned char bytes[8192];
};

// Async-signal-safe, as everything must be in the child of a multithreaded process.
void draw(Sample *s)
{
	std::size_t used = 0;
	const auto take = [s, &used](std::size_t len) {
		cprng_fast(s->bytes + used, len);
		used += len;
	};
	const auto words = [s, &used](int n) {
		for (; n > 0; n--) {
			const std::uint64_t v = cprng_fast64();
			std::memcpy(s->bytes + used, &v, sizeof(v));
			used += sizeof(v);
		}
	};

	// First draw the bytes that the parent's buffer would have served next.
	words(8);
	take(24);
	for (int i = 0; i < 16; i++) {
		const std::uint32_t v = cprng_fast32();
		std::memcpy(s->bytes + used, &v, sizeof(v));
		used += sizeof(v);
	}
	for (int i = 0; i < 16; i++)
		s->bytes[used++] = cprng_fast8();
	take(512);
	take(2000);
	words(200);
	take(512);
	take(512);
	take(17);
	cprng_strong(s->bytes + used, 2000);
	s->filled = used + 2000;
}

// Bytes to draw before a fork, so that the buffer is filled to different levels.
std::size_t next_height()
{
	static run::Random random("fork");

	return random.below(1200);
}

enum Role { before, parent, child, grandchild, roles };
const char *const role_names[] = { "the parent before", "the parent", "the child", "the grandchild" };

struct Family {
	Sample samples[roles];
	bool seeded_in_child, events_in_child;
};

struct ProcessTree {
	Family *family = static_cast<Family *>(machine::shared_memory(sizeof(Family)));
	Sample *samples = family->samples;

	ProcessTree() = default;
	ProcessTree(const ProcessTree &) = delete;
	ProcessTree &operator=(const ProcessTree &) = delete;
	~ProcessTree()
	{
		munmap(family, sizeof(Family));
	}

	// In the child: nothing of the parent's Fortuna remains before the first read.
	void look() const
	{
		const struct cprng_process_fortuna *s = cprng_process()->strong;

		if (s == nullptr)
			return;
		family->seeded_in_child = cprng_generator_seeded(&s->state.generator) != 0;
		family->events_in_child = s->state.accumulator.events != 0 || s->state.harvest.tail != 0;
	}

	// Returns false if the system does not permit this kind of fork.
	bool make(fork_calls::Fork make_process)
	{
		unsigned char height[1200];
		cprng_fast(height, next_height());
		draw(&samples[before]);
		CHECK(cprng_add_entropy(1, height, 8, 8) == 0);
		const pid_t pid = make_process();
		if (pid < 0)
			return false;
		if (pid == 0) {
			look();
			const pid_t second = make_process();
			if (second == 0) {
				draw(&samples[grandchild]);
				_exit(0);
			}
			draw(&samples[child]);
			_exit(second > 0 && machine::status_of(second) == 0 ? 0 : 1);
		}
		draw(&samples[parent]);
		CHECK(machine::ended_well(pid));
		return true;
	}

	// False alarms: 4 * 7400 windows, (3 * 10^4)^2 / 2^65 = 2.4 * 10^-11.  There are about 200 families.
	void judge()
	{
		Windows windows(roles * sizeof(Sample));
		for (int role = 0; role < roles; role++) {
			INFO(role_names[role]);
			REQUIRE(samples[role].filled > 7000);
			CHECK(!has_zero_window(samples[role].bytes, samples[role].filled));
			CHECK(windows.add(samples[role].bytes, samples[role].filled) == 0);
		}
		CHECK(!family->seeded_in_child);
		CHECK(!family->events_in_child);
	}
};

} // namespace

// Catches output shared by two processes, and pools that a child inherits, for each kind of fork.
TEST_CASE("fork: parent, child and grandchild")
{
	for (const fork_calls::Call &way : fork_calls::all) {
		INFO(std::string(way.name));
		for (int i = 0; i < (machine::slow() ? 3 : 20); i++) {
			ProcessTree tree;
			if (!tree.make(way.make)) {
				SKIPPED(std::string(way.name) + " is not permitted here");
				break;
			}
			tree.judge();
		}
	}
}

// A child has only the forking thread, so a lock that another thread of the parent held is never released there.
// Catches a child that waits for such a lock.
TEST_CASE("fork: while other threads hold the locks of Fortuna")
{
	std::atomic<bool> stop{ false };
	std::vector<std::thread> threads;

	for (int i = 0; i < 3; i++) {
		threads.emplace_back([&stop] {
			std::vector<unsigned char> bytes(100000);
			while (!stop) {
				cprng_strong(bytes.data(), bytes.size());
				cprng_strong(bytes.data(), 32);
			}
		});
	}
	for (const int locked : { 0, 1 }) {
		cprng_strong_set_locked_reads(locked);
		for (std::size_t i = 0; i < machine::scaled(100, 5); i++) {
			ProcessTree tree;
			CHECK(tree.make(fork_calls::all[i % 2].make));
			tree.judge();
		}
	}
	stop = true;
	for (std::thread &t : threads)
		t.join();
	cprng_strong_set_locked_reads(0);
}

// A child that takes over as the main program, with threads, an invalidation and children of its own.
// Catches two threads that each begin a generation of the child at the same time.
TEST_CASE("fork: a child with threads of its own")
{
	constexpr int workers = 4;
	Sample *samples = static_cast<Sample *>(machine::shared_memory((workers + 2) * sizeof(Sample)));

	for (int i = 0; i < 10; i++) {
		draw(&samples[workers]);
		const pid_t pid = fork();
		REQUIRE(pid >= 0);
		if (pid == 0) {
			// All at once, before the library has a generation.
			std::vector<std::thread> threads;
			for (int t = 0; t < workers; t++)
				threads.emplace_back([samples, t] { draw(&samples[t]); });
			for (std::thread &t : threads)
				t.join();
			_exit(0);
		}
		draw(&samples[workers + 1]);
		CHECK(machine::ended_well(pid));
		// 6 * 7400 windows: 6 * 10^-11.
		Windows windows((workers + 2) * sizeof(Sample));
		for (int s = 0; s < workers + 2; s++) {
			REQUIRE(samples[s].filled > 7000);
			CHECK(!has_zero_window(samples[s].bytes, samples[s].filled));
			CHECK(windows.add(samples[s].bytes, samples[s].filled) == 0);
		}
	}
	munmap(samples, (workers + 2) * sizeof(Sample));
}
