// SPDX-License-Identifier: BSD-2-Clause
// A lab command's results: tables on standard output, and everything in a JSON file.
#ifndef CPRNG_LAB_COMMON_REPORT_HPP
#define CPRNG_LAB_COMMON_REPORT_HPP

#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "run.hpp"
#include "table.hpp"

namespace lab {

class report {
public:
	// Construct before measuring.  Throws at once if the file cannot be written.
	report(const std::string &command, const run_options &options);

	// In a report of several commands: what follows belongs to this one.
	void begin_part(const std::string &command);

	// The command's own settings.
	nlohmann::ordered_json &settings()
	{
		return part_.empty() ? document_["settings"] : document_["settings"][part_];
	}

	// Print the table with a note on its spreads, and keep it with its repetitions.
	void add(table t, nlohmann::ordered_json repetitions);
	void add_text(const std::string &name, const std::string &text);

	// The machine's other load; in a document of several schedules, during which one.
	void add_others(const schedule &all, const std::string &during = "");

	// Writes the file.  Throws if that or standard output has failed.
	void finish();

private:
	nlohmann::ordered_json document_;
	std::string file_, part_;
};

// Writes the text to a file that is opened in this mode.  Throws if that fails.
void write_file(const std::string &file, std::string_view text, const char *mode);

// One kind of measurement of a command: plans its runs, and reports on them afterwards.
class section {
public:
	virtual ~section() = default;
	virtual void plan(schedule &all) = 0;
	virtual void report_to(report &to) const = 0;
};

// Plans the sections together, measures, and lets them report.
template <typename Sections> schedule run_sections(const Sections &sections, const run_options &chosen, report &to)
{
	schedule all;
	for (const auto &s : sections)
		s->plan(all);
	all.run(chosen.repetitions, chosen.patience);
	for (const auto &s : sections)
		s->report_to(to);
	return all;
}

} // namespace lab

#endif
