// SPDX-License-Identifier: BSD-2-Clause
// cprng info: what serves the draws of this process.
#include <string>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cprng/cprng.h>

#include "commands.hpp"
#include "output.hpp"

namespace {

// In the order of struct cprng_info, under its names.
nlohmann::ordered_json collect()
{
	cprng_info info;
	cprng_get_info(&info);
	return {
		{ "version", cprng_version() },
		{ "engine", info.engine },
		{ "backend", info.backend },
		{ "placement", info.placement },
		{ "entropy", info.entropy },
		{ "fork_guard", info.fork_guard },
		{ "memory_lock", info.memory_lock },
		{ "cpus", info.cpus },
		{ "state_bytes", info.state_bytes },
		{ "buffer_bytes", info.buffer_bytes },
		{ "refills_per_reseed", info.refills_per_reseed },
		{ "seconds_per_reseed", info.seconds_per_reseed },
	};
}

std::string as_text(const nlohmann::ordered_json &fields)
{
	std::string text;
	for (const auto &[name, value] : fields.items())
		text += fmt::format("{:<20}{}\n", name, value.is_string() ? value.get<std::string>() : value.dump());
	return text;
}

} // namespace

int run_info(const query_arguments &arguments)
{
	nlohmann::ordered_json fields = collect();
	output out;
	out.write(arguments.json ? fields.dump(2) + "\n" : as_text(fields));
	out.finish();
	return 0;
}
