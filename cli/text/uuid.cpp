// SPDX-License-Identifier: BSD-2-Clause
// cprng uuid: identifiers.
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include <fmt/format.h>

#include <cprng/cprng.h>

#include "common/error.hpp"
#include "common/source.hpp"
#include "common/wiped.hpp"
#include "shell/commands.hpp"
#include "shell/values.hpp"

namespace {

struct uuid_arguments {
	values_arguments values;
	std::optional<std::string> version;
	bool random = false;
	bool time = false;
};

// A version 4 UUID may be a secret, such as a token.
using uuid = wiped_array<std::uint8_t, 16>;
using uuid_text = wiped_array<char, 37>;

int run_uuid(const uuid_arguments &arguments)
{
	if (arguments.random + arguments.time + arguments.version.has_value() > 1)
		throw usage_error("VERSION, -4 and -7 exclude each other");
	const std::string version = arguments.version ? *arguments.version : arguments.time ? "7" : "4";
	const bool is_random = version == "4" || version == "v4";
	if (!is_random && version != "7" && version != "v7")
		throw usage_error(
			fmt::format("VERSION: {} is not supported; versions are 4 (random) and 7 (time and random)",
				    quote(version)));
	require_entropy();
	uuid id;
	uuid_text text;
	print_values(arguments.values, [&](value_writer &writer) {
		if (is_random)
			cprng_uuid4(id.data());
		else
			check_library("VERSION", cprng_uuid7(id.data()));
		cprng_uuid_text(text.data(), id.data());
		writer.put_quoted({ text.data(), text.size() - 1 });
	});
	return 0;
}

} // namespace

void add_uuid(command_line &line)
{
	auto arguments = std::make_shared<uuid_arguments>();
	command &command = line.add("Text", "uuid", "UUIDs (RFC 9562)", [arguments] { return run_uuid(*arguments); });
	command.positional("VERSION", arguments->version, "4: random (the default); 7: time and random, in order",
			   { "4", "7" });
	command.flag("-4", arguments->random, "the same as 4 or v4");
	command.flag("-7", arguments->time, "the same as 7 or v7");
	add_values_arguments(command, arguments->values, "UUIDs");
	command.example("cprng uuid", "a random one");
	command.example("cprng uuid 7 -n 3", "three that sort by time, for keys of a database");
}
