// SPDX-License-Identifier: BSD-2-Clause
// CPU numbers: with holes, beyond those at the start, of CPUs that go offline and return.  The machine's CPUs stay online:
// affinity takes them from the process, and a fake area for restartable sequences provides numbers that the machine lacks.
#include "../../support/run.hpp"
#include "../../support/faults.hpp"
#include "../../support/scenario.hpp"
#include "../../support/internals.hpp"
#include "../../support/machine.hpp"
#include "../../support/repeats.hpp"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <sched.h>
#include <sys/types.h>

namespace {

// The beginning of the kernel's struct rseq.
struct Area {
	std::uint32_t cpu_id_start, cpu_id;
	std::uint64_t rseq_cs;
	std::uint32_t rest[4];
};

// This thread's area.  The process has no other thread and no signals, so no sequence is restarted.
alignas(64) Area area;

void make_up_area()
{
	struct cprng_process *p = cprng_process();

	p->draw.rseq_offset = reinterpret_cast<char *>(&area) - static_cast<char *>(__builtin_thread_pointer());
	cprng_draw_1.rseq_offset = p->draw.rseq_offset;
}

void run_on(std::uint32_t cpu)
{
	area.cpu_id = cpu;
	// The kernel stores a possible CPU number here, or 0.
	area.cpu_id_start = cpu < cprng_process()->buffer_count ? cpu : 0;
}

bool is_empty(std::uint32_t cpu)
{
	const cprng_buffer &b = cprng_process()->buffers[cpu];
	const unsigned char *bytes = reinterpret_cast<const unsigned char *>(&b);

	return std::all_of(bytes, bytes + sizeof(b), [](unsigned char c) { return c == 0; });
}

// All operations on the buffer, and draws that bypass it.
void draw(std::vector<std::uint64_t> *drawn)
{
	std::uint64_t words[8];

	drawn->push_back(cprng_fast64());
	cprng_fast(words, sizeof(words));
	drawn->insert(drawn->end(), words, words + 8);
	unsigned char many[700];
	cprng_fast(many, sizeof(many));
	drawn->push_back(window_at(many));
	cprng_strong(words, 8);
	drawn->push_back(words[0]);
	REQUIRE_IN_CHILD(area.rseq_cs == 0);
}

void check(const std::vector<std::uint64_t> &drawn)
{
	Served served(drawn.size());

	served.add_all(drawn);
	REQUIRE_IN_CHILD(served.bad() == 0);
}

// 2.2 * 10^5 values: false alarms 10^-9.
void wander(const std::vector<std::uint32_t> &numbers)
{
	run::Random random("CPU numbers");
	std::vector<std::uint64_t> drawn;

	for (int i = 0; i < 20000; i++) {
		run_on(numbers[random.below(numbers.size())]);
		draw(&drawn);
	}
	check(drawn);
}

const scenario::Scenario holes("CPUs: holes", [] {
	REQUIRE_IN_CHILD(machine::per_cpu());
	make_up_area();
	const std::uint32_t states = cprng_process()->buffer_count;
	const std::vector<std::uint32_t> there{ 0, 3, states / 2, states - 1 };
	std::vector<std::uint32_t> all = there;
	// Beyond the end, by one and by much; and the numbers for "none".
	for (const std::uint32_t beyond :
	     { states, states + 1, 8192u, 0x7fffffffu, 0x80000000u, 0xfffffffeu, 0xffffffffu })
		all.push_back(beyond);
	wander(all);
	for (std::uint32_t cpu = 0; cpu < states; cpu++) {
		const bool used = std::find(there.begin(), there.end(), cpu) != there.end();
		REQUIRE_IN_CHILD(is_empty(cpu) == !used);
	}
	// Invalidation erases all CPUs' buffers, whichever CPU the caller is on.
	for (const std::uint32_t here : { 3u, states }) {
		wander(there);
		run_on(here);
		cprng_invalidate();
		for (std::uint32_t cpu = 0; cpu < states; cpu++)
			REQUIRE_IN_CHILD(is_empty(cpu));
	}
});

// The CPU mask has one byte at the start; later there are more CPUs.
const scenario::Scenario more("CPUs: more than at the start", [] {
	faults.cpu_mask_size = 1;
	REQUIRE_IN_CHILD(machine::per_cpu());
	REQUIRE_IN_CHILD(cprng_process()->buffer_count == 8);
	make_up_area();
	wander({ 0, 7, 8, 9, 64, 1000 });
	for (const std::uint32_t cpu : { 8u, 1000u }) {
		std::vector<std::uint64_t> drawn;
		run_on(cpu);
		const unsigned long calls = faults.getrandom_calls;
		for (int i = 0; i < 100; i++)
			(void)cprng_fast64();
		// Each draw is a request to the kernel, since there is no buffer.
		REQUIRE_IN_CHILD(faults.getrandom_calls >= calls + 100);
	}
	run_on(1);
	(void)cprng_fast64();
	const unsigned long calls = faults.getrandom_calls;
	for (int i = 0; i < 50; i++)
		(void)cprng_fast64();
	REQUIRE_IN_CHILD(faults.getrandom_calls == calls);
});

// Bytes in an offline CPU's buffer are served when it returns, unless they were dropped.
const scenario::Scenario away("CPUs: away and back", [] {
	REQUIRE_IN_CHILD(machine::per_cpu());
	make_up_area();
	std::vector<std::uint64_t> drawn;
	run_on(5);
	draw(&drawn);
	cprng_buffer left = cprng_process()->buffers[5];
	REQUIRE_IN_CHILD(left.left > 0);
	run_on(2);
	for (int i = 0; i < 5000; i++)
		draw(&drawn);
	run_on(5);
	const std::uint64_t next = cprng_fast64();
	REQUIRE_IN_CHILD(next == window_at(left.out + left.left - 8));
	drawn.push_back(next);
	left = cprng_process()->buffers[5];
	run_on(2);
	cprng_invalidate();
	run_on(5);
	Windows old(left.left);
	old.add(left.out, left.left);
	for (int i = 0; i < 500; i++) {
		const std::uint64_t v = cprng_fast64();
		REQUIRE_IN_CHILD(old.count(&v, sizeof(v)) == 0);
		drawn.push_back(v);
	}
	check(drawn);
});

} // namespace

