// SPDX-License-Identifier: BSD-2-Clause
// The self-test accepts correct backends and detects wrong ones.  The selection takes the best passing backend under the ceiling.
#include "doctest/doctest.h"

#include "../../support/engines.hpp"
#include "../../support/spoiled_engines.h"

#include <cfenv>
#include <map>

namespace {

// A backend with one defect: calls the correct one and changes its output.
const cprng_backend *right;
enum class Defect {
	none,
	fewer_rounds,
	more_rounds,
	counter_stays,
	counter_skips,
	carry32_dropped,
	carry64_dropped,
	swapped_blocks,
	swapped_in_wide_batches,
	swapped_words,
	last_bit,
	long_calls,
	third_block_of_three,
	unaligned_only,
	streaming_only,
	one_byte_too_many,
	one_byte_before,
	last_block_missing,
	key_bit,
} defect;

void spoiled_key(cprng_keystate *ks, const std::uint8_t *key, std::size_t size)
{
	std::uint8_t copy[CPRNG_KEY_SIZE_MAX];

	std::memcpy(copy, key, size);
	if (defect == Defect::key_bit)
		copy[size - 1] ^= 0x80;
	right->set_key(ks, copy, size);
}

const cprng_engine *engine_under_test;

// The keystream of a counter that loses the carry out of its low 32 bits, or, for AES, out of its low 64 bits.
void without_carry(cprng_keystate *ks, unsigned int rounds, std::uint8_t *out, std::size_t nblocks)
{
	for (; nblocks != 0; nblocks--, out += engine_under_test->block_size) {
		const cprng_keystate before = *ks;
		right->keystream(ks, rounds, out, 1, 0);
		if (is_aes(engine_under_test)) {
			ks->counter_hi = before.counter_hi;
			if (defect == Defect::carry32_dropped)
				ks->counter_lo = (before.counter_lo >> 32 << 32) | (ks->counter_lo & 0xffffffff);
		} else {
			const int high = engine_under_test->family == &cprng_family_chacha ? 13 : 9;
			ks->u.word[high] = before.u.word[high];
		}
	}
}

void spoiled_keystream(cprng_keystate *ks, unsigned int rounds, std::uint8_t *out, std::size_t nblocks,
		       unsigned int flags)
{
	const std::size_t block = engine_under_test->block_size, size = nblocks * block;
	const cprng_keystate before = *ks;
	const bool aes = is_aes(engine_under_test);

	if (defect == Defect::fewer_rounds)
		rounds = aes ? (rounds == 14 ? 10 : 14) : rounds - 2; // AES supports two numbers of rounds
	if (defect == Defect::more_rounds)
		rounds = aes ? (rounds == 14 ? 10 : 14) : rounds + 2;
	if (defect == Defect::last_block_missing && nblocks > 32) {
		right->keystream(ks, rounds, out, nblocks - 1, flags);
		std::memset(out + size - block, 0, block);
		std::uint8_t unused[64];
		right->keystream(ks, rounds, unused, 1, 0);
		return;
	}
	right->keystream(ks, rounds, out, nblocks, flags);

	switch (defect) {
	case Defect::counter_stays:
		*ks = before;
		break;
	case Defect::counter_skips: {
		std::uint8_t unused[64];
		right->keystream(ks, rounds, unused, 1, 0);
		break;
	}
	case Defect::carry32_dropped:
	case Defect::carry64_dropped:
		*ks = before;
		without_carry(ks, rounds, out, nblocks);
		break;
	case Defect::swapped_blocks:
		if (nblocks >= 2)
			std::swap_ranges(out, out + block, out + block);
		break;
	case Defect::swapped_in_wide_batches:
		if (nblocks >= 32)
			std::swap_ranges(out + 30 * block, out + 31 * block, out + 31 * block);
		break;
	case Defect::swapped_words:
		if (nblocks >= 8)
			std::swap_ranges(out + 4, out + 8, out + 8);
		break;
	case Defect::last_bit:
		out[size - 1] ^= 1;
		break;
	case Defect::long_calls:
		if (nblocks > 16)
			out[size / 2] ^= 0x10;
		break;
	case Defect::third_block_of_three:
		if (nblocks == 3)
			out[2 * block] ^= 0x10;
		break;
	case Defect::unaligned_only:
		if (reinterpret_cast<std::uintptr_t>(out) % 16 != 0)
			out[0] ^= 1;
		break;
	case Defect::streaming_only:
		if ((flags & CPRNG_STREAMING) != 0)
			out[size - 1] ^= 1;
		break;
	case Defect::one_byte_too_many:
		out[size] = 0;
		break;
	case Defect::one_byte_before:
		out[-1] = 0;
		break;
	default:
		break;
	}
}

const cprng_backend spoiled = { "spoiled", 0, spoiled_key, spoiled_keystream };

} // namespace

