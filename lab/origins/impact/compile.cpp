// SPDX-License-Identifier: BSD-2-Clause
// A real load: the compiler compiles the library, with draws at a fixed rate on the same CPU.
//
// In a kernel, the programs' activity causes draws.  Here another process on the compiler's CPU draws: it wakes up often,
// makes the draws that are due, and sleeps.  The wake-ups cost the compiler time too, so the reference is the compiler's
// CPU time beside a process that wakes up as often and draws nothing.
#include "impact.hpp"

#include <cerrno>
#include <csignal>
#include <cstring>

#include <fcntl.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <fmt/format.h>

#include "../../common/clock.hpp"
#include "../../common/error.hpp"
#include "../../common/load.hpp"
#include "../placements/generators.hpp"

namespace lab::impact {

namespace {

// The rate of the caches' table, which is above that of any system; in bursts that are short compared with the time
// that a cache takes to refill.
constexpr double draws_a_second = 1e6;
constexpr std::uint64_t wakes_a_second = 10000;

struct compiled {
	double cpu_seconds, seconds;
	std::uint64_t draws;
};

class compile : public section {
public:
	explicit compile(const run_options &chosen) : quick_(chosen.quick)
	{
		for (const char *name : names)
			generators_.push_back(find_generator(name).make(0, no_limit));
	}

	void plan(schedule &all) override
	{
		constexpr double seconds_of_one = 4;
		all.add_kept(quick_ ? 0.5 : seconds_of_one * (1 + std::size(names)), [this] { run(); });
	}

	void report_to(report &to) const override;

private:
	// Only the header if quick.
	std::vector<const char *> command() const
	{
		if (quick_)
			return { LAB_COMPILER, "-x", "c", "-fsyntax-only", LAB_COMPILED ".h" };
		return { LAB_COMPILER, "-O1", "-c", "-o", "/dev/null", LAB_COMPILED ".c" };
	}

	// Its own process group, so that Ctrl-C reaches only this program, and a signal to the group reaches all of its processes.
	pid_t start() const
	{
		std::vector<char *> argv;
		for (const char *word : command())
			argv.push_back(const_cast<char *>(word));
		argv.push_back(nullptr);
		posix_spawnattr_t attributes;
		posix_spawnattr_init(&attributes);
		posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
		pid_t pid;
		const int error = posix_spawn(&pid, argv[0], nullptr, &attributes, argv.data(), environ);
		posix_spawnattr_destroy(&attributes);
		if (error != 0)
			throw failure(fmt::format("cannot start {}: {}", argv[0], std::strerror(error)));
		child_begins(pid);
		return pid;
	}

	compiled beside(generator &g) const
	{
		compiled result = {};
		const stay_here on_one_cpu; // the compiler inherits it
		prctl(PR_SET_TIMERSLACK, 1UL);
		const std::uint64_t begin = monotonic_ns();
		const pid_t pid = start();
		int status = 0;
		struct rusage used = {};
		while (wait4(pid, &status, WNOHANG, &used) == 0) {
			if (interrupted())
				kill(-pid, SIGKILL);
			const std::uint64_t now = monotonic_ns() - begin;
			const auto due = static_cast<std::uint64_t>(static_cast<double>(now) * 1e-9 * draws_a_second);
			for (; result.draws < due; result.draws++)
				g.draw();
			sleep_until(begin + (now * wakes_a_second / 1000000000 + 1) * (1000000000 / wakes_a_second));
		}
		prctl(PR_SET_TIMERSLACK, 0UL); // the default
		child_has_ended(pid, used);
		result.seconds = static_cast<double>(monotonic_ns() - begin) * 1e-9;
		result.cpu_seconds = seconds_of(used);
		if (status != 0 && !interrupted())
			throw failure(fmt::format("{} does not compile", command().back()));
		return result;
	}

	// Compiles beside each generator's draws, and once beside nothing as the reference for all, in a rotating order.
	void run()
	{
		constexpr std::size_t count = std::size(names) + 1;
		compiled done[count];
		if (!in_turn(count, results_[0].size(),
			     [&](std::size_t which) { done[which] = beside(*generators_[which % std::size(names)]); }))
			return;
		for (std::size_t i = 0; i < std::size(names); i++)
			results_[i].push_back(done[i]);
		without_.push_back(done[std::size(names)]);
	}

	bool quick_;
	std::vector<std::unique_ptr<generator>> generators_;
	std::vector<compiled> results_[std::size(names)], without_;
};

void compile::report_to(report &to) const
{
	table t("impact_compile",
		fmt::format("The compiler at work on the library, with draws of 32 bits on its CPU; losses in {}",
			    cycles_name()),
		{ { "row", "row" },
		  { "cpu_seconds", "the compiler's\nCPU time, s" },
		  { "slowdown", "CPU time, 1 is\nwithout draws" },
		  { "slowdown_wall", "wall time, 1 is\nwithout draws" },
		  { "neighbour", "the neighbour's\nloss, a draw" },
		  { "neighbour_deviation", "the neighbour's\nloss, ±" } });
	nlohmann::ordered_json raw = nlohmann::ordered_json::array();
	for (std::size_t i = 0; i < std::size(names); i++) {
		std::vector<double> cpu, slowdowns, walls, losses;
		for (std::size_t n = 0; n < results_[i].size(); n++) {
			const compiled &with = results_[i][n], &without = without_[n];
			cpu.push_back(with.cpu_seconds);
			slowdowns.push_back(with.cpu_seconds / without.cpu_seconds);
			walls.push_back(with.seconds / without.seconds);
			losses.push_back((with.cpu_seconds - without.cpu_seconds) * 1e9 / ns_per_tick() /
					 static_cast<double>(with.draws));
			raw.push_back({ { "row", names[i] },
					{ "cpu_seconds", with.cpu_seconds },
					{ "seconds", with.seconds },
					{ "draws", with.draws },
					{ "cpu_seconds_without", without.cpu_seconds },
					{ "seconds_without", without.seconds } });
		}
		const spread lost = spread_of(losses);
		t.add({ word(names[i]), measured(cpu), measured(slowdowns), measured(walls),
			figure(lost, &spread::median), figure(lost, &spread::deviation) });
	}
	t.note(fmt::format(
		"cc {}, on one CPU with a process that wakes up {} times a second and makes {:.0f} draws a second.\n"
		"Its own CPU time is not the compiler's; wall time has both, and other programs' time.  The row of nothing is\n"
		"nothing compared with nothing: what the others may be wrong by.",
		quick_ ? "-fsyntax-only cprng.h" : "-O1 -c cprng.c", wakes_a_second, draws_a_second));
	t.draw({ plot::axis::categories, "row", { "slowdown", "slowdown_wall" }, "time, 1 is without draws" });
	to.add(t, raw);
}

} // namespace

std::unique_ptr<section> make_compile(const run_options &chosen)
{
	return std::make_unique<compile>(chosen);
}

} // namespace lab::impact
