// SPDX-License-Identifier: BSD-2-Clause
#include "shell/output_arguments.hpp"

#include "common/quantity.hpp"

void add_output_arguments(command &command, output_arguments &arguments)
{
	command.option("-o,--output", arguments.file, "FILE", "write to FILE, not to standard output (-)");
}

void add_device_arguments(command &command, output_arguments &arguments, bool can_be_raw)
{
	add_output_arguments(command, arguments);
	if (can_be_raw)
		command.option("--offset", arguments.offset, "SIZE", "begin there on a block device (0)");
	command.flag("--yes", arguments.yes, "overwrite a block device without a question");
	command.flag("--progress", arguments.progress, "show how far it is, on standard error");
}

output_options parse_output(const output_arguments &arguments)
{
	output_options options;
	options.file = arguments.file;
	options.yes = arguments.yes;
	options.progress = arguments.progress;
	options.has_offset = arguments.offset.has_value();
	if (arguments.offset)
		options.offset = parse_size("--offset", *arguments.offset);
	return options;
}
