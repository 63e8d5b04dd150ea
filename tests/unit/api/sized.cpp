// SPDX-License-Identifier: BSD-2-Clause
// Structures that grow: the caller's header has fewer or more fields than the library's.
#include "../../support/scenario.hpp"
#include "../../support/machine.hpp"

#include "cprng/fortuna.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

namespace {

constexpr std::size_t beyond = 64, guard = 32;

// The structure of an older or newer caller, in a size that the test chooses.
template <typename Structure> struct Caller {
	alignas(Structure) unsigned char byte[sizeof(Structure) + beyond + guard];

	explicit Caller(int filler)
	{
		std::memset(byte, filler, sizeof(byte));
	}

	Structure *get()
	{
		return reinterpret_cast<Structure *>(byte);
	}

	bool all(std::size_t from, std::size_t to, int value) const
	{
		return std::all_of(byte + from, byte + to, [value](unsigned char b) { return b == value; });
	}
};

// Counters only increase: a word that is equal before and after the call did not change during it.
template <typename Structure>
bool same_words(const Caller<Structure> &before, const Caller<Structure> &between, const Caller<Structure> &after,
		std::size_t size)
{
	for (std::size_t at = 0; at < size; at += 8) {
		const std::size_t whole = std::min<std::size_t>(8, sizeof(Structure) - at);
		if (std::memcmp(before.byte + at, after.byte + at, whole) != 0)
			continue;
		if (std::memcmp(before.byte + at, between.byte + at, std::min(whole, size - at)) != 0)
			return false;
	}
	return true;
}

// ask(structure, size) fills a structure.  used: the end of the last field, followed at most by padding.
template <typename Structure, typename Ask> void every_size(std::size_t used, const Ask &ask)
{
	std::size_t wrong = 0;

	for (std::size_t size = 0; size <= sizeof(Structure) + beyond; size++) {
		Caller<Structure> before(0xaa), asked(0xa5), after(0xaa);
		const std::size_t common = std::min(size, sizeof(Structure));
		ask(before.get(), sizeof(Structure));
		ask(asked.get(), size);
		ask(after.get(), sizeof(Structure));
		wrong += !same_words(before, asked, after, common);
		wrong += !asked.all(common, size, 0);
		wrong += !asked.all(size, sizeof(asked.byte), 0xa5);
		wrong += !before.all(used, sizeof(Structure), 0);
	}
	CHECK(wrong == 0);
	ask(nullptr, 0);
	ask(nullptr, sizeof(Structure));
}

} // namespace

// Catches a write beyond a caller's structure of another size, or one that does not fill it.
TEST_CASE("sizes: cprng_get_info")
{
	every_size<cprng_info>(sizeof(cprng_info), cprng_get_info);
}

// Catches a write beyond a caller's structure of another size, or one that does not fill it.
TEST_CASE("sizes: cprng_get_strong_info")
{
	every_size<cprng_strong_info>(sizeof(cprng_strong_info), cprng_get_strong_info);
}

// Catches a write beyond a caller's structure of another size, or a write although there is no such engine.
TEST_CASE("sizes: cprng_get_engine")
{
	every_size<cprng_engine_info>(offsetof(cprng_engine_info, rounds) + 1,
				      [](cprng_engine_info *info, std::size_t size) {
					      const int expected = info != nullptr ? CPRNG_OK : CPRNG_ERR_ARGUMENT;
					      CHECK(cprng_get_engine(1, info, size) == expected);
				      });
	Caller<cprng_engine_info> untouched(0xa5);
	CHECK(cprng_get_engine(1000, untouched.get(), sizeof(cprng_engine_info)) == CPRNG_ERR_ARGUMENT);
	CHECK(untouched.all(0, sizeof(untouched.byte), 0xa5));
}

// Catches a write beyond a caller's structure of another size, or one that does not fill it.
TEST_CASE("sizes: cprng_fortuna_get_info")
{
	SKIP_IF(!machine::buffered(), "no objects");
	cprng_fortuna *f = nullptr;
	REQUIRE(cprng_fortuna_new(&f, nullptr, 0) == 0);
	every_size<cprng_fortuna_info>(sizeof(cprng_fortuna_info), [f](cprng_fortuna_info *info, std::size_t size) {
		const int expected = info != nullptr ? CPRNG_OK : CPRNG_ERR_ARGUMENT;
		CHECK(cprng_fortuna_get_info(f, info, size) == expected);
	});
	cprng_fortuna_free(f);
}

// Catches a read beyond an older caller's options, and a newer caller's unknown options that are ignored.
TEST_CASE("sizes: options of cprng_fortuna_new")
{
	SKIP_IF(!machine::buffered(), "no objects");
	using Options = Caller<cprng_fortuna_options>;
	cprng_fortuna_info info = {};
	const auto make = [&info](Options &options, std::size_t size) {
		auto *f = reinterpret_cast<cprng_fortuna *>(&info);
		const int status = cprng_fortuna_new(&f, options.get(), size);
		CHECK((f != nullptr) == (status == 0));
		if (status == 0)
			CHECK(cprng_fortuna_get_info(f, &info, sizeof(info)) == 0);
		cprng_fortuna_free(f);
		return status;
	};

	// An older caller: memory after its structure is not read.
	Options older(0xa5);
	CHECK(make(older, 0) == 0);
	older.get()->engine = "chacha20";
	CHECK(make(older, offsetof(cprng_fortuna_options, pool_min)) == 0);
	CHECK(info.engine == std::string("chacha20"));
	CHECK(info.pool_min == 64);
	older.get()->pool_min = 32;
	CHECK(make(older, offsetof(cprng_fortuna_options, locked_reads)) == 0);
	CHECK(info.pool_min == 32);
	CHECK(info.locked_reads == 0);
	CHECK(make(older, offsetof(cprng_fortuna_options, hooks)) == 0);
	CHECK(info.locked_reads == 1);

	// A newer caller: fields unknown to the library must be zero.
	for (std::size_t size = sizeof(cprng_fortuna_options) + 1; size <= sizeof(cprng_fortuna_options) + beyond;
	     size++) {
		Options newer(0);
		newer.get()->pool_min = 48;
		std::memset(newer.byte + size, 0xa5, sizeof(newer.byte) - size);
		CHECK(make(newer, size) == 0);
		CHECK(info.pool_min == 48);
		newer.byte[size - 1] = 1;
		CHECK(make(newer, size) == CPRNG_ERR_ARGUMENT);
		CHECK(make(newer, size - 1) == 0);
	}
}
