// SPDX-License-Identifier: BSD-2-Clause
// The harvest queue with one producer: order, overflow, counter wrap, erasure.
#include "doctest/doctest.h"

#include "harvest.hpp"

#include <algorithm>

using namespace harvest;

namespace {

// Puts `count` events; returns how many are accepted.
std::uint32_t put_numbers(cprng_harvest *q, std::uint32_t first, std::uint32_t count)
{
	std::uint32_t accepted = 0;

	for (std::uint32_t i = 0; i < count; i++) {
		const cprng_event event = numbered(first + i);
		accepted += cprng_harvest_put(q, &event, nullptr);
	}
	return accepted;
}

bool all_erased(const cprng_harvest &q)
{
	return std::all_of(std::begin(q.cell), std::end(q.cell),
			   [](const auto &cell) { return cell.state == 0 && all_zero(cell.event); });
}

} // namespace

// Catches a queue that needs initialisation: a wiped page contains only zeros.
TEST_CASE("harvest: all zero is an empty queue")
{
	const auto q = make();

	CHECK_FALSE(cprng_harvest_waiting(q.get()));
	CHECK(sweep(q.get()).empty());
	CHECK(all_zero(*q));
}

// Catches an event that is lost, changed or out of order.
TEST_CASE("harvest: first in, first out")
{
	run::Random random("harvest order");
	const auto q = make();
	std::uint32_t n = 0;

	for (int i = 0; i < 500; i++) {
		const auto count = static_cast<std::uint32_t>(random.below(CPRNG_HARVEST_CELLS + 1));
		CHECK(put_numbers(q.get(), n, count) == count);
		CHECK(cprng_harvest_waiting(q.get()) == (count != 0));
		REQUIRE(are_numbers(sweep(q.get()), n, count));
		CHECK_FALSE(cprng_harvest_waiting(q.get()));
		n += count;
	}
	CHECK(q->dropped == 0);
}

// Catches a full queue that overwrites events, or that drops them without counting.
TEST_CASE("harvest: what does not fit is dropped and counted; the rest is in order")
{
	run::Random random("harvest overflow");
	const auto q = make();
	std::uint32_t n = 0;
	std::uint64_t dropped = 0;

	for (int i = 0; i < 500; i++) {
		const auto count = static_cast<std::uint32_t>(random.below(3 * CPRNG_HARVEST_CELLS));
		const std::uint32_t fits = std::min<std::uint32_t>(count, CPRNG_HARVEST_CELLS);
		CHECK(put_numbers(q.get(), n, count) == fits);
		dropped += count - fits;
		CHECK(q->dropped == dropped);
		REQUIRE(are_numbers(sweep(q.get()), n, fits));
		n += count;
	}
	CHECK(dropped > 0);
}

// Catches a cell that is lost or used twice where the counter wraps.
TEST_CASE("harvest: the counter of claims wraps")
{
	for (std::uint32_t before = 0; before <= 2 * CPRNG_HARVEST_CELLS + 1; before += 19) {
		CAPTURE(before);
		const auto q = make();
		q->tail = 0 - before;
		sweep(q.get()); // and other state that depends on it
		std::uint32_t n = 5;
		for (int i = 0; i < 8; i++, n += 100) {
			CHECK(put_numbers(q.get(), n, 100) == 100);
			CHECK(cprng_harvest_waiting(q.get()));
			REQUIRE(are_numbers(sweep(q.get()), n, 100));
			CHECK_FALSE(cprng_harvest_waiting(q.get()));
		}
		q->tail = 0 - before;
		sweep(q.get()); // and other state that depends on it
		CHECK(put_numbers(q.get(), n, CPRNG_HARVEST_CELLS + 30) == CPRNG_HARVEST_CELLS);
		REQUIRE(are_numbers(sweep(q.get()), n, CPRNG_HARVEST_CELLS));
		CHECK(q->dropped == 30);
		CHECK(put_numbers(q.get(), 3, 1) == 1);
		REQUIRE(are_numbers(sweep(q.get()), 3, 1));
	}
}

