// SPDX-License-Identifier: BSD-2-Clause
// explore [--short] [options]
//
// Steps through the library's operations instruction by instruction, and makes an event happen at each boundary: docs/testing.md.
#include "../support/internals.hpp"
#include "../support/run.hpp"
#include "events.hpp"
#include "kernel.hpp"
#include "report.hpp"
#include "state.hpp"
#include "stepper.hpp"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <poll.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

using namespace explore;

constexpr int status_failed = 1, status_usage = 2;

// Limit on the time without progress, to tell hanging from slow.  An experiment takes a millisecond.
constexpr int patience_ms = 120000;

struct Options {
	std::string placement = "automatic";
	std::vector<std::string> only;
	std::string event, second;
	std::uint32_t at = 0, then = 0, visits = 0;
	double pairs = -1;
	std::uint64_t seed = 1;
	int depth = 2;
	bool near_only = false;
	bool in_short = false;
};

// The short form: all boundaries of short operations, a sample of those of longer ones, and SHA-256 in one step.  Pairs of
// boundaries are sampled only for short operations.  The sample is larger for a draw from the buffer during which a handler
// forks and both processes draw, since that has found the most errors.  The large volumes have larger samples, and pairs for
// all operations.
constexpr std::uint32_t short_whole = 170;
// Forks also happen at this many boundaries at the end of longer operations.
constexpr std::uint32_t short_tail = 100;
static_assert(short_tail > whole_limit, "the sample can exceed the limit");
const std::uint32_t short_paired = run::volume(2000u, UINT32_MAX); // steps
const std::uint32_t short_sample = run::volume(8, 24);
const double short_pairs = run::volume(4, 16), short_pairs_dense = run::volume(100, 400);

bool is_dense(const Operation &operation, Event first)
{
	return operation.name == std::string("pop32") && first == Event::fork_draw;
}

bool map_shared(int file)
{
	void *p = mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);

	shared_file = file;
	shared = static_cast<Shared *>(p);
	return p != MAP_FAILED;
}

// The program that exec starts (events.cpp): the file, the process's number, the placement.
int run_started(char **argv)
{
	if (!map_shared(std::atoi(argv[2])))
		return status_usage;
	kernel::madvise_refused = std::strcmp(argv[4], "unbuffered") == 0;
	state.process = static_cast<std::uint16_t>(std::atoi(argv[3]));
	kernel::process_id = 1000 + state.process;
	state.operation = find_operation("bits64");
	end_process();
}

// In a child, because this process must not have used the library.
std::string name_of_placement()
{
	int ends[2];
	char name[32] = "";

	if (pipe(ends) != 0)
		return "?";
	const pid_t pid = fork();
	if (pid == 0) {
		cprng_info info;
		cprng_get_info(&info, sizeof(info));
		const ssize_t n = write(ends[1], info.placement, std::strlen(info.placement));
		_exit(n > 0 ? 0 : 1);
	}
	close(ends[1]);
	const ssize_t n = read(ends[0], name, sizeof(name) - 1);
	close(ends[0]);
	waitpid(pid, nullptr, 0);
	return n > 0 ? std::string(name, static_cast<std::size_t>(n)) : "?";
}

// In its own process group, so that all its experiments can be killed.
void carry_out(const Plan &plan, Row &row)
{
	const std::uint32_t stamp = shared->table.stamp;
	int status = 0;

	std::memset(static_cast<void *>(shared), 0, offsetof(Shared, log));
	std::memset(&shared->log, 0, offsetof(Log, entry));
	std::memset(shared->visits, 0, sizeof(shared->visits));
	shared->table.stamp = stamp;
	shared->plan = plan;
	std::fflush(stdout);
	const pid_t pid = fork();
	if (pid == 0) {
		setpgid(0, 0);
		(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
		walk();
	}
	setpgid(pid, pid);
	pollfd end = { static_cast<int>(syscall(SYS_pidfd_open, pid, 0)), POLLIN, 0 };
	bool hangs = false;
	for (std::uint64_t before = 0; poll(&end, 1, patience_ms) == 0;
	     before = shared->progress + shared->boundaries) {
		if (shared->progress + shared->boundaries != before)
			continue;
		hangs = true;
		kill(-pid, SIGKILL);
	}
	close(end.fd);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
	}
	if (hangs || status != 0) {
		const Event now = static_cast<Event>(shared->now_event), first = plan.seconds == 0 ? now : [&plan] {
			for (std::size_t i = 1; i < events; i++) {
				if (plan.firsts & bit(static_cast<Event>(i)))
					return static_cast<Event>(i);
			}
			return Event::none;
		}();
		const std::size_t flaw = static_cast<std::size_t>(hangs ? Flaw::hung : Flaw::died);
		Cell &cell = shared->cell[static_cast<std::size_t>(first)]
					 [plan.seconds == 0 ? 0 : static_cast<std::size_t>(now)];
		cell.experiments++;
		if (cell.failed[flaw]++ == 0) {
			cell.first[flaw] = {};
			cell.first[flaw].verdict.flaw = static_cast<Flaw>(flaw);
			cell.first[flaw].at = shared->now_at;
			cell.first[flaw].then = shared->now_then;
		}
	}
	row.add(*shared);
}

