// SPDX-License-Identifier: BSD-2-Clause
// cprng-lab: measures the library.  This file parses the command line; commands.hpp declares the work.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <unistd.h>

#include <cprng/cprng.h>

#include "commands.hpp"
#include "common/error.hpp"
#include "common/report.hpp"
#include "common/run.hpp"

namespace {

constexpr struct {
	const char *name, *description;
	std::function<void()> (*add)(CLI::App &app);
} commands[] = {
	{ "all", "latency, impact, statclock, fortuna and cprng-fast, into one file", lab::add_all },
	{ "choices",
	  "shuffles, samples, arrays, single choices and small reads, compared with those of other libraries",
	  lab::add_choices },
	{ "cprng-fast", "the table of NetBSD's cprng_fast of 2014: placements of RC4, HC-128, Salsa20, ChaCha",
	  lab::add_cprng_fast },
	{ "draw", "the parts of a draw of 32 bits, compared with other generators",
	  [](CLI::App &app) { return lab::add_measuring(app, lab::measure_draw); } },
	{ "fortuna", "Fortuna's concurrent reads: throughput, time under lock, response, latency", lab::add_fortuna },
	{ "impact", "the cost of draws to other code, through the caches; memory bandwidth",
	  [](CLI::App &app) { return lab::add_measuring(app, lab::measure_impact); } },
	{ "jitter", "min-entropy of the library's jitter source, by several estimates", lab::add_jitter },
	{ "keystream", "the keystream of an engine of the lab, to standard output", lab::add_keystream },
	{ "latency", "draws of 32 bits one by one, to the 99.999th percentile; bulk; size of the state",
	  [](CLI::App &app) { return lab::add_measuring(app, lab::measure_latency); } },
	{ "levels",
	  "the ciphers compared with OpenSSL's and libsodium's, all limited to the instructions of older CPUs",
	  [](CLI::App &app) { return lab::add_measuring(app, lab::measure_levels); } },
	{ "levels-child", "a child process of `levels`", lab::add_levels_child },
	{ "others", "the library compared with other generators: numbers, bytes, threads, first byte, memory",
	  lab::add_others },
	{ "others-child", "a child process of `others`", lab::add_others_child },
	{ "report", "one HTML file with plots, from the JSON files of runs", lab::add_report },
	{ "sizes", "requests of every size: the library's time relative to the fastest other generator's",
	  lab::add_sizes },
	{ "statclock", "draws in an interrupt handler: LCG, LFSR or a cryptographic generator?",
	  [](CLI::App &app) { return lab::add_measuring(app, lab::measure_statclock); } },
	{ "streams", "numbers of reproducible streams, compared with the generators that simulations use",
	  [](CLI::App &app) { return lab::add_measuring(app, lab::measure_streams); } },
	{ "sweep", "several values of the library's constants, and of those of randp's design", lab::add_sweep },
	{ "tour", "what the library does, and how fast: `make run`", lab::add_tour },
};

// The exit status that shells expect after Ctrl-C.
constexpr int status_interrupted = 130;

std::string one_line(std::string text)
{
	std::replace_if(text.begin(), text.end(), [](unsigned char c) { return c < 0x20; }, ' ');
	return text;
}

int run(int argc, char **argv)
{
	CLI::App app("Measures cprng; every figure with its spread, everything interleaved", "cprng-lab");
	app.require_subcommand(1);
	app.set_help_flag("-h,--help", "print this help and exit");
	app.footer("docs/lab.md describes the measurements and how to read them.");
	std::vector<std::pair<CLI::App *, std::function<void()>>> works;
	for (const auto &command : commands) {
		CLI::App *sub = app.add_subcommand(command.name, command.description);
		works.emplace_back(sub, command.add(*sub));
	}
	try {
		app.parse(argc, argv);
	} catch (const CLI::CallForHelp &) {
		fmt::print("{}", app.help());
		return 0;
	} catch (const CLI::ParseError &error) {
		const std::vector<std::string> extra = app.remaining(true);
		throw lab::usage_error(extra.empty() ? error.what() : fmt::format("unknown: {}", extra[0]));
	}
	lab::catch_interrupts();
	for (const auto &[sub, work] : works)
		if (sub->parsed())
			work();
	return lab::interrupted() ? status_interrupted : 0;
}

/*
 * A sweep loads dozens of copies of the library, each with 64 bytes of static thread-local memory.  glibc's default reserve
 * holds about 25 copies, and its size is read when a program starts.
 */
void make_room_for_copies(char **argv)
{
	if (std::getenv("GLIBC_TUNABLES") == nullptr &&
	    setenv("GLIBC_TUNABLES", "glibc.rtld.optional_static_tls=8192", 1) == 0)
		(void)execv("/proc/self/exe", argv);
}

} // namespace

void lab::add_run_options(CLI::App &app, run_options &options, bool seconds)
{
	app.add_option("--json", options.json, "keep every repetition in FILE")->option_text("FILE");
	CLI::Option *quick = app.add_flag("--quick", options.quick, "a trial, too short for figures");
	if (seconds)
		app.add_option("--seconds", options.seconds, fmt::format("each repetition ({:g})", options.seconds))
			->check(CLI::Range(0.001, 60.0))
			->option_text("S")
			->excludes(quick);
	app.add_option("--repetitions", options.repetitions,
		       fmt::format("of each measurement ({})", options.repetitions))
		->check(CLI::Range(1, 1000))
		->option_text("N")
		->excludes(quick);
}

std::function<void()> lab::add_measuring(CLI::App &app, void (*measure)(const run_options &chosen, report &to))
{
	const auto chosen = std::make_shared<run_options>();
	add_run_options(app, *chosen);
	return making_report(app.get_name(), chosen, measure);
}

int main(int argc, char **argv)
{
	if (argc > 1 && std::string_view(argv[1]) == "sweep")
		make_room_for_copies(argv);
	try {
		return run(argc, argv);
	} catch (const lab::usage_error &error) {
		fmt::print(stderr, "cprng-lab: {} (see cprng-lab --help)\n", one_line(error.what()));
		return 2;
	} catch (const lab::bad_input &error) {
		fmt::print(stderr, "cprng-lab: {}\n", one_line(error.what()));
		return 2;
	} catch (const std::exception &error) {
		fmt::print(stderr, "cprng-lab: {}\n", one_line(error.what()));
		return 1;
	}
}
