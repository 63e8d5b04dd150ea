// SPDX-License-Identifier: BSD-2-Clause
// cprng bench: how fast the draws are on this machine, in ten seconds.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <cprng/cprng.h>

#include "common/buffer.hpp"
#include "common/error.hpp"
#include "common/quantity.hpp"
#include "common/source.hpp"
#include "output/output.hpp"
#include "shell/commands.hpp"
#include "system/system.hpp"

namespace {

using clock_type = std::chrono::steady_clock;
using seconds = std::chrono::duration<double>;

struct bench_arguments {
	std::string seconds = "10";
	bool json = false;
};

struct subject {
	std::string name;
	std::size_t bytes;
	// Draws that many times.
	std::function<void(std::uint64_t times, char *buffer)> draw;
};

struct result {
	std::string name;
	std::size_t bytes;
	double nanoseconds;
	std::uint64_t runs;
};

// Longer measurements are no more precise.
constexpr double seconds_max = 3600;

constexpr std::size_t buffer_size = std::size_t{ 1024 } * 1024;

// Keep the compiler from removing the draws.
void use(const void *data)
{
	asm volatile("" : : "r"(data) : "memory");
}

subject bulk(const std::string &name, std::size_t bytes, void (*draw)(void *, std::size_t))
{
	return { name, bytes, [bytes, draw](std::uint64_t times, char *buffer) {
			for (; times > 0; times--)
				draw(buffer, bytes);
			use(buffer);
		} };
}

void ask_kernel(void *data, std::size_t size)
{
	if (!draw_from_system(data, size))
		throw runtime_failure(fmt::format("the kernel's {}() refused", system_draw_name()));
}

std::vector<subject> subjects()
{
	return {
		{ "cprng_fast32", 4,
		  [](std::uint64_t times, char *) {
			  std::uint32_t sum = 0;
			  for (; times > 0; times--)
				  sum += cprng_fast32();
			  use(&sum);
		  } },
		{ "cprng_fast64", 8,
		  [](std::uint64_t times, char *) {
			  std::uint64_t sum = 0;
			  for (; times > 0; times--)
				  sum += cprng_fast64();
			  use(&sum);
		  } },
		{ "cprng_uniform32", 4,
		  [](std::uint64_t times, char *) {
			  std::uint32_t sum = 0;
			  for (; times > 0; times--)
				  sum += cprng_uniform32(1000);
			  use(&sum);
		  } },
		bulk("cprng_fast", 32, cprng_fast),
		bulk("cprng_fast", 4096, cprng_fast),
		bulk("cprng_fast", buffer_size, cprng_fast),
		bulk("cprng_strong", 32, cprng_strong),
		bulk("cprng_strong", buffer_size, cprng_strong),
		bulk(system_draw_name(), 32, ask_kernel),
		bulk(system_draw_name(), 4096, ask_kernel),
	};
}

double time_of(const subject &subject, std::uint64_t times, char *buffer)
{
	const clock_type::time_point begin = clock_type::now();
	subject.draw(times, buffer);
	return seconds(clock_type::now() - begin).count();
}

// The median of the runs that fit into the budget.
result measure(const subject &subject, double budget, char *buffer)
{
	// As many draws as take a fiftieth of the time: the clock's cost is negligible, and an interruption does not
	// move a median of fifty.
	std::uint64_t times = 1;
	double spent = 0;
	for (;;) {
		const double time = time_of(subject, times, buffer);
		spent += time;
		if (time >= budget / 50 || spent >= budget)
			break;
		times *= 2;
	}
	std::vector<double> runs;
	do {
		const double time = time_of(subject, times, buffer);
		spent += time;
		runs.push_back(time / static_cast<double>(times));
	} while (spent < budget);
	std::nth_element(runs.begin(), runs.begin() + static_cast<std::ptrdiff_t>(runs.size() / 2), runs.end());
	return { subject.name, subject.bytes, runs[runs.size() / 2] * 1e9, runs.size() };
}

std::string as_table(const std::vector<result> &results)
{
	std::string text = fmt::format("{:<18}{:>10}{:>14}{:>12}\n", "DRAW", "BYTES", "NS PER DRAW", "MB/S");
	for (const result &r : results)
		text += fmt::format("{:<18}{:>10}{:>14.2f}{:>12.0f}\n", r.name, r.bytes, r.nanoseconds,
				    static_cast<double>(r.bytes) / r.nanoseconds * 1e3);
	return text;
}

std::string as_json(const std::vector<result> &results)
{
	cprng_info info;
	cprng_get_info(&info, sizeof(info));
	std::string text = fmt::format("{{\"version\": \"{}\", \"engine\": \"{}\", \"backend\": \"{}\", \"results\": [",
				       cprng_version(), info.engine, info.backend);
	for (std::size_t i = 0; i < results.size(); i++)
		text += fmt::format("{}{{\"draw\": \"{}\", \"bytes\": {}, \"nanoseconds\": {:.3f}, \"runs\": {}}}",
				    i > 0 ? ", " : "", results[i].name, results[i].bytes, results[i].nanoseconds,
				    results[i].runs);
	return text + "]}\n";
}

int run_bench(const bench_arguments &arguments)
{
	require_entropy();
	const double time = parse_real("--seconds", arguments.seconds);
	if (time <= 0)
		throw usage_error(fmt::format("--seconds: {} is not more than 0", quote(arguments.seconds)));
	if (time > seconds_max)
		throw usage_error(fmt::format("--seconds: {} is more than {}", quote(arguments.seconds), seconds_max));
	const wiped_buffer buffer(buffer_size);
	const std::vector<subject> all = subjects();
	std::vector<result> results;
	for (const subject &one : all)
		results.push_back(measure(one, time / static_cast<double>(all.size()), buffer.data()));
	print(arguments.json ? as_json(results) : as_table(results));
	return 0;
}

} // namespace

void add_bench(command_line &line)
{
	auto arguments = std::make_shared<bench_arguments>();
	command &command = line.add("Machine", "bench", "measure how fast the draws are, in ten seconds",
				    [arguments] { return run_bench(*arguments); });
	command.option("--seconds", arguments->seconds, "NUMBER", "how long it takes, up to 3600 (10)");
	command.flag("--json", arguments->json, "print a JSON object");
	command.note("One thread; the median of some fifty runs each.  On a machine that has nothing else to do.");
	command.example("cprng bench", "");
}
