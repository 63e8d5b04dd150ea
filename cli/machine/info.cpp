// SPDX-License-Identifier: BSD-2-Clause
// cprng info: the implementation that serves this process's draws.
#include <cstdint>
#include <memory>
#include <string>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cprng/cprng.h>

#include "common/source.hpp"
#include "output/output.hpp"
#include "shell/commands.hpp"

namespace {

// In the order of struct cprng_strong_info, with its names.
nlohmann::ordered_json collect_strong()
{
	cprng_strong_info info;
	cprng_get_strong_info(&info, sizeof(info));
	auto sources = nlohmann::ordered_json::array();
	for (std::uint32_t i = 0; i < info.sources; i++)
		sources.push_back({
			{ "name", info.source[i].name },
			{ "state", info.source[i].state },
			{ "events", info.source[i].events },
			{ "samples", info.source[i].samples },
		});
	return {
		{ "engine", info.engine },   { "backend", info.backend }, { "locked_reads", info.locked_reads != 0 },
		{ "reseeds", info.reseeds }, { "events", info.events },   { "dropped", info.dropped },
		{ "sources", sources },
	};
}

// In the order of struct cprng_info, with its names.
nlohmann::ordered_json collect()
{
	cprng_info info;
	cprng_get_info(&info, sizeof(info));
	return {
		{ "version", cprng_version() },
		{ "engine", info.engine },
		{ "backend", info.backend },
		{ "placement", info.placement },
		{ "entropy", info.entropy },
		{ "fork_guard", info.fork_guard },
		{ "memory_lock", info.memory_lock },
		{ "buffers", info.buffers },
		{ "state_bytes", info.state_bytes },
		{ "buffer_bytes", info.buffer_bytes },
		{ "refills_per_reseed", info.refills_per_reseed },
		{ "seconds_per_reseed", info.seconds_per_reseed },
		{ "announcements", info.announcements },
		{ "generation_file", info.generation_file },
		{ "generation_file_state", info.generation_file_state },
		{ "strong", collect_strong() },
	};
}

std::string as_line(const std::string &name, const nlohmann::ordered_json &value)
{
	return fmt::format("{:<22}{}\n", name, value.is_string() ? value.get<std::string>() : value.dump());
}

// One field a line.  A nested field has its object's name as prefix; for a source, print only the state.
std::string as_text(const nlohmann::ordered_json &fields, const std::string &prefix = "")
{
	std::string text;
	for (const auto &[name, value] : fields.items()) {
		if (value.is_object())
			text += as_text(value, name + "_");
		else if (value.is_array())
			for (const auto &source : value)
				text += as_line("source_" + source["name"].get<std::string>(), source["state"]);
		else
			text += as_line(prefix + name, value);
	}
	return text;
}

int run_info(bool json)
{
	require_entropy();
	nlohmann::ordered_json fields = collect();
	print(json ? fields.dump(2) + "\n" : as_text(fields));
	return 0;
}

} // namespace

void add_info(command_line &line)
{
	auto json = std::make_shared<bool>(false);
	command &command =
		line.add("Machine", "info", "print how draws are served", [json] { return run_info(*json); });
	command.flag("--json", *json, "print a JSON object");
	command.example("cprng info --json | jq -r .backend", "one field, for a program");
}
