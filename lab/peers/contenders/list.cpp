// SPDX-License-Identifier: BSD-2-Clause
#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "../../common/error.hpp"
#include "contender.hpp"

namespace lab {

const std::vector<contender_info> &contenders()
{
	static const contender_list all = [] {
		contender_list list;
		for (const auto add : { add_library, add_parts, add_kernel, add_c_library, add_newer_c_library, add_cpu,
					add_sodium, add_sodium_internal, add_openssl, add_languages, add_randp_library,
					add_randp, add_standard, add_peers })
			add(list);
		return list;
	}();
	return all;
}

const contender_info &find_contender(std::string_view name)
{
	const auto &all = contenders();
	const auto found = std::find_if(all.begin(), all.end(), [name](const auto &info) { return info.name == name; });
	if (found != all.end())
		return *found;
	std::string names;
	for (const contender_info &info : all)
		names += " " + info.name;
	throw usage_error(fmt::format("no contender '{}'; there are:{}", name, names));
}

std::string beside_this_program(const std::string &name)
{
	return std::filesystem::read_symlink("/proc/self/exe").parent_path() / name;
}

} // namespace lab
