// SPDX-License-Identifier: BSD-2-Clause
// cprng stream: the keystream of a named engine.
#include <cstdint>
#include <memory>
#include <string>

#include "bytes/keystream.hpp"
#include "common/buffer.hpp"
#include "output/pump.hpp"
#include "shell/commands.hpp"

namespace {

struct stream_arguments {
	keystream_options key;
	seed_options seed;
	std::string offset = "0";
	std::string size;
	bool progress = false;
	bool force = false;
};

int run_stream(const stream_arguments &arguments)
{
	const keystream source(arguments.key, arguments.seed);
	const std::uint64_t offset = parse_size("--offset", arguments.offset);
	const amount size = source.check_end(offset, parse_amount("SIZE", arguments.size));
	output_options options;
	options.progress = arguments.progress;
	output out(options);
	if (!arguments.force)
		out.refuse_terminal("stream", "--force");
	out.expect(size);
	auto make = [&source](std::uint64_t begin, std::size_t count, char *to) {
		source.read(begin, to, count);
		return count;
	};
	pump({ make, offset, size, wiped_buffer::usual_size, wiped_buffer::usual_size }, out);
	out.finish();
	return 0;
}

} // namespace

void add_stream(command_line &line)
{
	auto arguments = std::make_shared<stream_arguments>();
	command &command = line.add("Keystreams", "stream", "write the keystream of an engine; not for secrets",
				    [arguments] { return run_stream(*arguments); });
	add_keystream_options(command, arguments->key);
	add_seed_options(command, arguments->seed);
	command.option("--offset", arguments->offset, "SIZE", "skip so many bytes of the keystream (0)");
	command.positional("SIZE", arguments->size, "how many bytes");
	command.flag("--progress", arguments->progress, "show the progress on standard error");
	command.flag("--force", arguments->force, "write even to a terminal");
	command.note("SIZE is that of cprng bytes.");
	command.example("cprng stream --engine chacha8 --key $(printf %064d 7) 1MB", "the same megabyte each time");
	command.example("cprng stream --seed 42 --stream 3 1MB", "that of worker 3 of an experiment");
}
