// SPDX-License-Identifier: BSD-2-Clause
// CPU numbers: with gaps, beyond the highest number at the start, and of CPUs that go offline and return.  No real CPU
// goes offline: a fake restartable-sequences area provides the numbers.
#include "../../support/run.hpp"
#include "../../support/fake_os.hpp"
#include "../../support/scenario.hpp"
#include "../../support/internals.hpp"
#include "../../support/machine.hpp"
#include "../../support/repeats.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

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
	// Just past the end, far past the end, and the numbers that mean "none".
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

// The CPU mask has one byte at the start; later the machine has more CPUs.
const scenario::Scenario more("CPUs: more than at the start", [] {
	fake_os.cpu_mask_size.answer = 1;
	REQUIRE_IN_CHILD(machine::per_cpu());
	REQUIRE_IN_CHILD(cprng_process()->buffer_count == 8);
	make_up_area();
	wander({ 0, 7, 8, 9, 64, 1000 });
	for (const std::uint32_t cpu : { 8u, 1000u }) {
		std::vector<std::uint64_t> drawn;
		run_on(cpu);
		const unsigned long calls = fake_os.getrandom.calls;
		for (int i = 0; i < 100; i++)
			(void)cprng_fast64();
		// Each draw is a request to the kernel, since there is no buffer.
		REQUIRE_IN_CHILD(fake_os.getrandom.calls >= calls + 100);
	}
	run_on(1);
	(void)cprng_fast64();
	const unsigned long calls = fake_os.getrandom.calls;
	for (int i = 0; i < 50; i++)
		(void)cprng_fast64();
	REQUIRE_IN_CHILD(fake_os.getrandom.calls == calls);
});

// Bytes in an offline CPU's buffer are served when the CPU returns, unless an invalidation dropped them.
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
	for (const scenario::Scenario *s : { &holes, &more, &away })
		scenario::check(*s);
}
