// SPDX-License-Identifier: BSD-2-Clause
// cprng-lab fortuna.
#include <memory>
#include <vector>

#include <CLI/CLI.hpp>

#include "../../commands.hpp"
#include "../../common/bare_loop.hpp"
#include "fortuna.hpp"

namespace lab {

namespace {

constexpr unsigned int readers_most = 64;
constexpr std::uint64_t size_most = std::uint64_t{ 1 } << 28;

void describe(const fortuna::options &chosen, report &to)
{
	nlohmann::ordered_json &settings = to.settings();
	settings["readers"] = chosen.readers;
	settings["read_bytes"] = chosen.sizes;
	for (const char *engine : fortuna::engines)
		settings["backends"][engine] = bare_loop(engine).backend();
	settings["locks"] = "throughput, response and short reads: the library's; time under lock: a mutex of the C "
			    "library in the hooks";
}

table judge(const std::vector<std::unique_ptr<fortuna::section>> &sections)
{
	table targets = target_table("targets");
	for (const auto &s : sections)
		s->judge(targets);
	return targets;
}

void measure(const fortuna::options &chosen, report &to)
{
	describe(chosen, to);
	std::vector<std::unique_ptr<fortuna::section>> sections;
	sections.push_back(fortuna::make_throughput(chosen));
	sections.push_back(fortuna::make_locks(chosen));
	sections.push_back(fortuna::make_response(chosen));
	sections.push_back(fortuna::make_short_reads(chosen));
	const schedule all = run_sections(sections, chosen, to);
	to.add(judge(sections), nullptr);
	fortuna::report_origin(to);
	to.add_others(all);
}

} // namespace

void measure_fortuna(const run_options &chosen, report &to)
{
	fortuna::options own;
	static_cast<run_options &>(own) = chosen;
	if (chosen.quick) {
		own.readers = { 1, 3 };
		own.sizes = { 65536 };
	}
	measure(own, to);
}

std::function<void()> add_fortuna(CLI::App &app)
{
	const auto chosen = std::make_shared<fortuna::options>();
	add_run_options(app, *chosen);
	app.add_option("--readers", chosen->readers, "numbers of threads that read (1,2,3,4)")
		->delimiter(',')
		->check(CLI::Range(1u, readers_most))
		->option_text("N,...");
	app.add_option("--size", chosen->sizes, "bytes of a read in the measurement of throughput (64KiB,1MiB)")
		->delimiter(',')
		->transform(CLI::AsSizeValue(true))
		->check(CLI::Range(std::uint64_t{ 64 }, size_most))
		->option_text("SIZE,...");
	app.add_option("--patience", chosen->patience,
		       "wait for a quiet machine, and repeat what was disturbed, for S seconds in all (0)")
		->check(CLI::Range(0.0, 86400.0))
		->option_text("S");
	return making_report("fortuna", chosen, measure);
}

} // namespace lab
