// SPDX-License-Identifier: BSD-2-Clause
// Producers that stop half way, for a while or permanently.
#include "doctest/doctest.h"

#include "harvest.hpp"

#include <csignal>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

namespace harvest {

namespace {

enum State { running, stopped, told_to_go_on, told_to_leave };

void rest()
{
	const timespec moment = { 0, 10000 };
	nanosleep(&moment, nullptr);
}

} // namespace

thread_local Stopped *Stopped::mine = nullptr;

// The event straddles two pages, and the second one is unreadable.  Source, length and entropy bits lie before the border,
// and the end of the payload lies behind it.  The copy faults there, and the handler waits.
Stopped::Stopped(cprng_harvest *q, const cprng_event &event)
    : q(q), page(static_cast<std::size_t>(sysconf(_SC_PAGESIZE))), state(running)
{
	struct sigaction action;

	void *p = mmap(nullptr, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	REQUIRE(p != MAP_FAILED);
	memory = static_cast<std::uint8_t *>(p);
	place = memory + page - sizeof(event) / 2 / alignof(cprng_event) * alignof(cprng_event);
	std::memcpy(place, &event, sizeof(event));
	REQUIRE(mprotect(memory + page, page, PROT_NONE) == 0);
	std::memset(&action, 0, sizeof(action));
	action.sa_handler = handler;
	sigemptyset(&action.sa_mask);
	REQUIRE(sigaction(SIGSEGV, &action, nullptr) == 0); // for all producers: nothing else here handles SIGSEGV
	thread = std::thread([this] { run(); });
	while (state == running)
		rest();
	REQUIRE(state == stopped); // during the copy, not before its claim or after the copy
}

Stopped::~Stopped()
{
	if (thread.joinable())
		end(told_to_leave);
	munmap(memory, 2 * page);
}

bool Stopped::go_on()
{
	mprotect(memory + page, page, PROT_READ);
	end(told_to_go_on);
	return accepted;
}

void Stopped::run()
{
	mine = this;
	if (sigsetjmp(away, 1) == 0)
		accepted = cprng_harvest_put(q, reinterpret_cast<const cprng_event *>(place), nullptr);
	if (state == running)
		state = told_to_leave; // the handler never ran
}

void Stopped::end(int how)
{
	state = how;
	thread.join();
}

void Stopped::handler(int)
{
	Stopped *const self = mine;

	if (self == nullptr || self->state != running)
		_exit(99); // a fault not caused by this test
	self->state = stopped;
	while (self->state == stopped)
		rest();
	if (self->state == told_to_leave)
		siglongjmp(self->away, 1);
}

} // namespace harvest

using namespace harvest;

namespace {

bool put_number(cprng_harvest *q, std::uint32_t n)
{
	const cprng_event event = numbered(n);

	return cprng_harvest_put(q, &event, nullptr);
}

using Numbers = std::vector<std::uint32_t>;

} // namespace

// Catches a queue that an abandoned claim blocks.
TEST_CASE("harvest: a producer that is stopped permanently costs one cell")
{
	const auto q = make();
	std::uint32_t n = 1000;

	for (std::uint32_t abandoned = 1; abandoned <= 5; abandoned++) {
		{
			Stopped producer(q.get(), numbered(1));
		}
		// Three and a half rounds of the queue, so that every cell is used.
		for (int round = 0; round < 6; round++) {
			const std::uint64_t dropped = q->dropped;
			Numbers accepted;
			for (std::uint32_t i = 0; i < CPRNG_HARVEST_CELLS; i++, n++) {
				if (put_number(q.get(), n))
					accepted.push_back(n);
			}
			CHECK(accepted.size() == CPRNG_HARVEST_CELLS - abandoned);
			CHECK(q->dropped - dropped == abandoned);
			REQUIRE(are_numbers(sweep(q.get()), accepted));
			accepted.clear();
			for (std::uint32_t i = 0; i < CPRNG_HARVEST_CELLS / 2 + 1; i++, n++) {
				if (put_number(q.get(), n))
					accepted.push_back(n);
			}
			CHECK(accepted.size() >= CPRNG_HARVEST_CELLS / 2 + 1 - abandoned);
			REQUIRE(are_numbers(sweep(q.get()), accepted));
		}
	}
}

// Catches a sweep that takes half an event, or waits for it.
TEST_CASE("harvest: an event that is being written is for the next sweep")
{
	const auto q = make();

	CHECK(put_number(q.get(), 1));
	Stopped producer(q.get(), numbered(2));
	CHECK(put_number(q.get(), 3));
	CHECK(are_numbers(sweep(q.get()), Numbers{ 1, 3 }));
	CHECK(sweep(q.get()).empty());
	CHECK_FALSE(cprng_harvest_waiting(q.get()));
	CHECK(producer.go_on());
	CHECK(cprng_harvest_waiting(q.get()));
	CHECK(are_numbers(sweep(q.get()), Numbers{ 2 }));
	CHECK_FALSE(cprng_harvest_waiting(q.get()));
	CHECK(sweep(q.get()).empty());
	CHECK(q->dropped == 0);
}

// Catches a producer that takes a cell that is in use.
TEST_CASE("harvest: a full round while an event is being written leaves it alone")
{
	const auto q = make();

	for (std::uint32_t around : { 255u, 256u, 300u, 2000u }) {
		const std::uint64_t dropped = q->dropped;
		Stopped producer(q.get(), numbered(7));
		for (std::uint32_t i = 0; i < around; i++)
			CHECK(put_number(q.get(), 1000 + i) == (i < CPRNG_HARVEST_CELLS - 1));
		CHECK(producer.go_on());
		CHECK(q->dropped - dropped == around - (CPRNG_HARVEST_CELLS - 1));
		const auto events = sweep(q.get());
		CHECK(events.size() == CPRNG_HARVEST_CELLS);
		std::size_t found = 0;
		for (const cprng_event &event : events)
			found += is_number(event, 7);
		CHECK(found == 1);
	}
}

// Catches a cell that is reused while it is written.
TEST_CASE("harvest: the same, with sweeps: the cell's next claims are dropped, and no others")
{
	const auto q = make();
	Stopped producer(q.get(), numbered(7));

	for (std::uint32_t i = 0; i < 3 * CPRNG_HARVEST_CELLS; i++) {
		const bool accepted = put_number(q.get(), 1000 + i);
		// The claim before this loop was for that cell, and every 256th claim after it is, too.
		CHECK(accepted == (i % CPRNG_HARVEST_CELLS != CPRNG_HARVEST_CELLS - 1));
		if (accepted)
			CHECK(are_numbers(sweep(q.get()), Numbers{ 1000 + i }));
	}
	CHECK(producer.go_on());
	CHECK(are_numbers(sweep(q.get()), Numbers{ 7 }));
}

// Catches a sweep that requires claims to complete in order.
TEST_CASE("harvest: producers that go on in another order than they came")
{
	const auto q = make();
	run::Random random("harvest stopped");
	std::vector<std::unique_ptr<Stopped>> producers;
	constexpr std::uint32_t number = 8;

	for (std::uint32_t n = 0; n < number; n++)
		producers.push_back(std::make_unique<Stopped>(q.get(), numbered(n)));
	CHECK(put_number(q.get(), number));
	CHECK(are_numbers(sweep(q.get()), Numbers{ number })); // the only complete one
	for (std::size_t left = number; left != 0; left--) {
		std::swap(producers[left - 1], producers[random.below(left)]);
		CHECK(producers[left - 1]->go_on());
	}
	CHECK(are_numbers(sweep(q.get()), 0, number));
}
