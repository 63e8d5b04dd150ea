// SPDX-License-Identifier: BSD-2-Clause
// Up to twice as many threads as CPUs: 32-bit draws, and 256-byte requests.
#include <algorithm>
#include <deque>

#include <fmt/format.h>

#include "../../common/machine.hpp"
#include "../contenders/timing.hpp"
#include "others.hpp"

namespace lab::others {

namespace {

constexpr std::size_t request_size = 256;
constexpr const char *names[] = { "32 bits", "256 B" };
// The length of a measurement relative to --seconds: there are many, and they vary less than those of Fortuna's locks.
constexpr double part_of_seconds = 0.2;

// All numbers up to 8, then powers of two, then the maximum.
std::vector<unsigned int> numbers_of_threads()
{
	constexpr unsigned int dense = 8;
	const unsigned int most = 2 * cpus();
	std::vector<unsigned int> all;
	for (unsigned int n = 1; n < most; n = n < dense ? n + 1 : n * 2)
		all.push_back(n);
	all.push_back(most);
	return all;
}

struct threads_row {
	const contender_info *info;
	work::kind what;
	std::vector<std::vector<double>> rates; // calls per second, for each number of threads
};

class threads : public section {
public:
	explicit threads(const options &chosen)
	    : seconds_(chosen.seconds * part_of_seconds), counts_(numbers_of_threads())
	{
		for (const contender_info *info : chosen.chosen())
			for (const work::kind what : { work::bits32, work::fill })
				rows_.push_back({ info, what, std::vector<std::vector<double>>(counts_.size()) });
	}

	// All numbers of threads in turn, starting with a different one each time, because their ratios are reported.
	void plan(schedule &all) override
	{
		for (threads_row &r : rows_)
			if (r.info->absent.empty())
				all.add_kept(seconds_ * static_cast<double>(counts_.size()),
					     [this, &r] { run_all(r); });
	}

	void report_to(report &to) const override
	{
		to.settings()["threads"] = counts_;
		table t("others_threads", "Threads: millions of calls in a second, in total",
			{ { "contender", "contender" },
			  { "what", "what" },
			  { "threads", "threads" },
			  { "rate", "M/s" },
			  { "factor", "times one\nthread's" },
			  { "here", "" } });
		nlohmann::ordered_json raw = nlohmann::ordered_json::array();
		for (const threads_row &r : rows_) {
			const char *name = names[r.what == work::fill];
			if (!r.info->absent.empty())
				t.add({ word(r.info->name), word(name), nothing(), nothing(), nothing(),
					word(availability(*r.info)) });
			for (std::size_t i = 0; i < counts_.size() && r.info->absent.empty(); i++) {
				std::vector<double> rates, factors;
				for (std::size_t n = 0; n < r.rates[i].size(); n++) {
					rates.push_back(r.rates[i][n] * 1e-6);
					factors.push_back(r.rates[i][n] / r.rates[0][n]);
					raw.push_back({ { "contender", r.info->name },
							{ "what", name },
							{ "threads", counts_[i] },
							{ "calls_per_second", r.rates[i][n] } });
				}
				t.add({ word(r.info->name), word(name), whole(counts_[i]), measured(rates),
					measured(factors), word(availability(*r.info)) });
			}
		}
		t.note(fmt::format(
			"By wall time, from the first thread's beginning to the last one's end, in one process; {} CPUs.  "
			"A generator that has no\nlock has a state for each thread.",
			cpus()));
		t.draw({ plot::axis::threads, "threads", { "rate" }, "millions of calls in a second" });
		t.draw({ plot::axis::threads, "threads", { "factor" }, "times the rate of one thread" });
		to.add(t, raw);
	}

private:
	void run_all(threads_row &r)
	{
		std::vector<double> done(counts_.size());
		if (!in_turn(counts_.size(), turn_++, [&](std::size_t i) { done[i] = rate(r, counts_[i]); }))
			return;
		for (std::size_t i = 0; i < counts_.size(); i++)
			r.rates[i].push_back(done[i]);
	}

	double rate(const threads_row &r, unsigned int count) const
	{
		unsigned char buf[request_size];
		const work w = { r.what, buf, sizeof(buf), nullptr, 0 };
		if (r.info->in_this_program())
			return calls_a_second(r.info->make, w, count, seconds_);
		const auto total = r.info->make()->run_in_threads(w, count, seconds_);
		return total->calls / total->seconds;
	}

	double seconds_;
	std::vector<unsigned int> counts_;
	std::size_t turn_ = 0;
	std::deque<threads_row> rows_;
};

} // namespace

std::unique_ptr<section> make_threads(const options &chosen)
{
	return std::make_unique<threads>(chosen);
}

} // namespace lab::others
