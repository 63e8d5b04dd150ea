// SPDX-License-Identifier: BSD-2-Clause
#include "common/json.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "common/error.hpp"

std::string json_string(std::string_view what, std::string_view text)
{
	try {
		return nlohmann::json(text).dump();
	} catch (const nlohmann::json::type_error &) {
		throw runtime_failure(fmt::format("{}: not UTF-8, which JSON demands", what));
	}
}

std::string json_part(std::string_view what, std::string_view text)
{
	const std::string whole = json_string(what, text);
	return whole.substr(1, whole.size() - 2);
}
