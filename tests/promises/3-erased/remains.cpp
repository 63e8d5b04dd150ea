// SPDX-License-Identifier: BSD-2-Clause
// What calls leave on the stack.  Each call runs on its own stack.  The test searches this stack for all secrets of the call
// after its return, and at points inside the call where some secrets must already be gone.
#include "../../support/own_stack.hpp"
#include "../../support/fake_os.hpp"
#include "../../support/scenario.hpp"
#include "../../support/internals.hpp"
#include "../../support/machine.hpp"
#include "../../support/script.hpp"
#include "../../support/replace.hpp"

#include <cprng/fortuna.h>

#include "core/sha256.h"

#include <cstdio>

#include <unistd.h>

namespace {

void run_buffered(const scenario::Scenario &scenario)
{
	SKIP_IF(!machine::buffered(), "no buffers");
	SKIP_IF(machine::emulated() || CPRNG_TESTS_SANITIZED, "an emulator or a sanitizer also uses the stack");
	scenario::check(scenario);
}

using script::Bytes;
using script::cipher;
using script::given;

struct cprng_process *p;
OwnStack *stack;

// The kernel's bytes, the keys, and everything derived from them.
void learn_all()
{
	for (const script::Given &g : given) {
		// A generation's number, which may come first, is not secret.
		const std::size_t number = g.bytes.size() % 16 == 8 ? 8 : 0;
		if (g.bytes.size() > number)
			stack->learn(g.bytes.data() + number, g.bytes.size() - number);
	}
	for (const script::Key &key : cipher.keys) {
		stack->learn(key.data(), key.size());
		const Bytes made = script::expanded(key, 4096);
		stack->learn(made.data(), made.size());
	}
}

std::size_t after(void (*f)(), std::size_t windows = 1)
{
	if (stack == nullptr)
		stack = new OwnStack;
	given.clear();
	cipher.keys.clear();
	stack->call(f);
	learn_all();
	return stack->left(windows);
}

// The caller's memory, outside that stack.
unsigned char served[1 << 16];

void start(bool buffered, bool cpus = false)
{
	fake_os.vdso_missing = true;
	fake_os.membarrier.answer = cpus ? 0 : -ENOSYS;
	fake_os.cpu_mask_size.answer = 1;
	fake_os.madvise.answer = buffered ? 0 : -EINVAL;
	script::begin(false);
	p = cprng_process();
	REQUIRE_IN_CHILD((p->fork_state != nullptr) == buffered);
	(void)cprng_generation(p);
	script::watch_cipher();
}

void clean(const char *what, void (*f)(), std::size_t windows = 1)
{
	const std::size_t found = after(f, windows);

	if (found != 0)
		std::fprintf(stderr, "%s: %zu windows\n", what, found);
	REQUIRE_IN_CHILD(stack->knows_any());
	REQUIRE_IN_CHILD(found == 0);
}

// Confirms that the test detects secrets on the stack; otherwise it proves nothing.
// Catches a search that finds nothing.
CHILD_TEST_CASE("remains: what a caller leaves on its stack is seen", run_buffered)
{
	start(true);
	const std::size_t found = after([] {
		unsigned char left[64];
		cprng_fast(left, sizeof(left));
		__asm__ volatile("" : : "r"(left) : "memory");
	});
	REQUIRE_IN_CHILD(found != 0);
}

// Catches a key, key schedule or keystream that is not wiped.
CHILD_TEST_CASE("remains: refills and one-time keys leave nothing on the stack", run_buffered)
{
	start(true);
	clean("refill", [] { cprng_draw_by_refill(cprng_process(), served, 8); });
	clean("large refill", [] { cprng_draw_by_refill(cprng_process(), served, 512); });
	clean("16 refills", [] {
		for (int i = 0; i < 16; i++)
			cprng_draw_by_refill(cprng_process(), served, 8);
	});
	fake_os.nanoseconds += UINT64_C(2000000000);
	clean("another second", [] { cprng_draw_by_refill(cprng_process(), served, 8); });
	clean("one-time key", [] { cprng_draw_bytes(cprng_process(), served, 1000); });
	clean("long request", [] { cprng_draw_bytes(cprng_process(), served, 60001); });
	clean("reseed", [] { REQUIRE_IN_CHILD(cprng_reseed() == 0); });
	clean("draw", [] { cprng_draw_bytes(cprng_process(), served, 16); });
}

// The memory that a fork wipes, prepared for a draw that begins a generation.
void begin_again(std::size_t len)
{
	p->fork_state->generation = 0;
	cprng_draw_by_refill(p, served, len);
	REQUIRE_IN_CHILD(given.size() == 1);
}

// Catches kernel bytes, a key derived from them, or a keystream block that are not wiped.
CHILD_TEST_CASE("remains: a draw that begins a generation leaves nothing on the stack", run_buffered)
{
	start(true);
	clean("first draw", [] { begin_again(16); });
	clean("first draw, a key", [] { begin_again(500); });
	clean("first draw, long", [] {
		p->fork_state->generation = 0;
		cprng_draw_bytes(p, served, 60001);
		REQUIRE_IN_CHILD(given.size() == 1);
	});
}

// Catches kernel bytes, or a key derived from them, that are not wiped.
CHILD_TEST_CASE("remains: without buffers nothing is left on the stack", run_buffered)
{
	start(false);
	clean("short", [] { cprng_draw_bytes(cprng_process(), served, 40); });
	clean("long", [] { cprng_draw_bytes(cprng_process(), served, 1000); });
	clean("strong", [] { cprng_strong(served, 100); });
}

unsigned int looks;

// During a read, at most one window may remain, in a saved register; after the read, none.
void look(const char *when)
{
	looks++;
	REQUIRE_IN_CHILD(stack->knows_any());
	const std::size_t found = stack->left(2);
	if (found != 0)
		std::fprintf(stderr, "%s: %zu windows\n", when, found);
	REQUIRE_IN_CHILD(found == 0);
}

// A reader begins its generation and then reads from the generator.  At that point the seed has gone into the key.  The stack
// is copied before the next call, whose frames would overwrite the seed's.
unsigned char *at_read;

// The cipher makes the generator's next key first, and then the output.  By then the next key must be nowhere but in its
// own place.
unsigned int keystreams; // generated under this key

void look_before_output()
{
	if (keystreams++ == 0)
		return;
	stack->forget();
	stack->learn(p->strong->state.generator.key, CPRNG_GENERATOR_KEY_SIZE);
	look("the next key");
}

const scenario::Scenario strong_reads("remains: strong", [] {
	start(true);
	cipher.before_key = [] { keystreams = 0; };
	cipher.before_keystream = look_before_output;
	clean("first read", [] { cprng_strong(served, 48); });
	REQUIRE_IN_CHILD(looks == 1);
	// The clock stands still, so the full pools cause no reseed: readers check the clock.
	cprng_generation_invalidate(p);
	static unsigned char copy[OwnStack::size];
	at_read = copy;
	clean("another generation", [] { cprng_strong(served, 1024); });
	REQUIRE_IN_CHILD(looks == 2 && at_read == nullptr);
	const std::size_t found = stack->left(2, copy);
	if (found != 0)
		std::fprintf(stderr, "the seed: %zu windows\n", found);
	REQUIRE_IN_CHILD(found == 0);
	fake_os.nanoseconds += UINT64_C(100000000);
	clean("a poll", [] { cprng_strong(served, 33); });
	cipher.before_keystream = nullptr;
	fake_os.nanoseconds += UINT64_C(2000000000);
	clean("a refill's key", [] { cprng_draw_by_refill(cprng_process(), served, 8); });
	// Only the key, since the frames of a refill would overwrite what this leaves.
	clean("a key alone", [] { REQUIRE_IN_CHILD(cprng_strong_try_key(cprng_process(), served)); });
});

// Tests the lease's own wiping: cprng_strong() wipes the whole stack afterwards.
cprng_generator generator;

// Catches a key left by the expansion of a lease.
CHILD_TEST_CASE("remains: of a lease of Fortuna's generator, no key and no block", scenario::check_buffered)
{
	static const unsigned char seed[64] = { 1 };
	start(true);
	cprng_generator_init(&generator, p->engine, p->backend);
	cprng_generator_reseed(&generator, seed, sizeof(seed));
	clean(
		"a lease",
		[] {
			cprng_lease l;
			cprng_generator_step(&generator, 108, &l);
			cprng_lease_expand(&l, served, 108, 0);
		},
		2);
}

// The CPUs' buffers serve at least 8 bytes at a time.
volatile std::uint64_t number;

// Catches keystream beyond the requested bytes that stays on the stack.
CHILD_TEST_CASE("remains: draws of few bytes leave nothing on the stack", run_buffered)
{
	start(true, true);
	if (p->placement != &cprng_placement_percpu)
		_exit(scenario::unavailable);
	clean("few bytes", [] {
		cprng_draw_bytes(cprng_process(), served, 5);
		cprng_draw_bytes(cprng_process(), served, 15);
	});
	clean("a number", [] {
		cprng_generation_invalidate(p);
		number = cprng_draw_slow_1(8);
		number = 0;
	});
}

std::uint8_t message[48], digest[CPRNG_SHA256_SIZE];

std::uint32_t rotated(std::uint32_t x, unsigned int n)
{
	return x >> n | x << (32 - n);
}

std::uint32_t big_endian(const std::uint8_t *at)
{
	return std::uint32_t{ at[0] } << 24 | std::uint32_t{ at[1] } << 16 | std::uint32_t{ at[2] } << 8 | at[3];
}

// The words at the end of the compression of a one-block message: the schedule, and the state less its initial constants.
void learn_compression()
{
	static const std::uint32_t initial[8] = { 0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
						  0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19 };
	std::uint8_t block[64] = {};
	std::uint32_t w[64], ends[8], sums[8];

	std::memcpy(block, message, sizeof(message));
	block[sizeof(message)] = 0x80;
	block[62] = sizeof(message) * 8 >> 8;
	block[63] = static_cast<std::uint8_t>(sizeof(message) * 8);
	for (std::size_t t = 0; t < 64; t++)
		w[t] = t < 16 ? big_endian(block + 4 * t) :
				w[t - 16] + w[t - 7] +
					(rotated(w[t - 15], 7) ^ rotated(w[t - 15], 18) ^ w[t - 15] >> 3) +
					(rotated(w[t - 2], 17) ^ rotated(w[t - 2], 19) ^ w[t - 2] >> 10);
	for (std::size_t i = 0; i < 8; i++) {
		sums[i] = big_endian(digest + 4 * i);
		ends[i] = sums[i] - initial[i];
	}
	stack->learn(w + 48, sizeof(w) / 4);
	stack->learn(ends, sizeof(ends));
	stack->learn(sums, sizeof(sums));
	stack->learn(message, sizeof(message));
}

// Catches words of a compression, or an inner hash, that are not wiped.
CHILD_TEST_CASE("remains: hashes leave nothing on the stack", run_buffered)
{
	for (std::size_t i = 0; i < sizeof(message); i++)
		message[i] = static_cast<std::uint8_t>(i * 83 + 29);
	stack = new OwnStack;
	stack->call([] {
		struct cprng_sha256 h;
		cprng_sha256_init(&h);
		cprng_sha256_update(&h, message, sizeof(message));
		cprng_sha256_final(&h, digest);
	});
	learn_compression();
	REQUIRE_IN_CHILD(stack->left() == 0);
	// The inner hash of the double hash.
	std::uint8_t inner[CPRNG_SHA256_SIZE], block[64] = {};
	struct cprng_sha256 h;
	cprng_sha256_init(&h);
	cprng_sha256_update(&h, block, sizeof(block));
	cprng_sha256_update(&h, message, sizeof(message));
	cprng_sha256_final(&h, inner);
	stack->call([] {
		struct cprng_sha256 d;
		cprng_sha256d_init(&d);
		cprng_sha256_update(&d, message, sizeof(message));
		cprng_sha256d_final(&d, digest);
	});
	stack->learn(inner, sizeof(inner));
	stack->learn(message, sizeof(message));
	REQUIRE_IN_CHILD(stack->left() == 0);
}

unsigned char event[24];

// Catches an event's payload that stays on the stack.
CHILD_TEST_CASE("remains: events are gone from the stack", run_buffered)
{
	start(true);
	(void)cprng_fast64();
	for (std::size_t i = 0; i < sizeof(event); i++)
		event[i] = static_cast<unsigned char>(i * 41 + 7);
	static cprng_fortuna *object;
	REQUIRE_IN_CHILD(cprng_fortuna_new(&object, nullptr, 0) == CPRNG_OK);
	(void)after([] { REQUIRE_IN_CHILD(cprng_add_entropy(0, event, sizeof(event), 1) == CPRNG_OK); });
	stack->forget();
	stack->learn(event, sizeof(event));
	REQUIRE_IN_CHILD(stack->left() == 0);
	(void)after([] { REQUIRE_IN_CHILD(cprng_fortuna_add(object, 3, event, sizeof(event), 1) == CPRNG_OK); });
	stack->forget();
	stack->learn(event, sizeof(event));
	REQUIRE_IN_CHILD(stack->left() == 0);
}

} // namespace

REPLACE(int, cprng_fortuna_core_read,
	(const struct cprng_fortuna_core *f, void *buf, std::size_t len, enum cprng_wait wait))
{
	if (at_read != nullptr) {
		stack->copy(at_read);
		at_read = nullptr;
	}
	return __real_cprng_fortuna_core_read(f, buf, len, wait);
}

// Catches a seed that is wiped only at the end of a read.
TEST_CASE("remains: seeds and keys of Fortuna are gone from the stack as soon as they were used")
{
	run_buffered(strong_reads);
}
