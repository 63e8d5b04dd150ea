// SPDX-License-Identifier: BSD-2-Clause
// Normal deviates by C. F. F. Karney, "Sampling exactly from the normal distribution", ACM Transactions on Mathematical
// Software 42 (2016), doi:10.1145/2710016, algorithm N: comparisons of uniform deviates alone, of which as many digits are
// drawn as a comparison needs.  No function is approximated, so the tails are exact as well.
#include "common/draws.hpp"

#include <cmath>
#include <utility>
#include <vector>

namespace {

// A uniform real number in [0, 1); draws each 32-bit digit when it is first read.
class lazy_uniform {
public:
	explicit lazy_uniform(random_source &source) : source_(&source)
	{
	}

	std::uint32_t digit(std::size_t i)
	{
		while (digits_.size() <= i)
			digits_.push_back(static_cast<std::uint32_t>(source_->word(32)));
		return digits_[i];
	}

	// Equality has probability 0: a later digit differs.
	bool is_less_than(lazy_uniform &other)
	{
		for (std::size_t i = 0;; i++) {
			const std::uint32_t mine = digit(i);
			const std::uint32_t others = other.digit(i);
			if (mine != others)
				return mine < others;
		}
	}

	bool is_less_than_half()
	{
		return digit(0) < std::uint32_t{ 1 } << 31;
	}

private:
	random_source *source_;
	std::vector<std::uint32_t> digits_;
};

// Algorithm H: true with probability exp(-1/2): a falling run that starts below 1/2 has even length.
bool draw_exp_half(random_source &source)
{
	lazy_uniform last(source);
	if (!last.is_less_than_half())
		return true;
	for (bool even = false;; even = !even) {
		lazy_uniform next(source);
		if (!next.is_less_than(last))
			return even;
		last = std::move(next);
	}
}

// True with probability (2k + x) / (2k + 2).
bool draw_ratio(random_source &source, std::uint64_t k, lazy_uniform &x)
{
	const std::uint64_t chosen = source.below(2 * k + 2);
	if (chosen != 2 * k)
		return chosen < 2 * k;
	return lazy_uniform(source).is_less_than(x);
}

// Algorithm B: true with probability exp(-x (2k + x) / (2k + 2)): a run that falls from x, and that draw_ratio() may
// also end, has even length.
bool draw_exp_part(random_source &source, std::uint64_t k, lazy_uniform &x)
{
	lazy_uniform last(source);
	bool first = true;
	for (bool even = true;; even = !even) {
		lazy_uniform next(source);
		if (!next.is_less_than(first ? x : last) || !draw_ratio(source, k, x))
			return even;
		last = std::move(next);
		first = false;
	}
}

template <typename Draw> bool all_of(std::uint64_t times, Draw draw)
{
	for (; times > 0; times--)
		if (!draw())
			return false;
	return true;
}

// k + x to 53 significant bits.  Digits follow the next bit almost surely, so that bit decides the rounding.
double round_to_nearest(std::uint64_t k, lazy_uniform &x)
{
	constexpr int wanted = 53 + 1;
	std::uint64_t bits = k;
	int count = 0;
	while (count < wanted && k >> count != 0)
		count++;
	int position = 0;
	for (; count < wanted; position++) {
		const auto place = static_cast<unsigned int>(position);
		bits = bits << 1 | (x.digit(place / 32) >> (31 - place % 32) & 1);
		if (bits != 0)
			count++;
	}
	return std::ldexp(static_cast<double>((bits >> 1) + (bits & 1)), 1 - position);
}

} // namespace

double draw_normal(random_source &source)
{
	for (;;) {
		// k with probability exp(-k/2) (1 - exp(-1/2)), kept with probability exp(-k (k - 1) / 2)
		std::uint64_t k = 0;
		while (draw_exp_half(source))
			k++;
		if (k > 1 && !all_of(k * (k - 1), [&] { return draw_exp_half(source); }))
			continue;
		lazy_uniform x(source);
		if (!all_of(k + 1, [&] { return draw_exp_part(source, k, x); }))
			continue;
		const double size = round_to_nearest(k, x);
		return source.below(2) == 0 ? size : -size;
	}
}
