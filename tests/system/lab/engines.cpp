// SPDX-License-Identifier: BSD-2-Clause
// The lab's engines: any split of a request gives the same stream, and a key restarts it.  The tests of cprng-lab
// stream check the stream itself.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <vector>

#include "core/bytes.h"

#include "../../../lab/origins/engines/engines.hpp"

namespace {

std::vector<unsigned char> key_of(const lab::engine_info &info)
{
	std::vector<unsigned char> key(info.key_size);
	for (std::size_t i = 0; i < key.size(); i++)
		key[i] = static_cast<unsigned char>(3 * i + 1);
	return key;
}

} // namespace

// Catches an engine that loses or repeats bytes between two requests.
TEST_CASE("any split gives the same stream")
{
	// More than twice HC-128's tables.
	constexpr std::size_t length = 9000;
	const unsigned char nonce[16] = { 1 };
	std::mt19937 chance(1);
	for (const lab::engine_info &info : lab::engines) {
		INFO(info.name);
		const std::vector<unsigned char> key = key_of(info);
		const auto engine = info.make();
		engine->key(key.data(), key.size(), nonce);
		std::vector<unsigned char> whole(length), pieces(length);
		engine->fill(whole.data(), length);
		for (int repetition = 0; repetition < 30; repetition++) {
			engine->key(key.data(), key.size(), nonce);
			// Words at every offset from the preceding pieces, and consecutive words.
			for (std::size_t at = 0; at < length;) {
				const std::size_t left = length - at;
				const std::size_t n = chance() % 24;
				if (n < 8 && left >= 4) {
					cprng_store_le32(pieces.data() + at, engine->next32());
					at += 4;
				} else {
					const std::size_t size = std::min(n, left);
					engine->fill(pieces.data() + at, size);
					at += size;
				}
			}
			REQUIRE(pieces == whole);
		}
	}
}

// Catches a part of a state that a wipe would leave.
TEST_CASE("what is secret in an engine is all of it but positions")
{
	const unsigned char nonce[16] = {};
	for (const lab::engine_info &info : lab::engines) {
		INFO(info.name);
		const std::vector<unsigned char> key = key_of(info);
		const auto engine = info.make();
		engine->key(key.data(), key.size(), nonce);
		std::size_t bytes = 0;
		engine->secrets([&bytes](void *, std::size_t size) { bytes += size; });
		CHECK(bytes <= info.state_size);
		CHECK(bytes + 8 >= info.state_size);
		// With an all-zero state the stream is another, or none.
		unsigned char with[64], without[64];
		engine->fill(with, sizeof(with));
		engine->key(key.data(), key.size(), nonce);
		engine->secrets([](void *data, std::size_t size) { std::memset(data, 0, size); });
		engine->fill(without, sizeof(without));
		CHECK(std::memcmp(with, without, sizeof(with)) != 0);
	}
}