// Catches an unchecked CPU number used as an index, and buffers that an invalidation misses.
TEST_CASE("CPUs: numbers that come and go")
{
	SKIP_IF(!machine::per_cpu(), "no restartable sequences");
	for (const scenario::Scenario *s : { &holes, &more, &away }) {
		const scenario::Result r = s->run();
		INFO(std::string(s->name) << ": " << r.describe());
		CHECK(r.ended_well());
	}
}

// ------------------------------------------------------------------------------------------------- CPUs taken away

namespace {

constexpr std::size_t kept = 300000;

struct Drawer {
	std::vector<std::uint64_t> values;
	std::atomic<pid_t> id{ 0 };

	void run(const std::atomic<bool> *stop)
	{
		values.reserve(kept + 16);
		id = machine::thread_id();
		while (!*stop) {
			std::uint64_t words[5];
			words[0] = cprng_fast64();
			cprng_fast(&words[1], 32);
			if (values.size() < kept)
				values.insert(values.end(), words, words + 5);
		}
	}
};

// Moves all threads of the process, including this one; returns when none runs elsewhere.
void allow(const std::vector<Drawer> &drawers, const std::vector<int> &cpus)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	for (int cpu : cpus)
		CPU_SET(cpu, &set);
	for (const Drawer &d : drawers)
		REQUIRE(sched_setaffinity(d.id, sizeof(set), &set) == 0);
	REQUIRE(sched_setaffinity(0, sizeof(set), &set) == 0);
}

} // namespace

// As when a CPU goes offline: no thread runs there, and a draw in progress continues elsewhere.  9 * 10^5 values: false
// alarms 2 * 10^-8.
// Catches bytes that stay in the buffer of a CPU that is gone.
TEST_CASE("CPUs: taken away and given back under threads that draw")
{
	SKIP_IF(machine::cpus().size() < 2, "only one CPU");
	std::vector<Drawer> drawers(3);
	std::vector<std::thread> threads;
	std::atomic<bool> stop{ false };
	std::size_t total = 0, left_behind = 0;

	for (Drawer &d : drawers)
		threads.emplace_back([&d, &stop] { d.run(&stop); });
	for (const Drawer &d : drawers) {
		while (d.id == 0)
			std::this_thread::yield();
	}
	for (std::size_t i = 0; i < machine::scaled(60, 10); i++) {
		std::vector<int> rest = machine::cpus();
		const int taken = rest[i % rest.size()];
		rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(i % rest.size()));
		allow(drawers, rest);
		cprng_invalidate();
		// It stays empty while no thread may run there.
		for (int turn = 0; turn < 5; turn++) {
			(void)cprng_fast64();
			left_behind += machine::per_cpu() && !is_empty(static_cast<std::uint32_t>(taken));
		}
		allow(drawers, machine::cpus());
	}
	stop = true;
	for (std::thread &t : threads)
		t.join();
	CHECK(left_behind == 0);
	for (const Drawer &d : drawers)
		total += d.values.size();
	Served served(total);
	for (const Drawer &d : drawers)
		served.add_all(d.values);
	MESSAGE(total << " values");
	CHECK(served.bad() == 0);
}
