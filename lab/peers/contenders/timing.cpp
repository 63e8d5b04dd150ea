// SPDX-License-Identifier: BSD-2-Clause
#include "timing.hpp"

#include <algorithm>

#include "../../common/clock.hpp"
#include "../../common/machine.hpp"
#include "../../common/run.hpp"

namespace lab {

namespace {

// Calls between two checks of the stop flag.
constexpr double seconds_between_looks = 200e-6;

struct thread_result {
	double calls, begin, end;
};

void repeat(contender &c, work w, const stop_flag &stop, thread_result &result)
{
	std::vector<unsigned char> buf(std::max<std::size_t>(w.len, 1));
	w.out = buf.data();
	const std::uint64_t calls = calls_for(c, w, seconds_between_looks);
	result = { 0, wall_seconds(), 0 };
	do {
		c.run(w, calls);
		result.calls += static_cast<double>(calls);
	} while (!stop.load(std::memory_order_relaxed));
	result.end = wall_seconds();
}

} // namespace

std::uint64_t calls_for(contender &c, const work &w, double seconds)
{
	c.run(w, 1);
	for (std::uint64_t count = 1;; count *= 2) {
		// The better of two: a disturbance would leave too few calls for a measurement.
		const double took = std::min(c.run(w, count), c.run(w, count));
		if (took >= seconds / 16 || interrupted())
			return std::max<std::uint64_t>(1,
						       static_cast<std::uint64_t>(static_cast<double>(count) * seconds /
										  std::max(took, seconds / 16)));
	}
}

double calls_a_second(const std::function<std::unique_ptr<contender>()> &make, const work &w, unsigned int threads,
		      double seconds)
{
	std::vector<thread_result> results(threads);
	std::vector<std::function<void(const stop_flag &)>> jobs;
	// Spread the threads at the start, since the scheduler is slow to do it and these runs are short.
	for (unsigned int i = 0; i < threads; i++)
		jobs.emplace_back([&make, &w, &one = results[i], i](const stop_flag &stop) {
			begin_on_cpu(i % cpus());
			repeat(*make(), w, stop, one);
		});
	if (!run_together(seconds, jobs))
		return 0;
	double calls = 0, begin = results[0].begin, end = results[0].end;
	for (const thread_result &one : results) {
		calls += one.calls;
		begin = std::min(begin, one.begin);
		end = std::max(end, one.end);
	}
	return calls / (end - begin);
}

} // namespace lab
