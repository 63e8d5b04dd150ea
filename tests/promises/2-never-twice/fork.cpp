// SPDX-License-Identifier: BSD-2-Clause
// Parent, child and grandchild share no output, whatever created the child.
#include "../../support/run.hpp"
#include "../../support/machine.hpp"
#include "../../support/fork_calls.hpp"
#include "../../support/repeats.hpp"

#include "cprng/cprng.h"

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <sys/mman.h>
#include <unistd.h>

namespace {

// One process's draws for comparison: all widths, and lengths from the buffer and from one-time keys.
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

	// First the bytes that the parent's buffer would have served next.
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
	s->filled = used;
}

// Bytes to draw before a fork, so that the buffer is filled to various degrees.
std::size_t next_height()
{
	static run::Random random("fork");

	return random.below(1200);
}

enum Role { before, parent, child, grandchild, roles };
const char *const role_names[] = { "the parent before", "the parent", "the child", "the grandchild" };

struct ProcessTree {
	Sample *samples = static_cast<Sample *>(machine::shared_memory(roles * sizeof(Sample)));

	ProcessTree() = default;
	ProcessTree(const ProcessTree &) = delete;
	ProcessTree &operator=(const ProcessTree &) = delete;
	~ProcessTree()
	{
		munmap(samples, roles * sizeof(Sample));
	}

	// Returns false if the system does not permit this kind of fork.
	bool make(fork_calls::Fork make_process)
	{
		unsigned char height[1200];
		cprng_fast(height, next_height());
		draw(&samples[before]);
		const pid_t pid = make_process();
		if (pid < 0)
			return false;
		if (pid == 0) {
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

	// False alarms: 4 * 5400 windows, (2.2 * 10^4)^2 / 2^65 = 1.3 * 10^-11; with the other threads' 3 * 2^15 words
	// 4 * 10^-10. There are about 200 families.
	void judge(const std::vector<std::vector<std::uint64_t>> &others = {})
	{
		std::size_t total = roles * sizeof(Sample);
		for (const auto &v : others)
			total += v.size();
		Windows windows(total);
		for (int role = 0; role < roles; role++) {
			INFO(role_names[role]);
			REQUIRE(samples[role].filled > 5000);
			CHECK(!has_zero_window(samples[role].bytes, samples[role].filled));
			CHECK(windows.add(samples[role].bytes, samples[role].filled) == 0);
		}
		std::size_t repeats = 0;
		for (const auto &v : others) {
			for (std::uint64_t word : v)
				repeats += windows.add(&word, sizeof(word));
		}
		INFO("other threads of the parent");
		CHECK(repeats == 0);
	}
};

} // namespace

// Catches output that two of them share, for each kind of fork.
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

// Catches a child that serves bytes which another thread of the parent had or received.
TEST_CASE("fork: of a process whose other threads draw meanwhile")
{
	constexpr std::size_t threads = 3, words = 32768;

	for (const fork_calls::Call &way : fork_calls::all) {
		INFO(std::string(way.name));
		for (int i = 0; i < (machine::slow() ? 2 : run::volume(5, 20)); i++) {
			std::atomic<bool> stop{ false };
			std::atomic<std::size_t> running{ 0 };
			std::vector<std::vector<std::uint64_t>> drawn(threads);
			std::vector<std::thread> others;
			for (std::vector<std::uint64_t> &v : drawn) {
				others.emplace_back([&stop, &running, &v] {
					v.reserve(words);
					while (!stop) {
						if (v.size() < words)
							v.push_back(cprng_fast64());
						else
							std::this_thread::yield();
						if (v.size() == words / 8)
							running++;
					}
				});
			}
			while (running != threads)
				std::this_thread::yield();
			ProcessTree tree;
			const bool made = tree.make(way.make);
			stop = true;
			for (std::thread &t : others)
				t.join();
			if (!made) {
				SKIPPED(std::string(way.name) + " is not permitted here");
				break;
			}
			tree.judge(drawn);
		}
	}
}

// A child that continues as the program: with its own threads, invalidation and children.
// Catches two threads that begin the child's generation at once, each with its own.
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
		// 6 * 5400 windows: 3 * 10^-11.
		Windows windows((workers + 2) * sizeof(Sample));
		for (int s = 0; s < workers + 2; s++) {
			REQUIRE(samples[s].filled > 5000);
			CHECK(!has_zero_window(samples[s].bytes, samples[s].filled));
			CHECK(windows.add(samples[s].bytes, samples[s].filled) == 0);
		}
	}
	munmap(samples, (workers + 2) * sizeof(Sample));
}
