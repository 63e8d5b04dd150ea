// SPDX-License-Identifier: BSD-2-Clause
// Parent, child and grandchild share no output of cprng_strong(), and none of its state.
#include "../../support/run.hpp"
#include "../../support/internals.hpp"
#include "../../support/machine.hpp"
#include "../../support/fork_calls.hpp"
#include "../../support/repeats.hpp"

#include "doctest/doctest.h"

#include <atomic>
#include <thread>
#include <vector>

#include <sys/mman.h>
#include <unistd.h>

namespace {

struct Page {
	unsigned char bytes[4][4096];
	std::uint32_t seeded_in_child, events_in_child;
};

// In the child: nothing of the parent's remains before the first read.
void look(Page *page)
{
	const struct cprng_strong *s = cprng_process()->strong;

	if (s == nullptr)
		return;
	page->seeded_in_child = cprng_generator_seeded(&s->state.generator);
	page->events_in_child = s->state.accumulator.events != 0 || s->state.harvest.tail != 0;
}

std::size_t repeats_in(const Page *page)
{
	Windows windows(sizeof(page->bytes));
	std::size_t repeats = 0;

	for (const auto &bytes : page->bytes)
		repeats += windows.add(bytes, sizeof(bytes));
	return repeats;
}

// Returns false if the system does not permit this kind of fork.
bool check_family(const char *what, fork_calls::Fork make)
{
	Page *page = static_cast<Page *>(machine::shared_memory(sizeof(Page)));
	const unsigned char event[8] = { 1, 2, 3 };

	INFO(std::string(what));
	cprng_strong(page->bytes[0], 4096);
	CHECK(cprng_add_entropy(1, event, sizeof(event), 8) == 0);
	const pid_t child = make();
	if (child < 0)
		return false;
	if (child == 0) {
		look(page);
		const pid_t grandchild = make();
		if (grandchild == 0) {
			cprng_strong(page->bytes[3], 4096);
			_exit(0);
		}
		cprng_strong(page->bytes[2], 4096);
		_exit(machine::ended_well(grandchild) ? 0 : 1);
	}
	cprng_strong(page->bytes[1], 4096);
	CHECK(machine::ended_well(child));
	CHECK(page->seeded_in_child == 0);
	CHECK(page->events_in_child == 0);
	for (const auto &bytes : page->bytes)
		CHECK_FALSE(has_zero_window(bytes, sizeof(bytes)));
	CHECK(repeats_in(page) == 0);
	munmap(page, sizeof(Page));
	return true;
}

} // namespace

// Catches output that two of them share, and pools that a child inherits.
TEST_CASE("strong: parent, child and grandchild")
{
	for (const fork_calls::Call &way : fork_calls::all) {
		for (int i = 0; i < run::volume(5, 20); i++) {
			if (!check_family(way.name, way.make)) {
				SKIPPED(std::string(way.name) + " is not permitted here");
				break;
			}
		}
	}
}

// A child has only the forking thread; the parent thread that held a lock does not exist there to release it.
// Catches a child that waits for a lock whose holder does not exist there.
TEST_CASE("strong: forks while other threads hold the locks")
{
	std::atomic<bool> stop{ false };
	std::vector<std::thread> threads;

	for (int i = 0; i < 3; i++) {
		threads.emplace_back([&] {
			std::vector<unsigned char> bytes(100000);
			while (!stop) {
				cprng_strong(bytes.data(), bytes.size());
				cprng_strong(bytes.data(), 32);
			}
		});
	}
	for (int mode = 0; mode < 2; mode++) {
		cprng_strong_set_locked_reads(mode);
		for (std::size_t i = 0; i < machine::scaled(100, 5); i++)
			REQUIRE(check_family("fork with threads", fork_calls::all[i % 2].make));
	}
	stop = true;
	for (std::thread &t : threads)
		t.join();
	cprng_strong_set_locked_reads(0);
}
