// SPDX-License-Identifier: BSD-2-Clause
// What C++ has, and generators that promise nothing to a cryptographer, for scale.
#include <random>

#include <sys/random.h>

#include "../engines/xoshiro256pp.hpp"
#include "pcg64.hpp"
#include "source.hpp"

namespace lab {

namespace {

template <std::size_t Size> struct kernel_seed {
	unsigned char bytes[Size];

	kernel_seed()
	{
		check(getrandom(bytes, Size, 0) == static_cast<ssize_t>(Size), "getrandom");
	}
};

class mersenne_twister : public source_of_words<mersenne_twister, std::uint64_t> {
public:
	std::uint64_t step()
	{
		return engine_();
	}

	// What <random> has for it.
	std::uint32_t below(std::uint32_t n)
	{
		return std::uniform_int_distribution<std::uint32_t>(0, n - 1)(engine_);
	}

private:
	std::mt19937_64 engine_{ std::random_device{}() };
};

class standard_device : public source_of_words<standard_device, std::uint32_t> {
public:
	std::uint32_t step()
	{
		return device_();
	}

	std::uint32_t below(std::uint32_t n)
	{
		return std::uniform_int_distribution<std::uint32_t>(0, n - 1)(device_);
	}

private:
	std::random_device device_;
};

class xoshiro : public source_of_words<xoshiro, std::uint64_t> {
public:
	xoshiro()
	{
		const kernel_seed<xoshiro256pp::key_size> seed;
		engine_.key(seed.bytes, sizeof(seed.bytes), nullptr);
	}

	std::uint64_t step()
	{
		return engine_.step();
	}

private:
	xoshiro256pp engine_;
};

#ifdef LAB_PCG
class pcg : public source_of_words<pcg, std::uint64_t> {
public:
	std::uint64_t step()
	{
		return engine_();
	}

	std::uint32_t below(std::uint32_t n)
	{
		return static_cast<std::uint32_t>(engine_(n));
	}

private:
	static pcg64 seeded()
	{
		const kernel_seed<32> seed;
		unsigned __int128 state, stream;
		std::memcpy(&state, seed.bytes, sizeof(state));
		std::memcpy(&stream, seed.bytes + sizeof(state), sizeof(stream));
		return pcg64(state, stream);
	}

	pcg64 engine_ = seeded();
};
#endif

} // namespace

void add_standard(contender_list &all)
{
	constexpr const char *pcg_name = "pcg64", *pcg_is = "PCG64 (XSL-RR 128/64) of its authors' library";
	add_contender<standard_device>(all, "random-device", "std::random_device", true);
	add_contender<mersenne_twister>(all, "mt19937-64", "std::mt19937_64", false);
	add_contender<xoshiro>(all, "xoshiro256pp", "xoshiro256++ of the lab", false);
#ifdef LAB_PCG
	add_contender<pcg>(all, pcg_name, pcg_is, false);
#else
	add_absent(all, pcg_name, pcg_is, false, "pcg_random.hpp was not found when the lab was built");
#endif
}

} // namespace lab
