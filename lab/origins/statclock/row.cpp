// SPDX-License-Identifier: BSD-2-Clause
#include "statclock.hpp"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>

#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "../../common/clock.hpp"
#include "../../common/error.hpp"
#include "../../common/thread_signal.hpp"
#include "../impact/chase.hpp"
#include "intervals.hpp"

namespace lab::statclock {

namespace {

// The interrupted code: it keeps the L1 cache busy, so that the handler's own data is mostly evicted.
constexpr std::size_t workload_bytes = std::size_t{ 256 } << 10;

constexpr std::size_t warm_signals = 20000;
constexpr double warm_part = 0.2;
constexpr std::size_t capacity = 1 << 17;

constexpr auto period_ns = static_cast<std::uint32_t>(1e9 / interrupts_a_second);

// The handler's data: one thread sets it before signals arrive.
struct {
	generator *g;
	samples *draw, *handler;
	timer_t timer;
	intervals *next;
	bool again;                      // the timer must be set again
	std::uint64_t set_ns, set_count; // what it was set to
} self;

void failed(const char *what)
{
	throw failure(std::string(what) + ": " + std::strerror(errno));
}

// As a statistical clock does: the interval to the next interrupt is random, so that no program can synchronise with it.
extern "C" void interrupt(int)
{
	const std::uint64_t begin = ticks();
	const std::uint32_t value = self.g->draw();
	__asm__ volatile("" : : "r"(value) : "memory");
	const std::uint64_t drawn = ticks();
	const int error = errno;
	if (self.again) {
		struct itimerspec next = {};
		const std::uint32_t interval = self.next->next_ns();
		next.it_value.tv_nsec = interval;
		self.set_ns += interval;
		self.set_count++;
		timer_settime(self.timer, 0, &next, nullptr);
	}
	errno = error;
	const std::uint64_t end = ticks();
	self.draw->add(drawn - begin, false);
	self.handler->add(end - begin, false);
}

class handler_installed {
public:
	handler_installed()
	{
		struct sigaction action = {};
		action.sa_handler = interrupt;
		action.sa_flags = SA_RESTART;
		if (sigaction(SIGRTMIN, &action, &before_) != 0)
			failed("sigaction");
	}

	~handler_installed()
	{
		sigaction(SIGRTMIN, &before_, nullptr);
	}

private:
	struct sigaction before_;
};

// A timer that signals this thread.
class timer {
public:
	timer()
	{
		struct sigevent event = signal_to_this_thread(SIGRTMIN);
		if (timer_create(CLOCK_MONOTONIC, &event, &self.timer) != 0)
			failed("timer_create");
	}

	~timer()
	{
		timer_delete(self.timer);
	}

	static void start()
	{
		struct itimerspec next = {};
		next.it_value.tv_nsec = period_ns;
		if (timer_settime(self.timer, 0, &next, nullptr) != 0)
			failed("timer_settime");
	}
};

} // namespace

row::row(const char *name) : info_(find_generator(name)), generator_(info_.make(0, no_limit))
{
}

void row::run(double seconds)
{
	const stay_here on_one_cpu;
	samples draw(capacity), handler(capacity), warm(capacity), unused(capacity);
	impact::chase workload(workload_bytes);
	const handler_installed installed;
	self.g = generator_.get();

	self.draw = &warm;
	self.handler = &unused;
	self.again = false;
	const double warm_end = wall_seconds() + seconds * warm_part;
	for (std::size_t i = 0; i < warm_signals && wall_seconds() < warm_end && !interrupted(); i++)
		raise(SIGRTMIN);

	self.draw = &draw;
	self.handler = &handler;
	self.again = true;
	// The same for each row, and different in each repetition.
	intervals next(results_.size(), period_ns);
	self.next = &next;
	self.set_ns = self.set_count = 0;
	{
		const timer clock;
		timer::start();
		const double end = wall_seconds() + seconds * (1 - warm_part);
		while (wall_seconds() < end && !interrupted())
			workload.run(10000);
		self.again = false;
	}
	if (interrupted())
		return;
	results_.push_back(
		{ samples::summarize({ &draw }), samples::summarize({ &handler }), samples::summarize({ &warm }),
		  static_cast<double>(self.set_ns) / static_cast<double>(std::max<std::uint64_t>(self.set_count, 1)) });
	draw_.push_back(draw.thinned(capacity));
	handler_.push_back(handler.thinned(capacity));
	warm_.push_back(warm.thinned(capacity));
}

distribution row::warm() const
{
	return samples::summarize(warm_);
}

distribution row::draw() const
{
	return samples::summarize(draw_);
}

distribution row::handler() const
{
	return samples::summarize(handler_);
}

} // namespace lab::statclock
