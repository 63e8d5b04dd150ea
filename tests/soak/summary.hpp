// SPDX-License-Identifier: BSD-2-Clause
// The results of all rounds.
#ifndef CPRNG_SOAK_SUMMARY_HPP
#define CPRNG_SOAK_SUMMARY_HPP

#include "participants.hpp"
#include "check.hpp"

#include <string>

namespace soak {

class Summary {
public:
	Summary(const Options &options, std::string evidence_file);

	// Called after a round: counts, prints, and keeps evidence.
	void add(const Round &round, const Finding &finding, double seconds_drawn, double seconds_checked);

	// An error other than a repeat.
	void fail(const std::string &what);

	bool failed() const
	{
		return !failures_.empty();
	}

	void print(bool interrupted) const;
	void write_json(const std::string &file, bool interrupted) const;

private:
	void judge(Mix mix, const Finding &finding);
	std::uint64_t draws() const;

	Options options_;
	std::string evidence_file_;
	std::vector<std::string> failures_;
	std::uint64_t rounds_[mixes] = {}, counts_[counts] = {}, bytes_ = 0, participants_ = 0, processes_ = 0;
	Finding all_;
	double drawn_ = 0, checked_ = 0, outputs_by_chance_ = 0;
	std::uint64_t alone_ = 0, evidence_kept_ = 0;
};

} // namespace soak

#endif
