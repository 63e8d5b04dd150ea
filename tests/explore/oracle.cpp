// SPDX-License-Identifier: BSD-2-Clause
#include "oracle.hpp"

#include "../support/repeats.hpp"

#include <cstring>

namespace {

using namespace explore;

bool is_draw(const Entry &e)
{
	return e.kind == Kind::served || e.kind == Kind::drained;
}

bool same_bytes(const Log &log, const Entry &a, const Entry &b)
{
	return a.len == b.len && std::memcmp(log.data + a.at, log.data + b.at, a.len) == 0;
}

// Whether two entries may share a window.
Flaw judge_pair(const Log &log, const Entry &a, const Entry &b)
{
	if (&a == &b)
		return Flaw::repeated;
	// Dropped by an invalidation: draws that began before it may have some of these bytes.
	if (a.kind == Kind::dropped || b.kind == Kind::dropped) {
		const Entry &dropped = a.kind == Kind::dropped ? a : b, &other = a.kind == Kind::dropped ? b : a;
		return other.kind != Kind::dropped && other.instance >= dropped.instance ? Flaw::stale : Flaw::none;
	}
	if (is_draw(a) && is_draw(b)) {
		// include/cprng/cprng.h: "as if fork() had followed the draw"; the report counts how often.
		if (a.instance != b.instance)
			return Flaw::repeated;
		return same_bytes(log, a, b) ? Flaw::none : Flaw::in_part;
	}
	if (a.kind == Kind::ready && b.kind == Kind::ready)
		return Flaw::ready_twice;
	const Entry &draw = is_draw(a) ? a : b;
	return draw.kind == Kind::drained && a.process == b.process ? Flaw::none : Flaw::ready_served;
}

} // namespace

const char *explore::name_of(Flaw flaw)
{
	static const char *const names[flaws] = {
		"none",       "zeros", "repeated", "in part", "ready though served", "ready twice", "stale",
		"torn event", "died",  "hung",     "log full"
	};

	return names[static_cast<std::size_t>(flaw)];
}

explore::Verdict explore::judge(const Log &log, Table &table)
{
	Verdict verdict;

	if (log.torn != 0)
		verdict.flaw = Flaw::torn;
	// Half the table at the most.
	if (log.lost != 0 || log.bytes > sizeof(table.place) / sizeof(table.place[0]) / 2)
		verdict.flaw = Flaw::overflowed;
	if (verdict.flaw != Flaw::none)
		return verdict;
	table.stamp++;
	for (std::uint32_t n = 0; n < log.entries; n++) {
		const Entry &e = log.entry[n];
		const unsigned char *p = log.data + e.at;
		for (std::uint32_t i = 0; i + 8 <= e.len; i++) {
			const std::uint64_t window = window_at(p + i);
			// In a buffer these may be bytes that its user was about to overwrite when it was abandoned; no
			// draw receives them.
			if (window == 0 && !is_draw(e))
				continue;
			if (window == 0)
				return { Flaw::zeros, false, n, n, i, i };
			Table::Place &place =
				place_of(table.place, Table::bits, window, [&table, window](const Table::Place &p) {
					return p.stamp == table.stamp && p.window != window;
				});
			if (place.stamp != table.stamp) {
				place = { window, table.stamp, static_cast<std::uint16_t>(n),
					  static_cast<std::uint16_t>(i) };
				continue;
			}
			const Flaw flaw = judge_pair(log, log.entry[place.entry], e);
			if (flaw != Flaw::none)
				return { flaw, false, place.entry, n, place.at, i };
			verdict.whole |= is_draw(log.entry[place.entry]) && is_draw(e);
		}
	}
	return verdict;
}
