// SPDX-License-Identifier: BSD-2-Clause
// Concurrent producer threads, signal handlers (some in the middle of their own thread's put) and one consumer.  Accepted
// events arrive exactly once and unchanged, and dropped events are counted.
#include "doctest/doctest.h"

#include "harvest.hpp"

#include <atomic>
#include <cerrno>
#include <csignal>
#include <memory>
#include <pthread.h>
#include <sys/time.h>
#include <thread>
#include <time.h>

namespace {

// An event: its number, and words derived from it to fill the rest.
cprng_event storm_event(std::uint64_t number)
{
	cprng_event event;
	std::uint64_t x = number;

	event.source = static_cast<std::uint8_t>(number * 31);
	event.len = static_cast<std::uint8_t>(8 + number % (CPRNG_EVENT_MAX - 7));
	event.entropy_bits = static_cast<std::uint16_t>(number % (8u * event.len));
	for (std::size_t i = 0; i < CPRNG_EVENT_MAX; i++) {
		if (i >= 8)
			x = x * 0x5851f42d4c957f2d + 0x14057b7ef767814f;
		event.payload[i] = static_cast<std::uint8_t>(i < 8 ? number >> 8 * i : x >> 56);
	}
	return event;
}

struct Storm {
	explicit Storm(std::size_t room)
	    : room(room), accepted(new std::atomic<std::uint8_t>[room]), arrived(new std::uint8_t[room]())
	{
		for (std::size_t i = 0; i < room; i++)
			accepted[i] = 0;
	}

	// Can be called in any context.  Returns false when all numbers are used up.
	bool produce()
	{
		const std::uint64_t number = next.fetch_add(1);

		if (number >= room)
			return false;
		const cprng_event event = storm_event(number);
		if (cprng_harvest_put(q.get(), &event, nullptr))
			accepted[number].store(1, std::memory_order_relaxed);
		else
			dropped++;
		return true;
	}

	static void take(void *arg, const cprng_event *event)
	{
		auto *s = static_cast<Storm *>(arg);
		std::uint64_t number = 0;

		for (int i = 7; i >= 0; i--)
			number = number << 8 | event->payload[i];
		if (number >= s->room) {
			s->torn++;
			return;
		}
		const cprng_event want = storm_event(number);
		if (event->source != want.source || event->len != want.len ||
		    event->entropy_bits != want.entropy_bits ||
		    std::memcmp(event->payload, want.payload, want.len) != 0)
			s->torn++;
		s->arrived[number]++;
	}

	const std::size_t room;
	std::unique_ptr<cprng_harvest> q = harvest::make();
	std::atomic<std::uint64_t> next{ 0 }, dropped{ 0 }, handled{ 0 };
	std::unique_ptr<std::atomic<std::uint8_t>[]> accepted;
	std::unique_ptr<std::uint8_t[]> arrived; // used only by the consumer
	std::uint64_t torn = 0;
};

std::atomic<Storm *> storm{ nullptr };
static_assert(std::atomic<Storm *>::is_always_lock_free, "a handler loads it");

void handler(int)
{
	Storm *s = storm.load();
	const int saved = errno;

	if (s == nullptr)
		return;
	s->handled++;
	for (int i = 0; i < 3; i++)
		s->produce();
	errno = saved;
}

class Handlers {
public:
	Handlers()
	{
		struct sigaction action;

		std::memset(&action, 0, sizeof(action));
		action.sa_handler = handler;
		action.sa_flags = SA_RESTART | SA_NODEFER; // handlers interrupt handlers
		sigemptyset(&action.sa_mask);
		sigaction(SIGUSR1, &action, &old[0]);
		sigaction(SIGALRM, &action, &old[1]);
	}

	~Handlers()
	{
		sigaction(SIGUSR1, &old[0], nullptr);
		sigaction(SIGALRM, &old[1], nullptr);
	}

	Handlers(const Handlers &) = delete;
	Handlers &operator=(const Handlers &) = delete;

	static void alarms(suseconds_t every)
	{
		const itimerval timer = { { 0, every }, { 0, every } };
		setitimer(ITIMER_REAL, &timer, nullptr);
	}

private:
	struct sigaction old[2];
};

// Lets other threads run.  The thread sanitizer delivers signals only at such calls.
void rest()
{
	const timespec moment = { 0, 20000 };
	nanosleep(&moment, nullptr);
}

void check_storm(std::size_t threads, std::size_t room, std::size_t burst)
{
	Storm s(room);
	Handlers handlers;
	std::vector<std::thread> producers;
	std::atomic<std::size_t> busy{ threads };
	std::atomic<bool> done{ false };
	std::uint64_t swept = 0;

	storm = &s;
	for (std::size_t i = 0; i < threads; i++) {
		producers.emplace_back([&] {
			for (std::size_t n = 0; s.produce(); n++) {
				if (n % burst == 0)
					rest();
			}
			busy--;
			while (!done)
				rest();
		});
	}
	Handlers::alarms(300);
	std::thread thunder([&] {
		for (std::size_t i = 0; busy != 0; i++) {
			pthread_kill(producers[i % threads].native_handle(), SIGUSR1);
			if (i % 8 == 0)
				rest();
		}
	});
	while (busy != 0) {
		swept += cprng_harvest_sweep(s.q.get(), Storm::take, &s);
		if (swept % 3 == 0)
			rest(); // so that the queue sometimes overflows
	}
	Handlers::alarms(0);
	thunder.join();
	done = true;
	for (std::thread &t : producers)
		t.join();
	storm = nullptr;
	swept += cprng_harvest_sweep(s.q.get(), Storm::take, &s);

	std::uint64_t accepted = 0, wrong = 0;
	for (std::size_t i = 0; i < room; i++) {
		accepted += s.accepted[i];
		wrong += s.arrived[i] != s.accepted[i];
	}
	MESSAGE(room << " events, " << s.dropped.load() << " dropped, " << s.handled.load() << " signals");
	CHECK(wrong == 0);
	CHECK(s.torn == 0);
	CHECK(swept == accepted);
	CHECK(accepted + s.dropped == room);
	CHECK(s.q->dropped == s.dropped);
	CHECK(accepted > 0);
	CHECK(s.handled > 0);
	for (const auto &cell : s.q->cell)
		CHECK(all_zero(cell));
}

} // namespace

// Catches an event that is lost, torn or duplicated by concurrent puts.
TEST_CASE("harvest: threads and signal handlers produce, one consumer")
{
	check_storm(3, volume(1500000, 30000), 100);
}

// Catches a put that a handler of its own thread corrupts.
TEST_CASE("harvest: the same with one thread, whose handlers interrupt its own puts")
{
	check_storm(1, volume(800000, 20000), 300);
}
