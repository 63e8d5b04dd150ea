// SPDX-License-Identifier: BSD-2-Clause
// Refills, one-time keys and the unbuffered placement, key by key.  The kernel's bytes and the clock are scripted, and
// the cipher's keys are recorded.  The tests use slots, whose operations are never aborted.
#include "../../support/fake_os.hpp"
#include "../../support/scenario.hpp"
#include "../../support/internals.hpp"
#include "../../support/machine.hpp"
#include "../../support/script.hpp"

#include <algorithm>
#include <csignal>

#include <unistd.h>

namespace draw_tests {
namespace {

using script::Bytes;
using script::cipher;
using script::expanded;
using script::first_key;
using script::given;
using script::Key;

constexpr std::uint64_t second = 1000000000;

// The output of a refill for a draw of less than 64 bytes.
constexpr std::size_t chunk = 1024;

struct cprng_process *p;

void start(bool with_vdso)
{
	fake_os.membarrier.answer = -ENOSYS;
	fake_os.cpu_mask_size.answer = 1;
	fake_os.vdso_missing = !with_vdso;
	script::begin(with_vdso);
	p = cprng_process();
	REQUIRE_IN_CHILD(p->placement == &cprng_placement_slots);
	REQUIRE_IN_CHILD(cprng_generation(p) != 0);
	REQUIRE_IN_CHILD((p->vdso.generate != nullptr) == with_vdso);
	script::watch_cipher();
	given.clear();
}

const struct cprng_buffer *own()
{
	return &p->buffers[p->placement->index(p)];
}

Bytes refill(std::size_t len)
{
	Bytes bytes(len);

	cprng_draw_by_refill(cprng_process(), bytes.data(), len);
	return bytes;
}

Bytes part(const Bytes &bytes, std::size_t from, std::size_t to)
{
	return Bytes(bytes.begin() + static_cast<long>(from), bytes.begin() + static_cast<long>(to));
}

// The next key that a refill without fresh bytes would have used.
Key next_of(const Key &key)
{
	return first_key(expanded(key, CPRNG_KEY_SIZE));
}

Key last_key()
{
	return cipher.keys.back();
}

// Catches a key that is not used exactly once, and a reseed that replaces the key instead of mixing into it.
CHILD_TEST_CASE("refill: each key follows from the one before, and reseeds come by count", scenario::check_buffered)
{
	constexpr std::size_t lengths[] = { 8, 512, 16, 64, 100, 63, 1, 256 };

	start(true);
	for (unsigned int i = 0; i < 2 * CPRNG_REFILLS_PER_CALL + 40; i++) {
		const std::size_t len = lengths[i % 8], before = given.size();
		const Bytes served = refill(len);
		REQUIRE_IN_CHILD(cipher.keys.size() == i + 1);
		REQUIRE_IN_CHILD(served == part(expanded(last_key(), CPRNG_KEY_LINE + len), CPRNG_KEY_LINE,
						CPRNG_KEY_LINE + len));
		REQUIRE_IN_CHILD(std::equal(own()->key, own()->key + CPRNG_KEY_SIZE, next_of(last_key()).begin()));
		if (i % CPRNG_REFILLS_PER_RESEED != 0) {
			REQUIRE_IN_CHILD(last_key() == next_of(cipher.keys[i - 1]));
			REQUIRE_IN_CHILD(given.size() == before);
			continue;
		}
		REQUIRE_IN_CHILD(given.size() == before + 1 && given.back().bytes.size() == CPRNG_KEY_SIZE);
		REQUIRE_IN_CHILD(given.back().by_vdso == (i % CPRNG_REFILLS_PER_CALL != 0));
		const Key kernels = first_key(given.back().bytes);
		REQUIRE_IN_CHILD(last_key() == (i == 0 ? kernels : script::sum(next_of(cipher.keys[i - 1]), kernels)));
	}
}

// Bytes that are not served are in the buffer, in order and exactly once.
// Catches keystream that is lost, or that is buffered although it was served.
CHILD_TEST_CASE("refill: what is not served is in the buffer", scenario::check_buffered)
{
	start(false);
	for (const std::size_t chunks : { std::size_t{ 1 }, std::size_t{ CPRNG_REFILL_CHUNKS } }) {
		p->small_refill = static_cast<std::uint8_t>(chunks);
		for (std::size_t len : { 1, 8, 63, 64, 65, 512 }) {
			cprng_generation_invalidate(p);
			const Bytes served = refill(len);
			const std::size_t made = len < 64 ? chunks * chunk : 4096;
			const Bytes all = expanded(last_key(), made);
			// The number after the request is aligned.
			const std::size_t used = CPRNG_KEY_LINE + (len + 7) / 8 * 8;
			REQUIRE_IN_CHILD(own()->left == made - used);
			REQUIRE_IN_CHILD(std::equal(all.begin() + static_cast<long>(used), all.end(), own()->out));
		}
	}
}

// Catches a reseed by the clock that is a nanosecond off, or that uses the vDSO.
CHILD_TEST_CASE("refill: a key of another second takes bytes of a system call", scenario::check_buffered)
{
	start(true);
	refill(8);
	fake_os.nanoseconds += second - 1;
	refill(8);
	REQUIRE_IN_CHILD(last_key() == next_of(cipher.keys[0]));
	for (int i = 0; i < 3; i++) {
		fake_os.nanoseconds += second;
		const std::size_t before = given.size();
		const Key chained = next_of(last_key());
		refill(8);
		REQUIRE_IN_CHILD(given.size() == before + 1 && !given.back().by_vdso);
		REQUIRE_IN_CHILD(last_key() == script::sum(chained, first_key(given.back().bytes)));
		refill(8);
		REQUIRE_IN_CHILD(given.size() == before + 1);
	}
}

// The vDSO's state may be older than the generation.
// Catches a first key from an older vDSO state.
CHILD_TEST_CASE("refill: the first key after an invalidation is of a system call", scenario::check_buffered)
{
	start(true);
	for (int i = 0; i < 3; i++) {
		given.clear();
		cprng_generation_invalidate(p);
		refill(8);
		REQUIRE_IN_CHILD(given.size() == 1 && !given[0].by_vdso);
		REQUIRE_IN_CHILD(last_key() == first_key(given[0].bytes));
	}
}

unsigned int keystreams;

void invalidate_once()
{
	if (keystreams++ == 0)
		cprng_generation_invalidate(p);
}

// Catches bytes or a key from before the invalidation that are used after it.
CHILD_TEST_CASE("refill: an invalidation in the middle has all made again, and nothing kept", scenario::check_buffered)
{
	start(false);
	refill(8);
	refill(8);
	keystreams = 0;
	cipher.keys.clear();
	cipher.before_keystream = invalidate_once;
	const Bytes served = refill(16);
	cipher.before_keystream = nullptr;
	REQUIRE_IN_CHILD(cipher.keys.size() == 2);
	const Bytes all = expanded(cipher.keys[1], p->small_refill * chunk);
	REQUIRE_IN_CHILD(served == part(all, CPRNG_KEY_LINE, CPRNG_KEY_LINE + 16));
	REQUIRE_IN_CHILD(cipher.keys[1] != next_of(cipher.keys[0]));
	REQUIRE_IN_CHILD(std::equal(own()->key, own()->key + CPRNG_KEY_SIZE, all.begin()));
	REQUIRE_IN_CHILD(own()->left == all.size() - CPRNG_KEY_LINE - 16);
	REQUIRE_IN_CHILD(std::equal(all.begin() + CPRNG_KEY_LINE + 16, all.end(), own()->out));
}

// Catches a one-time key that is used twice, and a truncated tail.
CHILD_TEST_CASE("refill: one-time keys are the popped ones, and what they make has every length",
		scenario::check_buffered)
{
	start(false);
	for (std::size_t len : { 513, 520, 575, 576, 1000, 1023, 4095, 4097, 70001 }) {
		Bytes served(len + 2, 0xee);
		refill(64);
		const std::uint32_t left = own()->left;
		const Key top = first_key(Bytes(own()->out + left - CPRNG_KEY_SIZE, own()->out + left));
		cprng_draw_bytes(cprng_process(), served.data() + 1, len);
		REQUIRE_IN_CHILD(served.front() == 0xee && served.back() == 0xee);
		REQUIRE_IN_CHILD(last_key() == top);
		REQUIRE_IN_CHILD(part(served, 1, len + 1) == expanded(top, len));
		REQUIRE_IN_CHILD(own()->left == left - CPRNG_KEY_SIZE);
	}
	// The longest request that needs no one-time key, and the shortest that needs one.
	refill(64);
	const std::size_t before = cipher.keys.size();
	for (std::size_t len : { 512, 1 }) {
		const std::uint32_t left = own()->left;
		Bytes served(len);
		cprng_draw_bytes(cprng_process(), served.data(), len);
		REQUIRE_IN_CHILD(own()->left == left - len && cipher.keys.size() == before);
	}
}

// Catches a long request that is generated from an old key.
CHILD_TEST_CASE("refill: an invalidation in the middle of a one-time key has all made again", scenario::check_buffered)
{
	start(false);
	refill(64);
	cipher.keys.clear();
	keystreams = 0;
	cipher.before_keystream = invalidate_once;
	Bytes served(1000);
	cprng_draw_bytes(cprng_process(), served.data(), served.size());
	cipher.before_keystream = nullptr;
	// The earlier key, then a refill and the key derived from it.
	REQUIRE_IN_CHILD(cipher.keys.size() == 3);
	REQUIRE_IN_CHILD(served == expanded(last_key(), served.size()));
	REQUIRE_IN_CHILD(last_key() ==
			 first_key(expanded(cipher.keys[1], CPRNG_KEY_LINE + CPRNG_KEY_SIZE), CPRNG_KEY_LINE));
}

// Invalidates at each key, more often than any draw may restart.
void invalidate_often()
{
	if (keystreams++ < 50)
		cprng_generation_invalidate(p);
}

// Catches a request that restarts as long as invalidations continue, and a restarted request that keeps bytes of another key.
CHILD_TEST_CASE("refill: after a second invalidation a draw is made from the kernel's bytes alone",
		scenario::check_buffered)
{
	start(false);
	for (const std::size_t len : { std::size_t{ 16 }, std::size_t{ 70000 } }) {
		Bytes served(len);
		refill(64);
		cipher.keys.clear();
		keystreams = 0;
		cipher.before_key = invalidate_often;
		if (len == 16)
			served = refill(len);
		else
			cprng_draw_bytes(cprng_process(), served.data(), len);
		cipher.before_key = nullptr;
		// The long request takes its keys from the buffer, from a refill, and from the kernel.
		REQUIRE_IN_CHILD(keystreams == (len == 16 ? 2 : 4));
		REQUIRE_IN_CHILD(served == (len == 16 ? given.back().bytes : expanded(last_key(), len)));
		REQUIRE_IN_CHILD(len == 16 || last_key() == first_key(given.back().bytes));
	}
}

// Catches an array that is filled again as long as invalidations continue.
CHILD_TEST_CASE("refill: an array is filled though invalidations go on", scenario::check_buffered)
{
	start(false);
	std::vector<double> numbers(100, 2);
	keystreams = 0;
	cipher.before_key = invalidate_often;
	const int status = cprng_fill_double(numbers.data(), numbers.size());
	cipher.before_key = nullptr;
	REQUIRE_IN_CHILD(status == CPRNG_OK);
	REQUIRE_IN_CHILD(keystreams < 50);
	REQUIRE_IN_CHILD(std::all_of(numbers.begin(), numbers.end(), [](double number) { return number < 1; }));
}

// Checks a refill of `chunks` chunks: all its bytes come from this keystream position.
void check_refill(std::size_t chunks, std::uint64_t nonce, std::uint64_t block)
{
	const std::size_t len = chunks == 1 ? 8 : 64;
	const Bytes served = refill(len), all = expanded(last_key(), chunks * chunk, nonce, block);

	REQUIRE_IN_CHILD(std::equal(own()->key, own()->key + CPRNG_KEY_SIZE, all.begin()));
	REQUIRE_IN_CHILD(served == part(all, CPRNG_KEY_LINE, CPRNG_KEY_LINE + len));
	REQUIRE_IN_CHILD(own()->left >= all.size() - CPRNG_KEY_LINE - len);
	REQUIRE_IN_CHILD(std::equal(all.begin() + static_cast<long>(CPRNG_KEY_LINE + len), all.end(),
				    own()->out + own()->left - (all.size() - CPRNG_KEY_LINE - len)));
}

void empty()
{
	std::memset(const_cast<std::uint8_t *>(own()->out), 0, CPRNG_BUFFER_SIZE);
	__atomic_store_n(const_cast<std::uint32_t *>(&own()->left), 0, __ATOMIC_RELAXED);
}

// Catches a refill that depends only on the one before although it should have its own keystream position, and a position
// that changes the next key.
CHILD_TEST_CASE("refill: starts have the counter once in 4 KiB, and a random word once in a period",
		scenario::check_buffered)
{
	start(false);
	p->random_word = true;
	p->small_refill = 1;
	// A refill that takes fresh bytes from the kernel (the first and each sixteenth after it) always takes a random word, too.
	for (const std::uint64_t word : { UINT64_C(0x123456789abcdef0), UINT64_C(0), ~UINT64_C(0) }) {
		cprng_generation_invalidate(p);
		fake_os.word = word;
		for (unsigned int i = 1; i <= 3 * CPRNG_REFILLS_PER_RESEED; i++) {
			const bool is_reseed = i % CPRNG_REFILLS_PER_RESEED == 1;
			fake_os.count = UINT64_C(0xfedcba9876543210) + i;
			fake_os.period += i % 3 == 0;
			empty();
			check_refill(4, fake_os.count, i % 3 == 0 || is_reseed ? word : 0);
		}
	}
	// Small refills: the first of a generation, the first after a filled buffer, and then each fourth.
	cprng_generation_invalidate(p);
	for (unsigned int i = 1; i <= 2 * CPRNG_REFILLS_PER_RESEED; i++) {
		fake_os.count++;
		if (i == 6) {
			empty();
			check_refill(4, fake_os.count, 0);
		} else if (i % 4 == 1) {
			check_refill(1, fake_os.count, i % CPRNG_REFILLS_PER_RESEED == 1 ? fake_os.word : 0);
		} else {
			check_refill(1, i == 7 ? fake_os.count : 0, 0);
		}
		empty();
	}
	// The count begins at 1 with each reseed, which the clock can cause at any refill.
	for (unsigned int i = 1; i <= 2 * CPRNG_REFILLS_PER_RESEED; i++) {
		fake_os.count++;
		fake_os.nanoseconds += second;
		check_refill(1, fake_os.count, fake_os.word);
		empty();
	}
	// Without the random number instruction.
	p->random_word = false;
	fake_os.words = 0;
	cprng_generation_invalidate(p);
	for (unsigned int i = 1; i <= 2 * CPRNG_REFILLS_PER_RESEED; i++) {
		fake_os.count++;
		fake_os.period++;
		empty();
		check_refill(4, fake_os.count, 0);
	}
	REQUIRE_IN_CHILD(fake_os.words == 0);
}

// Catches a request of 4 KiB or more that a copy of the process repeats.
CHILD_TEST_CASE("refill: one-time keys of 4 KiB or more have a start of their own", scenario::check_buffered)
{
	start(false);
	p->random_word = true;
	refill(64);
	fake_os.word = UINT64_C(0xfffffffffffffff0);
	for (std::size_t len : { 4095, 4096, 4097, 65535, 65536, 100000 }) {
		for (const bool new_period : { true, false }) {
			Bytes served(len);
			fake_os.count++;
			fake_os.period += new_period;
			cprng_draw_bytes(cprng_process(), served.data(), len);
			REQUIRE_IN_CHILD(served ==
					 expanded(last_key(), len, len < 4096 ? 0 : fake_os.count,
						  len >= 65536 || (len >= 4096 && new_period) ? fake_os.word : 0));
		}
	}
}

// One-time keys from the kernel: two machines' kernels may give the same key.
// Catches a key from the kernel that two machines expand to the same bytes.
CHILD_TEST_CASE("refill: what is made of a key of the kernel has a start of its own", scenario::check)
{
	fake_os.madvise.answer = -EINVAL;
	fake_os.vdso_missing = true;
	script::begin(false);
	p = cprng_process();
	p->random_word = true;
	script::watch_cipher();
	fake_os.word = 77;
	fake_os.count = 1;
	for (std::size_t len : { 513, 4096 }) {
		Bytes served(len);
		fake_os.count++;
		cprng_draw_bytes(cprng_process(), served.data(), len);
		REQUIRE_IN_CHILD(served == expanded(last_key(), len, fake_os.count, fake_os.word));
	}
}

// Catches a first draw, with a key from the kernel, that is the same on two machines.
CHILD_TEST_CASE("refill: the first draw of a generation has a start of its own", scenario::check_buffered)
{
	fake_os.membarrier.answer = -ENOSYS;
	script::begin(false);
	p = cprng_process();
	p->random_word = true;
	script::watch_cipher();
	fake_os.word = 78;
	fake_os.count = 1;
	Bytes served(4096);
	cprng_draw_bytes(cprng_process(), served.data(), served.size());
	REQUIRE_IN_CHILD(cipher.keys.size() == 1);
	REQUIRE_IN_CHILD(served == expanded(last_key(), served.size(), 1, 78));
}

// A process without wiped pages detects a fork by its PID and generates its output again.
std::vector<long> pids;

// Catches a child that keeps the bytes of its parent's request.
CHILD_TEST_CASE("refill: unbuffered, a fork in the middle has all made again", scenario::check)
{
	fake_os.madvise.answer = -EINVAL;
	fake_os.vdso_missing = true;
	script::begin(false);
	p = cprng_process();
	REQUIRE_IN_CHILD(p->placement == &cprng_placement_unbuffered);
	script::watch_cipher();
	fake_os.process_id.instead = [] {
		const long pid = pids.empty() ? 2 : pids.back();
		if (!pids.empty())
			pids.pop_back();
		return pid;
	};
	for (std::size_t len : { 1, 16, 100, 512 }) {
		pids = { 1 };
		given.clear();
		Bytes served(len);
		cprng_draw_bytes(cprng_process(), served.data(), len);
		REQUIRE_IN_CHILD(given.size() == 2);
		REQUIRE_IN_CHILD(served == given[1].bytes);
	}
	pids = { 1 };
	Bytes served(1000);
	cprng_draw_bytes(cprng_process(), served.data(), served.size());
	REQUIRE_IN_CHILD(cipher.keys.size() == 2);
	REQUIRE_IN_CHILD(served == expanded(last_key(), served.size()));
	// A parent, which detects no fork, generates it once.
	cipher.keys.clear();
	cprng_draw_bytes(cprng_process(), served.data(), served.size());
	REQUIRE_IN_CHILD(cipher.keys.size() == 1);
}

bool were_blocked = true;

// Catches a piece during which a handler could fork.
CHILD_TEST_CASE("refill: unbuffered, signals are blocked while a piece is made", scenario::check)
{
	fake_os.madvise.answer = -EINVAL;
	fake_os.vdso_missing = true;
	script::begin(false);
	p = cprng_process();
	script::watch_cipher();
	cipher.before_keystream = [] {
		sigset_t now;
		sigprocmask(SIG_BLOCK, nullptr, &now);
		were_blocked = were_blocked && sigismember(&now, SIGUSR1) == 1 && sigismember(&now, SIGALRM) == 1;
	};
	Bytes served(1000);
	cprng_draw_bytes(cprng_process(), served.data(), served.size());
	REQUIRE_IN_CHILD(!cipher.keys.empty() && were_blocked);
	cipher.before_keystream();
	REQUIRE_IN_CHILD(!were_blocked);
}

// Catches a key into which the pools are not mixed, and a second that is skipped because a lock was held.
CHILD_TEST_CASE("refill: once a second the pools are part of the key", scenario::check_buffered)
{
	std::uint8_t byte;

	start(false);
	cprng_strong(&byte, 1);
	// Once a second the pools are read: the key depends on more than the kernel's bytes.
	for (int i = 0; i < 2; i++) {
		refill(8);
		const Key chained = next_of(last_key());
		fake_os.nanoseconds += second;
		const unsigned long before = fake_os.strong_keys;
		given.clear();
		refill(8);
		REQUIRE_IN_CHILD(fake_os.strong_keys == before + 1);
		REQUIRE_IN_CHILD(!given.empty());
		for (const script::Given &g : given)
			REQUIRE_IN_CHILD(g.bytes.size() != CPRNG_KEY_SIZE ||
					 last_key() != script::sum(chained, first_key(g.bytes)));
		for (int k = 0; k < 40; k++)
			refill(8);
		REQUIRE_IN_CHILD(fake_os.strong_keys == before + 1);
	}
	// A thread that finds a lock held retries at the next refill.
	fake_os.pools_silent = true;
	fake_os.nanoseconds += second;
	refill(8);
	fake_os.pools_silent = false;
	const unsigned long before = fake_os.strong_keys;
	refill(8);
	REQUIRE_IN_CHILD(fake_os.strong_keys == before + 1);
}

} // namespace
} // namespace draw_tests
