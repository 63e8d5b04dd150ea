// SPDX-License-Identifier: BSD-2-Clause
#include "shell/values.hpp"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "shell/command_line.hpp"

void add_values_arguments(command &command, values_arguments &arguments, const std::string &noun)
{
	command.option("-n,--count", arguments.count, "COUNT", fmt::format("how many {}, one a line (1)", noun));
	command.flag("--json", arguments.json, "print a JSON array");
}

void value_writer::add(std::string_view text)
{
	while (!text.empty()) {
		if (used_ == buffer_.size()) {
			out_.write(buffer_.data(), used_);
			used_ = 0;
		}
		const std::size_t part = std::min(text.size(), buffer_.size() - used_);
		std::memcpy(buffer_.data() + used_, text.data(), part);
		used_ += part;
		text.remove_prefix(part);
	}
}

// In a JSON array: write what precedes a value, or the end of an empty array.
void value_writer::separate()
{
	if (any_) {
		add(", ");
		return;
	}
	any_ = true;
	add(before_);
	add("[");
}

void value_writer::put(std::string_view value)
{
	if (json_)
		separate();
	add(value);
	if (!json_)
		add("\n");
}

void value_writer::put_quoted(std::string_view value)
{
	if (!json_) {
		put(value);
		return;
	}
	separate();
	add("\"");
	add(value);
	add("\"");
}

void value_writer::finish()
{
	if (json_) {
		if (!any_)
			separate();
		add("]");
		add(after_);
		add("\n");
	}
	out_.write(buffer_.data(), used_);
	used_ = 0;
	out_.finish();
}
