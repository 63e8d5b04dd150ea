// SPDX-License-Identifier: BSD-2-Clause
#include "layouts.hpp"

#include <algorithm>
#include <filesystem>

#include "program.hpp"

namespace lab {

namespace {

constexpr const char *self = "/proc/self/exe";

std::vector<layout> find_layouts()
{
	std::vector<layout> all;
	std::error_code none;
	for (const auto &file : std::filesystem::directory_iterator(beside_this_program("lab-layouts"), none))
		if (const std::string name = file.path().filename();
		    name.find_first_not_of("0123456789") == std::string::npos)
			all.push_back({ name, file.path() });
	std::sort(all.begin(), all.end(),
		  [](const layout &a, const layout &b) { return std::stoul(a.name) < std::stoul(b.name); });
	if (all.empty())
		all.push_back({ "own", self });
	return all;
}

} // namespace

const std::vector<layout> &layouts()
{
	static const std::vector<layout> all = find_layouts();
	return all;
}

contender_info in_layout(const contender_info &info, const layout &where)
{
	contender_info moved = info;
	if (info.in_this_program()) {
		moved.program = { where.program, "others-child" };
		moved.there = info.name;
	} else if (info.runs_again) {
		const std::string this_program = std::filesystem::read_symlink(self);
		for (std::string &word : moved.program)
			if (word == self || word == this_program)
				word = where.program == self ? this_program : where.program;
	}
	run_in_program(moved);
	return moved;
}

bool has_own_layout(const contender_info &info)
{
	return !info.in_this_program() && !info.runs_again;
}

} // namespace lab
