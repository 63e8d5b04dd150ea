// SPDX-License-Identifier: BSD-2-Clause
// Draws on Windows: the placement, the kernel's reseeds, and what is left in memory.
#include "../../support/filled.hpp"
#include "../../support/machine.hpp"
#include "../../support/replace.hpp"
#include "../../support/windows/support.hpp"

#include "cpu/registers.h"

#include <cprng/cprng.h>

#include <cstring>
#include <thread>
#include <unordered_set>

// Replaces the shared page's seed version.
static std::uint64_t seed_version = 7;

REPLACE(const struct cprng_os_announcements *, cprng_os_find_announcements, (void))
{
	return reinterpret_cast<const struct cprng_os_announcements *>(&seed_version);
}

// Catches a system call for each draw.
TEST_CASE("windows draws: buffers are slots, because there is no fork")
{
	struct cprng_info info = {};

	cprng_get_info(&info, sizeof(info));
	CHECK(std::string(info.placement) == "slots");
	CHECK(std::string(info.fork_guard) == "no fork");
	CHECK(std::string(info.entropy) == "ProcessPrng or RtlGenRandom");
}

// Catches buffered bytes that are served after the kernel has announced a reseed, and invalidations without a reseed.
TEST_CASE("windows draws: a refill after a reseed of the kernel's generator is of a new generation")
{
	struct cprng_process *const p = cprng_process();
	unsigned char bytes[600];

	REQUIRE(p->announcements != nullptr);
	cprng_fast(bytes, sizeof(bytes));
	const std::uint64_t before = cprng_generation(p);
	cprng_fast(bytes, sizeof(bytes));
	CHECK(cprng_generation(p) == before);
	__atomic_fetch_add(&seed_version, 1, __ATOMIC_RELEASE);
	cprng_fast(bytes, sizeof(bytes));
	CHECK(cprng_generation(p) != before);
}

// Catches a value that is served to two threads.
TEST_CASE("windows draws: no value of eight threads repeats")
{
	// False alarms: (4 * 10^5)^2 / 2^65 = 4 * 10^-9.
	constexpr std::size_t each = 50000;
	std::vector<std::uint64_t> drawn(8 * each);
	std::vector<std::thread> threads;
	Seen seen(drawn.size());

	for (std::size_t t = 0; t < 8; t++)
		threads.emplace_back([values = &drawn[t * each]] {
			std::size_t i = 0;
			for (; i < each / 2; i++) {
				values[i] = cprng_fast64();
				if (i % 5000 == 0)
					cprng_invalidate();
			}
			for (; i + 512 <= each * 3 / 4; i += 3)
				cprng_fast(&values[i], 3 * sizeof(values[0]));
			cprng_fast(&values[i], (each - i - 100) * sizeof(values[0]));
			cprng_strong(&values[each - 100], 100 * sizeof(values[0]));
		});
	for (std::thread &thread : threads)
		thread.join();
	std::size_t again = 0;
	for (std::uint64_t value : drawn)
		again += value == 0 || !seen.insert(value);
	CHECK(again == 0);
}

namespace {

// Windows of 8 bytes, XORed so that the search does not find the set itself.
constexpr std::uint64_t mask = UINT64_C(0xa5a5a5a5a5a5a5a5);
std::unordered_set<std::uint64_t> served;
unsigned char drawn[70000];

void learn_and_forget(std::size_t len)
{
	for (std::size_t at = 0; at + 8 <= len; at += 8)
		served.insert(window_at(drawn + at) ^ mask);
	SecureZeroMemory(drawn, len);
}

// Served bytes in the process's writable memory, at any offset.
std::size_t finds()
{
	const unsigned char *at = nullptr;
	MEMORY_BASIC_INFORMATION region;
	std::size_t found = 0;

	cprng_clear_registers();
	while (VirtualQuery(at, &region, sizeof(region)) != 0) {
		const auto *const begin = static_cast<const unsigned char *>(region.BaseAddress);
		if (region.State == MEM_COMMIT &&
		    (region.Protect == PAGE_READWRITE || region.Protect == PAGE_WRITECOPY) &&
		    region.Type != MEM_MAPPED) {
			for (std::size_t i = 0; i + 8 <= region.RegionSize; i++)
				found += served.count(window_at(begin + i) ^ mask);
		}
		at = begin + region.RegionSize;
	}
	return found;
}

} // namespace

// Catches served bytes that stay in a buffer, on the stack or in a structure, and a search that finds nothing.
TEST_CASE("windows draws: what was served is in the caller's memory alone")
{
	static volatile std::uint64_t kept;

	for (int i = 0; i < 300; i++) {
		cprng_fast(drawn, 16);
		learn_and_forget(16);
		cprng_fast(drawn, 500);
		learn_and_forget(500);
	}
	cprng_fast(drawn, sizeof(drawn));
	learn_and_forget(sizeof(drawn));
	cprng_strong(drawn, 3000);
	learn_and_forget(3000);
	std::uint64_t number = cprng_fast64();
	served.insert(number ^ mask);
	SecureZeroMemory(&number, sizeof(number));
	CHECK(finds() == 0);

	kept = cprng_fast64();
	served.insert(kept ^ mask);
	CHECK(finds() >= 1);
	kept = 0;
	served.clear();
}
