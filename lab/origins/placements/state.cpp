// SPDX-License-Identifier: BSD-2-Clause
#include "state.hpp"

#include <algorithm>
#include <cstring>
#include <new>

#include <sys/mman.h>

// The thread sanitizer's list of exceptions, which it asks for at the start: a data race on purpose.
extern "C" const char *__tsan_default_suppressions();
extern "C" const char *__tsan_default_suppressions()
{
	return "race:placements/unlocked.hpp\n";
}

namespace lab {

namespace {

// SplitMix64 (Steele, Lea, Flood: "Fast Splittable Pseudorandom Number Generators", 2014).
std::uint64_t mix(std::uint64_t x)
{
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
	x = (x ^ x >> 27) * 0x94d049bb133111eb;
	return x ^ x >> 31;
}

constexpr std::uint64_t step = 0x9e3779b97f4a7c15;

} // namespace

void make_key(std::uint64_t seed, std::uint32_t index, std::uint32_t number, unsigned char *out, std::size_t len)
{
	std::uint64_t x = mix(mix(seed + step) + (std::uint64_t{ index } << 32 | number));
	for (std::size_t at = 0; at < len; at += sizeof(x)) {
		x += step;
		const std::uint64_t word = mix(x);
		std::memcpy(out + at, &word, std::min(sizeof(word), len - at));
	}
}

void *shared_memory(std::size_t size)
{
	void *memory = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED)
		throw std::bad_alloc();
	return memory;
}

void release_shared_memory(void *memory, std::size_t size)
{
	munmap(memory, size);
}

} // namespace lab
