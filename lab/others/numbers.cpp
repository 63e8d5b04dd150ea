// SPDX-License-Identifier: BSD-2-Clause
// Numbers of 8 to 64 bits, and below a bound; and what all of these measurements have in common.
#include <algorithm>
#include <deque>
#include <random>

#include <fmt/format.h>

#include "../contenders/timing.hpp"
#include "others.hpp"

namespace lab::others {

std::vector<const contender_info *> options::chosen() const
{
	std::vector<const contender_info *> list;
	for (const contender_info &info : contenders())
		if (only.empty() || std::find(only.begin(), only.end(), info.name) != only.end())
			list.push_back(&info);
	return list;
}

std::string here(const contender_info &info)
{
	return info.absent.empty() ? "here" : "not here: " + info.absent;
}

const std::vector<std::uint32_t> &many_bounds()
{
	constexpr std::size_t count = 1024;
	constexpr std::uint32_t most = 0x100000;
	static const std::vector<std::uint32_t> bounds = [] {
		std::mt19937 chance(1); // NOLINT: the same ones in every run
		std::vector<std::uint32_t> list(count);
		for (std::uint32_t &bound : list)
			bound = 1 + chance() % most;
		return list;
	}();
	return bounds;
}

namespace {

const work works[] = {
	{ work::bits8 },
	{ work::bits16 },
	{ work::bits32 },
	{ work::bits64 },
	{ work::below, nullptr, 0, &one_bound, 1 },
	{ work::below, nullptr, 0, many_bounds().data(), many_bounds().size() },
};
constexpr const char *keys[] = { "bits8", "bits16", "bits32", "bits64", "below_one", "below_many" };

struct row {
	const contender_info *info;
	std::unique_ptr<contender> source;
	std::uint64_t calls[std::size(works)];
	std::vector<double> ns[std::size(works)];
};

class numbers : public section {
public:
	explicit numbers(const options &chosen) : seconds_(chosen.seconds / std::size(works))
	{
		for (const contender_info *info : chosen.chosen())
			rows_.push_back({ info, nullptr, {}, {} });
	}

	void plan(schedule &all) override
	{
		for (row &r : rows_)
			if (r.info->absent.empty())
				all.add_kept(seconds_ * std::size(works), [this, &r] { run(r); });
	}

	void tell(report &to) const override
	{
		table t("others", "Numbers by the contenders that are here: ns of CPU time for each",
			{ { "contender", "contender" },
			  { "bits8", "8 bits" },
			  { "bits16", "16 bits" },
			  { "bits32", "32 bits" },
			  { "bits64", "64 bits" },
			  { "below_one", "below\na bound" },
			  { "below_many", "below\nmany" },
			  { "cryptographic", "crypto-\ngraphic" },
			  { "description", "what it is" },
			  { "here", "" } });
		nlohmann::ordered_json raw = nlohmann::ordered_json::array();
		for (const row &r : rows_) {
			std::vector<cell> cells = { word(r.info->name) };
			for (std::size_t i = 0; i < std::size(works); i++) {
				cells.push_back(measured(spread_of(r.ns[i])));
				for (const double ns : r.ns[i])
					raw.push_back(
						{ { "contender", r.info->name }, { "what", keys[i] }, { "ns", ns } });
			}
			cells.push_back(word(r.info->cryptographic ? "yes" : "no"));
			cells.push_back(word(r.info->description));
			cells.push_back(word(here(*r.info)));
			t.add(std::move(cells));
		}
		t.note(fmt::format(
			"In a loop that uses each number, the generator's state in memory in between.  Below {}, and below {} bounds\n"
			"in turn from 1 to 2^20: by the generator's own function where it has one.  A generator of bytes gives numbers\n"
			"as requests of 1 to 8 bytes; a generator of words of 32 or 64 bits, as their upper bits, and one of -halves both\n"
			"halves of 64.  Rust's and Go's are measured by programs of their own, where their draws are inlined.",
			one_bound, many_bounds().size()));
		t.draw({ plot::axis::categories,
			 "contender",
			 { "bits8", "bits16", "bits32", "bits64" },
			 "ns for each" });
		t.draw({ plot::axis::categories,
			 "contender",
			 { "below_one", "below_many" },
			 "ns for each below a bound" });
		to.add(t, raw);
	}

private:
	void run(row &r) const
	{
		if (!r.source)
			r.source = r.info->make();
		for (std::size_t i = 0; i < std::size(works) && !interrupted(); i++) {
			if (r.calls[i] == 0)
				r.calls[i] = calls_for(*r.source, works[i], seconds_);
			if (interrupted())
				return;
			const double took = r.source->run(works[i], r.calls[i]);
			r.ns[i].push_back(took / static_cast<double>(r.calls[i]) * 1e9);
		}
	}

	double seconds_;
	std::deque<row> rows_;
};

} // namespace

std::unique_ptr<section> make_numbers(const options &chosen)
{
	return std::make_unique<numbers>(chosen);
}

} // namespace lab::others
