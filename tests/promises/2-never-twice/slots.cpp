// SPDX-License-Identifier: BSD-2-Clause
// Two threads use the same slot on two CPUs at once.  With many slots that is rare, so this test has few slots and creates
// threads until two share one.
#include "../../support/run.hpp"
#include "../../support/fake_os.hpp"
#include "../../support/scenario.hpp"
#include "../../support/internals.hpp"
#include "../../support/machine.hpp"
#include "../../support/repeats.hpp"

#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <thread>
#include <vector>

#include <unistd.h>

namespace {

const std::size_t draws = run::volume(400000, 2000000), parts = 40;

std::atomic<int> ready;

struct Racer {
	std::uint32_t slot = 0;
	std::vector<std::uint64_t> values;
};

void race(Racer *r, int number)
{
	machine::pin(0, machine::cpus()[static_cast<std::size_t>(number) % machine::cpus().size()]);
	// Repeat the meeting: on a busy machine one thread may be preempted while the other completes its part.
	for (std::size_t part = 0; part < parts; part++) {
		ready++;
		for (unsigned int turns = 0; ready < 2 * static_cast<int>(part + 1); turns++) {
			// The other is preempted: do not spin.
			if (turns > 10000)
				std::this_thread::sleep_for(std::chrono::microseconds(20));
		}
		for (std::size_t i = 0; i < draws / parts; i++)
			r->values[part * (draws / parts) + i] = cprng_fast64();
	}
}

const scenario::Scenario one_slot_two_threads("one slot, two threads", [] {
	fake_os.membarrier.answer = -ENOSYS; // slots
	fake_os.cpu_mask_size.answer = 1;    // eight CPUs, sixteen slots
	struct cprng_process *p = cprng_process();
	REQUIRE_IN_CHILD(p->placement == &cprng_placement_slots && p->buffer_count == 16);

	// A thread's slot is derived from its address; of 17 concurrent threads, two have the same.
	constexpr int many = 17;
	std::array<Racer, many> racers;
	std::vector<std::thread> threads;
	std::atomic<int> known{ 0 };
	std::atomic<int> first{ -1 }, second{ -1 };
	for (int i = 0; i < many; i++) {
		threads.emplace_back([&, i] {
			racers[static_cast<std::size_t>(i)].slot = p->placement->index(p);
			known++;
			while (second == -1)
				std::this_thread::sleep_for(std::chrono::milliseconds(1));
			if (first == i || second == i)
				race(&racers[static_cast<std::size_t>(i)], first == i ? 0 : 1);
		});
	}
	while (known != many)
		std::this_thread::yield();
	for (int i = 0; i < many && second == -1; i++) {
		for (int k = 0; k < i; k++) {
			Racer &a = racers[static_cast<std::size_t>(i)], &b = racers[static_cast<std::size_t>(k)];
			if (a.slot == b.slot) {
				a.values.resize(draws);
				b.values.resize(draws);
				first = k;
				second = i;
				break;
			}
		}
	}
	for (std::thread &t : threads)
		t.join();

	// Two of 4 * 10^6 are the same by chance with probability 4 * 10^-7.
	Served served(2 * draws);
	for (int i : { first.load(), second.load() })
		served.add_all(racers[static_cast<std::size_t>(i)].values);
	dprintf(STDERR_FILENO, "%zu repeats, %zu zeros\n", served.repeats, served.zeros);
	REQUIRE_IN_CHILD(served.repeats == 0);
	REQUIRE_IN_CHILD(served.zeros == 0);
});

// A handler that jumps out of a draw leaves the slot claimed.
// Catches a thread that makes a system call for each draw after it has lost its first slot.
CHILD_TEST_CASE("slots: a thread that has lost slots goes on with others", scenario::check_buffered)
{
	fake_os.membarrier.answer = -ENOSYS;
	fake_os.vdso_missing = true;
	struct cprng_process *p = cprng_process();
	REQUIRE_IN_CHILD(p->placement == &cprng_placement_slots && p->buffer_count >= 16);
	(void)cprng_fast64();

	// All slots of this thread but one.
	const std::uint32_t mine = p->placement->index(p);
	for (std::uint32_t i = 0; i < 7; i++)
		p->slot_claim[(mine + i) % p->buffer_count].claim.taken = 1;
	const unsigned long before = fake_os.getrandom.calls;
	for (int i = 0; i < 40000; i++)
		(void)cprng_fast64();
	// 80 or 333 refills; every 16th asks the kernel.
	dprintf(STDERR_FILENO, "%lu calls", fake_os.getrandom.calls - before);
	REQUIRE_IN_CHILD(fake_os.getrandom.calls - before < (p->small_refill == 1 ? 80 : 20));

	// Lose the last slot as well: from now on every draw asks the kernel.
	p->slot_claim[(mine + 7) % p->buffer_count].claim.taken = 1;
	REQUIRE_IN_CHILD(cprng_fast64() != cprng_fast64());
	REQUIRE_IN_CHILD(fake_os.getrandom.calls - before > 2);
}

} // namespace

// Catches two draws that use one slot at the same time.
TEST_CASE("slots: two threads with the same slot, on two CPUs")
{
	SKIP_IF(machine::emulated() || CPRNG_TESTS_SANITIZED, "too slow, or no buffers");
	SKIP_IF(machine::cpus().size() < 2, "one CPU");
	scenario::check(one_slot_two_threads);
}
