// SPDX-License-Identifier: BSD-2-Clause
// What a command of the lab leaves behind: tables on standard output, and everything in a JSON file.
#ifndef CPRNG_LAB_COMMON_REPORT_HPP
#define CPRNG_LAB_COMMON_REPORT_HPP

#include <string>

#include <nlohmann/json.hpp>

#include "run.hpp"
#include "table.hpp"

namespace lab {

class report {
public:
	// Made before anything is measured.  Throws when the file cannot be written: that is not for later.
	report(const std::string &command, const run_options &options);

	// What follows belongs to this command: for a report of several.
	void begin_part(const std::string &command);

	// Of the command's own.
	nlohmann::ordered_json &settings()
	{
		return part_.empty() ? document_["settings"] : document_["settings"][part_];
	}

	// Printed with a note on its spreads, and kept with the repetitions that it was made of.
	void add(table t, nlohmann::ordered_json repetitions);
	void add_text(const std::string &name, const std::string &text);

	// How quiet the machine was; of a document of several schedules, during which.
	void add_others(const schedule &all, const std::string &during = "");

	// Writes the file.  Throws when that or standard output has failed.
	void finish();

private:
	nlohmann::ordered_json document_;
	std::string file_, part_;
};

} // namespace lab

#endif
