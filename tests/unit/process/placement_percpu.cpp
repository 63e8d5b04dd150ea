// SPDX-License-Identifier: BSD-2-Clause
// Restartable sequences as plain code: what each reads, writes, erases and refuses.  They use the test's own rseq area, which
// no kernel knows, so the tests also run in emulators without restartable sequences.
// tests/promises/2-never-twice/interrupted.cpp and tests/explore test interruptions.
#include "../../support/restartable.hpp"

#if CPRNG_HAVE_RESTARTABLE_DRAW

#include "../../support/descriptors.hpp"
#include "../../support/unwinder.hpp"

#include <csignal>
#include <initializer_list>
#include <memory>

namespace {

using namespace restartable;

// The reference: the operations of core/buffer.h on a copy of the buffer.
template <typename Operation> void check_against(Buffers &b, Operation operation, bool refused, std::size_t len)
{
	const auto before = std::make_unique<cprng_buffer>(b.mine());
	std::vector<std::uint8_t> got(len + 2, 0xee), expected(len + 2, 0xee);
	const bool done = operation(got.data() + 1);

	CHECK(done == !refused);
	if (!refused)
		CHECK(cprng_buffer_pop(before.get(), expected.data() + 1, len));
	else
		// Bytes that a refused sequence wrote to dst are overwritten later.
		expected = got;
	CHECK(got == expected);
	CHECK(std::memcmp(before.get(), &b.mine(), sizeof(cprng_buffer)) == 0);
}

} // namespace

// Catches a sequence that takes bytes from a wrong place, does not erase them, or accepts an empty buffer.
TEST_CASE("restartable: inlined draws")
{
	Buffers b;
	const auto draws = [&b](bool (*draw)(const struct cprng_draw *, std::uint8_t *)) {
		return [&b, draw](std::uint8_t *dst) { return draw(&b.draw, dst); };
	};

	for (const std::uint32_t left :
	     { 0u, 1u, 3u, 7u, 8u, 9u, 100u, static_cast<std::uint32_t>(CPRNG_BUFFER_SIZE) }) {
		CAPTURE(left);
		b.fill(left);
		check_against(b, draws(draw_8), left < 1, 1);
		b.fill(left);
		check_against(b, draws(draw_16), left < 2, 2);
		b.fill(left);
		check_against(b, draws(draw_32), left < 4, 4);
		b.fill(left);
		check_against(b, draws(draw_64), left < 8, 8);
	}
	// Refused: a CPU number beyond the buffers, and any CPU while the buffers are disabled.
	b.fill(100);
	for (const std::uint32_t cpu : { cpus, 0x80000000u, 0xffffffffu }) {
		b.area.cpu_id = cpu;
		check_against(b, draws(draw_64), true, 8);
	}
	b.area.cpu_id = here;
	b.draw.cpus = 0;
	check_against(b, draws(draw_32), true, 4);
}

// Catches the same errors in requests whose first and last accesses overlap.
TEST_CASE("restartable: inlined requests of every length")
{
	Buffers b;

	for (const Few &few : all_few()) {
		for (std::size_t len = few.least; len <= CPRNG_FEW_MAX; len++) {
			const auto draw = [&](std::uint8_t *dst) { return few.draw(&b.draw, dst, len); };

			for (const std::size_t left :
			     { std::size_t{ 0 }, len - 1, len, len + 1, std::size_t{ CPRNG_BUFFER_SIZE } }) {
				b.fill(static_cast<std::uint32_t>(left));
				check_against(b, draw, left < len, len);
			}
			b.fill(100);
			b.draw.cpus = here;
			check_against(b, draw, true, len);
			b.draw.cpus = cpus;
		}
	}
}

// Catches a copy or an erasure that is off by a byte.
TEST_CASE("restartable: pops of every length")
{
	Buffers b;

	for (const Copies &copies : all_copies()) {
		for (std::size_t len = CPRNG_FEW_MAX; len <= 512; len++) {
			for (const std::size_t left : { len - 1, len, len + 1, std::size_t{ CPRNG_BUFFER_SIZE } }) {
				b.fill(static_cast<std::uint32_t>(left));
				check_against(
					b, [&](std::uint8_t *dst) { return copies.pop(&b.draw, dst, len); }, left < len,
					len);
			}
		}
		b.fill(100);
		b.draw.cpus = here;
		check_against(b, [&](std::uint8_t *dst) { return copies.pop(&b.draw, dst, 64); }, true, 64);
		b.draw.cpus = cpus;
	}
}

