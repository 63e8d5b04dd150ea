// SPDX-License-Identifier: BSD-2-Clause
// Compares each backend with the portable reference, and the reference's counter with single blocks.
#include "doctest/doctest.h"

#include "../../support/engines.hpp"
#include "../../support/machine.hpp"
#include "../../support/own_stack.hpp"
#include "../../support/registers.hpp"
#include "../../support/skips.hpp"
#include "cpu/registers.h"

#include <algorithm>
#include <cstddef>

namespace {

// The distinction between a key state that was stepped to a position and one that was set there.
bool same_state(const cprng_engine *engine, const cprng_keystate &a, const cprng_keystate &b)
{
	if (is_aes(engine))
		return a.counter_hi == b.counter_hi && a.counter_lo == b.counter_lo &&
		       std::memcmp(a.u.round_key, b.u.round_key, 16 * (engine->rounds + 1u)) == 0;
	return std::memcmp(a.u.word, b.u.word, sizeof(a.u.word)) == 0;
}

// The position after `blocks` blocks, computed without the engine.  For AES it is in the nonce and is added byte by byte.
Position later(const cprng_engine *engine, Position p, std::uint64_t blocks)
{
	if (!is_aes(engine)) {
		p.block += blocks;
		return p;
	}
	for (std::uint64_t add : { p.block, blocks }) {
		unsigned int carry = 0;
		for (int i = 15; i >= 0; i--) {
			const unsigned int byte = i >= 8 ? static_cast<unsigned int>(add >> 8 * (15 - i) & 0xff) : 0;
			const unsigned int sum = p.nonce[static_cast<std::size_t>(i)] + byte + carry;
			p.nonce[static_cast<std::size_t>(i)] = static_cast<std::uint8_t>(sum);
			carry = sum >> 8;
		}
	}
	p.block = 0;
	return p;
}

// Compares one backend call for nblocks blocks at p with the reference.
void compare(const cprng_engine *engine, const cprng_backend *backend, const Position &p, std::size_t nblocks,
	     std::size_t offset, unsigned int flags)
{
	const cprng_backend *reference = portable_backend(engine);
	const std::size_t size = nblocks * engine->block_size;
	Guarded got(size, offset);
	Bytes want(size);
	cprng_keystate ks = p.set(engine, backend), ks_reference = p.set(engine, reference);

	backend->keystream(&ks, engine->rounds, got.data(), nblocks, flags);
	reference->keystream(&ks_reference, engine->rounds, want.data(), nblocks, 0);

	INFO(label(engine, backend) << ", " << nblocks << " blocks, offset " << offset << ", flags " << flags);
	same(got.data(), want.data(), size, "keystream");
	CHECK(got.intact());
	CHECK(same_state(engine, ks, ks_reference));
}

} // namespace

