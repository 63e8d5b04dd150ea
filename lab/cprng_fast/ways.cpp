// SPDX-License-Identifier: BSD-2-Clause
// Seconds for 4 GB in requests of 256 bytes: in one thread, and as much in each of several concurrent threads.
#include <algorithm>
#include <functional>

#include "../common/clock.hpp"
#include "../common/machine.hpp"
#include "../placements/generators.hpp"
#include "cprng_fast.hpp"

namespace lab::cprng_fast_table {

namespace {

// Between two checks for an interrupt.
constexpr std::uint64_t requests_at_once = 256;

struct thread_result {
	double begin, end, cpu_seconds;
};

void generate(generator &g, std::uint64_t requests, thread_result &result)
{
	alignas(64) unsigned char buf[request];
	result.begin = wall_seconds();
	const double cpu_begin = cpu_seconds();
	for (std::uint64_t left = requests; left != 0 && !interrupted();) {
		const std::uint64_t now = std::min(left, requests_at_once);
		g.fill(buf, sizeof(buf), now);
		left -= now;
	}
	result.cpu_seconds = cpu_seconds() - cpu_begin;
	result.end = wall_seconds();
}

bool run_ways(const options &chosen, const row &r, unsigned int ways, ways_repetition &result)
{
	const auto requests = static_cast<std::uint64_t>(std::max(bytes_each_way * chosen.scale / request, 1.0));
	const std::unique_ptr<generator> g = find_generator(r.name).make(0, limit_of(chosen));
	std::vector<thread_result> results(ways);
	std::vector<std::function<void()>> jobs;
	// Spread the threads at the start, since the scheduler is slow to do it and these runs are short.
	for (unsigned int i = 0; i < ways; i++)
		jobs.emplace_back([&g, requests, &one = results[i], i] {
			begin_on_cpu(i % cpus());
			generate(*g, requests, one);
		});
	if (!run_together(jobs))
		return false;
	double begin = results[0].begin, end = results[0].end;
	result.cpu_seconds = 0;
	for (const thread_result &one : results) {
		begin = std::min(begin, one.begin);
		end = std::max(end, one.end);
		result.cpu_seconds += one.cpu_seconds;
	}
	result.seconds = end - begin;
	return true;
}

// All numbers of ways in turn, starting with a different one each time: the table is about their ratios.
void run(const options &chosen, const std::vector<unsigned int> &ways, row &r)
{
	std::vector<ways_repetition> done(ways.size());
	const std::size_t turn = r.ways[0].size();
	// As in 2014, "due to the very long runtimes for some cases".
	const bool one_way_alone = chosen.full && turn != 0;
	for (std::size_t i = 0; i < ways.size(); i++) {
		const std::size_t which = (i + turn) % ways.size();
		if ((which == 0 || !one_way_alone) && !run_ways(chosen, r, ways[which], done[which]))
			return;
	}
	for (std::size_t i = 0; i < ways.size(); i++)
		if (i == 0 || !one_way_alone)
			r.ways[i].push_back(done[i]);
}

} // namespace

std::vector<unsigned int> ways_of_this_machine()
{
	std::vector<unsigned int> ways;
	for (unsigned int n = 1; n <= std::max(cpus(), main_ways); n *= 2)
		ways.push_back(n);
	return ways;
}

void plan_ways(const options &chosen, const std::vector<unsigned int> &ways, std::deque<row> &rows, schedule &all)
{
	for (row &r : rows) {
		double seconds = 0;
		for (const unsigned int n : ways)
			seconds += bytes_each_way * chosen.scale * n * 1e-9 *
				   (n == 1 ? r.ns_per_byte : r.ns_per_byte_shared) / std::min(n, cpus());
		all.add_kept(seconds, [&chosen, &ways, &r] { run(chosen, ways, r); });
	}
}

} // namespace lab::cprng_fast_table
