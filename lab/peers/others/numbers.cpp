// SPDX-License-Identifier: BSD-2-Clause
// Numbers of 8 to 64 bits, numbers below a bound, and the common parts of these measurements.
#include <algorithm>
#include <deque>
#include <random>

#include <fmt/format.h>

#include "../../common/modes.hpp"
#include "../contenders/layouts.hpp"
#include "../contenders/timing.hpp"
#include "others.hpp"

namespace lab::others {

std::vector<const contender_info *> options::chosen() const
{
	std::vector<const contender_info *> list;
	for (const contender_info &info : contenders())
		if (only.empty() ? !info.part : std::find(only.begin(), only.end(), info.name) != only.end())
			list.push_back(&info);
	return list;
}

std::string availability(const contender_info &info)
{
	return info.absent.empty() ? "here" : "not here: " + info.absent;
}

const std::vector<std::uint32_t> &many_bounds()
{
	constexpr std::size_t count = 1024;
	constexpr std::uint32_t most = 0x100000;
	static const std::vector<std::uint32_t> bounds = [] {
		std::mt19937 chance(1); // NOLINT: the same sequence in every run
		std::vector<std::uint32_t> list(count);
		for (std::uint32_t &bound : list)
			bound = 1 + chance() % most;
		return list;
	}();
	return bounds;
}

namespace {

constexpr std::size_t request = 256;

const work works[] = {
	{ work::bits8 },
	{ work::bits16 },
	{ work::bits32 },
	{ work::bits64 },
	{ work::below, nullptr, 0, &one_bound, 1 },
	{ work::below, nullptr, 0, many_bounds().data(), many_bounds().size() },
	{ work::fill, nullptr, request, nullptr, 0 },
};
constexpr const char *keys[] = { "bits8", "bits16", "bits32", "bits64", "below_one", "below_many", "bytes256" };
constexpr const char *headings[] = {
	"8 bits", "16 bits", "32 bits", "64 bits", "below\na bound", "below\nmany", "256 B"
};
constexpr std::size_t bits32 = 2; // index into the works above

struct value {
	double ns;
	std::string layout;
	unsigned int process;
};

struct numbers_row {
	const contender_info *info;
	unsigned int processes;
	std::uint64_t calls[std::size(works)];
	std::vector<value> values[std::size(works)];

	std::vector<double> ns(std::size_t which) const
	{
		return values_of(values[which], &value::ns);
	}
};

// The works with bimodal values, and their modes.
cell modes(const numbers_row &r)
{
	std::string text;
	for (std::size_t i = 0; i < std::size(works); i++) {
		const std::vector<double> ns = r.ns(i);
		if (!has_two_modes(ns))
			continue;
		const two_classes two = classes_of(ns);
		std::string heading = headings[i];
		std::replace(heading.begin(), heading.end(), '\n', ' ');
		text += fmt::format("{}{}: {} and {} ({} of {})", text.empty() ? "" : "; ", heading,
				    three_digits(two.low), three_digits(two.high), two.high_count, ns.size());
	}
	return text.empty() ? nothing() : word(text);
}

std::vector<table::column> columns()
{
	std::vector<table::column> all = { { "contender", "contender" } };
	for (std::size_t i = 0; i < std::size(works); i++) {
		all.push_back({ keys[i], headings[i] });
		if (i == bits32) {
			all.push_back({ "bits32_least", "32 bits\nleast" });
			all.push_back({ "bits32_most", "32 bits\nmost" });
		}
	}
	all.insert(all.end(), { { "two_modes", "two modes" },
				{ "cryptographic", "crypto-\ngraphic" },
				{ "description", "what it is" },
				{ "here", "" } });
	return all;
}

void add_row(const numbers_row &r, table &t, nlohmann::ordered_json &raw)
{
	std::vector<cell> cells = { word(r.info->name) };
	for (std::size_t i = 0; i < std::size(works); i++) {
		const spread s = spread_of(r.ns(i));
		cells.push_back(measured(s));
		if (i == bits32) {
			cells.push_back(figure(s, &spread::least));
			cells.push_back(figure(s, &spread::most));
		}
		for (const value &one : r.values[i])
			raw.push_back({ { "contender", r.info->name },
					{ "what", keys[i] },
					{ "ns", one.ns },
					{ "layout", one.layout },
					{ "process", one.process } });
	}
	cells.push_back(modes(r));
	cells.push_back(word(r.info->cryptographic ? "yes" : "no"));
	cells.push_back(word(r.info->description));
	cells.push_back(word(availability(*r.info)));
	t.add(std::move(cells));
}

class numbers : public section {
public:
	explicit numbers(const options &chosen)
	    : seconds_(chosen.seconds / static_cast<double>(std::size(works) * layouts().size()))
	{
		for (const contender_info *info : chosen.chosen())
			rows_.push_back({ info, 0, {}, {} });
	}

