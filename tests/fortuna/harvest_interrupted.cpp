// SPDX-License-Identifier: BSD-2-Clause
// Producers that are interrupted half way, for a while or for good.
#include "doctest/doctest.h"

#include "harvest.hpp"

#include <csetjmp>
#include <csignal>
#include <sys/mman.h>
#include <unistd.h>

namespace harvest {

namespace {

// Two pages, the second of which cannot be read, with the event across the border.
class Trap {
public:
	Trap(const cprng_event &event, const std::function<void()> &meanwhile, Then then)
	    : page(static_cast<std::size_t>(sysconf(_SC_PAGESIZE))), meanwhile(meanwhile), then(then), outer(current)
	{
		struct sigaction action;

		void *p = mmap(nullptr, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		REQUIRE(p != MAP_FAILED);
		memory = static_cast<std::uint8_t *>(p);
		// Len, source and credit in front of the border, and a part of the payload behind it.
		place = memory + page - sizeof(event) / 2;
		std::memcpy(place, &event, sizeof(event));
		REQUIRE(mprotect(memory + page, page, PROT_NONE) == 0);
		std::memset(&action, 0, sizeof(action));
		action.sa_handler = handler;
		action.sa_flags = SA_NODEFER; // traps in traps
		sigemptyset(&action.sa_mask);
		REQUIRE(sigaction(SIGSEGV, &action, &old) == 0);
		current = this;
	}

	~Trap()
	{
		current = outer;
		sigaction(SIGSEGV, &old, nullptr);
		munmap(memory, 2 * page);
	}

	Trap(const Trap &) = delete;
	Trap &operator=(const Trap &) = delete;

	const cprng_event *event() const
	{
		return reinterpret_cast<const cprng_event *>(place);
	}

	bool sprung = false;
	sigjmp_buf away;

private:
	static void handler(int)
	{
		Trap *const trap = current;

		if (trap == nullptr || trap->sprung)
			_exit(99); // a fault that is not of this test
		trap->sprung = true;
		trap->meanwhile();
		current = trap;
		if (trap->then == Then::never_returns)
			siglongjmp(trap->away, 1);
		mprotect(trap->memory + trap->page, trap->page, PROT_READ);
	}

	static inline Trap *current = nullptr;

	std::size_t page;
	const std::function<void()> &meanwhile;
	Then then;
	Trap *outer;
	std::uint8_t *memory, *place;
	struct sigaction old;
};

} // namespace

bool interrupted_put(cprng_harvest *q, const cprng_event &event, const std::function<void()> &meanwhile, Then then)
{
	Trap trap(event, meanwhile, then);
	volatile bool accepted = false;

	if (sigsetjmp(trap.away, 1) == 0)
		accepted = cprng_harvest_put(q, trap.event());
	CHECK(trap.sprung);
	return accepted;
}

} // namespace harvest

using namespace harvest;

TEST_CASE("harvest: a producer that is stopped for ever costs one cell")
{
	const auto q = make();
	std::uint32_t n = 1000;

	for (std::uint32_t abandoned = 1; abandoned <= 5; abandoned++) {
		CHECK_FALSE(interrupted_put(q.get(), numbered(1), [] {}, Then::never_returns));
		// Three times around, and half a round out of step, so that all cells have their turn.
		for (int round = 0; round < 6; round++) {
			const std::uint64_t dropped = q->dropped;
			std::vector<std::uint32_t> accepted;
			for (std::uint32_t i = 0; i < CPRNG_HARVEST_CELLS; i++, n++) {
				const cprng_event event = numbered(n);
				if (cprng_harvest_put(q.get(), &event))
					accepted.push_back(n);
			}
			CHECK(accepted.size() == CPRNG_HARVEST_CELLS - abandoned);
			CHECK(q->dropped - dropped == abandoned);
			CHECK(are_numbers(sweep(q.get()), accepted));
			accepted.clear();
			for (std::uint32_t i = 0; i < CPRNG_HARVEST_CELLS / 2 + 1; i++, n++) {
				const cprng_event event = numbered(n);
				if (cprng_harvest_put(q.get(), &event))
					accepted.push_back(n);
			}
			CHECK(accepted.size() >= CPRNG_HARVEST_CELLS / 2 + 1 - abandoned);
			CHECK(are_numbers(sweep(q.get()), accepted));
		}
	}
}

TEST_CASE("harvest: an event that is being written is for the next sweep")
{
	const auto q = make();
	const cprng_event before = numbered(1), after = numbered(3);

	cprng_harvest_put(q.get(), &before);
	CHECK(interrupted_put(q.get(), numbered(2), [&] {
		cprng_harvest_put(q.get(), &after);
		CHECK(are_numbers(sweep(q.get()), std::vector<std::uint32_t>{ 1, 3 }));
		CHECK(sweep(q.get()).empty());
	}));
	CHECK(are_numbers(sweep(q.get()), std::vector<std::uint32_t>{ 2 }));
	CHECK(sweep(q.get()).empty());
	CHECK(q->dropped == 0);
}

TEST_CASE("harvest: a full round while an event is being written leaves it alone")
{
	const auto q = make();

	for (std::uint32_t around : { 255u, 256u, 300u, 2000u }) {
		const std::uint64_t dropped = q->dropped;
		CHECK(interrupted_put(q.get(), numbered(7), [&] {
			for (std::uint32_t i = 0; i < around; i++) {
				const cprng_event event = numbered(1000 + i);
				CHECK(cprng_harvest_put(q.get(), &event) == (i < CPRNG_HARVEST_CELLS - 1));
			}
		}));
		CHECK(q->dropped - dropped == around - (CPRNG_HARVEST_CELLS - 1));
		const auto events = sweep(q.get());
		CHECK(events.size() == CPRNG_HARVEST_CELLS);
		std::size_t found = 0;
		for (const cprng_event &event : events)
			found += is_number(event, 7);
		CHECK(found == 1);
	}
}

TEST_CASE("harvest: the same, with sweeps: the cell's next claims are dropped, and no others")
{
	const auto q = make();

	CHECK(interrupted_put(q.get(), numbered(7), [&] {
		for (std::uint32_t i = 0; i < 3 * CPRNG_HARVEST_CELLS; i++) {
			const cprng_event event = numbered(1000 + i);
			const bool accepted = cprng_harvest_put(q.get(), &event);
			// The claim before this loop was the cell's; every 256th after it is, too.
			CHECK(accepted == (i % CPRNG_HARVEST_CELLS != CPRNG_HARVEST_CELLS - 1));
			if (accepted)
				CHECK(are_numbers(sweep(q.get()), std::vector<std::uint32_t>{ 1000 + i }));
		}
	}));
	CHECK(are_numbers(sweep(q.get()), std::vector<std::uint32_t>{ 7 }));
}

TEST_CASE("harvest: producers that interrupt producers")
{
	const auto q = make();
	constexpr std::uint32_t depth = 8;

	const std::function<void(std::uint32_t)> nest = [&](std::uint32_t n) {
		if (n < depth) {
			CHECK(interrupted_put(q.get(), numbered(n), [&, n] { nest(n + 1); }));
			return;
		}
		const cprng_event event = numbered(n);
		CHECK(cprng_harvest_put(q.get(), &event));
		// Only the innermost is complete.
		CHECK(are_numbers(sweep(q.get()), std::vector<std::uint32_t>{ n }));
	};
	nest(0);
	// The claims came in this order, outermost first.
	CHECK(are_numbers(sweep(q.get()), 0, depth));
}
