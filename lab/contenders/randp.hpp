// SPDX-License-Identifier: BSD-2-Clause
// randp's design as a generator: the pool and the keys of a thread, rekeyed by the kernel after so many refills.
#ifndef CPRNG_LAB_CONTENDERS_RANDP_HPP
#define CPRNG_LAB_CONTENDERS_RANDP_HPP

#include <unistd.h>

#include "../engines/aes_weyl.hpp"
#include "source.hpp"

namespace lab {

// What randp's document says is a pool of 256 bytes.  Of the rest it gives the names alone.  Two keys of five rounds each
// are the ten rounds of AES-128; the countdown is between once and twice its least, as a least one is spoken of: 16 MiB.
constexpr unsigned int randp_blocks = 16, randp_keys = 2, randp_rounds_per_key = 5;
constexpr std::uint64_t randp_countdown_least = 65536;

#ifdef LAB_AES_HERE
template <unsigned int Blocks, unsigned int Keys, unsigned int RoundsPerKey>
class randp_design : public aes_weyl<Blocks, Keys, RoundsPerKey> {
	using engine = aes_weyl<Blocks, Keys, RoundsPerKey>;

public:
	explicit randp_design(std::uint64_t countdown_least = randp_countdown_least) : least_(countdown_least)
	{
		reseed();
	}

	std::uint8_t next8()
	{
		return next<std::uint8_t>();
	}

	std::uint16_t next16()
	{
		return next<std::uint16_t>();
	}

	std::uint32_t next32()
	{
		return next<std::uint32_t>();
	}

	std::uint64_t next64()
	{
		return next<std::uint64_t>();
	}

	std::uint32_t below(std::uint32_t n)
	{
		return below_by_multiplication([this] { return next32(); }, n);
	}

	// No more under one key than is left of the countdown.
	void fill(unsigned char *out, std::size_t len)
	{
		constexpr std::size_t pool = engine::pool_size;
		for (;;) {
			const std::uint64_t pools = due_ > this->generated() ? due_ - this->generated() : 0;
			const std::size_t now = len / pool < pools ? len : pools * pool;
			engine::fill(out, now);
			if (now == len)
				break;
			out += now;
			len -= now;
			reseed();
		}
		look_at_countdown();
	}

private:
	template <typename Number> Number next()
	{
		const Number value = this->template number<Number>();
		look_at_countdown();
		return value;
	}

	void look_at_countdown()
	{
		if (__builtin_expect(this->generated() >= due_, 0))
			reseed();
	}

	[[gnu::noinline, gnu::cold]] void reseed()
	{
		unsigned char key[engine::key_size];
		std::uint64_t chance;
		for (std::size_t at = 0; at < sizeof(key); at += kernel_most)
			check(getentropy(key + at, std::min(kernel_most, sizeof(key) - at)) == 0, "getentropy");
		check(getentropy(&chance, sizeof(chance)) == 0, "getentropy");
		this->key(key, sizeof(key), nullptr);
		due_ = this->generated() + least_ + chance % least_;
	}

	static constexpr std::size_t kernel_most = 256; // of getentropy

	std::uint64_t least_, due_ = 0;
};

using randp = randp_design<randp_blocks, randp_keys, randp_rounds_per_key>;
#endif

} // namespace lab

#endif
