// SPDX-License-Identifier: BSD-2-Clause
// Every length is filled completely: at the real internal limits, and for requests of several maximal pieces.
// tests/promises/1-full-strength/lengths/ tests every length with lowered limits.
#include "../../support/filled.hpp"
#include "../../support/run.hpp"
#include "../../support/internals.hpp"
#include "../../support/machine.hpp"

#define _Static_assert static_assert
extern "C" {
#include "process/lengths.h"
}
#undef _Static_assert

#include "cprng/fortuna.h"

#include <algorithm>
#include <fstream>
#include <string>
#include <vector>

namespace {

constexpr std::size_t MiB = std::size_t{ 1 } << 20;

// Twice the request: the table of seen values needs as much again.  If the free memory is unknown, mmap decides.
bool has_memory(std::size_t most)
{
	std::ifstream file("/proc/meminfo");
	std::string word;
	unsigned long long kib;

	while (file >> word) {
		if (word == "MemAvailable:" && file >> kib)
			return kib * 1024 > 2 * most + 64 * MiB;
	}
	return true;
}

// The limit, and one length on each side of it.
std::vector<std::size_t> around(std::size_t limit)
{
	return { limit - 1, limit, limit + 1 };
}

std::vector<std::size_t> operator+(std::vector<std::size_t> a, const std::vector<std::size_t> &b)
{
	a.insert(a.end(), b.begin(), b.end());
	return a;
}

// Stops at the first wrong length.  Lengths above 16 MiB are tested only at the large volume; the tests in lengths/
// cover those limits with lower values.
void check(const std::string &what, std::vector<std::size_t> lengths, const filled::Call &call)
{
	if (!run::large())
		lengths.erase(std::remove_if(lengths.begin(), lengths.end(),
					     [](std::size_t len) { return len > 16 * MiB; }),
			      lengths.end());
	const std::size_t most = *std::max_element(lengths.begin(), lengths.end());
	SKIP_IF(machine::slow(), "hundreds of MiB take too long here");
	SKIP_IF(!has_memory(most), "too little memory is available");
	filled::Memory memory(most);
	SKIP_IF(!memory.is_there(), "no address space for the buffer");
	std::size_t offset = 0;
	INFO(what);

	for (std::size_t len : lengths) {
		const std::string fault = filled::fault(memory, call, len, offset);
		CHECK(fault == "");
		if (!fault.empty())
			return;
		// Alignments for vectors of any width, for 16-byte vectors, and for none: 0, 16, 37, ...
		offset = offset == 0 ? 16 : offset == 16 ? 37 : 0;
	}
}

bool strong(void *buf, std::size_t len)
{
	cprng_strong(buf, len);
	return true;
}

} // namespace

// Catches an unfilled byte near a limit of the implementation.
TEST_CASE("lengths: real limits, cprng_fast")
{
	check("cprng_fast",
	      around(CPRNG_SHORT_MAX) + around(UNBUFFERED_MAX) + around(3 * UNBUFFERED_MAX) +
		      around(CPRNG_STREAMING_MIN) + around(ONE_KEY_MAX) +
		      std::vector<std::size_t>{ 3 * MiB + 7, 20 * MiB, 70 * MiB, 130 * MiB + 13 },
	      [](void *buf, std::size_t len) {
		      cprng_fast(buf, len);
		      return true;
	      });
}

// Catches an unfilled byte at the end of a piece generated outside the lock.
TEST_CASE("lengths: real limits, cprng_strong outside the lock")
{
	check("concurrent",
	      around(READ_MAX) + around(2 * READ_MAX) + std::vector<std::size_t>{ 3 * MiB + 7, 9 * MiB + 5 }, strong);
}

// Catches an unfilled byte at the end of a piece generated under the lock.
TEST_CASE("lengths: real limits, cprng_strong under the lock")
{
	SKIP_IF(!machine::buffered(), "no locks: all bytes come from the kernel");
	cprng_strong_set_locked_reads(1);
	check("locked", around(READ_MAX) + std::vector<std::size_t>{ 3 * MiB + 7 }, strong);
	cprng_strong_set_locked_reads(0);
}

// Catches a byte that an object leaves unfilled at a change of keys or at streaming stores.
TEST_CASE("lengths: real limits, objects")
{
	SKIP_IF(!machine::buffered(), "no objects");
	static const unsigned char seed[32] = { 1 };

	for (const char *engine : { "aes256-ctr", "chacha20" }) {
		for (int locked : { 0, 1 }) {
			cprng_fortuna_options options = {};
			cprng_fortuna *f;
			options.engine = engine;
			options.locked_reads = locked;
			REQUIRE(cprng_fortuna_new(&f, &options, sizeof(options)) == 0);
			REQUIRE(cprng_fortuna_seed(f, seed, sizeof(seed)) == 0);
			check(std::string(engine) + (locked != 0 ? ", locked" : ", concurrent"),
			      around(std::size_t{ 16 } * CPRNG_REKEY_BLOCKS_AES) + around(CPRNG_STREAMING_MIN) +
				      std::vector<std::size_t>{ 3 * MiB + 7 },
			      [f](void *buf, std::size_t len) { return cprng_fortuna_read(f, buf, len) == 0; });
			cprng_fortuna_free(f);
		}
	}
}
