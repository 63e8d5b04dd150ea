// SPDX-License-Identifier: BSD-2-Clause
// Output of values: one per line, or as the elements of a JSON array.
#ifndef CPRNG_CLI_SHELL_VALUES_HPP
#define CPRNG_CLI_SHELL_VALUES_HPP

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "common/buffer.hpp"
#include "common/quantity.hpp"
#include "output/output.hpp"

// -n and --json of the commands that print values.
struct values_arguments {
	std::string count = "1";
	bool json = false;
};

class command;

// noun: "numbers"
void add_values_arguments(command &command, values_arguments &arguments, const std::string &noun);

class value_writer {
public:
	// before, after: the text around the array, if it is a member of a JSON object.
	explicit value_writer(bool json, std::string before = {}, std::string after = {})
	    : json_(json), before_(std::move(before)), after_(std::move(after))
	{
	}

	// value: a number, or JSON text if the output is an array.
	void put(std::string_view value);
	// The same for a text that needs quotes in JSON but no escapes.
	void put_quoted(std::string_view value);
	void finish();

private:
	void add(std::string_view text);
	void separate();

	output out_;
	wiped_buffer buffer_;
	std::size_t used_ = 0;
	bool json_;
	std::string before_;
	std::string after_;
	bool any_ = false;
};

// Write the requested number of values, which put() supplies one at a time.
template <typename Put> void print_values(const values_arguments &arguments, Put put)
{
	amount left = parse_amount("--count", arguments.count);
	value_writer writer(arguments.json);
	while (left.take(1) > 0)
		put(writer);
	writer.finish();
}

#endif
