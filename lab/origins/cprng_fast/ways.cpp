// SPDX-License-Identifier: BSD-2-Clause
// Seconds for 4 GB in requests of 256 bytes: in one way, and in each of several concurrent ways.
#include <algorithm>
#include <functional>
#include <set>

#include <sys/mman.h>
#include <unistd.h>

#include "../../common/clock.hpp"
#include "../../common/error.hpp"
#include "../../common/machine.hpp"
#include "../placements/generators.hpp"
#include "cprng_fast.hpp"

namespace lab::cprng_fast_table {

namespace {

// Requests between two checks for an interrupt.
constexpr std::uint64_t requests_at_once = 256;

struct way_result {
	double begin, end, cpu_seconds;
	pid_t process;
};

// The path of a request of 256 bytes.  A kernel generates them in its own buffer and copies them out.  Here the generator
// writes to a page of a file in memory, and pread(2) copies from it: every generator pays for one entry into the kernel and
// a copy of 256 bytes.  A kernel's generator is not preempted during this; here it can be.
class copied_out {
public:
	copied_out()
	    : file_(memfd_create("cprng-lab", MFD_CLOEXEC)),
	      page_(file_ >= 0 && ftruncate(file_, request) == 0 ?
			    mmap(nullptr, request, PROT_READ | PROT_WRITE, MAP_SHARED, file_, 0) :
			    MAP_FAILED)
	{
		if (page_ == MAP_FAILED)
			throw failure("no file in memory");
	}

	~copied_out()
	{
		munmap(page_, request);
		close(file_);
	}

	copied_out(const copied_out &) = delete;
	copied_out &operator=(const copied_out &) = delete;

	void operator()(generator &g, unsigned char *out)
	{
		g.fill(static_cast<unsigned char *>(page_), request, 1);
		if (pread(file_, out, request, 0) != static_cast<ssize_t>(request))
			throw failure("pread gave less than was asked");
	}

private:
	int file_;
	void *page_;
};

template <typename Requests> void generate(std::uint64_t requests, way_result &result, const Requests &some)
{
	result.process = getpid();
	result.begin = wall_seconds();
	const double cpu_begin = cpu_seconds();
	for (std::uint64_t left = requests; left != 0 && !interrupted();) {
		const std::uint64_t now = std::min(left, requests_at_once);
		some(now);
		left -= now;
	}
	result.cpu_seconds = cpu_seconds() - cpu_begin;
	result.end = wall_seconds();
}

void generate_in(kind k, bool is_system_call, generator &g, std::uint64_t requests, way_result &result)
{
	alignas(64) unsigned char buf[request];
	if (k == threads || is_system_call) {
		generate(requests, result, [&](std::uint64_t now) { g.fill(buf, sizeof(buf), now); });
		return;
	}
	copied_out copied;
	generate(requests, result, [&](std::uint64_t now) {
		for (; now != 0; now--)
			copied(g, buf);
	});
}

bool run_once(const options &chosen, kind k, const row &r, unsigned int ways, ways_repetition &result)
{
	const auto requests = static_cast<std::uint64_t>(std::max(bytes_each_way * chosen.scale / request, 1.0));
	const generator_info &info = find_generator(r.name);
	const std::unique_ptr<generator> g = info.make(0, limit_of(chosen));
	const shared_array<way_result> results(ways);
	std::vector<std::function<void()>> jobs;
	// Spread the ways at the start, since the scheduler is slow to do it and these runs are short.
	for (unsigned int i = 0; i < ways; i++)
		jobs.emplace_back([&, i] {
			begin_on_cpu(i % cpus());
			generate_in(k, info.is_system_call, *g, requests, results[i]);
		});
	if (!(k == threads ? run_together(jobs) : run_in_processes(jobs)))
		return false;
	double begin = results[0].begin, end = results[0].end;
	std::set<pid_t> all;
	for (unsigned int i = 0; i < ways; i++) {
		begin = std::min(begin, results[i].begin);
		end = std::max(end, results[i].end);
		result.cpu_seconds += results[i].cpu_seconds;
		all.insert(results[i].process);
	}
	result.processes = all.size();
	result.runs.push_back(end - begin);
	return true;
}

// The median of three runs for one way, and a single run for several: "due to the very long runtimes for some cases".
bool run_ways(const options &chosen, kind k, const row &r, unsigned int ways, ways_repetition &result)
{
	for (int i = 0; i < (ways == 1 ? chosen.runs : 1); i++)
		if (!run_once(chosen, k, r, ways, result))
			return false;
	result.seconds = spread_of(result.runs).median;
	return true;
}

// All numbers of ways in turn, starting with a different one each time: the table is about their ratios.
void run(const options &chosen, kind k, row &r)
{
	const std::vector<unsigned int> ways = ways_of_this_machine(k);
	std::vector<ways_repetition> done(ways.size());
	const std::size_t turn = r.ways[k][0].size();
	const bool one_way_alone = chosen.full && turn != 0;
	for (std::size_t i = 0; i < ways.size(); i++) {
		const std::size_t which = (i + turn) % ways.size();
		if ((which == 0 || !one_way_alone) && !run_ways(chosen, k, r, ways[which], done[which]))
			return;
	}
	for (std::size_t i = 0; i < ways.size(); i++)
		if (i == 0 || !one_way_alone)
			r.ways[k][i].push_back(done[i]);
}

} // namespace

std::vector<unsigned int> ways_of_this_machine(kind k)
{
	if (k == processes)
		return { 1, main_ways };
	std::vector<unsigned int> ways;
	for (unsigned int n = 1; n <= std::max(cpus(), main_ways); n *= 2)
		ways.push_back(n);
	return ways;
}

void plan_ways(const options &chosen, std::deque<row> &rows, schedule &all)
{
	constexpr double ns_of_system_call = 300;
	for (row &r : rows)
		for (const kind k : { threads, processes }) {
			if (r.ways[k].empty())
				continue;
			const double more = k == processes ? ns_of_system_call / request : 0;
			double seconds = 0;
			for (const unsigned int n : ways_of_this_machine(k))
				seconds += bytes_each_way * chosen.scale * n * 1e-9 *
					   (n == 1 ? (r.ns_per_byte + more) * chosen.runs :
						     (r.ns_per_byte_shared + more) / std::min(n, cpus()));
			all.add_kept(seconds, [&chosen, k, &r] { run(chosen, k, r); });
		}
}

} // namespace lab::cprng_fast_table