// Catches a self-test that rejects a correct backend, and a wrong backend.
TEST_CASE("self-test: every usable backend passes")
{
	for (const cprng_engine *engine : all_engines()) {
		for (const cprng_backend *backend : usable_backends(engine)) {
			INFO(label(engine, backend));
			CHECK(cprng_engine_selftest(engine, backend) == 0);
		}
	}
}

// Catches a self-test that accepts a defective backend.
TEST_CASE("self-test: defects are noticed, each on every engine")
{
	for (const cprng_engine *engine : all_engines()) {
		engine_under_test = engine;
		right = cprng_engine_select(engine);
		REQUIRE(right != nullptr);
		defect = Defect::none;
		CHECK(cprng_engine_selftest(engine, &spoiled) == 0);
		for (int d = static_cast<int>(Defect::fewer_rounds); d <= static_cast<int>(Defect::key_bit); d++) {
			INFO(engine->name << ", defect " << d);
			defect = static_cast<Defect>(d);
			CHECK(cprng_engine_selftest(engine, &spoiled) > 0);
		}
	}
}

// Catches an engine that passes because it has no known answers.
TEST_CASE("self-test: an engine without known answers of either kind fails")
{
	for (const cprng_engine *engine : all_engines()) {
		INFO(engine->name);
		const cprng_backend *right_one = cprng_engine_select(engine);
		REQUIRE(right_one != nullptr);
		const cprng_engine *copy = spoiled_engine_find(engine->name);
		CHECK(spoiled_engine_selftest(copy, right_one) == 0);
		spoiled_set_answers(copy, SPOILED_ANSWERS_NO_LITERAL);
		CHECK(spoiled_engine_selftest(copy, right_one) == 1);
		spoiled_set_answers(copy, SPOILED_ANSWERS_NO_RUN);
		CHECK(spoiled_engine_selftest(copy, right_one) > 1);
		spoiled_set_answers(copy, SPOILED_ANSWERS_WHOLE);
		CHECK(spoiled_engine_selftest(copy, right_one) == 0);
		// This engine has no row in the table.
		const cprng_engine other = *engine;
		CHECK(cprng_engine_selftest(&other, right_one) == 1);
	}
}

// Catches the selection of a backend that the CPU cannot run, or of one slower than necessary.
TEST_CASE("select: the best usable backend, as the ceiling goes down and up")
{
	const std::uint32_t x86[] = { CPRNG_CPU_SSSE3, CPRNG_CPU_AVX2, CPRNG_CPU_AESNI, CPRNG_CPU_VAES,
				      CPRNG_CPU_AVX512 };
	std::vector<std::uint32_t> masks = { ~0u, 0, CPRNG_CPU_ARM_AES, ~0u };
	run::Random random("ceilings");

	for (std::uint32_t bit : x86) {
		masks.push_back(~bit);
		masks.push_back(bit);
	}
	for (int i = 0; i < 50; i++)
		masks.push_back(static_cast<std::uint32_t>(random.word()));

	for (const std::uint32_t mask : masks) {
		cprng_cpu_set_ceiling(mask);
		CHECK((cprng_cpu_features() & ~mask) == 0);
		for (const cprng_engine *engine : all_engines()) {
			INFO(engine->name << ", ceiling " << mask);
			const cprng_backend *best = nullptr;
			for (const cprng_backend *backend : all_backends(engine)) {
				const bool covered = (backend->needs & ~cprng_cpu_features()) == 0;
				CHECK(cprng_backend_usable(backend) == covered);
				if (covered && best == nullptr)
					best = backend;
			}
			CHECK(cprng_engine_select(engine) == best);
		}
	}
	cprng_cpu_set_ceiling(run::ceiling);
}

// Catches a wrong backend that is used, or that is tested again at each call.
TEST_CASE("select: a backend that fails is passed over, and the verdict kept")
{
	const cprng_engine *engine = spoiled_engine_find("chacha20");
	REQUIRE(engine != nullptr);
	const cprng_backend *selected = spoiled_engine_select(engine);
	REQUIRE(selected != nullptr);
	CHECK(std::string(selected->name) == "portable");
	CHECK(spoiled_broken_calls > 0);
	CHECK(spoiled_unusable_calls == 0);

	const unsigned long broken = spoiled_broken_calls, portable = spoiled_portable_calls;
	for (int i = 0; i < 10; i++)
		CHECK(spoiled_engine_select(engine) == selected);
	CHECK(spoiled_broken_calls == broken);
	CHECK(spoiled_portable_calls == portable);

	// Only this engine has no backend left.
	spoiled_portable_fails = true;
	engine = spoiled_engine_find("chacha12");
	CHECK(spoiled_engine_select(engine) == nullptr);
	spoiled_portable_fails = false;
	CHECK(spoiled_engine_select(engine) == nullptr);
	CHECK(spoiled_engine_select(spoiled_engine_find("chacha20")) == selected);
	CHECK(spoiled_engine_select(spoiled_engine_find("salsa20")) != nullptr);
	CHECK(spoiled_engine_select(spoiled_engine_find("chacha8")) != nullptr);
}

