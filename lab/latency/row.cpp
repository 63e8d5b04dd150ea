// SPDX-License-Identifier: BSD-2-Clause
#include "latency.hpp"

#include <algorithm>
#include <cstring>

#include "../common/clock.hpp"
#include "../placements/cost.hpp"

namespace lab::latency {

namespace {

constexpr std::size_t line = 64;
constexpr std::size_t bulk = 65536;
constexpr std::uint64_t bulks_of_a_batch = 1;
// The volume of the loops, relative to the timed draws.
constexpr double part_of_bulk = 0.1;
// The number of draws between a key and the timing: several blocks of every cipher.
constexpr std::uint64_t before = 100;

} // namespace

row::row(const char *name, std::uint64_t draws)
    : info_(find_generator(name)), generator_(info_.make(0, no_limit)), inlined_(info_.make_inlined(0, no_limit)),
      least_(draws, UINT32_MAX)
{
	count_lines();
}

// Each repetition makes the same draws after the same key.  Draw number n then always does the same work, and any extra
// time is the system's.
void row::run()
{
	const stay_here on_one_cpu; // other CPUs' states are at other positions
	repetition done = {};
	// Start with a different one each time.
	for (std::size_t i = 0; i < 2; i++)
		if ((results_.size() + i) % 2 == 0)
			done.draw = ticks_of_draw(*generator_, least_.size());
		else
			done.inlined = ticks_of_draw(*inlined_, least_.size());
	alignas(line) static unsigned char buf[bulk];
	undisturbed all;
	const auto batches =
		static_cast<std::uint64_t>(static_cast<double>(least_.size()) * 4 * part_of_bulk / bulk) + 1;
	for (std::uint64_t i = 0; i < batches; i++)
		all.batch([this] { generator_->fill(buf, sizeof(buf), bulks_of_a_batch); });
	done.bulk_byte = all.mean() / sizeof(buf);
	if (interrupted())
		return;
	generator_->restart();
	generator_->draw(before);
	generator_->time(least_.size(), least_.data(), all_, undisturbed_);
	results_.push_back(done);
}

// The cache lines of the states that 1000 draws changed.
void row::count_lines()
{
	const stay_here on_one_cpu;
	generator_->draw(before);
	const memory_of memory = generator_->memory();
	if (memory.begin == nullptr)
		return;
	std::vector<unsigned char> copy(memory.size);
	std::memcpy(copy.data(), memory.begin, memory.size);
	generator_->draw(draws_of_a_batch);
	const auto *now = static_cast<const unsigned char *>(memory.begin);
	for (std::size_t at = 0; at < memory.size; at += line)
		lines_written_ += std::memcmp(copy.data() + at, now + at, std::min(line, memory.size - at)) != 0;
}

void row::tell(table &t) const
{
	std::vector<double> draws, inlined, bulks;
	for (const repetition &one : results_) {
		draws.push_back(one.draw);
		inlined.push_back(one.inlined);
		bulks.push_back(one.bulk_byte);
	}
	const bool any = !results_.empty(), draws_at_all = std::strcmp(info_.name, "nothing") != 0;
	tally own;
	if (any)
		for (const std::uint32_t ticks : least_)
			if (ticks != UINT32_MAX)
				own.add(ticks);
	std::vector<cell> cells = { word(info_.name), measured(spread_of(draws)), measured(spread_of(inlined)),
				    draws_at_all ? measured(spread_of(bulks)) : nothing() };
	for (const tally *one : { static_cast<const tally *>(&own), &all_ })
		for (const double part : { 0.5, 0.99, 0.999, 0.99999, 1.0 })
			cells.push_back(any ? whole(one->percentile(part)) : nothing());
	const std::size_t state = generator_->memory().state;
	// None: neither has an unbuffered library.
	cells.push_back(state != 0 ? whole(state) : nothing());
	cells.push_back(state != 0 ? whole((state + line - 1) / line) : nothing());
	cells.push_back(lines_written_ != 0 ? whole(lines_written_) : nothing());
	t.add(std::move(cells));
}

void row::tell_undisturbed(table &t, const row &none) const
{
	const std::uint64_t kept = undisturbed_.count();
	std::vector<cell> cells = { word(info_.name), whole(all_.count()), whole(all_.count() - kept) };
	constexpr double parts[] = { 0.5, 0.99, 0.999, 0.99999, 1.0 };
	for (const double part : parts)
		cells.push_back(kept != 0 ? whole(undisturbed_.percentile(part)) : nothing());
	for (const double part : parts) {
		const auto more = static_cast<std::int64_t>(undisturbed_.percentile(part)) -
				  static_cast<std::int64_t>(none.undisturbed_.percentile(part));
		cells.push_back(kept != 0 ? cell{ std::to_string(more), more } : nothing());
	}
	t.add(std::move(cells));
}

nlohmann::ordered_json row::repetitions() const
{
	nlohmann::ordered_json all = nlohmann::ordered_json::array();
	for (const repetition &one : results_)
		all.push_back({ { "row", info_.name },
				{ "placement", info_.placement },
				{ "ticks_per_draw", one.draw },
				{ "ticks_per_draw_inlined", one.inlined },
				{ "ticks_per_byte_bulk", one.bulk_byte } });
	return all;
}

} // namespace lab::latency
