// SPDX-License-Identifier: BSD-2-Clause
// Requests of 1 byte to 4 GiB.
#include <algorithm>
#include <cmath>
#include <deque>
#include <fstream>
#include <limits>
#include <optional>

#include <fmt/format.h>

#include "../../common/buffers.hpp"
#include "../../common/machine.hpp"
#include "../contenders/layouts.hpp"
#include "../contenders/timing.hpp"
#include "others.hpp"

namespace lab::others {

namespace {

// Larger sizes have a separate schedule with fewer repetitions.
constexpr std::uint64_t small_most = std::uint64_t{ 1 } << 20;

// A larger request runs once before the measurement if it takes less than this; otherwise the previous size was the warm-up.
constexpr double seconds_of_warm_up = 1;

// The longest request in seconds: RDSEED may take hours for 4 GiB, which no program requests from it.
constexpr double seconds_most_large = 15, seconds_most_small = 1, seconds_most_quick = 0.05;

// The estimated time of all sizes from 4 MiB on, between that of the kernel's generators and that of ciphers.
constexpr double seconds_of_a_byte = 1.5e-9;

std::uint64_t available_memory()
{
	std::ifstream in("/proc/meminfo");
	std::string name;
	std::uint64_t kib = 0;
	while (in >> name) {
		if (name == "MemAvailable:" && in >> kib)
			return kib * 1024;
		in.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
	}
	return 0;
}

struct measurement {
	std::uint64_t size, calls;
	std::vector<double> ns; // per request
	bool too_long;
};

struct fills_row {
	const contender_info *info;
	std::unique_ptr<contender> source;
	std::size_t turn; // index of the next layout
	std::deque<measurement> sizes;
};

class all_fills : public fills {
public:
	all_fills(const options &chosen, requests of)
	    : of_(std::move(of)), quick_(chosen.quick), seconds_(chosen.seconds / 5), wanted_(largest())
	{
		// Go's program needs as much again; an eighth remains for other programs.
		for (const std::uint64_t free = available_memory();
		     largest() > small_most && largest() > free / 16 * 7;)
			of_.sizes.pop_back();
		for (const contender_info *info : chosen.chosen()) {
			fills_row &r = rows_.emplace_back(fills_row{ info, nullptr, 0, {} });
			if (info->absent.empty())
				for (const std::uint64_t size : of_.sizes)
					r.sizes.push_back({ size, 0, {}, false });
		}
	}

	// Sizes in increasing order: the time of each predicts whether the next one takes too long.
	void plan(schedule &all, bool large) override
	{
		for (fills_row &r : rows_)
			if (!r.sizes.empty() && (!large || r.sizes.back().size > small_most))
				all.add_kept(large ? static_cast<double>(largest()) * seconds_of_a_byte :
						     seconds_ * static_cast<double>(r.sizes.size()),
					     [this, &r, large] {
						     begin(r, large);
						     for (measurement &m : r.sizes)
							     if ((m.size > small_most) == large && !interrupted())
								     run(r, m);
						     if (large)
							     give_memory_back(r);
						     else if (of_.processes)
							     r.source.reset();
					     });
	}

	// One size, as often as time permits.
	static bool has_enough(const measurement &m)
	{
		if (m.size <= small_most || static_cast<int>(m.ns.size()) < large_repetitions_least)
			return false;
		return m.ns.front() * 1e-9 * static_cast<double>(m.calls) * static_cast<double>(m.ns.size() + 1) >
		       large_seconds;
	}

	void report_to(report &to) const override
	{
		to.settings()["largest_measured"] = largest();
		table t(of_.table, of_.title,
			{ { "contender", "contender" },
			  { "bytes", "bytes" },
			  { "request", "request" },
			  { "ns", "ns a\nrequest" },
			  { "rate", "MB/s" },
			  { "least", "MB/s\nleast" },
			  { "most", "MB/s\nmost" },
			  { "repetitions", "repe-\ntitions" },
			  { "here", "" } });
		nlohmann::ordered_json raw = nlohmann::ordered_json::array();
		for (const fills_row &r : rows_) {
			if (!r.info->absent.empty())
				t.add({ word(r.info->name), nothing(), nothing(), nothing(), nothing(), nothing(),
					nothing(), nothing(), word(availability(*r.info)) });
			for (const measurement &m : r.sizes) {
				std::vector<double> rates;
				for (const double ns : m.ns) {
					rates.push_back(static_cast<double>(m.size) / ns * 1e3);
					raw.push_back(
						{ { "contender", r.info->name }, { "bytes", m.size }, { "ns", ns } });
				}
				const spread s = spread_of(rates);
				t.add({ word(r.info->name), whole(m.size), word(size_name(m.size)), measured(m.ns),
					measured(s), figure(s, &spread::least), figure(s, &spread::most),
					s.count != 0 ? whole(s.count) : nothing(),
					word(m.too_long ? "takes too long" : "here") });
			}
		}
		t.note(fmt::format(
			"Into memory that was touched before.  Above {} there are {} repetitions, after a request that "
			"is not counted, and\nfewer, but {}, where these took more than {} s.  A request that would take "
			"more than {} s (above that {} s),\njudged by the size before it, is not made.",
			size_name(small_most), large_repetitions, large_repetitions_least, large_seconds,
			seconds_most(small_most), seconds_most(largest())));
		if (wanted_ != largest())
			t.note(fmt::format("Not measured: requests of more than {}, for lack of free memory.",
					   size_name(largest())));
		t.draw({ plot::axis::request_size, "bytes", { "rate" }, "MB/s" });
		to.add(t, raw);
	}

