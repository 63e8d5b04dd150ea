// SPDX-License-Identifier: BSD-2-Clause
#include "report.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <vector>

#include <fmt/format.h>

#include "build.hpp"
#include "error.hpp"
#include "machine.hpp"

namespace lab {

namespace {

// Ignores errors here: finish() checks.
void print(const std::string &text)
{
	std::fputs(text.c_str(), stdout);
}

// One line per member: fully indented, the values would take thousands of lines.
std::string text_of(const nlohmann::ordered_json &document)
{
	std::string text;
	for (const auto &[key, value] : document.items())
		text += fmt::format("{}\n\"{}\": {}", text.empty() ? "{" : ",", key, value.dump());
	return text + "\n}\n";
}

// In uptime(1)'s format.
std::string load_text(const nlohmann::ordered_json &load)
{
	return load.is_array() ? fmt::format("{:.2f}", fmt::join(load.get<std::vector<double>>(), " ")) : "unknown";
}

} // namespace

void write_file(const std::string &file, std::string_view text, const char *mode)
{
	std::FILE *out = std::fopen(file.c_str(), mode);
	const bool written = out != nullptr && std::fwrite(text.data(), 1, text.size(), out) == text.size();
	if (out == nullptr || std::fclose(out) != 0 || !written)
		throw failure(fmt::format("cannot write {}: {}", file, std::strerror(errno)));
}

report::report(const std::string &command, const run_options &options) : file_(options.json)
{
	// "a": keep the old contents until the new ones exist.
	if (!file_.empty())
		write_file(file_, "", "a");
	document_["program"] = "cprng-lab";
	document_["command"] = command;
	document_["machine"] = describe_machine();
	document_["build"] = describe_build();
	document_["peers"] = describe_peers();
	document_["load_before"] = load_average();
	document_["load_after"] = nullptr;
	document_["interrupted"] = false;
	document_["settings"] = { { "seconds", options.seconds },
				  { "repetitions", options.repetitions },
				  { "quick", options.quick },
				  { "patience", options.patience } };
	document_["tables"] = nlohmann::ordered_json::object();
	document_["repetitions"] = nlohmann::ordered_json::object();
	print(fmt::format("cprng-lab {}, commit {}\n{}\n\n", command, document_["build"]["commit"].get<std::string>(),
			  machine_text(document_["machine"])));
}

void report::begin_part(const std::string &command)
{
	part_ = command;
	document_["load_before_parts"][command] = load_average();
	settings() = nlohmann::ordered_json::object();
	print(fmt::format("---- {}\n\n", command));
}

void report::add(table t, nlohmann::ordered_json repetitions)
{
	t.note_spreads();
	document_["tables"][t.name()] = t.to_json();
	if (!repetitions.is_null())
		document_["repetitions"][t.name()] = std::move(repetitions);
	print(t.print() + "\n\n");
}

void report::add_text(const std::string &name, const std::string &text)
{
	document_["texts"][name] = text;
	print(text + "\n\n");
}

void report::add_others(const schedule &all, const std::string &during)
{
	const spread s = spread_of(all.others().cpus());
	const nlohmann::ordered_json kept = { { "cpus", to_json(s) },
					      { "kept", all.kept() },
					      { "thrown_away", all.thrown_away() } };
	const std::string part = during.empty() ? part_ : during;
	(part.empty() ? document_["others"] : document_["others_of_parts"][part]) = kept;
	std::string cpus = "not known of so short a time";
	if (s.count != 0)
		cpus = fmt::format("{:.2f} (median), {:.2f} at the most, of a second each", s.median, s.most);
	print(fmt::format("CPUs used by other programs: {}; of all repetitions {} were kept and {} were not\n\n", cpus,
			  all.kept(), all.thrown_away()));
}

void report::finish()
{
	document_["load_after"] = load_average();
	document_["interrupted"] = interrupted();
	print(fmt::format("load average before: {}, after: {}{}\n", load_text(document_["load_before"]),
			  load_text(document_["load_after"]),
			  interrupted() ? "; interrupted: not all was measured" : ""));
	if (!file_.empty())
		write_file(file_, text_of(document_), "w");
	if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0)
		throw failure("cannot write to standard output");
}

} // namespace lab
