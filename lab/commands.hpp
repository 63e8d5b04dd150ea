// SPDX-License-Identifier: BSD-2-Clause
// The commands of cprng-lab.  A new one is a directory, a declaration here and a line in main.cpp.
#ifndef CPRNG_LAB_COMMANDS_HPP
#define CPRNG_LAB_COMMANDS_HPP

#include <functional>
#include <memory>
#include <string>

#include "common/report.hpp"

// CLI11's headers take seconds to compile; a file that adds options includes them.
namespace CLI {
class App;
}

namespace lab {

// --json, --quick, --repetitions, and --seconds unless the command defines its own measure of volume.
void add_run_options(CLI::App &app, run_options &options, bool seconds = true);

// Each adds its options, and returns the function to run after parsing.
std::function<void()> add_all(CLI::App &app);
std::function<void()> add_choices(CLI::App &app);
std::function<void()> add_cprng_fast(CLI::App &app);
std::function<void()> add_fortuna(CLI::App &app);
std::function<void()> add_jitter(CLI::App &app);
std::function<void()> add_keystream(CLI::App &app);
std::function<void()> add_levels_child(CLI::App &app);
std::function<void()> add_others(CLI::App &app);
std::function<void()> add_others_child(CLI::App &app);
std::function<void()> add_report(CLI::App &app);
std::function<void()> add_sizes(CLI::App &app);
std::function<void()> add_sweep(CLI::App &app);
std::function<void()> add_tour(CLI::App &app);

// What a command does that measures, when its options are parsed.
template <typename Options>
std::function<void()> making_report(const std::string &command, std::shared_ptr<Options> chosen,
				    void (*measure)(const Options &chosen, report &to))
{
	return [command, chosen, measure] {
		if (chosen->quick)
			chosen->shorten();
		report to(command, *chosen);
		measure(*chosen, to);
		to.finish();
	};
}

// For a command with only the common options.
std::function<void()> add_measuring(CLI::App &app, void (*measure)(const run_options &chosen, report &to));

// The same for `all`: takes the parsed options, and adds to a shared report.
void measure_cprng_fast(const run_options &chosen, bool full, report &to);
void measure_draw(const run_options &chosen, report &to);
void measure_fortuna(const run_options &chosen, report &to);
void measure_impact(const run_options &chosen, report &to);
void measure_jitter(const run_options &chosen, report &to);
void measure_latency(const run_options &chosen, report &to);
void measure_levels(const run_options &chosen, report &to);
void measure_statclock(const run_options &chosen, report &to);
void measure_streams(const run_options &chosen, report &to);

} // namespace lab

#endif
