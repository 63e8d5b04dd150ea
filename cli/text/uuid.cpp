// SPDX-License-Identifier: BSD-2-Clause
// cprng uuid: identifiers.
#include "text/uuid.hpp"

#include <chrono>
#include <memory>
#include <string>

#include <fmt/format.h>

#include "common/error.hpp"
#include "shell/commands.hpp"
#include "shell/values.hpp"

namespace {

constexpr std::uint64_t counter_end = std::uint64_t{ 1 } << 12;

struct uuid_arguments {
	values_arguments values;
	std::optional<std::string> version;
	bool random = false;
	bool time = false;
};

// Sets the version in the upper half and the variant 10 in the lower.
uuid assemble(std::uint64_t high, std::uint64_t low, unsigned int version)
{
	high = (high & ~std::uint64_t{ 0xf000 }) | std::uint64_t{ version } << 12;
	low = (low & ~(std::uint64_t{ 3 } << 62)) | std::uint64_t{ 2 } << 62;
	uuid id;
	for (unsigned int i = 0; i < 8; i++) {
		id[i] = static_cast<std::uint8_t>(high >> (56 - 8 * i));
		id[8 + i] = static_cast<std::uint8_t>(low >> (56 - 8 * i));
	}
	return id;
}

std::uint64_t milliseconds_since_1970()
{
	using namespace std::chrono;
	const auto now = duration_cast<milliseconds>(system_clock::now().time_since_epoch()).count();
	// A clock without a battery may be before 1970.
	return now < 0 ? 0 : static_cast<std::uint64_t>(now);
}

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
	random_source &source = system_source();
	uuid7_maker maker;
	print_values(arguments.values, [&](value_writer &writer) {
		writer.put_quoted(as_view(
			as_text(is_random ? make_uuid4(source) : maker.make(source, milliseconds_since_1970()))));
	});
	return 0;
}

} // namespace

uuid_text as_text(const uuid &id)
{
	constexpr char digits[] = "0123456789abcdef";
	uuid_text text;
	char *next = text.data();
	for (std::size_t i = 0; i < id.size(); i++) {
		if (i == 4 || i == 6 || i == 8 || i == 10)
			*next++ = '-';
		*next++ = digits[id[i] >> 4];
		*next++ = digits[id[i] & 15];
	}
	return text;
}

uuid make_uuid4(random_source &source)
{
	const std::uint64_t high = source.word(64);
	return assemble(high, source.word(64), 4);
}

uuid uuid7_maker::make(random_source &source, std::uint64_t milliseconds)
{
	if (!any_ || milliseconds > last_) {
		last_ = milliseconds;
		counter_ = source.below(counter_end / 2);
	} else if (++counter_ == counter_end) {
		// More than two thousand in a millisecond: advance the time.
		last_++;
		counter_ = source.below(counter_end / 2);
	}
	any_ = true;
	return assemble(last_ << 16 | counter_, source.word(64), 7);
}

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
