// SPDX-License-Identifier: BSD-2-Clause
// cprng selftest: the known answers of every engine on every backend.
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cprng/cprng.h>

#include "common/error.hpp"
#include "output/output.hpp"
#include "shell/commands.hpp"

namespace {

using results = std::vector<cprng_selftest_result>;

// Called from C, through which no exception may pass: out of memory ends the process.
void collect(const cprng_selftest_result *result, void *arg) noexcept
{
	static_cast<results *>(arg)->push_back(*result);
}

std::string verdict(const cprng_selftest_result &result)
{
	if (result.failed != 0)
		return fmt::format("FAILED at known answer {}", result.failed);
	return result.usable ? "passed" : "not usable on this machine";
}

std::string as_table(const results &all)
{
	std::string text = fmt::format("{:<14}{:<14}{:<10}{}\n", "ENGINE", "BACKEND", "SELECTED", "RESULT");
	for (const cprng_selftest_result &result : all)
		text += fmt::format("{:<14}{:<14}{:<10}{}\n", result.engine, result.backend,
				    result.selected ? "yes" : "-", verdict(result));
	return text;
}

std::string as_json(const results &all, int failed)
{
	auto list = nlohmann::ordered_json::array();
	for (const cprng_selftest_result &result : all)
		list.push_back({
			{ "engine", result.engine },
			{ "backend", result.backend },
			{ "usable", result.usable != 0 },
			{ "selected", result.selected != 0 },
			{ "failed", result.failed },
		});
	nlohmann::ordered_json document = {
		{ "version", cprng_version() },
		{ "failed", failed },
		{ "results", list },
	};
	return document.dump(2) + "\n";
}

int run_selftest(bool json)
{
	results all;
	int failed = cprng_selftest(collect, &all);
	print_beside_verdict(json ? as_json(all, failed) : as_table(all));
	if (failed != 0)
		throw runtime_failure(fmt::format("selftest: {} usable backend{} missed a known answer", failed,
						  failed == 1 ? "" : "s"));
	return 0;
}

} // namespace

void add_selftest(command_line &line)
{
	auto json = std::make_shared<bool>(false);
	command &command = line.add("Machine", "selftest", "run the known answers of every engine on every backend",
				    [json] { return run_selftest(*json); });
	command.flag("--json", *json, "print a JSON object");
	command.example("cprng selftest && echo sound", "in a script");
}
