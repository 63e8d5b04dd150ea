// SPDX-License-Identifier: BSD-2-Clause
// cprng-lab report: render.py makes the page, because the plotting library is a Python package.
#include <cerrno>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "../commands.hpp"
#include "../common/error.hpp"

namespace lab {

namespace {

// Prefer the distribution's interpreter, which has its packages, to others in PATH.
constexpr const char *distributions_python = "/usr/bin/python3";

struct report_options {
	std::vector<std::string> runs;
	std::string output;
};

void run(const report_options &chosen)
{
	const char *const renderer = CPRNG_LAB_REPORT;
	if (access(renderer, R_OK) != 0)
		throw failure(
			fmt::format("cannot read {}: reports are made in the checkout that cprng-lab was built in",
				    renderer));
	const bool there = access(distributions_python, X_OK) == 0;
	std::vector<std::string> words = {
		there ? distributions_python : "python3", "-B", renderer, "-o", chosen.output, "--"
	};
	words.insert(words.end(), chosen.runs.begin(), chosen.runs.end());
	std::vector<char *> arguments;
	for (std::string &one : words)
		arguments.push_back(one.data());
	arguments.push_back(nullptr);
	execvp(arguments[0], arguments.data());
	throw failure(fmt::format("cannot start {}: {}", words[0], std::strerror(errno)));
}

} // namespace

std::function<void()> add_report(CLI::App &app)
{
	const auto chosen = std::make_shared<report_options>();
	app.add_option("RUN", chosen->runs, "JSON of a run")->required()->option_text("RUN.json ...");
	app.add_option("-o,--output", chosen->output, "the page")->required()->option_text("FILE");
	return [chosen] { run(*chosen); };
}

} // namespace lab
