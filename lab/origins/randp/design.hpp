// SPDX-License-Identifier: BSD-2-Clause
// randp's design as a generator: a per-thread pool and keys, rekeyed by the kernel after a number of refills.  randp
// itself is measured through an installed librandp (library.cpp).
#ifndef CPRNG_LAB_ORIGINS_RANDP_DESIGN_HPP
#define CPRNG_LAB_ORIGINS_RANDP_DESIGN_HPP

#include <unistd.h>

#include "../engines/aes_weyl.hpp"
#include "../../peers/contenders/source.hpp"

namespace lab {

// randp's published defaults, from src/randp-defaults.h and src/aes_ctr_128_prng-defaults.h in version 7.0 of July
// 2026, unchanged since 4.3: 16 blocks, 3 keys of one round of encryption each, a reseed every 1024 pool refills.  Since 6.0
// the countdown has no random addend.
constexpr unsigned int randp_blocks = 16, randp_keys = 3, randp_rounds_per_key = 1;
constexpr std::uint64_t randp_countdown = 1024;

#ifdef LAB_HAS_AES
template <unsigned int Blocks, unsigned int Keys, unsigned int RoundsPerKey, bool Encrypt = true,
	  bool DaviesMeyer = false>
class randp_design : public aes_weyl<Blocks, Keys, RoundsPerKey, Encrypt, DaviesMeyer>,
		     public source_of_bytes<randp_design<Blocks, Keys, RoundsPerKey, Encrypt, DaviesMeyer>> {
	using engine = aes_weyl<Blocks, Keys, RoundsPerKey, Encrypt, DaviesMeyer>;

public:
	explicit randp_design(std::uint64_t countdown = randp_countdown) : countdown_(countdown)
	{
	}

	// Not inlined, since programs call randp in a library.
	[[gnu::noinline]] void fill(unsigned char *out, std::size_t len)
	{
		engine::fill(out, len, [this] {
			if (__builtin_expect(left_ == 0, 0))
				reseed();
			left_--;
		});
	}

private:
	[[gnu::noinline, gnu::cold]] void reseed()
	{
		unsigned char key[engine::key_size];
		for (std::size_t at = 0; at < sizeof(key); at += kernel_most)
			check(getentropy(key + at, std::min(kernel_most, sizeof(key) - at)) == 0, "getentropy");
		this->key(key, sizeof(key), nullptr);
		left_ = countdown_;
	}

	static constexpr std::size_t kernel_most = 256; // per getentropy call

	std::uint64_t countdown_, left_ = 0; // refills
};

using randp = randp_design<randp_blocks, randp_keys, randp_rounds_per_key>;
#endif

} // namespace lab

#endif
