// SPDX-License-Identifier: BSD-2-Clause
// soak [--minutes=N] [options]
//
// Threads, signal handlers, children and other programs draw in rounds, under every event that may interrupt a draw.
// After each round, all draws are searched for repeats.  See docs/testing.md.
#include "logs.hpp"
#include "participants.hpp"
#include "check.hpp"
#include "children.hpp"
#include "summary.hpp"

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <random>
#include <string>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <cprng/cprng.h>

#include <sys/wait.h>
#include <unistd.h>

namespace {

constexpr int status_failed = 1, status_usage = 2, status_hangs = 3;
// The exit status that shells expect after Ctrl-C.
constexpr int status_interrupted = 130;

using seconds = std::chrono::duration<double>;
using std::chrono::steady_clock;

struct Files {
	std::string json, evidence = "soak-evidence.txt";
};

// Rounds of single draws are more frequent.
constexpr soak::Mix order[] = { soak::Mix::bits64, soak::Mix::any, soak::Mix::bits32, soak::Mix::bits64,
				soak::Mix::bytes16 };

// The logs' size.  The check examines each 32-bit draw, and each byte in rounds of any length.
std::size_t part_for(soak::Mix mix)
{
	switch (mix) {
	case soak::Mix::bits32:
		return soak::logs.capacity / 2;
	case soak::Mix::any:
		return soak::logs.capacity / 4;
	default:
		return soak::logs.capacity;
	}
}

void introduce(const soak::Options &options, const cprng_info &info)
{
	fmt::print("cprng {}: placement {}, engine {}/{}, entropy {}; seed {}\n", cprng_version(), info.placement,
		   info.engine, info.backend, info.entropy, options.seed);
	std::fflush(stdout);
}

constexpr int played_well = 0, child_ended_badly = 1, thread_hangs = 2;

int play_here(const soak::Round &round, const soak::Options &options)
{
	if (!soak::play(round, options))
		return thread_hangs;
	const std::string bad = soak::bad_end();
	fmt::print("{}{}", bad, bad.empty() ? "" : "\n");
	std::fflush(stdout);
	return bad.empty() ? played_well : child_ended_badly;
}

// A process loses the slots that handlers jump out of until it forks (docs/decisions/0002), so a child runs the round.
int play_in_child(const soak::Round &round, const soak::Options &options)
{
	const pid_t child = fork();
	int status = -1;

	if (child == 0)
		std::_Exit(play_here(round, options));
	while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
	}
	return WIFEXITED(status) ? WEXITSTATUS(status) : child_ended_badly;
}

int run(const soak::Options &options, const Files &files)
{
	cprng_info info;
	cprng_get_info(&info, sizeof(info));
	introduce(options, info);

	const bool slots = info.placement == std::string("slots");
	const auto begin = steady_clock::now();
	soak::Summary summary(options, files.evidence);
	soak::Choices choices(options.seed);
	// Half for the draws, half for the check.
	soak::Checker checker(options.memory / 2);

	if (!soak::logs.make(options.memory / 2)) {
		fmt::print(stderr, "soak: no memory\n");
		return status_failed;
	}
	soak::install_handlers();
	soak::catch_interrupts();
	for (std::size_t i = 0; !summary.failed() && !soak::interrupted(); i++) {
		const soak::Round round = { order[i % (sizeof(order) / sizeof(order[0]))], choices.word(),
					    options.signal_interval, slots ? 4u : 40u };
		const auto drawing = steady_clock::now();
		soak::logs.reset(part_for(round.mix));
		const int played = slots ? play_in_child(round, options) : play_here(round, options);
		if (played == thread_hangs) {
			fmt::print("FAILED: a thread hangs in a round: {}\n", soak::name_of(round.mix));
			std::fflush(stdout);
			std::_Exit(status_hangs);
		}
		const auto checking = steady_clock::now();
		const double drawn = seconds(checking - drawing).count();
		const soak::Finding finding = checker.check(round.mix, drawn);
		summary.add(round, finding, drawn, seconds(steady_clock::now() - checking).count());
		if (played != played_well)
			summary.fail("a child failed");
		if (seconds(steady_clock::now() - begin).count() >= 60 * options.minutes)
			break;
	}
	summary.print(soak::interrupted());
	if (!files.json.empty())
		summary.write_json(files.json, soak::interrupted());
	if (summary.failed())
		return status_failed;
	return soak::interrupted() ? status_interrupted : 0;
}

} // namespace

int main(int argc, char **argv)
{
	soak::Options options;
	Files files;
	double memory = 1024;
	std::random_device device;
	CLI::App app("Draws under every event that may interrupt a draw, and searches for repeats", "soak");

	if (argc > 1 && argv[1] == std::string(soak::program_argument))
		return soak::run_as_program(argc, argv);
	options.seed = static_cast<std::uint64_t>(device()) << 32 | device();
	app.add_option("--minutes", options.minutes, "duration (10); ends the current round")
		->check(CLI::Range(0.0, 1e6));
	app.add_option("--round", options.round_seconds, "most seconds that a round draws (3)")
		->check(CLI::Range(0.05, 600.0));
	app.add_option("--memory", memory, "MiB for a round's draws and their check (1024)")
		->check(CLI::Range(16.0, 1e6));
	app.add_option("--threads", options.threads, "threads that only draw (4)")->check(CLI::Range(1, 1000));
	app.add_option("--interval", options.signal_interval,
		       "nanoseconds between two signals to the thread that gets the most (15000)")
		->check(CLI::Range(1000, 1000000000));
	app.add_option("--seed", options.seed, "seed for the order of events, not for the drawn bytes");
	app.add_option("--json", files.json, "write a summary to FILE")->option_text("FILE");
	app.add_option("--evidence", files.evidence, "write the repeats found to FILE (soak-evidence.txt)")
		->option_text("FILE");
	CLI11_PARSE(app, argc, argv);
	options.memory = static_cast<std::size_t>(memory * (1 << 20));
	try {
		return run(options, files);
	} catch (const std::exception &error) {
		fmt::print(stderr, "soak: {}\n", error.what());
		return status_usage;
	}
}
