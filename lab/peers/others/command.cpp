// SPDX-License-Identifier: BSD-2-Clause
// cprng-lab others, and its child processes.
#include <algorithm>

#include <CLI/CLI.hpp>

#include "../contenders/program.hpp"
#include "others.hpp"

namespace lab {

namespace {

constexpr unsigned int threads_most = 1000000;

std::vector<std::uint64_t> powers_of_four(std::uint64_t largest)
{
	std::vector<std::uint64_t> sizes;
	for (std::uint64_t size = 1; size <= largest; size *= 4)
		sizes.push_back(size);
	return sizes;
}

void measure(const others::options &chosen, report &to)
{
	to.settings()["memory_threads"] = chosen.threads;
	others::describe(chosen, to);

	std::vector<std::unique_ptr<others::section>> sections;
	sections.push_back(others::make_numbers(chosen));
	sections.push_back(others::make_threads(chosen));
	sections.push_back(others::make_start(chosen));
	sections.push_back(others::make_memory(chosen));
	const auto fills = others::make_fills(chosen, { "others_fill", "Requests of bytes, by CPU time of one thread",
							powers_of_four(chosen.largest) });

	schedule small;
	for (const auto &s : sections)
		s->plan(small);
	fills->plan(small, false);
	small.run(chosen.repetitions);

	schedule large;
	fills->plan(large, true);
	schedule::announce("large requests");
	large.run(std::min(chosen.repetitions, others::large_repetitions));

	sections.front()->report_to(to);
	fills->report_to(to);
	for (auto s = sections.begin() + 1; s != sections.end(); ++s)
		(*s)->report_to(to);
	others::report_randp(chosen, *sections.front(), *fills, to);
	to.add_others(small);
	to.add_others(large, "large requests");
}

struct child_options {
	std::string what, name;
	unsigned int threads = 1;
};

void run_child(const child_options &chosen)
{
	if (chosen.what == "serve")
		serve(*find_contender(chosen.name).made_there(),
		      [&] { return find_contender(chosen.name).made_there(); });
	else if (chosen.what == "first-byte")
		others::print_first_byte(chosen.name);
	else if (chosen.what == "thread-bytes")
		others::print_thread_bytes(chosen.name);
	else
		others::print_thread_memory(chosen.name, chosen.threads);
}

} // namespace

void others::describe(const options &chosen, report &to)
{
	nlohmann::ordered_json &settings = to.settings();
	settings["largest"] = chosen.largest;
	for (const contender_info *info : chosen.chosen())
		settings["contenders"][info->name] = { { "description", info->description },
						       { "cryptographic", info->cryptographic },
						       { "version", info->version },
						       { "here", availability(*info) } };
}

void others::add_options(CLI::App &app, options &chosen, const char *only, const char *largest, const char *size)
{
	add_run_options(app, chosen);
	app.add_option("--only", chosen.only, only)
		->delimiter(',')
		->each([](const std::string &name) { find_contender(name); })
		->option_text("NAME,...");
	app.add_option(largest, chosen.largest, std::string("largest request (") + size + ")")
		->transform(CLI::AsSizeValue(true))
		->check(CLI::Range(std::uint64_t{ 1 }, std::uint64_t{ 1 } << 40))
		->option_text("SIZE")
		->excludes("--quick");
}

std::function<void()> add_others(CLI::App &app)
{
	const auto chosen = std::make_shared<others::options>();
	others::add_options(app, *chosen, "these contenders (all)", "--largest", "4GiB");
	app.add_option("--threads", chosen->threads, "for the memory of a thread (10000)")
		->check(CLI::Range(1u, threads_most))
		->option_text("N")
		->excludes("--quick");
	return making_report("others", chosen, measure);
}

std::function<void()> add_others_child(CLI::App &app)
{
	const auto chosen = std::make_shared<child_options>();
	app.group("");
	app.add_option("WHAT", chosen->what)
		->required()
		->check(CLI::IsMember({ "serve", "first-byte", "thread-bytes", "thread-memory" }));
	app.add_option("NAME", chosen->name)->required();
	app.add_option("THREADS", chosen->threads)->check(CLI::Range(1u, threads_most));
	return [chosen] { run_child(*chosen); };
}

} // namespace lab
