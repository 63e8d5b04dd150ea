// SPDX-License-Identifier: BSD-2-Clause
// What one run of the tests is given: seed, ceiling, time for the long ones.  Set by main.cpp and ceiling.cpp.
#ifndef CPRNG_TESTS_RUN_HPP
#define CPRNG_TESTS_RUN_HPP

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <random>
#include <vector>

namespace run {

extern std::uint64_t seed;
extern std::uint32_t ceiling; // mask for cprng_cpu_set_ceiling()
extern double seconds;        // that a test which goes through all of something may take for each engine

// Volumes are small unless the whole ones are asked for, which take minutes: `make test-large`, CPRNG_TEST_LARGE=1 in the
// environment, or --large.
inline bool large()
{
	const char *text = std::getenv("CPRNG_TEST_LARGE");

	return text != nullptr && *text != '\0' && std::strcmp(text, "0") != 0;
}

// Of the options of a test program: whether this is --large, which holds for the programs that it starts, too.
inline bool takes_large(const char *argument)
{
	return std::strcmp(argument, "--large") == 0 && setenv("CPRNG_TEST_LARGE", "1", 1) == 0;
}

template <typename T> T volume(T small, T whole)
{
	return large() ? whole : small;
}

// True until this process has computed for `seconds` more: not by the clock on the wall, so that what is tested does
// not depend on what else the machine does.
class Clock {
public:
	bool left() const
	{
		return static_cast<double>(std::clock() - start) < seconds * CLOCKS_PER_SEC;
	}

private:
	std::clock_t start = std::clock();
};

// Reproducible numbers for a test: from the seed of the run and a label, so that tests do not depend on their order.
class Random {
public:
	explicit Random(const char *label) : engine(seed ^ hash(label))
	{
	}

	std::uint64_t word()
	{
		return engine();
	}

	// In [0, n); the bias of a modulus does not matter here.
	std::size_t below(std::uint64_t n)
	{
		return static_cast<std::size_t>(engine() % n);
	}

	bool coin()
	{
		return engine() >> 63 != 0;
	}

	std::vector<std::uint8_t> bytes(std::size_t n)
	{
		std::vector<std::uint8_t> v(n);
		for (auto &b : v)
			b = static_cast<std::uint8_t>(engine() >> 56);
		return v;
	}

private:
	static std::uint64_t hash(const char *s)
	{
		std::uint64_t h = 0xcbf29ce484222325; // FNV-1a
		for (; *s != '\0'; s++)
			h = (h ^ static_cast<unsigned char>(*s)) * 0x100000001b3;
		return h;
	}

	std::mt19937_64 engine;
};

} // namespace run

#endif
