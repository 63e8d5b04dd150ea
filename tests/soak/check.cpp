// SPDX-License-Identifier: BSD-2-Clause
#include "check.hpp"

#include "../support/repeats.hpp"

#include <algorithm>
#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <thread>
#include <unordered_map>

#include <fmt/format.h>

#include <sched.h>
#include <sys/mman.h>

namespace soak {

namespace {

// Buckets by a window's top bits.  With the default memory each has 32,000 windows, in a table that fits into the L2 cache.
constexpr unsigned int bucket_bits = 11;
constexpr std::size_t buckets = std::size_t{ 1 } << bucket_bits;

// More reports add nothing.
constexpr std::size_t repeats_kept = 1000;

// Four bytes more than a window: by chance with 2^-32 of its probability, times five possible offsets.
constexpr std::size_t certain_length = 12;

// A single repeated 64-bit draw may be chance.  It usually is not if both were drawn at about the same time: faults are
// races, or copies used at once.
constexpr double same_time = 0.01;

std::size_t bucket_of(std::uint64_t window)
{
	return static_cast<std::size_t>(window >> (64 - bucket_bits));
}

// Calls f(window, place) for the compared windows of a segment.
template <std::size_t step, typename F> void for_steps(std::size_t from, std::size_t to, F f)
{
	// From the top, where the first draw is.
	for (std::size_t at = to; at - from >= sizeof(std::uint64_t);) {
		f(window_at(logs.byte(at - sizeof(std::uint64_t))), at - sizeof(std::uint64_t));
		at -= step;
		if (at < from)
			break;
	}
}

// At every byte, but only for a quarter of the windows: windows that end in two zero bits.  These are selected first,
// without unpredictable branches.
template <typename F> void for_chosen(std::size_t from, std::size_t to, F f)
{
	constexpr std::size_t at_a_time = 1024;
	std::size_t chosen[at_a_time];

	while (to - from >= sizeof(std::uint64_t)) {
		const std::size_t here = std::min(at_a_time, to - from - (sizeof(std::uint64_t) - 1));
		std::size_t n = 0;
		for (std::size_t i = 0; i < here; i++) {
			chosen[n] = from + i;
			n += (*logs.byte(from + i) & 3) == 0;
		}
		for (std::size_t i = 0; i < n; i++)
			f(window_at(logs.byte(chosen[i])), chosen[i]);
		from += here;
	}
}

template <typename F> void for_windows(Mix mix, const Segment &s, F f)
{
	const std::size_t from = s.at.load(std::memory_order_relaxed), to = s.high;

	switch (mix) {
	case Mix::bits32:
		for_steps<4>(from, to, f);
		break;
	case Mix::bits64:
	case Mix::bytes16:
		for_steps<8>(from, to, f);
		break;
	case Mix::any:
		for_chosen(from, to, f);
		break;
	}
}

// Two windows of the set are equal by chance with this probability.
double chance_of_pair(Mix mix)
{
	return mix == Mix::any ? 0x1p-62 : 0x1p-64;
}

unsigned int cpus()
{
	cpu_set_t set;

	return sched_getaffinity(0, sizeof(set), &set) == 0 ? static_cast<unsigned int>(CPU_COUNT(&set)) : 1;
}

void in_parallel(unsigned int threads, const std::function<void(unsigned int)> &work)
{
	std::vector<std::thread> all;

	for (unsigned int i = 1; i < threads; i++)
		all.emplace_back(work, i);
	work(0);
	for (std::thread &t : all)
		t.join();
}

// ------------------------------------------------------------------------------------------------------ repeats

double seconds(std::uint64_t nanoseconds)
{
	return static_cast<double>(nanoseconds) * 1e-9;
}

double apart(const Segment &a, const Segment &b)
{
	const std::uint64_t end_a = a.ended != 0 ? a.ended : UINT64_MAX, end_b = b.ended != 0 ? b.ended : UINT64_MAX;

	if (end_a < b.begun)
		return seconds(b.begun - end_a);
	return end_b < a.begun ? seconds(a.begun - end_b) : 0;
}

// Marks a segment's writing time, through one of its bytes.
double mean_time()
{
	double sum = 0, bytes = 0;

	logs.for_segments([&](std::uint32_t, const Segment &s) {
		const double len = static_cast<double>(s.high - s.at);
		bytes += len;
		if (s.ended != 0)
			sum += len * seconds(s.ended - s.begun);
	});
	return bytes != 0 ? sum / bytes : 0;
}

Repeat extend(Mix mix, std::uint32_t a, std::size_t at_a, std::uint32_t b, std::size_t at_b)
{
	const Segment &sa = logs.segments[a], &sb = logs.segments[b];
	std::size_t down = 0, up = sizeof(std::uint64_t);

	while (at_a - down > sa.at && at_b - down > sb.at && *logs.byte(at_a - down - 1) == *logs.byte(at_b - down - 1))
		down++;
	while (at_a + up < sa.high && at_b + up < sb.high && *logs.byte(at_a + up) == *logs.byte(at_b + up))
		up++;
	Repeat r = { { a, b }, { at_a - down, at_b - down }, down + up, apart(sa, sb), false };
	r.certain = r.len >= certain_length || (mix == Mix::bits64 && r.apart <= same_time);
	return r;
}

struct Place {
	std::uint32_t segment;
	std::size_t at;
};

// The repeated windows' places.
std::vector<Repeat> locate(Mix mix, const std::vector<std::uint64_t> &repeated)
{
	std::unordered_map<std::uint64_t, std::vector<Place>> places;
	// So that one lookup dismisses nearly all windows.
	std::vector<bool> any(std::size_t{ 1 } << 24);
	std::vector<Repeat> repeats;
	std::map<std::pair<std::size_t, std::size_t>, std::size_t> seen;

	for (std::uint64_t window : repeated) {
		places[window];
		any[static_cast<std::size_t>(window >> 40)] = true;
	}
	logs.for_segments([&](std::uint32_t i, const Segment &s) {
		for_windows(mix, s, [&](std::uint64_t window, std::size_t at) {
			if (!any[static_cast<std::size_t>(window >> 40)])
				return;
			const auto found = places.find(window);
			if (found != places.end() && found->second.size() < 8)
				found->second.push_back({ i, at });
		});
	});
	for (const auto &entry : places) {
		const std::vector<Place> &p = entry.second;
		for (std::size_t i = 1; i < p.size(); i++) {
			const Repeat r = extend(mix, p[0].segment, p[0].at, p[i].segment, p[i].at);
			if (seen.emplace(std::make_pair(r.at[0], r.at[1]), r.len).second)
				repeats.push_back(r);
		}
	}
	std::sort(repeats.begin(), repeats.end(), [](const Repeat &x, const Repeat &y) { return x.len > y.len; });
	return repeats;
}

// ----------------------------------------------------------------------------------------- single draws of 32 bits

// These repeat by chance; so those from about the same time are compared and counted: a Poisson number.
constexpr unsigned int slice_bits = 16;
constexpr std::size_t slice_words = std::size_t{ 1 } << slice_bits;

void check_words(Finding *finding)
{
	std::vector<std::uint32_t> order;
	std::vector<std::uint32_t> table(4 * slice_words);
	std::size_t n = 0;

	logs.for_segments([&order](std::uint32_t i, const Segment &) { order.push_back(i); });
	std::sort(order.begin(), order.end(),
		  [](std::uint32_t a, std::uint32_t b) { return logs.segments[a].begun < logs.segments[b].begun; });
	const auto end_slice = [&] {
		const double words = static_cast<double>(n);
		finding->words += n;
		finding->words_repeated_by_chance += words * (words - 1) / 2 * 0x1p-32;
		std::fill(table.begin(), table.end(), 0);
		n = 0;
	};
	for (std::uint32_t i : order) {
		const Segment &s = logs.segments[i];
		const std::size_t words = (s.high - s.at) / 4;
		if (n + words > 2 * slice_words)
			end_slice();
		for (std::size_t k = 0; k < words && n < 2 * slice_words; k++) {
			std::uint32_t word;
			std::memcpy(&word, logs.byte(s.high - 4 * (k + 1)), sizeof(word));
			if (word == 0) {
				finding->words_zero++;
				continue;
			}
			std::uint32_t &place = place_of(table.data(), slice_bits + 2, word,
							[word](std::uint32_t x) { return x != 0 && x != word; });
			finding->words_repeated += place == word;
			place = word;
			n++;
		}
		if (n >= slice_words)
			end_slice();
	}
	end_slice();
}

} // namespace

Checker::Checker(std::size_t memory) : room_(memory / sizeof(std::uint64_t)), threads_(std::min(cpus(), 8u))
{
	void *p = mmap(nullptr, room_ * sizeof(std::uint64_t), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		       0);

	if (p == MAP_FAILED)
		throw std::bad_alloc();
	// Children need not copy its page tables.
	(void)madvise(p, room_ * sizeof(std::uint64_t), MADV_DONTFORK);
	(void)madvise(p, room_ * sizeof(std::uint64_t), MADV_HUGEPAGE);
	windows_ = static_cast<std::uint64_t *>(p);
}

Checker::~Checker()
{
	munmap(windows_, room_ * sizeof(std::uint64_t));
}

Finding Checker::check(Mix mix, double round_seconds)
{
	Finding finding;
	std::vector<std::vector<std::uint64_t>> counted(threads_, std::vector<std::uint64_t>(buckets));
	std::vector<std::vector<std::uint64_t>> repeated(threads_);
	std::vector<std::uint64_t> zeros(threads_), repeats(threads_);

	in_parallel(threads_, [&](unsigned int t) {
		// Each thread contributes from every part of the round.
		const auto count = [&](std::uint32_t, const Segment &s) {
			for_windows(mix, s,
				    [&](std::uint64_t window, std::size_t) { counted[t][bucket_of(window)]++; });
		};
		logs.for_segments(count, t, threads_);
	});

	for (std::size_t first = 0, last; first < buckets; first = last) {
		// As many buckets as fit; at least one, part of which is left out if it does not.
		std::vector<std::size_t> begins(1);
		std::vector<std::vector<std::size_t>> next(threads_, std::vector<std::size_t>(buckets));
		std::size_t used = 0;
		for (last = first; last < buckets; last++) {
			std::uint64_t all = 0;
			for (unsigned int t = 0; t < threads_; t++) {
				next[t][last] = used + all;
				all += counted[t][last];
			}
			if (used + all > room_ && last != first)
				break;
			used = std::min(used + all, room_);
			begins.push_back(used);
			finding.windows += all;
		}
		in_parallel(threads_, [&](unsigned int t) {
			const auto put = [&](std::uint32_t, const Segment &s) {
				for_windows(mix, s, [&](std::uint64_t window, std::size_t) {
					const std::size_t b = bucket_of(window);
					if (b >= first && b < last && next[t][b] < room_)
						windows_[next[t][b]++] = window;
				});
			};
			logs.for_segments(put, t, threads_);
		});
		std::atomic<std::size_t> next_bucket{ 0 };
		in_parallel(threads_, [&](unsigned int t) {
			Seen seen;
			for (std::size_t b; (b = next_bucket++) < begins.size() - 1;) {
				seen.clear_for(begins[b + 1] - begins[b]);
				for (std::size_t i = begins[b]; i < begins[b + 1]; i++) {
					if (windows_[i] == 0) {
						zeros[t]++;
					} else if (!seen.insert(windows_[i])) {
						repeats[t]++;
						if (repeated[t].size() < repeats_kept)
							repeated[t].push_back(windows_[i]);
					}
				}
			}
		});
	}

	std::vector<std::uint64_t> all;
	for (unsigned int t = 0; t < threads_; t++) {
		finding.zeros += zeros[t];
		finding.repeated += repeats[t];
		all.insert(all.end(), repeated[t].begin(), repeated[t].end());
	}
	if (!all.empty())
		finding.repeats = locate(mix, all);
	if (mix == Mix::bits32)
		check_words(&finding);

	const double n = static_cast<double>(finding.windows);
	finding.by_chance = n * (n - 1) / 2 * chance_of_pair(mix);
	finding.certain_by_chance = finding.by_chance * 5 * 0x1p-32;
	if (mix == Mix::bits64)
		finding.certain_by_chance +=
			finding.by_chance * std::min(1.0, 2 * (same_time + mean_time()) / round_seconds);
	return finding;
}

// ------------------------------------------------------------------------------------------------------- in words

namespace {

std::string describe_place(const Repeat &r, int side)
{
	const Segment &s = logs.segments[r.segment[side]];
	const Participant &p = logs.participants[s.participant];

	return fmt::format("{} {} (process {}, thread {}), bytes {} to {} of those drawn from {:.6f} s on",
			   name_of(p.kind), s.participant, p.process, p.thread, s.high - r.at[side] - r.len,
			   s.high - r.at[side], seconds(s.begun));
}

std::string hex(std::size_t from, std::size_t to)
{
	std::string text;

	for (std::size_t at = from; at < to; at++)
		text += fmt::format("{:02x}", *logs.byte(at));
	return text;
}

} // namespace

std::string describe(const Repeat &r)
{
	return fmt::format("{} bytes twice, {:.6f} s apart: {}; and {}", r.len, r.apart, describe_place(r, 0),
			   describe_place(r, 1));
}

std::string evidence(const Repeat &r)
{
	constexpr std::size_t around = 64, most = 1024;
	std::string text = describe(r) + "\n";

	for (int side = 0; side < 2; side++) {
		const Segment &s = logs.segments[r.segment[side]];
		const std::size_t from = r.at[side], to = from + std::min(r.len, most);
		text += fmt::format("  {} [{}] {}\n", hex(std::max(s.at.load(), from - std::min(from, around)), from),
				    hex(from, to), hex(to, std::min(s.high, to + around)));
	}
	return text;
}

} // namespace soak