// Catches an engine or backend that is missing, duplicated, or whose sizes are not as promised.
TEST_CASE("backends: the table")
{
	for (const cprng_engine *engine : all_engines()) {
		INFO(engine->name);
		const auto backends = all_backends(engine);
		CHECK(std::string(backends.back()->name) == "portable");
		CHECK(backends.back()->needs == 0);
		CHECK(cprng_backend_usable(backends.back()));
		CHECK(cprng_engine_find(engine->name) == engine);
		CHECK(engine->key_sizes[0] != 0);
		CHECK(engine->nonce_sizes[0] != 0);
		for (const cprng_backend *backend : backends)
			CHECK(cprng_backend_find(engine, backend->name) == backend);
		CHECK(cprng_backend_find(engine, "") == nullptr);
		CHECK(cprng_backend_find(engine, "portabl") == nullptr);
		CHECK(cprng_backend_find(engine, "portable2") == nullptr);
	}

	// Engines are listed by name, since names are permanent.
	static const struct {
		const char *name, *family;
		std::vector<std::size_t> keys, nonces;
		unsigned int block_size, rounds, counter_bits;
		bool is_for_generators;
	} promised[] = {
		{ "chacha20", "chacha", { 32, 16 }, { 8, 12 }, 64, 20, 64, true },
		{ "chacha12", "chacha", { 32, 16 }, { 8, 12 }, 64, 12, 64, false },
		{ "chacha8", "chacha", { 32, 16 }, { 8, 12 }, 64, 8, 64, false },
		{ "salsa20", "salsa20", { 32, 16 }, { 8 }, 64, 20, 64, false },
		{ "salsa20-12", "salsa20", { 32, 16 }, { 8 }, 64, 12, 64, false },
		{ "salsa20-8", "salsa20", { 32, 16 }, { 8 }, 64, 8, 64, false },
		{ "aes256-ctr", "aesctr", { 32 }, { 16 }, 16, 14, 128, true },
		{ "aes128-ctr", "aesctr", { 16 }, { 16 }, 16, 10, 128, false },
	};
	CHECK(all_engines().size() == std::size(promised));
	for (const auto &p : promised) {
		INFO(p.name);
		const cprng_engine *engine = cprng_engine_find(p.name);
		REQUIRE(engine != nullptr);
		CHECK(std::string(engine->family->name) == p.family);
		CHECK(sizes(engine->key_sizes) == p.keys);
		CHECK(sizes(engine->nonce_sizes) == p.nonces);
		CHECK(engine->block_size == p.block_size);
		CHECK(engine->rounds == p.rounds);
		CHECK(engine->counter_bits == p.counter_bits);
		CHECK(engine->is_for_generators == p.is_for_generators);
	}
	CHECK(cprng_engine_find("") == nullptr);
	CHECK(cprng_engine_find("chacha") == nullptr);
	CHECK(cprng_engine_find("chacha200") == nullptr);
	CHECK(cprng_engine_find("hc128") == nullptr);
}

// Catches a key schedule in a form that other backends do not expect.
TEST_CASE("backends: key set-up gives the state of the contract")
{
	run::Random random("key set-up");

	for (const cprng_engine *engine : all_engines()) {
		for (std::size_t key_size : sizes(engine->key_sizes)) {
			Position p = random_position(random, engine, 1);
			p.key = random.bytes(key_size);
			const cprng_keystate want = p.set(engine, portable_backend(engine));
			for (const cprng_backend *backend : usable_backends(engine)) {
				INFO(label(engine, backend));
				CHECK(same_state(engine, p.set(engine, backend), want));
				if (is_aes(engine))
					CHECK(std::memcmp(want.u.round_key, p.key.data(), key_size) == 0);
			}
		}
	}
}

// Catches a wrong batch or tail, or a store beyond the end.
TEST_CASE("backends: every number of blocks up to 130, aligned, unaligned and streaming")
{
	run::Random random("numbers of blocks");

	for (const cprng_engine *engine : all_engines()) {
		for (const cprng_backend *backend : usable_backends(engine)) {
			for (std::size_t nblocks = 0; nblocks <= 130; nblocks++) {
				const Position p = random_position(random, engine, nblocks);
				compare(engine, backend, p, nblocks, 0, 0);
				compare(engine, backend, p, nblocks, 1 + random.below(63), 0);
				compare(engine, backend, p, nblocks, 0, CPRNG_STREAMING);
				compare(engine, backend, p, nblocks, random.below(64), CPRNG_STREAMING);
			}
		}
	}
}

// Catches an error beyond the first batches.
TEST_CASE("backends: long outputs at random positions")
{
	run::Random random("long outputs");

	for (const cprng_engine *engine : all_engines()) {
		for (const cprng_backend *backend : usable_backends(engine)) {
			const run::Clock clock;
			for (int i = 0; i < 60 && clock.left(); i++) {
				const std::size_t nblocks =
					64 + random.below((i < 50 ? 16384 : 262144) / engine->block_size);
				const Position p = random_position(random, engine, nblocks);
				const std::size_t offset = random.coin() ? 0 : random.below(64);
				compare(engine, backend, p, nblocks, offset, random.coin() ? CPRNG_STREAMING : 0);
			}
		}
	}
}

