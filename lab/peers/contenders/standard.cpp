// SPDX-License-Identifier: BSD-2-Clause
// The C++ standard library's generators, and fast non-cryptographic ones for scale.
#include <random>

#include <sys/random.h>

#include "../../origins/engines/simple.hpp"
#include "source.hpp"

#ifdef LAB_PCG
#include <pcg_random.hpp>
#endif

namespace lab {

namespace {

template <std::size_t Size> struct kernel_seed {
	unsigned char bytes[Size];

	kernel_seed()
	{
		check(getrandom(bytes, Size, 0) == static_cast<ssize_t>(Size), "getrandom");
	}
};

template <typename Engine, typename Word>
class mersenne_twister : public source_of_words<mersenne_twister<Engine, Word>, Word> {
public:
	Word step()
	{
		return static_cast<Word>(engine_());
	}

	// Uses the distribution of <random>.
	std::uint32_t below(std::uint32_t n)
	{
		return std::uniform_int_distribution<std::uint32_t>(0, n - 1)(engine_);
	}

private:
	Engine engine_{ std::random_device{}() };
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

template <template <typename> class Base> class xoshiro : public Base<xoshiro<Base>> {
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

// A 32-bit number is the upper half of a word, or both halves are used in turn.
template <typename Source> using upper_half = source_of_words<Source, std::uint64_t>;
template <typename Source> using both_halves = source_of_halves<Source>;

#ifdef LAB_PCG
template <typename Engine, typename Word> class pcg : public source_of_words<pcg<Engine, Word>, Word> {
	// The state is twice as wide as the output.
	using wide = std::conditional_t<sizeof(Word) == 8, unsigned __int128, std::uint64_t>;

public:
	Word step()
	{
		return engine_();
	}

	std::uint32_t below(std::uint32_t n)
	{
		return static_cast<std::uint32_t>(engine_(n));
	}

private:
	static Engine seeded()
	{
		const kernel_seed<2 * sizeof(wide)> seed;
		wide state, stream;
		std::memcpy(&state, seed.bytes, sizeof(state));
		std::memcpy(&stream, seed.bytes + sizeof(state), sizeof(stream));
		return Engine(state, stream);
	}

	Engine engine_ = seeded();
};
#endif

} // namespace

void add_standard(contender_list &all)
{
	add_contender<standard_device>(all, "random-device", "std::random_device", true);
	add_contender<mersenne_twister<std::mt19937, std::uint32_t>>(all, "mt19937", "std::mt19937", false);
	add_contender<mersenne_twister<std::mt19937_64, std::uint64_t>>(all, "mt19937-64", "std::mt19937_64", false);
	add_contender<xoshiro<upper_half>>(all, "xoshiro256pp",
					   "xoshiro256++ of the lab: 32 bits are the upper half of a word", false);
	add_contender<xoshiro<both_halves>>(all, "xoshiro256pp-halves", "the same: each word gives 32 bits twice",
					    false);
	constexpr const char *pcg32_name = "pcg32", *pcg32_is = "PCG32 (XSH-RR 64/32) of its authors' library";
	constexpr const char *pcg64_name = "pcg64", *pcg64_is = "PCG64 (XSL-RR 128/64) of its authors' library";
#ifdef LAB_PCG
	add_contender<pcg<pcg32, std::uint32_t>>(all, pcg32_name, pcg32_is, false);
	add_contender<pcg<pcg64, std::uint64_t>>(all, pcg64_name, pcg64_is, false);
#else
	constexpr const char *why = "pcg_random.hpp was not found when the lab was built";
	add_absent(all, pcg32_name, pcg32_is, false, why);
	add_absent(all, pcg64_name, pcg64_is, false, why);
#endif
}

} // namespace lab