// Catches the use of arithmetic that a compiler has changed: streams would differ between machines.
TEST_CASE("select: arithmetic that fails is used by no array")
{
	const cprng_numbers_backend *last = spoiled_numbers_backends;

	while (last[1].name != nullptr)
		last++;
	cprng_cpu_set_ceiling(0);
	CHECK(spoiled_numbers_selftest(last) == 0);
	spoiled_normals_fail = true;
	CHECK(spoiled_numbers_selftest(last) == 11);
	// In another rounding mode the self-test gives no verdict and stores none.
	REQUIRE(std::fesetround(FE_UPWARD) == 0);
	const bool upward = spoiled_numbers_selftest(last) == 0 && spoiled_numbers_select() == last;
	REQUIRE(std::fesetround(FE_TONEAREST) == 0);
	CHECK(upward);
	CHECK(spoiled_numbers_select() == nullptr);
	spoiled_normals_fail = false;
	CHECK(spoiled_numbers_select() == nullptr); // the verdict is stored
	cprng_cpu_set_ceiling(run::ceiling);
	for (const cprng_numbers_backend *b = cprng_numbers_backends; b->name != nullptr; b++) {
		if (cprng_numbers_usable(b))
			CHECK(cprng_numbers_selftest(b) == 0);
	}
}

// Catches a failure that is not reported.
TEST_CASE("cprng_selftest: counts what fails, and says which answer was missed")
{
	std::map<std::string, cprng_selftest_result> results;
	const int failures = spoiled_selftest(
		[](const cprng_selftest_result *result, void *arg) {
			(*static_cast<decltype(results) *>(arg))[std::string(result->engine) + "/" + result->backend] =
				*result;
		},
		&results);

	CHECK(failures == 3);
	for (const char *name : { "chacha20", "chacha12", "chacha8" }) {
		const cprng_selftest_result &broken = results[std::string(name) + "/broken"];
		CHECK(broken.usable != 0);
		CHECK(broken.selected == 0);
		CHECK(broken.failed == 3); // two literal answers, then the run
		const cprng_selftest_result &unusable = results[std::string(name) + "/unusable"];
		CHECK(unusable.usable == 0);
		CHECK(unusable.failed == 0);
	}
	CHECK(spoiled_unusable_calls == 0);
	CHECK(results["chacha8/portable"].failed == 0);
	CHECK(results["salsa20/portable"].failed == 0);
}

// Catches a backend that is not tested.
TEST_CASE("cprng_selftest: reports every backend of every engine")
{
	struct Reported {
		std::map<std::string, cprng_selftest_result> results;
		int calls = 0;
	} reported;

	CHECK(cprng_selftest(nullptr, nullptr) == 0);
	CHECK(cprng_selftest(
		      [](const cprng_selftest_result *result, void *arg) {
			      auto *r = static_cast<Reported *>(arg);
			      r->results[std::string(result->engine) + "/" + result->backend] = *result;
			      r->calls++;
		      },
		      &reported) == 0);
	std::size_t backends = 0;
	for (const cprng_engine *engine : all_engines()) {
		for (const cprng_backend *backend : all_backends(engine)) {
			INFO(label(engine, backend));
			backends++;
			REQUIRE(reported.results.count(label(engine, backend)) == 1);
			const cprng_selftest_result &result = reported.results[label(engine, backend)];
			CHECK((result.usable != 0) == cprng_backend_usable(backend));
			CHECK((result.selected != 0) == (cprng_engine_select(engine) == backend));
			CHECK(result.failed == 0);
		}
	}
	for (const cprng_numbers_backend *b = cprng_numbers_backends; b->name != nullptr; b++) {
		backends++;
		REQUIRE(reported.results.count(std::string("numbers/") + b->name) == 1);
		const cprng_selftest_result &result = reported.results[std::string("numbers/") + b->name];
		CHECK((result.usable != 0) == cprng_numbers_usable(b));
		CHECK((result.selected != 0) == (cprng_numbers_select() == b));
		CHECK(result.failed == 0);
	}
	CHECK(reported.results.size() == backends);
	CHECK(reported.calls == static_cast<int>(backends));
}
