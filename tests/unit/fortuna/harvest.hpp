// SPDX-License-Identifier: BSD-2-Clause
// Helpers for the harvest queue: a sweep into a list, and producers that stop half way.
#ifndef CPRNG_TESTS_FORTUNA_HARVEST_HPP
#define CPRNG_TESTS_FORTUNA_HARVEST_HPP

#include "fixture.hpp"

#include <atomic>
#include <csetjmp>
#include <memory>
#include <numeric>
#include <thread>
#include <vector>

namespace harvest {

inline std::unique_ptr<cprng_harvest> make()
{
	std::unique_ptr<cprng_harvest> q(new cprng_harvest);
	std::memset(static_cast<void *>(q.get()), 0, sizeof(*q));
	return q;
}

inline std::vector<cprng_event> sweep(cprng_harvest *q)
{
	std::vector<cprng_event> events;
	const std::size_t n = cprng_harvest_sweep(
		q,
		[](void *arg, const cprng_event *event) {
			static_cast<std::vector<cprng_event> *>(arg)->push_back(*event);
		},
		&events);
	CHECK(n == events.size());
	return events;
}

// An event that contains its number.
inline cprng_event numbered(std::uint32_t n)
{
	Bytes payload(4 + n % (CPRNG_EVENT_MAX - 3));

	for (std::size_t i = 0; i < payload.size(); i++)
		payload[i] = static_cast<std::uint8_t>(i < 4 ? n >> 8 * i : n * 7 + i);
	return make_event(n % CPRNG_SOURCES, n % (8 * static_cast<unsigned int>(payload.size()) + 1), payload);
}

inline bool is_number(const cprng_event &event, std::uint32_t n)
{
	const cprng_event want = numbered(n);

	return event.source == want.source && event.len == want.len && event.entropy_bits == want.entropy_bits &&
	       std::memcmp(event.payload, want.payload, want.len) == 0;
}

// Whether the events are exactly these numbers, in this order.
inline bool are_numbers(const std::vector<cprng_event> &events, const std::vector<std::uint32_t> &numbers)
{
	return std::equal(events.begin(), events.end(), numbers.begin(), numbers.end(), is_number);
}

inline bool are_numbers(const std::vector<cprng_event> &events, std::uint32_t first, std::uint32_t count)
{
	std::vector<std::uint32_t> numbers(count);

	std::iota(numbers.begin(), numbers.end(), first);
	return are_numbers(events, numbers);
}

// A producer in its own thread that stops during a put: it has made its claim, but has not read the end of its event.  It
// continues later or never.
class Stopped {
public:
	Stopped(cprng_harvest *q, const cprng_event &event);
	~Stopped(); // without a call of go_on(), the producer never continues

	Stopped(const Stopped &) = delete;
	Stopped &operator=(const Stopped &) = delete;

	bool go_on(); // what put() returned

private:
	static void handler(int);
	void run();
	void end(int how);

	static thread_local Stopped *mine;

	cprng_harvest *q;
	std::size_t page;
	std::uint8_t *memory, *place;
	std::atomic<int> state;
	bool accepted = false;
	sigjmp_buf away;
	std::thread thread;
};

} // namespace harvest

#endif