// The counter steps by one at every place in a batch, also across carries: each block of a long call equals the block that
// a separate call at its position returns.
// Catches a counter whose lanes carry differently.
TEST_CASE("backends: carries at every place of a batch")
{
	run::Random random("carries");
	const std::uint64_t carries[] = { std::uint64_t{ 1 } << 31, std::uint64_t{ 1 } << 32, std::uint64_t{ 1 } << 33,
					  std::uint64_t{ 1 } << 63, 0 };

	for (const cprng_engine *engine : all_engines()) {
		for (const std::uint64_t carry : carries) {
			const std::size_t before = 70, blocks = 2 * before, size = engine->block_size;
			Position p = random_position(random, engine, 1);
			p.nonce = random.bytes(is_aes(engine) ? 16 : 8);
			p.block = 0;
			if (is_aes(engine)) { // before the wrap of the counter's low half, and of the whole counter
				std::fill(p.nonce.begin() + (random.coin() ? 8 : 0), p.nonce.end(), 0xff);
				p = later(engine, p, carry + 1 - before);
			} else {
				p.block = carry - before;
			}

			Bytes want(blocks * size);
			for (std::size_t i = 0; i < blocks; i++) {
				cprng_keystate ks = later(engine, p, i).set(engine, portable_backend(engine));
				portable_backend(engine)->keystream(&ks, engine->rounds, want.data() + i * size, 1, 0);
			}
			for (const cprng_backend *backend : usable_backends(engine)) {
				const run::Clock clock;
				for (std::size_t first = 0; first < before && clock.left(); first++) {
					Guarded got((blocks - first) * size, first % 64);
					cprng_keystate ks = later(engine, p, first).set(engine, backend);
					backend->keystream(&ks, engine->rounds, got.data(), blocks - first, 0);
					INFO(label(engine, backend)
					     << ", carry at " << carry << " after " << before - first);
					same(got.data(), want.data() + first * size, got.size(), "keystream");
					CHECK(got.intact());
					CHECK(same_state(engine, ks, later(engine, p, blocks).set(engine, backend)));
				}
			}
		}
	}
}

// Catches a streaming store that is skipped, duplicated or unaligned.
TEST_CASE("backends: large streaming outputs at several alignments")
{
	run::Random random("streaming");

	for (const cprng_engine *engine : all_engines()) {
		for (const cprng_backend *backend : usable_backends(engine)) {
			const std::size_t nblocks = (run::volume(1 << 17, 1 << 20)) / engine->block_size;
			const Position p = random_position(random, engine, nblocks);
			for (std::size_t offset : { 0, 16, 32, 48, 1, 17 })
				compare(engine, backend, p, nblocks + random.below(40), offset, CPRNG_STREAMING);
		}
	}
}

// Catches a line that a wipe omits, a line wiped beyond the end, and a write for length 0.
TEST_CASE("backends: a wipe with the registers zeroes its lines and no others")
{
	for (const std::size_t lines : { 0, 1, 2, 24 }) {
		INFO(lines);
		alignas(64) std::uint8_t bytes[26 * 64];
		std::memset(bytes, 0xa5, sizeof(bytes));
		cprng_wipe_and_clear_registers(bytes + 64, lines * 64);
		std::size_t wrong = 0;
		for (std::size_t i = 0; i < sizeof(bytes); i++)
			wrong += bytes[i] != (i >= 64 && i < 64 + lines * 64 ? 0 : 0xa5);
		CHECK(wrong == 0);
	}
}

