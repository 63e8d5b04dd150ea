// SPDX-License-Identifier: BSD-2-Clause
// What the library says of itself: engines, version, errors, and what serves the draws.
#include "doctest/doctest.h"

#include "../../support/engines.hpp"

#include <climits>

// Catches an engine that is not listed, and an error without a text.
TEST_CASE("queries: engines, version, errors")
{
	cprng_engine_info info;
	unsigned int i = 0;

	for (const cprng_engine *engine : all_engines()) {
		REQUIRE(cprng_get_engine(i++, &info, sizeof(info)) == 0);
		CHECK(std::string(info.name) == engine->name);
		CHECK(info.rounds == engine->rounds);
		CHECK(info.block_size == engine->block_size);
		for (int j = 0; j < 2; j++) {
			CHECK(info.key_sizes[j] == engine->key_sizes[j]);
			CHECK(info.nonce_sizes[j] == engine->nonce_sizes[j]);
		}
	}
	CHECK(cprng_get_engine(i, &info, sizeof(info)) == CPRNG_ERR_ARGUMENT);
	CHECK(cprng_get_engine(UINT_MAX, &info, sizeof(info)) == CPRNG_ERR_ARGUMENT);
	CHECK(cprng_get_engine(0, nullptr, 0) == CPRNG_ERR_ARGUMENT);

	CHECK(std::string(cprng_version()) == std::to_string(CPRNG_VERSION_MAJOR) + "." +
						      std::to_string(CPRNG_VERSION_MINOR) + "." +
						      std::to_string(CPRNG_VERSION_PATCH));

	std::vector<std::string> sentences;
	for (int error = CPRNG_OK; error >= CPRNG_ERR_CHECKPOINT; error--) {
		const char *sentence = cprng_strerror(error);
		REQUIRE(sentence != nullptr);
		CHECK(*sentence != '\0');
		CHECK(sentence[std::strlen(sentence) - 1] != '.');
		CHECK(std::string(sentence) != "unknown error");
		CHECK(std::find(sentences.begin(), sentences.end(), sentence) == sentences.end());
		sentences.push_back(sentence);
	}
	for (int error : { 1, CPRNG_ERR_CHECKPOINT - 1, INT_MIN, INT_MAX })
		CHECK(std::string(cprng_strerror(error)) == "unknown error");
}

// Catches an answer that does not describe this process.
TEST_CASE("queries: what serves the draws")
{
	cprng_info info;

	cprng_get_info(&info, sizeof(info));
	const cprng_engine *engine = cprng_engine_find(info.engine);
	REQUIRE(engine != nullptr);
	REQUIRE(cprng_backend_find(engine, info.backend) != nullptr);
	// 256-bit strength
	CHECK(engine->key_sizes[0] == 32);
	// AES where the CPU has it, else ChaCha20 at the full number of rounds
	const bool aes = (cprng_cpu_features() & (CPRNG_CPU_AESNI | CPRNG_CPU_ARM_AES)) != 0;
	CHECK(std::string(info.engine) == (aes ? "aes256-ctr" : "chacha20"));
	CHECK(cprng_engine_select(engine) == cprng_backend_find(engine, info.backend));
	const std::string placement = info.placement;
	CHECK((placement == "per-cpu" || placement == "slots" || placement == "unbuffered"));
	// If memory cannot be wiped at a fork there is none.
	CHECK((info.buffers == 0) == (placement == "unbuffered"));
	CHECK((info.state_bytes == 0) == (placement == "unbuffered"));
	CHECK(info.buffer_bytes <= info.state_bytes);
	CHECK(info.refills_per_reseed >= 1);
}
