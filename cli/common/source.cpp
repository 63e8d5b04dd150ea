// SPDX-License-Identifier: BSD-2-Clause
#include "common/source.hpp"

#include <string>
#include <utility>

#include <fmt/format.h>

#include <cprng/cprng.h>

#include "common/error.hpp"
#include "system/system.hpp"

namespace {

class library_source final : public random_source {
public:
	std::uint64_t word(unsigned int bits) override
	{
		switch (bits) {
		case 8:
			return cprng_fast8();
		case 16:
			return cprng_fast16();
		case 32:
			return cprng_fast32();
		default:
			return cprng_fast64();
		}
	}

	std::uint64_t below(std::uint64_t bound) override
	{
		return cprng_uniform64(bound);
	}

	double unit() override
	{
		return cprng_double();
	}

	void fill_below(std::uint64_t *out, std::size_t count, std::uint64_t bound) override
	{
		check_library("--count", cprng_fill_uniform64(out, count, bound));
	}

	std::size_t weighted(const cprng_weights &weights) override
	{
		return cprng_weighted(&weights);
	}

	void order(std::uint64_t *numbers, std::size_t count) override
	{
		cprng_shuffle(numbers, count, sizeof(*numbers));
	}

	void text(char *out, std::size_t length, std::string_view alphabet) override
	{
		check_library("LENGTH", cprng_text(out, length, alphabet.data(), alphabet.size()));
	}
};

} // namespace

double random_source::normal(double mean, double deviation)
{
	return cprng_normal(mean, deviation);
}

double random_source::exponential(double mean)
{
	return cprng_exponential(mean);
}

void random_source::fill_below(std::uint64_t *out, std::size_t count, std::uint64_t bound)
{
	for (std::size_t i = 0; i < count; i++)
		out[i] = below(bound);
}

// Fisher and Yates, Durstenfeld's form.
void random_source::order(std::uint64_t *numbers, std::size_t count)
{
	for (std::size_t left = count; left > 1; left--)
		std::swap(numbers[below(left)], numbers[left - 1]);
}

// By the alias method: a column, and a unit in it.
std::size_t random_source::weighted(const cprng_weights &weights)
{
	const auto column = static_cast<std::size_t>(below(weights.count));
	const cprng_alias &entry = weights.table[column];
	return below(weights.sum) < entry.share ? column : static_cast<std::size_t>(entry.other);
}

void random_source::text(char *out, std::size_t length, std::string_view alphabet)
{
	for (std::size_t i = 0; i < length; i++)
		out[i] = alphabet[static_cast<std::size_t>(below(alphabet.size()))];
	out[length] = '\0';
}

std::uint64_t block_source::word(unsigned int bits)
{
	return source_.word(bits);
}

std::uint64_t block_source::below(std::uint64_t bound)
{
	if (bound != bound_)
		return source_.below(bound);
	if (next_ == block_size) {
		source_.fill_below(block_.data(), block_size, bound_);
		next_ = 0;
	}
	return std::exchange(block_[next_++], 0);
}

double block_source::unit()
{
	return source_.unit();
}

void require_entropy()
{
	const std::string reason = why_no_entropy();
	if (!reason.empty())
		throw runtime_failure(fmt::format("no random numbers from the kernel: {}", reason));
}

random_source &system_source()
{
	static library_source source;
	require_entropy();
	return source;
}