// Catches a push that overwrites bytes, overruns the buffer or belongs to another generation.
TEST_CASE("restartable: pushes of every length")
{
	Buffers b;
	std::vector<std::uint8_t> bytes(CPRNG_BUFFER_SIZE + 16);

	for (std::size_t i = 0; i < bytes.size(); i++)
		bytes[i] = static_cast<std::uint8_t>(255 - i % 250);
	for (const Copies &copies : all_copies()) {
		for (std::size_t len = CPRNG_PUSH_MIN; len <= 1024; len++) {
			for (const std::size_t left : { std::size_t{ 0 }, std::size_t{ 5 }, CPRNG_BUFFER_SIZE - len,
							CPRNG_BUFFER_SIZE - len + 1 }) {
				b.fill(static_cast<std::uint32_t>(left));
				auto expected = std::make_unique<cprng_buffer>(b.mine());
				cprng_buffer_push(expected.get(), bytes.data(), len);
				copies.push(&b.draw, &generation, generation, bytes.data(), len);
				REQUIRE(std::memcmp(expected.get(), &b.mine(), sizeof(cprng_buffer)) == 0);
			}
		}
		// For another generation, or with disabled buffers, nothing is written.
		b.fill(5);
		const auto before = std::make_unique<cprng_buffer>(b.mine());
		copies.push(&b.draw, &generation, generation + 1, bytes.data(), 64);
		CHECK(std::memcmp(before.get(), &b.mine(), sizeof(cprng_buffer)) == 0);
		b.draw.cpus = 0;
		copies.push(&b.draw, &generation, generation, bytes.data(), 64);
		CHECK(std::memcmp(before.get(), &b.mine(), sizeof(cprng_buffer)) == 0);
		b.draw.cpus = cpus;
	}
}

// Catches a taken key that stays in the buffer, and a key that is replaced.
TEST_CASE("restartable: keys are taken once, and put where there is none")
{
	Buffers b;
	std::uint8_t key[32], other[32], taken[32];

	std::memset(key, 0x11, sizeof(key));
	std::memset(other, 0x22, sizeof(other));
	CHECK(cprng_percpu_take_key(&b.draw, taken) == 0);
	cprng_percpu_put_key(&b.draw, &generation, generation + 1, key, 5);
	CHECK(cprng_percpu_take_key(&b.draw, taken) == 0);
	cprng_percpu_put_key(&b.draw, &generation, generation, key, UINT64_C(0x123456789a));
	cprng_percpu_put_key(&b.draw, &generation, generation, other, 7);
	CHECK(b.mine().key_tag == UINT64_C(0x123456789a));
	CHECK(std::memcmp(b.mine().key, key, sizeof(key)) == 0);
	b.draw.cpus = 0;
	CHECK(cprng_percpu_take_key(&b.draw, taken) == 0);
	cprng_percpu_put_key(&b.draw, &generation, generation, other, 7);
	b.draw.cpus = cpus;
	CHECK(cprng_percpu_take_key(&b.draw, taken) == UINT64_C(0x123456789a));
	CHECK(std::memcmp(taken, key, sizeof(key)) == 0);
	// Nothing of the key may remain.
	const auto *bytes = reinterpret_cast<const unsigned char *>(&b.mine());
	CHECK(std::all_of(bytes, bytes + sizeof(cprng_buffer), [](unsigned char c) { return c == 0; }));
	CHECK(cprng_percpu_take_key(&b.draw, taken) == 0);
}

namespace {

// The number of frames of abort code that an unwinder could leave, and their total number.
struct Unwound {
	unsigned int right, all;
} unwound;

#if defined(__x86_64__)
constexpr std::size_t first_length = 1; // length of the instruction stc
#else
constexpr std::size_t first_length = 4;
#endif

// Simulates an abort of each sequence in turn.  The unwinder stops before it reads the stack of the sequence's function.
void unwind_each(int, siginfo_t *, void *context)
{
	mcontext_t &machine = static_cast<ucontext_t *>(context)->uc_mcontext;
	const mcontext_t before = machine;

	for (const sequence::Descriptor *d = sequence::__start___rseq_cs; d != sequence::__stop___rseq_cs; d++) {
		for (const std::uint64_t pc : { d->abort, d->abort + first_length }) {
#if defined(__x86_64__)
			machine.gregs[REG_RIP] = static_cast<greg_t>(pc);
			machine.gregs[REG_R11] = static_cast<greg_t>(reinterpret_cast<std::uintptr_t>(d));
#else
			machine.pc = pc;
			machine.regs[17] = reinterpret_cast<std::uintptr_t>(d);
#endif
			const unwinder::Frames frames = unwinder::frames_until(d->start);
			unwound.all++;
			unwound.right += frames.number >= 2 && frames.at[frames.number - 2] == pc;
		}
	}
	machine = before;
}

} // namespace

// Catches abort code without unwind information, or whose information does not lead an unwinder into its sequence.
TEST_CASE("restartable: an unwinder finds the way out of all abort code of the program")
{
	struct sigaction action = {}, before = {};

	action.sa_sigaction = unwind_each;
	action.sa_flags = SA_SIGINFO;
	REQUIRE(sigaction(SIGUSR1, &action, &before) == 0);
	unwound = {};
	std::raise(SIGUSR1);
	sigaction(SIGUSR1, &before, nullptr);
	CHECK(unwound.all >= 20);
	CHECK(unwound.right == unwound.all);
}

#endif
