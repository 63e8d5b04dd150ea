// SPDX-License-Identifier: BSD-2-Clause
// The parameters of randp's design, as swept in its document.
#include <utility>

#include <fmt/format.h>

#include "../randp/design.hpp"
#include "sweep.hpp"

namespace lab::sweep {

namespace {

std::vector<task> tasks()
{
	return { draws_of_32_bits(), requests_of(256), requests_of(65536) };
}

#ifdef LAB_HAS_AES

template <unsigned int Blocks, unsigned int Keys, unsigned int Rounds, bool Encrypt = true, bool DaviesMeyer = false>
std::function<std::unique_ptr<contender>()> design(std::uint64_t countdown = randp_countdown)
{
	using generator = randp_design<Blocks, Keys, Rounds, Encrypt, DaviesMeyer>;
	return [countdown] { return std::make_unique<contender_of<generator>>(countdown); };
}

template <unsigned int Keys, unsigned int... Rounds>
void add_params(plan &p, std::integer_sequence<unsigned int, Rounds...>)
{
	(p.candidates.push_back({ fmt::format("{} x {}", Keys, Rounds + 1), Keys * (Rounds + 1),
				  Keys == randp_keys && Rounds + 1 == randp_rounds_per_key,
				  design<randp_blocks, Keys, Rounds + 1>() }),
	 ...);
}

// The default's rounds by the two other parameters.
template <bool Encrypt, bool DaviesMeyer> void add_form(plan &p, const char *form)
{
	p.candidates.push_back({ fmt::format("{} x {}, {}", randp_keys, randp_rounds_per_key, form),
				 randp_keys * randp_rounds_per_key, false,
				 design<randp_blocks, randp_keys, randp_rounds_per_key, Encrypt, DaviesMeyer>() });
}

template <unsigned int... Blocks> void add_blocks(plan &p)
{
	(p.candidates.push_back({ fmt::format("{} ({} B)", Blocks, 16 * Blocks), Blocks, Blocks == randp_blocks,
				  design<Blocks, randp_keys, randp_rounds_per_key>() }),
	 ...);
}

#endif

} // namespace

plan prng_params()
{
	plan p = {
		"prng-params",
		"randp's design: keys x rounds with each",
		"keys x\nrounds",
		tasks(),
		{},
		"The number is that of rounds in all; the default is randp's.  AES-128 has ten, and no analysis shows that fewer "
		"are enough."
	};
#ifdef LAB_HAS_AES
	const std::make_integer_sequence<unsigned int, 5> rounds;
	if (randp::available()) {
		add_params<1>(p, rounds);
		add_params<2>(p, rounds);
		add_params<3>(p, rounds);
		add_params<4>(p, rounds);
		add_form<false, false>(p, "decryption");
		add_form<true, true>(p, "Davies-Meyer");
		add_form<false, true>(p, "both");
	}
#endif
	return p;
}

plan num_blocks()
{
	plan p = { "num-blocks", "randp's design: blocks of the pool",          "blocks", tasks(),
		   {},           "The default is randp's: a pool of 256 bytes." };
#ifdef LAB_HAS_AES
	if (randp::available())
		add_blocks<4, 8, 16, 32, 64, 128, 256>(p);
#endif
	return p;
}

plan reseed_countdown()
{
	plan p = { "reseed-countdown",
		   "randp's design: refills of the pool between reseeds",
		   "countdown",
		   tasks(),
		   {},
		   "A reseed is 64 bytes of getentropy.  The default is randp's." };
#ifdef LAB_HAS_AES
	if (randp::available())
		for (const std::uint64_t countdown : { 16, 64, 256, 1024, 4096, 16384, 65536, 262144 })
			p.candidates.push_back({ std::to_string(countdown), countdown, countdown == randp_countdown,
						 design<randp_blocks, randp_keys, randp_rounds_per_key>(countdown) });
#endif
	return p;
}

} // namespace lab::sweep
