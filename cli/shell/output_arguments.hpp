// SPDX-License-Identifier: BSD-2-Clause
// Where to write, on the command line.
#ifndef CPRNG_CLI_SHELL_OUTPUT_ARGUMENTS_HPP
#define CPRNG_CLI_SHELL_OUTPUT_ARGUMENTS_HPP

#include <optional>
#include <string>

#include "output/output.hpp"
#include "shell/command_line.hpp"

struct output_arguments {
	std::optional<std::string> file;
	std::optional<std::string> offset;
	bool yes = false;
	bool progress = false;
};

// -o
void add_output_arguments(command &command, output_arguments &arguments);

// Adds -o; for outputs that may fill a device also --yes and --progress; for raw bytes also --offset.
void add_device_arguments(command &command, output_arguments &arguments, bool can_be_raw);

output_options parse_output(const output_arguments &arguments);

#endif
