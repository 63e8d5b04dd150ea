// SPDX-License-Identifier: BSD-2-Clause
// The layer of the BSDs over Linux's calls (support/bsd/calls.c), and what CPRNG_TEST_BSD has these refuse.
#include "../../support/internals.hpp"
#include "../../support/machine.hpp"
#include "../../support/precompiled.hpp"

#include <cstdlib>
#include <string>

extern "C" struct {
	std::uint32_t version, generation;
	std::uint64_t reserved;
} cprng_test_fxrng;

namespace {

const std::string mode = [] {
	const char *const set = std::getenv("CPRNG_TEST_BSD");
	return std::string(set != nullptr ? set : "");
}();

const bool zeroes_pages = mode.empty() || mode == "no-page";

} // namespace

// Catches a system call for each draw of a BSD, and buffers where a fork copies them.
TEST_CASE("bsd: buffers are slots where a fork zeroes pages, and there are none elsewhere")
{
	struct cprng_info info = {};

	cprng_get_info(&info, sizeof(info));
	CHECK(std::string(info.placement) == (zeroes_pages ? "slots" : "unbuffered"));
	CHECK(std::string(info.fork_guard) == (zeroes_pages ? "wipe-on-fork" : "unbuffered"));
}

// Catches buffered bytes that are served after the kernel has announced a reseed, and invalidations without one.
TEST_CASE("bsd: a refill after a reseed of the kernel's generator is of a new generation")
{
	struct cprng_process *const p = cprng_process();
	unsigned char bytes[600];

	SKIP_IF(!zeroes_pages, "no buffers");
	CHECK((p->vm_page == nullptr) == (mode == "no-page"));
	cprng_fast(bytes, sizeof(bytes));
	const std::uint64_t before = cprng_generation(p);
	cprng_fast(bytes, sizeof(bytes));
	CHECK(cprng_generation(p) == before);
	__atomic_fetch_add(&cprng_test_fxrng.generation, 1, __ATOMIC_RELEASE);
	cprng_fast(bytes, sizeof(bytes));
	CHECK((cprng_generation(p) != before) == (mode != "no-page"));
}

// Catches an object of the program that loses its seed whenever the kernel's generator is reseeded.
TEST_CASE("bsd: a reseed of the kernel's generator leaves Fortuna objects seeded")
{
	unsigned char bytes[600] = {};
	cprng_fortuna *f;

	SKIP_IF(!zeroes_pages, "no buffers, so no objects");
	REQUIRE(cprng_fortuna_new(&f, nullptr, 0) == CPRNG_OK);
	cprng_fast(bytes, sizeof(bytes)); // the first draw finds no change, whatever the kernel shows
	REQUIRE(cprng_fortuna_seed(f, bytes, sizeof(bytes)) == CPRNG_OK);
	__atomic_fetch_add(&cprng_test_fxrng.generation, 1, __ATOMIC_RELEASE);
	cprng_fast(bytes, sizeof(bytes));
	CHECK(cprng_fortuna_read(f, bytes, sizeof(bytes)) == CPRNG_OK);
	cprng_invalidate();
	CHECK(cprng_fortuna_read(f, bytes, sizeof(bytes)) == CPRNG_ERR_UNSEEDED);
	cprng_fortuna_free(f);
}