// Catches a register, or part of a register, that is not cleared, and a check that does not detect it.
TEST_CASE("backends: clearing the registers leaves nothing in what a call may change")
{
	const auto is = [](const registers::Contents &contents, std::uint8_t byte) {
		CHECK(contents.kept);
		for (std::size_t vector = 0; vector < contents.number_of_vectors; vector++) {
			INFO("vector " << vector);
			const std::uint8_t *const begin = contents.vectors + 64 * vector;
			CHECK(std::count(begin, begin + contents.bytes_of_a_vector, byte) ==
			      static_cast<std::ptrdiff_t>(contents.bytes_of_a_vector));
		}
		for (std::size_t mask = 0; mask < contents.number_of_masks; mask++) {
			INFO("mask " << mask);
			CHECK(contents.masks[mask] == byte * (UINT64_MAX / 255));
		}
	};
	registers::Contents contents;

	if (!registers::left_by([] {}, &contents)) {
		SKIPPED("the test does not know this processor's registers");
		return;
	}
	is(contents, registers::pattern);
	REQUIRE(registers::left_by(cprng_clear_registers, &contents));
	is(contents, 0);
	const auto general_are_zero = [&contents] {
		for (std::size_t general = 0; general < contents.number_of_general; general++) {
			INFO("general " << general);
			CHECK(contents.general[general] == 0);
		}
	};
	general_are_zero();
	REQUIRE(registers::left_by(cprng_clear_general_registers, &contents));
	is(contents, registers::pattern);
	general_are_zero();
}

namespace {

// Called by the function below, on a separate stack.  They take no arguments, so that the stack layout is always the same.
struct Call {
	const cprng_engine *engine;
	const cprng_backend *backend;
	cprng_keystate state;
	std::size_t nblocks;
	bool leaks;
};
Call call;
unsigned char blocks_of_call[40 * 64];

void generate()
{
	if (call.leaks) {
		volatile std::uint32_t word[4];
		std::copy(call.state.u.word + 4, call.state.u.word + 8, word);
	}
	call.backend->keystream(&call.state, call.engine->rounds, blocks_of_call, call.nblocks, 0);
}

// The number of stack bytes that depend on the key after a call.  Two keys are used in the order 0, 1, 1, 0: saved registers
// may hold values that grow from call to call, such as addresses, and those do not follow this order.
std::size_t left_of_key(OwnStack &stack, std::size_t nblocks, bool leaks)
{
	run::Random random("keys");
	Position p = random_position(random, call.engine, 1);
	cprng_keystate states[4];
	std::vector<Bytes> copies(4, Bytes(OwnStack::size));
	std::size_t left = 0;

	states[0] = states[3] = p.set(call.engine, call.backend);
	for (std::uint8_t &byte : p.key)
		byte = static_cast<std::uint8_t>(byte + 1 + random.below(255));
	states[1] = states[2] = p.set(call.engine, call.backend);
	call.nblocks = nblocks;
	call.leaks = leaks;
	for (std::size_t i = 0; i < copies.size(); i++) {
		call.state = states[i];
		stack.call(generate);
		stack.copy(copies[i].data());
	}
	for (std::size_t i = 0; i < OwnStack::size; i++)
		left += copies[0][i] == copies[3][i] && copies[1][i] == copies[2][i] && copies[0][i] != copies[1][i];
	return left;
}

} // namespace

// Catches a state that is spilled in any round and not erased, and a search that finds nothing.
TEST_CASE("backends: after a call the stack is the same for all keys")
{
	SKIP_IF(CPRNG_TESTS_SANITIZED, "the sanitizer also uses the stack");
	OwnStack stack;

	for (const cprng_engine *engine : all_engines()) {
		for (const cprng_backend *backend : usable_backends(engine)) {
			call.engine = engine;
			call.backend = backend;
			for (const std::size_t nblocks : { 1, 2, 3, 5, 8, 16, 40 }) {
				INFO(label(engine, backend) << ", " << nblocks << " blocks");
				CHECK(left_of_key(stack, nblocks, false) == 0);
			}
		}
	}
	CHECK(left_of_key(stack, 1, true) >= 8);
}