constexpr std::uint32_t all_events()
{
	std::uint32_t mask = 0;

	for (std::size_t i = 1; i < events; i++)
		mask |= bit(static_cast<Event>(i));
	return mask;
}

Event find_event(const std::string &name)
{
	for (std::size_t i = 1; i < events; i++) {
		if (name == explore::name_of(static_cast<Event>(i)))
			return static_cast<Event>(i);
	}
	throw CLI::ValidationError("there is no event " + name);
}

class Explorer {
public:
	Explorer(const Options &options, const std::string &placement, bool two_cpus)
	    : options(options),
	      report(placement, std::string(options.placement == "unbuffered" ? " --placement=unbuffered" : "") +
					(options.in_short  ? " --short" :
					 options.near_only ? " --near" :
							     ""))
	{
		// Events in a fork's parent matter only as second events.  If nothing depends on the CPU, a migration
		// is not an event.
		firsts = all_events() & ~bit(Event::fork_parent);
		if (placement != "per-cpu" || !two_cpus)
			firsts &= ~bit(Event::migrate);
		// After a cancellation or an exec, no code is left that a second event could interrupt.
		before = (firsts | bit(Event::fork_parent)) & ~(bit(Event::cancel) | bit(Event::exec));
		seconds = firsts & ~bit(Event::exec);
		buffered = placement != "unbuffered";
	}

	std::uint64_t run()
	{
		for (const Operation &operation : operations()) {
			const bool wanted = options.only.empty() ||
					    std::count(options.only.begin(), options.only.end(), operation.name) != 0;
			if (wanted && (buffered || !operation.buffered))
				explore_one(operation);
		}
		report.print_coverage();
		return report.print_failures();
	}

private:
	void explore_one(const Operation &operation)
	{
		Row row;
		Plan plan;

		row.operation = plan.operation = &operation;
		plan.seed = options.seed;
		plan.at = options.at;
		plan.then = options.then;
		plan.verbose = options.at != 0 && (options.then != 0 || options.second.empty());
		plan.near_only = options.near_only;
		// A run that only counts the boundaries.
		carry_out(plan, row);
		if (options.second.empty()) {
			plan.firsts = options.event.empty() ? firsts : bit(find_event(options.event));
			plan.visits = options.visits != 0 ? options.visits : UINT32_MAX;
			if (options.in_short && options.at == 0 && row.boundaries > short_whole) {
				plan.share = everything * short_sample / row.boundaries;
				plan.last = last_taken(plan, row.steps);
				row.every_boundary = false;
			}
			carry_out(plan, row);
			if (plan.share != everything)
				explore_end(plan, row);
			row.every_boundary = row.every_boundary &&
					     (options.visits == 0 || row.boundaries == row.addresses);
		}
		plan.visits = UINT32_MAX;
		if (options.depth > 1 && (options.at == 0 || !options.second.empty()) &&
		    !(options.in_short && options.at == 0 && row.steps > short_paired))
			explore_pairs(plan, row);
		report.rows.push_back(std::move(row));
	}

	static void explore_end(Plan plan, Row &row)
	{
		plan.firsts &= bit(Event::fork);
		plan.share = everything;
		plan.last = UINT32_MAX;
		plan.from = row.steps - std::min(row.steps, short_tail);
		row.cell(Event::fork, Event::none).whole = 0; // counted for the sample
		carry_out(plan, row);
	}

	// Chooses about this many pairs of boundaries for each pair of events, half of them close together.
	void choose_shares(Plan &plan, Row &row, double pairs)
	{
		Row pilot;
		Plan few = plan;

		few.share = static_cast<std::uint64_t>(std::min(1.0, 4.0 / std::max(1u, row.boundaries)) * everything);
		few.share_near = few.share_far = 0;
		few.last = last_taken(few, row.steps);
		carry_out(few, pilot);
		const double walks = std::max<double>(1, static_cast<double>(shared->walks)),
			     boundaries = row.boundaries;
		const double near = static_cast<double>(shared->second_near) / walks,
			     far = static_cast<double>(shared->second_far) / walks;
		auto share = [](double wanted, double there) {
			return static_cast<std::uint64_t>(std::min(1.0, wanted / std::max(1.0, there)) * everything);
		};
		// For each first boundary, about as many second boundaries as there are first ones.
		const double side = std::max(std::sqrt(pairs), pairs / std::max(1.0, boundaries));
		plan.share = share(std::max(side, pairs / std::max(1.0, near + far)), boundaries);
		plan.last = last_taken(plan, row.steps);
		plan.share_near = share(side / 2, near);
		plan.share_far = share(side - std::min(side / 2, near), far);
		row.every_pair = row.every_pair && plan.share == everything && plan.share_near == everything &&
				 plan.share_far == everything;
	}

