// SPDX-License-Identifier: BSD-2-Clause
// Value sources that replace the library's.
#ifndef CPRNG_TESTS_CLI_SOURCES_HPP
#define CPRNG_TESTS_CLI_SOURCES_HPP

#include "doctest/doctest.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <stdexcept>
#include <utility>
#include <vector>

#include <cprng/cprng.h>

#include "common/source.hpp"

// Goes through all values that the draws can return, run after run, so that a function's results can be counted exactly.
//
//     every_source source;
//     do {
//             const auto value = function(source);
//             counts[value] += source.weight();
//     } while (source.next());
class every_source final : public random_source {
public:
	// parts: the weights of all runs sum up to it.  Each product of bounds must divide it.  most: draws in a run; the next one
	// throws cut.
	explicit every_source(std::uint64_t parts, std::size_t most = SIZE_MAX) : parts_(parts), most_(most)
	{
	}

	struct cut : std::exception {};

	std::uint64_t word(unsigned int bits) override
	{
		return below(std::uint64_t{ 1 } << bits);
	}

	std::uint64_t below(std::uint64_t bound) override
	{
		REQUIRE(bound > 0);
		if (position_ == most_)
			throw cut();
		if (position_ == draws_.size())
			draws_.push_back({ 0, bound });
		REQUIRE(draws_[position_].bound == bound);
		return draws_[position_++].value;
	}

	double unit() override
	{
		throw std::logic_error("has too many values");
	}

	// The run's probability, in parts.
	std::uint64_t weight() const
	{
		std::uint64_t product = 1;
		for (const draw &d : draws_)
			product *= d.bound;
		REQUIRE(parts_ % product == 0);
		return parts_ / product;
	}

	bool next()
	{
		REQUIRE(position_ == draws_.size());
		position_ = 0;
		while (!draws_.empty() && draws_.back().value + 1 == draws_.back().bound)
			draws_.pop_back();
		if (draws_.empty())
			return false;
		draws_.back().value++;
		return true;
	}

private:
	struct draw {
		std::uint64_t value;
		std::uint64_t bound;
	};

	std::uint64_t parts_;
	std::size_t most_;
	std::vector<draw> draws_;
	std::size_t position_ = 0;
};

// Returns a given list of values.
class scripted_source final : public random_source {
public:
	explicit scripted_source(std::deque<std::uint64_t> values) : values_(std::move(values))
	{
	}

	std::uint64_t word(unsigned int) override
	{
		REQUIRE(!values_.empty());
		const std::uint64_t value = values_.front();
		values_.pop_front();
		return value;
	}

	std::uint64_t below(std::uint64_t bound) override
	{
		last_bound = bound;
		const std::uint64_t value = word(64);
		REQUIRE(value < bound);
		return value;
	}

	double unit() override
	{
		throw std::logic_error("no unit numbers here");
	}

	std::uint64_t last_bound = 0;

private:
	std::deque<std::uint64_t> values_;
};

// A keystream: the same values in every run, so that no result depends on chance.
class keyed_source final : public random_source {
public:
	explicit keyed_source(unsigned char number)
	{
		const std::array<unsigned char, 32> key = { number };
		REQUIRE(cprng_stream_init(&stream_, "chacha8", key.data(), key.size(), nullptr, 0) == CPRNG_OK);
	}

	std::uint64_t word(unsigned int bits) override
	{
		if (next_ == words_.size()) {
			REQUIRE(cprng_stream_read(&stream_, words_.data(), sizeof(words_)) == CPRNG_OK);
			next_ = 0;
		}
		return words_[next_++] >> (64 - bits);
	}

	std::uint64_t below(std::uint64_t bound) override
	{
		const std::uint64_t end = UINT64_MAX - UINT64_MAX % bound;
		std::uint64_t value;
		do
			value = word(64);
		while (value >= end);
		return value % bound;
	}

	double unit() override
	{
		return static_cast<double>(word(53)) * 0x1p-53;
	}

private:
	cprng_stream stream_;
	std::array<std::uint64_t, 512> words_;
	std::size_t next_ = 512;
};

#endif
