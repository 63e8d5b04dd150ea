// SPDX-License-Identifier: BSD-2-Clause
// Recovery from a disclosure.  An attacker who has read all of the library's memory, including the vDSO's states, knows
// the buffered bytes, but nothing drawn after the next reseed by system call.  The tests also check that these reseeds
// happen: by the clock, or by a count where the clock stands still or is refused.
#include "../../support/splitmix64.hpp"
#include "../../support/fake_os.hpp"
#include "../../support/scenario.hpp"
#include "../../support/internals.hpp"
#include "../../support/machine.hpp"
#include "../../support/repeats.hpp"

#include "cprng/fortuna.h"

#include <cstdio>
#include <vector>

#include <unistd.h>

namespace {

// ------------------------------------------------------------------------------------------------- a vDSO of our own

// Replaces the kernel's vDSO function, so that the test runs on every machine.  It expands bytes from a state in the caller's
// memory that is seeded at first use and never reseeded.
struct FakeState {
	std::uint64_t seeded, seed, counter;
};

unsigned long vdso_calls;

long fake_vdso(void *buf, std::size_t len, unsigned int, void *state, std::size_t state_size)
{
	if (state_size == ~std::size_t{ 0 }) {
		auto *params = static_cast<cprng_vgetrandom_params *>(state);
		*params = {};
		params->state_size = 128;
		params->mmap_prot = 3;     // PROT_READ | PROT_WRITE
		params->mmap_flags = 0x22; // MAP_PRIVATE | MAP_ANONYMOUS
		return 0;
	}
	auto *s = static_cast<FakeState *>(state);
	vdso_calls++;
	if (s->seeded == 0) {
		s->seeded = 1;
		s->seed = reinterpret_cast<std::uintptr_t>(state);
	}
	for (std::size_t i = 0; i < len; i++)
		static_cast<unsigned char *>(buf)[i] =
			static_cast<unsigned char>(splitmix64::word(s->seed + s->counter++));
	return static_cast<long>(len);
}

// ----------------------------------------------------------------------------------------------------- the attacker

// All of the library's memory that draws depend on.
class Disclosure {
public:
	Disclosure()
	{
		struct cprng_process *p = cprng_process();
		// One mapping contains set-up, claims, wiped page, Fortuna and buffers.
		unsigned char *begin = reinterpret_cast<unsigned char *>(p->fork_state) - p->kept;
		save(begin, p->mapped);
		if (p->vdso.generate != nullptr)
			save(p->vdso.memory, p->vdso.mapped);
	}

	void restore() const
	{
		for (const Piece &piece : pieces)
			std::memcpy(piece.at, piece.content.data(), piece.content.size());
	}

private:
	struct Piece {
		unsigned char *at;
		std::vector<unsigned char> content;
	};

	void save(unsigned char *at, std::size_t len)
	{
		pieces.push_back({ at, std::vector<unsigned char>(at, at + len) });
	}