	void plan(schedule &all) override
	{
		constexpr double seconds_of_a_process = 4e-3;
		for (numbers_row &r : rows_)
			if (r.info->absent.empty())
				all.add_kept((seconds_ * std::size(works) + seconds_of_a_process) *
						     static_cast<double>(layouts().size()),
					     [this, &r] { run(r); });
	}

	void report_to(report &to) const override
	{
		for (const layout &one : layouts())
			to.settings()["layouts"].push_back(one.name);
		table t("others", "Numbers by the contenders that are here: ns of CPU time for each", columns());
		nlohmann::ordered_json raw = nlohmann::ordered_json::array();
		for (const numbers_row &r : rows_)
			add_row(r, t, raw);
		t.note(fmt::format(
			"In a loop that uses each number, the generator's state in memory in between.  Below {}, and below {} bounds\n"
			"in turn from 1 to 2^20: by the generator's own function where it has one.  A generator of bytes gives numbers\n"
			"as requests of 1 to 8 bytes; a generator of words of 32 or 64 bits, as their upper bits, and one of -halves both\n"
			"halves of 64.  Rust's and Go's are measured by programs of their own, where their draws are inlined.",
			one_bound, many_bounds().size()));
		t.note(fmt::format(
			"Each value is of a process of its own, and there are {} in a repetition: of as many programs, whose code\n"
			"lies at other addresses (Rust and Go: one program).  ± and the range are over all of them.\n"
			"Two modes: Sarle's coefficient is above 5/9, and either mode has a fifth of the values; in brackets how many\n"
			"values the upper one has.  A median is no figure there.",
			layouts().size()));
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

	std::vector<double> ns(const std::string &contender, const std::string &key) const override
	{
		for (const numbers_row &r : rows_)
			for (std::size_t i = 0; i < std::size(works); i++)
				if (r.info->name == contender && key == keys[i])
					return r.ns(i);
		return {};
	}

private:
	// A process per layout, starting with a different one each time.
	void run(numbers_row &r) const
	{
		const std::size_t count = layouts().size();
		in_turn(count, r.processes / count, [&](std::size_t i) { run_process(r, layouts()[i]); });
	}

	void run_process(numbers_row &r, const layout &where) const
	{
		const unsigned int process = r.processes++;
		const auto source = in_layout(*r.info, where).make();
		for (std::size_t i = 0; i < std::size(works); i++) {
			if (r.calls[i] == 0)
				r.calls[i] = calls_for(*source, works[i], seconds_);
			else
				source->run(works[i], r.calls[i] / part_before + 1);
			if (interrupted())
				return;
			const double took = source->run(works[i], r.calls[i]);
			r.values[i].push_back({ took / static_cast<double>(r.calls[i]) * 1e9,
						has_own_layout(*r.info) ? "own" : where.name, process });
		}
	}

	double seconds_;
	std::deque<numbers_row> rows_;
};

} // namespace

std::unique_ptr<section> make_numbers(const options &chosen)
{
	return std::make_unique<numbers>(chosen);
}

} // namespace lab::others
