// SPDX-License-Identifier: BSD-2-Clause
// A stream's bytes are the same however reads are split.
#include "doctest/doctest.h"

#include "../../support/engines.hpp"

#include <cstdio>

namespace {

constexpr std::size_t whole = 65536;

// Split points from 0 to whole: alternately from both ends (sizes near blocks and batches), then the middle in random order.
std::vector<std::size_t> split_points(run::Random &random)
{
	constexpr std::size_t ends = 4400;
	std::vector<std::size_t> v;

	for (std::size_t i = 0; i <= whole - i; i++) {
		v.push_back(i);
		if (i != whole - i)
			v.push_back(whole - i);
	}
	for (std::size_t i = v.size() - 1; i > ends; i--)
		std::swap(v[i], v[ends + random.below(i - ends + 1)]);
	return v;
}

} // namespace

// Catches a wrong position or leftover block after a read.
TEST_CASE("splits: every one of 64 KiB in two reads")
{
	run::Random random("splits");
	const auto points = split_points(random);

	{
		std::vector<bool> seen(whole + 1);
		for (std::size_t point : points)
			seen.at(point) = true;
		REQUIRE(std::count(seen.begin(), seen.end(), true) == static_cast<std::ptrdiff_t>(whole + 1));
	}

	for (const cprng_engine *engine : all_engines()) {
		const Position p = random_position(random, engine, whole / engine->block_size);
		const Bytes want = keystream(engine, portable_backend(engine), { p.key, p.nonce, 0 }, 0, whole);
		Stream s(engine, p.key, p.nonce);
		Guarded got(whole);
		const run::Clock clock;
		std::size_t done = 0;

		for (const std::size_t point : points) {
			if (!clock.left())
				break;
			// Overwrite the buffer, so that no unwritten byte is still correct from the last round.
			for (std::size_t i = point - std::min<std::size_t>(point, 128); i < point; i++)
				got.data()[i] = static_cast<std::uint8_t>(~want[i]);
			bool good = cprng_stream_seek(s.get(), 0) == 0;
			good = good && cprng_stream_read(s.get(), got.data(), point) == 0;
			good = good && cprng_stream_tell(s.get()) == point;
			good = good && cprng_stream_read(s.get(), got.data() + point, whole - point) == 0;
			good = good && cprng_stream_tell(s.get()) == whole;
			if (!good || std::memcmp(got.data(), want.data(), whole) != 0) {
				INFO(engine->name << ", split at " << point);
				CHECK(good);
				same(got.data(), want.data(), whole, "stream");
				break;
			}
			done++;
		}
		CHECK(done > 0);
		CHECK(got.intact());
		std::printf("splits: %s: %zu of %zu split points%s\n", engine->name, done, points.size(),
			    done == points.size() ? "" : ", time is up");
	}
	std::fflush(stdout);
}

// Catches the same errors in long sequences of reads and at any alignment.
TEST_CASE("splits: many reads of random sizes to random addresses")
{
	run::Random random("many reads");

	for (const cprng_engine *engine : all_engines()) {
		for (int round = 0; round < 40; round++) {
			const Position p = random_position(random, engine, 1024);
			const std::size_t length = 1 + random.below(16384);
			const std::size_t largest = std::size_t{ 1 } << random.below(13);
			const Bytes want =
				keystream(engine, portable_backend(engine), { p.key, p.nonce, 0 }, 0, length);
			Stream s(engine, p.key, p.nonce);

			for (std::size_t at = 0; at < length;) {
				const std::size_t n = std::min(random.below(largest + 1), length - at);
				Guarded got(n, random.below(64));
				REQUIRE(cprng_stream_read(s.get(), got.data(), n) == 0);
				INFO(engine->name << ": " << n << " bytes at " << at << " of " << length);
				same(got.data(), want.data() + at, n, "stream");
				CHECK(got.intact());
				at += n;
				REQUIRE(cprng_stream_tell(s.get()) == at);
			}
		}
	}
}

// Catches a leftover block from before the seek.
TEST_CASE("splits: reads after seeks, forward and back")
{
	run::Random random("seeks");
	constexpr std::size_t length = 20000;

	for (const cprng_engine *engine : all_engines()) {
		const Position p = random_position(random, engine, 1024);
		const Bytes want = keystream(engine, portable_backend(engine), { p.key, p.nonce, 0 }, 0, length);
		Stream s(engine, p.key, p.nonce);

		for (int i = 0; i < 1000; i++) {
			const std::size_t at = random.below(length),
					  n = random.below(std::min<std::size_t>(length - at, 600));
			Guarded got(n, random.below(16));
			REQUIRE(cprng_stream_seek(s.get(), at) == 0);
			REQUIRE(cprng_stream_tell(s.get()) == at);
			REQUIRE(cprng_stream_read(s.get(), got.data(), n) == 0);
			INFO(engine->name << ": " << n << " bytes at " << at);
			same(got.data(), want.data() + at, n, "stream");
			CHECK(got.intact());
		}
	}
}

// Reads so long that the library may use another method, such as streaming stores.
// Catches an error in streaming stores, or in the read before them.
TEST_CASE("splits: long reads")
{
	run::Random random("long reads");
	const std::size_t length = (run::seconds < 0.5 ? 1 : run::volume(9, 24)) << 20;

	for (const char *name : { "chacha20", "aes256-ctr" }) {
		const cprng_engine *engine = cprng_engine_find(name);
		const Position p = random_position(random, engine, length / engine->block_size);
		const cprng_backend *backend = cprng_engine_select(engine);
		REQUIRE(backend != nullptr);
		const Bytes want = keystream(engine, backend, { p.key, p.nonce, 0 }, 0, length);
		for (std::size_t offset : { 0, 16, 5 }) {
			Stream s(engine, p.key, p.nonce);
			const std::size_t first = random.below(200);
			Guarded got(length, offset);
			REQUIRE(cprng_stream_read(s.get(), got.data(), first) == 0);
			REQUIRE(cprng_stream_read(s.get(), got.data() + first, length - first) == 0);
			same(got.data(), want.data(), length, name);
			CHECK(got.intact());
		}
	}
}