	// Whether the event happened at no boundary of depth 1.  The short form's pairs begin at some of these boundaries, so more
	// walks would make no experiment, and a walk through a reseed takes long.
	static bool is_always_blocked(Row &row, Event first)
	{
		const Cell &alone = row.cell(first == Event::fork_parent ? Event::fork : first, Event::none);

		return alone.experiments == 0 && alone.blocked != 0;
	}

	void explore_pairs(Plan plan, Row &row)
	{
		for (std::size_t i = 1; i < events; i++) {
			const Event first = static_cast<Event>(i);
			if (!(before & bit(first)) || (!options.event.empty() && first != find_event(options.event)))
				continue;
			if (options.in_short && is_always_blocked(row, first)) {
				row.every_pair = false;
				continue;
			}
			plan.firsts = bit(first);
			plan.seconds = options.second.empty() ? seconds : bit(find_event(options.second));
			plan.share = plan.share_near = plan.share_far = everything;
			plan.last = UINT32_MAX;
			if (options.pairs >= 0 && options.then == 0 && !(options.in_short && options.at != 0))
				choose_shares(plan, row,
					      options.in_short && is_dense(*plan.operation, first) ? short_pairs_dense :
												     options.pairs);
			carry_out(plan, row);
		}
	}

	const Options &options;
	Report report;
	std::uint32_t firsts, before, seconds;
	bool buffered;
};

int run_plans(const Options &options)
{
	std::vector<int> cpus;
	cpu_set_t set;

	const int file = memfd_create("explore", 0);
	if (file < 0 || ftruncate(file, sizeof(Shared)) != 0 || !map_shared(file)) {
		fmt::print(stderr, "explore: no memory\n");
		return status_usage;
	}
	CPU_ZERO(&set);
	(void)sched_getaffinity(0, sizeof(set), &set);
	for (int i = 0; i < CPU_SETSIZE; i++) {
		if (CPU_ISSET(i, &set))
			cpus.push_back(i);
	}
	set_up_stepper(cpus.front(), cpus.back());
	kernel::cpu_mask_size = cpus.back() / 8 + 1;
	kernel::madvise_refused = options.placement == "unbuffered";
	const std::string placement = name_of_placement();
	fmt::print("cprng {}: placement {}, {} CPUs, seed {}\n", cprng_version(), placement, cpus.size(), options.seed);
	for (const std::string &name : options.only) {
		if (find_operation(name.c_str()) == nullptr) {
			fmt::print(stderr, "explore: there is no operation {}\n", name);
			return status_usage;
		}
	}
	Explorer explorer(options, placement, cpus.size() > 1);
	return explorer.run() == 0 ? 0 : status_failed;
}

} // namespace

int main(int argc, char **argv)
{
	Options options;
	CLI::App app("Steps through operations by instruction and makes an event happen at each", "explore");

	if (argc == 5 && argv[1] == std::string("--started"))
		return run_started(argv);
	app.add_option("--placement", options.placement, "automatic, or unbuffered");
	app.add_option("--only", options.only, "these operations");
	app.add_option("--event", options.event, "the first event");
	app.add_option("--second", options.second, "the second event");
	app.add_option("--at", options.at, "the boundary of the first event; prints everything drawn");
	app.add_option("--then", options.then, "the boundary of the second event");
	app.add_option("--depth", options.depth, "1, or 2 (2)")->check(CLI::Range(1, 2));
	app.add_option("--visits", options.visits, "depth 1: at most this many boundaries at one address (all)");
	app.add_option("--pairs", options.pairs, "depth 2: about this many for each operation and two events (all)");
	app.add_option("--seed", options.seed, "seed for the choice of pairs (1)");
	app.add_flag("--near", options.near_only, "depth 2: only soon after the first event");
	app.add_flag("--short", options.in_short,
		     "the short form: a sample, the same each time, and SHA-256 as one boundary");
	CLI11_PARSE(app, argc, argv);
	if (options.in_short) {
		options.pairs = short_pairs;
		options.near_only = true;
		kernel::hashes_in_one_step = true;
	}
	try {
		return run_plans(options);
	} catch (const CLI::Error &error) {
		fmt::print(stderr, "explore: {}\n", error.what());
		return status_usage;
	}
}