	std::vector<double> ns(const std::string &contender, std::uint64_t size) const override
	{
		for (const fills_row &r : rows_)
			for (const measurement &m : r.sizes)
				if (r.info->name == contender && m.size == size)
					return m.ns;
		return {};
	}

private:
	std::uint64_t largest() const
	{
		return of_.sizes.back();
	}

	// Starts a process of the next layout for each repetition.
	void begin(fills_row &r, bool large) const
	{
		if (!large && of_.processes)
			r.source = in_layout(*r.info, layouts()[r.turn++ % layouts().size()]).make();
		else if (!r.source)
			r.source = r.info->make();
	}

	unsigned char *buffer(bool large)
	{
		std::optional<buffers> &of = large ? large_ : small_;
		if (!of)
			of.emplace(1, large ? largest() : small_most);
		return of->of(0);
	}

	void run(fills_row &r, measurement &m)
	{
		const bool large = m.size > small_most;
		const work w = { of_.what, buffer(large), m.size, nullptr, 0 };
		// The first repetition decides this; later ones repeat its requests.
		m.too_long = m.too_long || (m.ns.empty() && too_long(r, m.size));
		if (m.too_long || has_enough(m))
			return;
		if (m.calls == 0)
			m.calls = large ? calls_of_large(r, w) : calls_for(*r.source, w, seconds_);
		else if (of_.processes && !large)
			r.source->run(w, m.calls / part_before + 1);
		if (interrupted())
			return;
		m.ns.push_back(r.source->run(w, m.calls) / static_cast<double>(m.calls) * 1e9);
	}

	// Contenders in other programs keep their last request's buffer, up to 4 GiB each.
	void give_memory_back(const fills_row &r)
	{
		if (r.source && !interrupted())
			r.source->run({ work::fill, buffer(true), 1, nullptr, 0 }, 1);
	}

	// Makes an uncounted request first, if time permits.
	std::uint64_t calls_of_large(const fills_row &r, const work &w) const
	{
		double seconds = by_shorter_ones(r, w.len);
		if (seconds <= seconds_of_warm_up)
			seconds = r.source->run(w, 1);
		return std::max<std::uint64_t>(1, static_cast<std::uint64_t>(seconds_ / std::max(seconds, 1e-9)));
	}

	double seconds_most(std::uint64_t size) const
	{
		return quick_ ? seconds_most_quick : size > small_most ? seconds_most_large : seconds_most_small;
	}

	// If a shorter request took too long, so would this one.
	bool too_long(const fills_row &r, std::uint64_t size) const
	{
		for (const measurement &m : r.sizes)
			if (m.size < size && m.too_long)
				return true;
		return by_shorter_ones(r, size) > seconds_most(size);
	}

	// The estimated seconds of a request, scaled from the next shorter measured one.
	static double by_shorter_ones(const fills_row &r, std::uint64_t size)
	{
		double seconds = 0;
		for (const measurement &m : r.sizes)
			if (m.size < size && !m.ns.empty())
				seconds = m.ns.back() * 1e-9 * static_cast<double>(size) / static_cast<double>(m.size);
		return seconds;
	}

	requests of_;
	bool quick_;
	double seconds_;
	std::uint64_t wanted_;
	std::optional<buffers> small_, large_;
	std::deque<fills_row> rows_;
};

} // namespace

std::unique_ptr<fills> make_fills(const options &chosen, requests of)
{
	return std::make_unique<all_fills>(chosen, std::move(of));
}

} // namespace lab::others
