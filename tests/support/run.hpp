// SPDX-License-Identifier: BSD-2-Clause
// The parameters of one run: seed, ceiling, time for long tests.  Set by main.cpp and ceiling.cpp.
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
extern double seconds;        // time limit per engine for tests that try all cases

// Volumes are small unless the full volumes, which take minutes, are requested by `make check-large`, CPRNG_TEST_LARGE=1 in
// the environment, or --large.
inline bool large()
{
	const char *text = std::getenv("CPRNG_TEST_LARGE");

	return text != nullptr && *text != '\0' && std::strcmp(text, "0") != 0;
}

// Whether this option is --large; started programs inherit it.
inline bool takes_large(const char *argument)
{
	static char large[] = "CPRNG_TEST_LARGE=1";

	return std::strcmp(argument, "--large") == 0 && putenv(large) == 0;
}

template <typename T> T volume(T small, T whole)
{
	return large() ? whole : small;
}

// The number of draws for a distribution: a fifth of n where the run has less time, for example in emulators.
inline int draws(int n)
{
	return seconds < 0.2 ? n / 5 : n;
}

// True until this process has computed for `seconds` more.  Uses CPU time instead of wall time, so that the tests do not
// depend on the machine's load.
class Clock {
public:
	bool left() const
	{
		return static_cast<double>(std::clock() - start) < seconds * CLOCKS_PER_SEC;
	}

private:
	std::clock_t start = std::clock();
};

// Reproducible numbers for a test, from the run's seed and a label, so that they do not depend on the order of tests.
class Random {
public:
	explicit Random(const char *label) : engine(seed ^ hash(label))
	{
	}

	std::uint64_t word()
	{
		return engine();
	}

	// In [0, n); the modulus bias does not matter here.
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
