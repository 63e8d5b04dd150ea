// SPDX-License-Identifier: BSD-2-Clause
// cprng-lab tour.
#include <memory>

#include <CLI/CLI.hpp>

#include "../commands.hpp"
#include "tour.hpp"

std::function<void()> lab::add_tour(CLI::App &app)
{
	const auto chosen = std::make_shared<tour::options>();
	add_run_options(app, *chosen);
	CLI::Option *targets = app.add_flag("--targets", chosen->targets, tour::about_targets);
	app.add_flag("--no-measurements", chosen->no_measurements, tour::about_no_measurements)->excludes(targets);
	return [chosen] { tour::run(*chosen); };
}
