// SPDX-License-Identifier: BSD-2-Clause
// Where to write, on the command line.
#ifndef CPRNG_CLI_OUTPUT_OPTIONS_HPP
#define CPRNG_CLI_OUTPUT_OPTIONS_HPP

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

// -o; and, for outputs that may fill a device, --offset, --yes and --progress.
void add_output_arguments(command &command, output_arguments &arguments, bool device);

output_options parse_output(const output_arguments &arguments);

#endif