// Catches a payload that stays in its cell.
TEST_CASE("harvest: a sweep erases, each event when it was taken")
{
	const auto q = make();
	struct Seen {
		cprng_harvest *q;
		std::size_t events;
	} seen = { q.get(), 0 };

	put_numbers(q.get(), 1, CPRNG_HARVEST_CELLS);
	CHECK_FALSE(all_erased(*q));
	cprng_harvest_sweep(
		q.get(),
		[](void *arg, const cprng_event *) {
			auto *s = static_cast<Seen *>(arg);
			// The cells before this one have been erased.
			for (std::size_t i = 0; i < s->events; i++)
				CHECK(all_zero(s->q->cell[i].event));
			s->events++;
		},
		&seen);
	CHECK(seen.events == CPRNG_HARVEST_CELLS);
	CHECK(all_erased(*q));
}

// Catches bytes beyond an event's length that are copied.
TEST_CASE("harvest: of the payload no more is kept than is used")
{
	const auto q = make();

	for (unsigned int len = 1; len <= CPRNG_EVENT_MAX; len++) {
		cprng_event event = make_event(1, 0, Bytes(CPRNG_EVENT_MAX, 0xee));
		event.len = static_cast<std::uint8_t>(len);
		CHECK(cprng_harvest_put(q.get(), &event, nullptr));
		const auto events = sweep(q.get());
		REQUIRE(events.size() == 1);
		CHECK(events[0].len == len);
		CHECK(std::all_of(events[0].payload, events[0].payload + len, [](auto b) { return b == 0xee; }));
		CHECK(all_zero(events[0].payload + len, CPRNG_EVENT_MAX - len));
	}
}

// A handler interrupts the consumer.
// Catches a handler's event, put during a sweep, that is lost or delivered twice.
TEST_CASE("harvest: producers during a sweep")
{
	for (std::uint32_t offset : { 0u, 100u, 255u }) {
		const auto q = make();
		q->tail = offset;
		sweep(q.get()); // and other state that depends on it
		struct Busy {
			cprng_harvest *q;
			std::vector<std::uint32_t> accepted;
			std::vector<cprng_event> events;
		} busy = { q.get(), {}, {} };
		const auto take = [](void *arg, const cprng_event *event) {
			auto *b = static_cast<Busy *>(arg);
			b->events.push_back(*event);
			const auto n = static_cast<std::uint32_t>(1000 + b->events.size());
			if (b->events.size() <= 600 && put_numbers(b->q, n, 1) == 1)
				b->accepted.push_back(n);
		};
		for (std::uint32_t i = 0; i < 40; i++) {
			CHECK(put_numbers(q.get(), i, 1) == 1);
			busy.accepted.push_back(i);
		}
		for (int i = 0; i < 1000 && cprng_harvest_waiting(q.get()); i++)
			cprng_harvest_sweep(q.get(), take, &busy);
		cprng_harvest_sweep(q.get(), take, &busy);
		CHECK(busy.accepted.size() == 640);
		REQUIRE(are_numbers(busy.events, busy.accepted));
	}
}

// Catches a gap that delays or reorders later events.
TEST_CASE("harvest: a producer that comes late does not disturb the order of the others")
{
	for (std::uint32_t before = 0; before < 3 * CPRNG_HARVEST_CELLS; before += 83) {
		CAPTURE(before);
		const auto q = make();
		Stopped late(q.get(), numbered(1));
		for (std::uint32_t i = 0; i < before; i++) {
			put_numbers(q.get(), 2, 1); // dropped if the cell is the late one's
			sweep(q.get());
		}
		CHECK(late.go_on());
		const std::uint32_t accepted = put_numbers(q.get(), 1000, CPRNG_HARVEST_CELLS - 2);
		std::vector<std::uint32_t> want = { 1 };
		const bool lost = accepted != CPRNG_HARVEST_CELLS - 2; // one event reached that cell
		const std::uint32_t cell = lost ? CPRNG_HARVEST_CELLS - 1 - before % CPRNG_HARVEST_CELLS : ~0u;
		for (std::uint32_t i = 0; i < CPRNG_HARVEST_CELLS - 2; i++) {
			if (i != cell)
				want.push_back(1000 + i);
		}
		// The late event is the oldest, but is delivered in the order of the cells.
		auto events = sweep(q.get());
		const auto at = std::find_if(events.begin(), events.end(),
					     [](const cprng_event &event) { return is_number(event, 1); });
		REQUIRE(at != events.end());
		std::rotate(events.begin(), at, at + 1);
		REQUIRE(are_numbers(events, want));
	}
}
