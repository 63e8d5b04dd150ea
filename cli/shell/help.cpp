// SPDX-License-Identifier: BSD-2-Clause
// cprng help and version: these options as commands.
#include <memory>
#include <optional>
#include <string>

#include <fmt/format.h>

#include <cprng/cprng.h>

#include "output/output.hpp"
#include "shell/commands.hpp"

namespace {

int run_help(const command_line &line, const std::optional<std::string> &name)
{
	print(name ? line.help(*name) : line.help());
	return 0;
}

} // namespace

void add_help(command_line &line)
{
	auto name = std::make_shared<std::optional<std::string>>();
	command &command = line.add("Machine", "help", "print the help of a command, or of all",
				    [name, &line] { return run_help(line, *name); });
	command.positional("COMMAND", *name, "the command", line.names());
	command.example("cprng help password", "the same as cprng password --help");
	line.add("Machine", "version", "print the version", [] {
		    print(fmt::format("cprng {}\n", cprng_version()));
		    return 0;
	    }).example("cprng version", "the same as cprng --version");
}
