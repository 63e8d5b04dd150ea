// SPDX-License-Identifier: BSD-2-Clause
// 128-bit arithmetic, native and portable, compared with byte-by-byte long arithmetic.
#include "doctest/doctest.h"

#include "../fortuna/fixture.hpp"
#include "../fortuna/reference.hpp"
#include "uint128_portable.h"

#include "core/uint128.h"

#include <array>
#include <cstdio>
#include <string>

namespace {

using U = cprng_uint128;

constexpr std::uint64_t all = ~std::uint64_t{ 0 };

std::string text(U a)
{
	char s[40];

	std::snprintf(s, sizeof(s), "%016llx:%016llx", static_cast<unsigned long long>(a.hi),
		      static_cast<unsigned long long>(a.lo));
	return s;
}

U from(without_int128 a)
{
	return { a.hi, a.lo };
}

without_int128 to(U a)
{
	return { a.hi, a.lo };
}

bool equal(U a, U b)
{
	return a.hi == b.hi && a.lo == b.lo;
}

void check_sum(U a, U b, U want)
{
	const U sums[] = { cprng_uint128_add(a, b), cprng_uint128_add_portable(a, b),
			   from(without_int128_add(to(a), to(b))) };

	for (U sum : sums) {
		INFO(text(a) << " + " << text(b) << ": got " << text(sum) << ", want " << text(want));
		CHECK(equal(sum, want));
	}
	if (b.hi != 0)
		return;
	for (U sum : { cprng_uint128_add64(a, b.lo), from(without_int128_add64(to(a), b.lo)) }) {
		INFO(text(a) << " + 64 bits " << b.lo << ": got " << text(sum) << ", want " << text(want));
		CHECK(equal(sum, want));
	}
}

void check_sum(U a, U b)
{
	const U want = reference::add(a, b);

	check_sum(a, b, want);
	check_sum(b, a, want);
}

// Multiplies by 8-bit digits and adds each product at its place.  32 bits suffice for the sum of 8 products and the carry.
U product(std::uint64_t a, std::uint64_t b)
{
	std::array<std::uint32_t, 17> digit{};
	U p = { 0, 0 };

	for (unsigned int i = 0; i < 8; i++) {
		for (unsigned int j = 0; j < 8; j++)
			digit[i + j] += static_cast<std::uint32_t>((a >> 8 * i & 0xff) * (b >> 8 * j & 0xff));
	}
	for (unsigned int i = 0; i < 16; i++) {
		digit[i + 1] += digit[i] >> 8;
		(i < 8 ? p.lo : p.hi) |= std::uint64_t{ digit[i] & 0xff } << 8 * (i % 8);
	}
	return p;
}

void check_product(std::uint64_t a, std::uint64_t b, U want)
{
	for (U p : { cprng_mul64(a, b), cprng_mul64_portable(a, b), from(without_int128_mul64(a, b)) }) {
		INFO(a << " * " << b << ": got " << text(p) << ", want " << text(want));
		CHECK(equal(p, want));
	}
}

// Words with runs of equal bits, in which carries begin, continue and end.
std::uint64_t jagged(run::Random &random)
{
	switch (random.below(6)) {
	case 0:
		return 0;
	case 1:
		return all;
	case 2:
		return all << random.below(64);
	case 3:
		return all >> random.below(64);
	case 4:
		return (std::uint64_t{ 1 } << random.below(64)) - random.below(3) + random.below(3);
	default:
		return random.word();
	}
}

} // namespace

// Catches a lost carry.
TEST_CASE("uint128: known sums")
{
	check_sum({ 0, 0 }, { 0, 0 }, { 0, 0 });
	check_sum({ 0, 1 }, { 0, 1 }, { 0, 2 });
	check_sum({ 0, all }, { 0, 1 }, { 1, 0 });
	check_sum({ 0, 1 }, { 0, all }, { 1, 0 });
	check_sum({ 0, all }, { 0, all }, { 1, all - 1 });
	check_sum({ 5, all }, { 7, all }, { 13, all - 1 });
	check_sum({ all, all }, { 0, 1 }, { 0, 0 });
	check_sum({ all, all }, { all, all }, { all, all - 1 });
	check_sum({ all, 0 }, { 1, 0 }, { 0, 0 });
	check_sum({ all, all }, { 1, 0 }, { 0, all });
	check_sum({ all, all - 4 }, { 0, 9 }, { 0, 4 });
	check_sum({ 0x0123456789abcdef, 0xfedcba9876543210 }, { 0x1111111111111111, 0x0123456789abcdf0 },
		  { 0x123456789abcdf01, 0 });
	check_sum({ 0, 0xffffffff }, { 0, 1 }, { 0, 0x100000000 });
	check_sum({ 0x8000000000000000, 0 }, { 0x8000000000000000, 0 }, { 0, 0 });
	check_sum({ 0, 0x8000000000000000 }, { 0, 0x8000000000000000 }, { 1, 0 });
}

// Catches portable arithmetic that differs from the compiler's.
TEST_CASE("uint128: random sums and products")
{
	run::Random random("uint128");

	for (std::size_t i = volume(300000, 20000); i != 0; i--) {
		const U a = { jagged(random), jagged(random) }, b = { jagged(random), jagged(random) };
		check_sum(a, b);
		check_sum(a, { 0, b.lo });
		check_product(a.lo, b.lo, product(a.lo, b.lo));
	}
}

// Catches a lost partial product.
TEST_CASE("uint128: known products")
{
	check_product(0, all, { 0, 0 });
	check_product(1, all, { 0, all });
	check_product(2, all, { 1, all - 1 });
	check_product(all, all, { all - 1, 1 });
	check_product(0xffffffff, 0xffffffff, { 0, 0xfffffffe00000001 });
	check_product(0x100000000, 0x100000000, { 1, 0 });
	check_product(0xffffffff00000001, 0xffffffff, { 0xfffffffe, 0x1ffffffff });
	for (unsigned int i = 0; i < 64; i++) {
		for (unsigned int j = 0; j < 64; j++) {
			const std::uint64_t a = std::uint64_t{ 1 } << i, b = std::uint64_t{ 1 } << j;
			check_product(a, b, i + j < 64 ? U{ 0, a << j } : U{ std::uint64_t{ 1 } << (i + j - 64), 0 });
			check_product(a - 1, b - 1, product(a - 1, b - 1));
		}
	}
}

// Catches a number that is considered zero because one half is zero.
TEST_CASE("uint128: zero")
{
	CHECK(cprng_uint128_is_zero({ 0, 0 }));
	CHECK(without_int128_is_zero({ 0, 0 }));
	for (unsigned int i = 0; i < 64; i++) {
		const std::uint64_t bit = std::uint64_t{ 1 } << i;
		CHECK_FALSE(cprng_uint128_is_zero({ bit, 0 }));
		CHECK_FALSE(cprng_uint128_is_zero({ 0, bit }));
		CHECK_FALSE(cprng_uint128_is_zero({ bit, bit })); // the sum of the halves may be 0
		CHECK_FALSE(cprng_uint128_is_zero({ bit, 0 - bit }));
		CHECK_FALSE(without_int128_is_zero({ bit, 0 - bit }));
	}
}