	std::vector<Piece> pieces;
};

constexpr int bursts = 5;
constexpr std::size_t burst_size = 65536;

void fast_burst(unsigned char *to)
{
	// Draw more than a buffer holds: only the bytes buffered at the disclosure may be known.
	for (int i = 0; i < 1024; i++)
		(void)cprng_fast64();
	for (std::size_t at = 0; at < burst_size; at += 8) {
		const std::uint64_t v = cprng_fast64();
		std::memcpy(to + at, &v, sizeof(v));
	}
}

void strong_burst(unsigned char *to)
{
	// Two polls fill pool 0; the reseed happens before the third.
	for (int i = 0; i < 3; i++) {
		cprng_strong(to, 1);
		fake_os.seconds_ahead++;
	}
	cprng_strong(to, burst_size);
}

std::vector<unsigned char> draw_bursts(void (*burst)(unsigned char *to))
{
	std::vector<unsigned char> all(bursts * burst_size);

	for (int i = 0; i < bursts; i++) {
		fake_os.seconds_ahead += 2;
		burst(all.data() + static_cast<std::size_t>(i) * burst_size);
	}
	return all;
}

// Common windows by chance: (3.3 * 10^5)^2 / 2^64 = 6 * 10^-9.
void attack(void (*burst)(unsigned char *to))
{
	const unsigned long second = fake_os.seconds_ahead;
	const Disclosure memory;
	const std::vector<unsigned char> drawn = draw_bursts(burst);

	fake_os.seconds_ahead = second;
	memory.restore();
	const std::vector<unsigned char> computed = draw_bursts(burst);
	Windows windows(drawn.size());
	windows.add(drawn.data(), drawn.size());
	const std::size_t known = windows.count(computed.data(), computed.size());
	dprintf(STDERR_FILENO, "%zu of %zu windows known", known, drawn.size());
	REQUIRE_IN_CHILD(known == 0);
}

void begin(bool fake)
{
	fake_os.vdso = fake ? fake_vdso : nullptr;
	fake_os.nanoseconds = 1000 * FakeOs::second;
	machine::pin(0, machine::cpus().front());
	// Make enough refills that the vDSO's state is in use.
	for (int i = 0; i < 4 * 8192; i++)
		(void)cprng_fast64();
	if (fake)
		REQUIRE_IN_CHILD(vdso_calls > 0);
}

const scenario::Scenario fast_fake("recovery: fast, a vDSO that is never reseeded", [] {
	begin(true);
	attack(fast_burst);
});

const scenario::Scenario fast_real("recovery: fast, the vDSO of this machine", [] {
	begin(false);
	attack(fast_burst);
});

// The attacker knows the bytes of every source except the kernel.
void begin_strong()
{
	begin(true);
	unsigned char byte;
	cprng_strong(&byte, 1);
	auto &source = cprng_process()->strong->sources.source;
	for (int i = 0; i < CPRNG_SOURCES_OWN; i++)
		source[i].retired = i != CPRNG_SOURCE_KERNEL;
}

const scenario::Scenario strong_fake("recovery: strong, a vDSO that is never reseeded", [] {
	begin_strong();
	attack(strong_burst);
});

// However long the pause, the first read after it uses a new key.
void first_read_after_a_pause(unsigned char *to)
{
	fake_os.seconds_ahead += 5;
	cprng_strong(to, burst_size);
}

const scenario::Scenario strong_pause("recovery: strong, the first read after a pause", [] {
	begin_strong();
	attack(first_read_after_a_pause);
});

// ------------------------------------------------------------------------------------------------------------ counts

struct Calls {
	unsigned long vdso, system;
};

Calls refill(unsigned int times)
{
	const Calls before = { vdso_calls, fake_os.getrandom.calls };
	unsigned char bytes[16];

	for (unsigned int i = 0; i < times; i++)
		cprng_draw_by_refill(cprng_process(), bytes, sizeof(bytes));
	return { vdso_calls - before.vdso, fake_os.getrandom.calls - before.system };
}

#define REQUIRE_CALLS(times, of_vdso, of_system) \
	do { \
		const Calls calls = refill(times); \
		dprintf(STDERR_FILENO, "%u refills: %lu by the vDSO, %lu by system call\n", (unsigned int)(times), \
			calls.vdso, calls.system); \
		REQUIRE_IN_CHILD(calls.vdso == (of_vdso)); \
		REQUIRE_IN_CHILD(calls.system == (of_system)); \
	} while (0)

// In slots, where a preempted refill keeps its key, each call's place is fixed.
void begin_counting()
{
	fake_os.vdso = fake_vdso;
	fake_os.membarrier.answer = -ENOSYS;
	fake_os.nanoseconds = 1000 * FakeOs::second;
	REQUIRE_IN_CHILD(cprng_process()->placement == &cprng_placement_slots);
	(void)cprng_generation(cprng_process());
	REQUIRE_CALLS(1, 0u, 1u); // the first key
}

const scenario::Scenario counts("recovery: counts", [] {
	begin_counting();
	// Refill 1 with a key makes the next key; the 17th finds a key with 16 ancestors.
	REQUIRE_CALLS(15, 0u, 0u);
	REQUIRE_CALLS(1, 1u, 0u);
	REQUIRE_CALLS(15, 0u, 0u);
	REQUIRE_CALLS(1, 1u, 0u);
	fake_os.seconds_ahead += CPRNG_SECONDS_PER_RESEED;
	REQUIRE_CALLS(1, 0u, 1u);
	REQUIRE_CALLS(15, 0u, 0u);
	REQUIRE_CALLS(1, 1u, 0u);
	// Use a system call after an invalidation: the vDSO's state may be older.
	cprng_invalidate();
	REQUIRE_CALLS(1, 0u, 1u);
	// A step backwards counts as a change of the clock.
	fake_os.seconds_ahead = 0;
	REQUIRE_CALLS(1, 0u, 1u);
});

const scenario::Scenario clock_stands("recovery: the clock stands still", [] {
	begin_counting();
	REQUIRE_CALLS(CPRNG_REFILLS_PER_CALL - 1, CPRNG_REFILLS_PER_CALL / CPRNG_REFILLS_PER_RESEED - 1, 0u);
	REQUIRE_CALLS(1, 0u, 1u);
	REQUIRE_CALLS(CPRNG_REFILLS_PER_CALL - 1, CPRNG_REFILLS_PER_CALL / CPRNG_REFILLS_PER_RESEED - 1, 0u);
	REQUIRE_CALLS(1, 0u, 1u);
});

std::uint64_t no_time()
{
	return 0;
}

const scenario::Scenario no_clock("recovery: no clock", [] {
	fake_os.clock = no_time;
	begin_counting();
	for (int i = 0; i < 10; i++) {
		REQUIRE_CALLS(CPRNG_REFILLS_PER_RESEED - 1, 0u, 0u);
		REQUIRE_CALLS(1, 0u, 1u);
	}
});

// A count of clock readings decides when pools are filled and used.
const scenario::Scenario strong_without_clock("recovery: strong, no clock", [] {
	fake_os.clock = no_time;
	cprng_strong_info before, after;
	unsigned char byte;
	cprng_get_strong_info(&before, sizeof(before));
	for (int i = 0; i < 64 * 64; i++)
		cprng_strong(&byte, 1);
	cprng_get_strong_info(&after, sizeof(after));
	dprintf(STDERR_FILENO, "%llu reseeds, then %llu", static_cast<unsigned long long>(before.reseeds),
		static_cast<unsigned long long>(after.reseeds));
	// A read checks the clock one to three times, and a reseed takes two polls.
	REQUIRE_IN_CHILD(after.reseeds >= before.reseeds + 64 / 2 - 1);
	REQUIRE_IN_CHILD(after.reseeds <= before.reseeds + 3 * 64);
});

const scenario::Scenario object_without_clock("recovery: an object, no clock", [] {
	fake_os.clock = no_time;
	cprng_fortuna *f = nullptr;
	unsigned char bytes[32] = { 1 };
	REQUIRE_IN_CHILD(cprng_fortuna_new(&f, nullptr, 0) == 0);
	REQUIRE_IN_CHILD(cprng_fortuna_seed(f, bytes, sizeof(bytes)) == 0);
	for (int i = 0; i < 4096; i++) {
		REQUIRE_IN_CHILD(cprng_fortuna_add(f, 0, bytes, sizeof(bytes), 256) == 0);
		REQUIRE_IN_CHILD(cprng_fortuna_read(f, bytes, sizeof(bytes)) == 0);
	}
	cprng_fortuna_info info;
	REQUIRE_IN_CHILD(cprng_fortuna_get_info(f, &info, sizeof(info)) == 0);
	dprintf(STDERR_FILENO, "%llu reseeds", static_cast<unsigned long long>(info.reseeds));
	REQUIRE_IN_CHILD(info.reseeds >= 16);
	cprng_fortuna_free(f);
});

} // namespace

// Catches a reseed that does not happen, or that uses only the vDSO's state.
TEST_CASE("recovery: with all of the library's memory an attacker loses track at the next second")
{
	SKIP_IF(!machine::buffered(), "each draw is a system call");
	scenario::check(fast_fake);
	scenario::check(fast_real);
}

// Catches pools that get kernel bytes from a disclosed vDSO state.
TEST_CASE("recovery: strong, with all of the library's memory and all sources but the kernel")
{
	SKIP_IF(!machine::buffered(), "each read is a system call");
	scenario::check(strong_fake);
	scenario::check(strong_pause);
}

// Catches reseeds that happen too late or too often.
TEST_CASE("recovery: refills take bytes of the vDSO by count, and of a system call by the clock")
{
	SKIP_IF(!machine::buffered(), "there are no refills");
	scenario::check(counts);
	scenario::check(clock_stands);
}

// Catches a generator that is never reseeded where clocks are refused.
TEST_CASE("recovery: without a clock reseeds are counted")
{
	SKIP_IF(!machine::buffered(), "there are no refills");
	scenario::check(no_clock);
	scenario::check(strong_without_clock);
	scenario::check(object_without_clock);
}
