// SPDX-License-Identifier: BSD-2-Clause
// Accounts for every word of the keystream: none is served twice, and only permitted ones are lost.
//
// A fake cipher numbers the words that it writes.  So each word that a draw returns, that becomes part of a key, or that stays in
// a buffer identifies its origin; a word in none of these places is lost.  An interrupted sequence may lose what it was about to
// serve or keep (docs/decisions/0001), and no more; a draw abandoned by a jump loses its own bytes.
#include "../../support/run.hpp"
#include "../../support/scenario.hpp"
#include "../../support/internals.hpp"
#include "../../support/machine.hpp"
#include "../../support/outline.hpp"
#include "../../support/frequent_signals.hpp"

#include <algorithm>
#include <atomic>
#include <csetjmp>
#include <csignal>
#include <cstdio>
#include <memory>
#include <thread>
#include <vector>

#include <sys/resource.h>
#include <unistd.h>

namespace {

// A word of the keystream.  Four bytes from the kernel look like one with probability 1/16, a key with 2^-32.
constexpr std::uint32_t mark = 0xa0000000, mark_mask = 0xf0000000, words_max = 1 << 26;
constexpr std::size_t key_words = CPRNG_KEY_SIZE / 4;

// 32 bits: RISC-V has no byte exchange.
enum Fate : std::uint32_t { unseen, served, made_a_key, left_over, unused };

std::unique_ptr<std::atomic<std::uint32_t>[]> fates;
std::atomic<std::uint32_t> words_made;
std::atomic<std::uint64_t> twice, strange, keys_of_kernel, refills;

bool is_ours(std::uint32_t word)
{
	return (word & mark_mask) == mark && (word & ~mark_mask) < words_made.load(std::memory_order_relaxed);
}

void book(std::uint32_t word, Fate fate)
{
	if (!is_ours(word))
		strange++;
	else if (fates[word & ~mark_mask].exchange(fate, std::memory_order_relaxed) != unseen)
		twice++;
}

void book_bytes(const void *bytes, std::size_t len, Fate fate)
{
	for (std::size_t i = 0; i < len; i += 4) {
		std::uint32_t word;
		std::memcpy(&word, static_cast<const unsigned char *>(bytes) + i, sizeof(word));
		book(word, fate);
	}
}

bool is_of_keystream(const std::uint8_t *key)
{
	std::uint32_t words[key_words];

	std::memcpy(words, key, sizeof(words));
	return std::all_of(words, words + key_words, is_ours);
}

void number_key(struct cprng_keystate *ks, const std::uint8_t *key, std::size_t size)
{
	ks->u.word[0] = 1; // no block yet
	// From the kernel, or mixed with its bytes.
	if (is_of_keystream(key))
		book_bytes(key, size, made_a_key);
	else
		keys_of_kernel++;
}

void number_blocks(struct cprng_keystate *ks, unsigned int, std::uint8_t *out, std::size_t blocks, unsigned int)
{
	const std::uint32_t words = static_cast<std::uint32_t>(blocks * cprng_process()->engine->block_size / 4);
	const std::uint32_t first = words_made.fetch_add(words);
	const bool begins = ks->u.word[0] == 1;

	refills++;
	if (first + words > words_max)
		_exit(5);
	for (std::uint32_t i = 0; i < words; i++) {
		const std::uint32_t word = mark | (first + i);
		std::memcpy(out + 4 * i, &word, sizeof(word));
	}
	ks->u.word[0] = 0;
	// A refill leaves a part of its first line unused.  A request by a one-time key is never of a chunk's length.
	if (begins && words == CPRNG_REFILL_CHUNK / 4)
		book_bytes(out + CPRNG_KEY_SIZE, CPRNG_KEY_LINE - CPRNG_KEY_SIZE, unused);
}

const struct cprng_backend numbers = { "numbers", 0, number_key, number_blocks };

// A draw that a jump may abandon; returned bytes are recorded.
struct Drawer {
	std::uint32_t state;
	unsigned char bytes[2128];

	std::uint32_t step()
	{
		state = state * 1664525 + 1013904223;
		return state >> 8;
	}
};

using Draw = void (*)(Drawer *drawer);

struct Worker {
	Drawer open = {}, in_handler = {};
	Draw draw = nullptr;
	sigjmp_buf back;
	bool jumps = false;
	volatile std::sig_atomic_t may_jump = 0;
	std::uint64_t signals = 0, cuts = 0, jumped = 0;
};

thread_local Worker *worker;

void in_handler(bool cut)
{
	Worker *w = worker;
	const std::sig_atomic_t could_jump = w->may_jump;

	w->may_jump = 0;
	w->signals++;
	w->cuts += cut;
	w->draw(&w->in_handler);
	w->draw(&w->in_handler);
	if (w->jumps && could_jump && w->in_handler.step() % 4 == 0) {
		w->jumped++;
		siglongjmp(w->back, 1);
	}
	w->may_jump = could_jump;
}

// A draw's bytes are recorded at once: a jump comes before or after that.
void book_draw(const void *bytes, std::size_t len)
{
	const std::sig_atomic_t could_jump = worker->may_jump;

	worker->may_jump = 0;
	std::atomic_signal_fence(std::memory_order_seq_cst);
	book_bytes(bytes, len, served);
	std::atomic_signal_fence(std::memory_order_seq_cst);
	worker->may_jump = could_jump;
}

void draw_words(Drawer *)
{
	const std::uint64_t a = cprng_fast64();
	book_draw(&a, sizeof(a));
	const std::uint32_t b = cprng_fast32();
	book_draw(&b, sizeof(b));
	const std::uint64_t c = outline::fast64();
	book_draw(&c, sizeof(c));
}

// A refill in nearly every draw, and one-time keys.
void draw_lengths(Drawer *d)
{
	const std::uint32_t random = d->step();
	// At least 16 bytes are taken even for shorter requests.
	std::size_t len = 16 + random % 125 * 4;

	if (random >> 10 & 1)
		len = 528 + (random >> 12) % 100 * 16;
	if (len == CPRNG_REFILL_CHUNK)
		len += 16;
	cprng_fast(d->bytes, len);
	book_draw(d->bytes, len);
}

struct Balance {
	std::uint64_t signals = 0, cuts = 0, jumped = 0, switches = 0, lost_words = 0, lost_runs = 0, lost_alone = 0,
		      claims = 0;
	std::uint64_t served_words = 0;
};

std::uint64_t switches()
{
	struct rusage usage = {};

	getrusage(RUSAGE_SELF, &usage);
	return static_cast<std::uint64_t>(usage.ru_nvcsw + usage.ru_nivcsw);
}

void work(Worker *w, std::size_t times)
{
	const frequent_signals::AlternateStack stack;
	frequent_signals::Timer timer;
	volatile std::size_t n = 0;

	worker = w;
	frequent_signals::set_handler(in_handler);
	timer.start(2 * frequent_signals::interval());
	if (sigsetjmp(w->back, 1) != 0)
		w->may_jump = 0;
	// Handlers may draw more than the thread does.  Without a signal the test would show nothing.
	while ((n < times || (w->signals == 0 && n < 1000 * times)) && words_made < words_max / 2) {
		n = n + 1;
		w->may_jump = 1;
		w->draw(&w->open);
		w->may_jump = 0;
	}
	timer.stop();
	frequent_signals::set_handler(nullptr);
}

// A word that no thread or handler has drawn must be in a buffer, or is lost.
Balance close_books(const std::vector<std::unique_ptr<Worker>> &workers)
{
	const struct cprng_process *p = cprng_process();
	Balance b;

	for (const auto &w : workers) {
		b.signals += w->signals;
		b.cuts += w->cuts;
		b.jumped += w->jumped;
	}
	for (std::uint32_t i = 0; i < p->buffer_count; i++) {
		const struct cprng_buffer *buffer = &p->buffers[i];
		// A slot abandoned by a jump is lost with its contents.
		if (p->slot_claim[i].claim.taken != 0) {
			b.claims++;
			continue;
		}
		book_bytes(buffer->out, buffer->left / 4 * 4, left_over);
		if (buffer->key_tag != 0 && is_of_keystream(buffer->key))
			book_bytes(buffer->key, sizeof(buffer->key), left_over);
	}
	bool before = false;
	for (std::uint32_t i = 0; i < words_made; i++) {
		const bool lost = fates[i] == unseen;
		b.lost_words += lost;
		b.lost_runs += lost && !before;
		b.lost_alone += lost && !before && (i + 1 == words_made || fates[i + 1] != unseen);
		b.served_words += fates[i] == served;
		before = lost;
	}
	return b;
}

Balance keep_books(Draw draw, std::size_t times, bool jumps)
{
	std::vector<std::unique_ptr<Worker>> workers;
	std::vector<std::thread> threads;

	cprng_process()->backend = &numbers;
	// While one thread begins a generation, others draw the kernel's bytes, which are not recorded.
	(void)cprng_generation(cprng_process());
	fates.reset(new std::atomic<std::uint32_t>[words_max]());
	const std::uint64_t switches_before = switches();
	for (std::uint32_t i = 0; i < 4; i++) {
		workers.push_back(std::make_unique<Worker>());
		Worker *w = workers.back().get();
		w->open.state = 2 * i + 1;
		w->in_handler.state = 2 * i + 2;
		w->draw = draw;
		w->jumps = jumps;
		threads.emplace_back(work, w, times);
	}
	for (std::thread &t : threads)
		t.join();
	Balance b = close_books(workers);
	b.switches = switches() - switches_before;
	dprintf(STDOUT_FILENO,
		"%llu words served of %u, %llu lost in %llu places; %llu signals, %llu cuts, %llu jumps, %llu switches, "
		"%llu refills and requests, %llu keys of the kernel, %llu claims left",
		static_cast<unsigned long long>(b.served_words), words_made.load(),
		static_cast<unsigned long long>(b.lost_words), static_cast<unsigned long long>(b.lost_runs),
		static_cast<unsigned long long>(b.signals), static_cast<unsigned long long>(b.cuts),
		static_cast<unsigned long long>(b.jumped), static_cast<unsigned long long>(b.switches),
		static_cast<unsigned long long>(refills.load()), static_cast<unsigned long long>(keys_of_kernel.load()),
		static_cast<unsigned long long>(b.claims));
	REQUIRE_IN_CHILD(twice == 0);
	REQUIRE_IN_CHILD(strange == 0);
	return b;
}

std::size_t times(double volume)
{
	return machine::slow() ? static_cast<std::size_t>(volume / 100) : static_cast<std::size_t>(volume);
}

// Where sequences cannot be interrupted, any signal may find a claimed slot.
std::uint64_t interruptions(const Balance &b)
{
	return (machine::per_cpu() ? b.cuts : b.signals) + b.switches;
}

// An interruption, by a signal or another thread, cuts at most one sequence, and its words come from one place, at most
// a chunk.  The next key is lost elsewhere: when it is mixed with the kernel's bytes, or refused because another
// thread, which found no key and asked the kernel, has stored one meanwhile.  A refill for a 64-bit draw discards the
// one remaining word, so that its numbers are aligned; one for a 32-bit draw, the word beside it.  Refills are of one chunk: two
// that interrupt each other then both fit.
const scenario::Scenario words("accounting: words", [] {
	cprng_process()->small_refill = 1;
	const Balance b = keep_books(draw_words, times(run::volume(2e5, 1e6)), false);

	// The fraction of signals that hit a sequence equals the fraction of time spent in sequences.
	if (machine::per_cpu() && b.cuts == 0) {
		REQUIRE_IN_CHILD(b.signals < 20000);
		scenario::skip_part("too few signals to cut a draw");
	}
	REQUIRE_IN_CHILD(b.claims == 0);
	const std::uint64_t longer = b.lost_runs - b.lost_alone;
	REQUIRE_IN_CHILD(longer <= interruptions(b) + keys_of_kernel);
	REQUIRE_IN_CHILD(b.lost_words - b.lost_alone <= 256 * interruptions(b) + key_words * keys_of_kernel);
	REQUIRE_IN_CHILD(b.lost_alone <= interruptions(b) + keys_of_kernel + refills);
});

// Of two that fill the buffer the one that was interrupted, by a signal whose handler draws or by another thread, loses what it
// pushes afterwards.
const scenario::Scenario words_full("accounting: words, refills of the whole buffer", [] {
	cprng_process()->small_refill = CPRNG_REFILL_CHUNKS;
	const Balance b = keep_books(draw_words, times(run::volume(2e5, 1e6)), false);

	REQUIRE_IN_CHILD(b.claims == 0);
	REQUIRE_IN_CHILD(b.lost_words - b.lost_alone <=
			 CPRNG_BUFFER_SIZE / 4 * (b.signals + b.switches) + key_words * keys_of_kernel);
	REQUIRE_IN_CHILD(b.lost_alone <= b.signals + b.switches + keys_of_kernel + refills);
});

// Large refills push as much as fits; the last part of one may be refused if bytes were left.
const scenario::Scenario lengths("accounting: lengths", [] {
	const Balance b = keep_books(draw_lengths, times(5e3), false);

	REQUIRE_IN_CHILD(b.claims == 0);
	REQUIRE_IN_CHILD(b.lost_runs <= interruptions(b) + keys_of_kernel + refills);
});

// A handler that jumps out of a draw loses the draw's bytes, and perhaps a slot.  No thread waits for that draw, and no
// other draw is served its bytes.
const scenario::Scenario jumps("accounting: jumps", [] {
	const Balance b = keep_books(draw_lengths, times(5e3), true);
	std::uint64_t busy = 0;

	// Every fourth handler jumps if it may, and most may.
	if (b.jumped == 0) {
		REQUIRE_IN_CHILD(b.signals < 1000);
		scenario::skip_part("too few signals to jump out of a draw");
	}
	REQUIRE_IN_CHILD(b.claims <= b.jumped);
	for (const struct cprng_claim &claim : cprng_process()->entropy_claim)
		busy += claim.taken != 0;
	REQUIRE_IN_CHILD(busy <= b.jumped);
});

} // namespace

// Catches a keystream word that is served twice, or lost without an interruption.
TEST_CASE("accounting: words drawn by threads and their handlers, one by one")
{
	const frequent_signals::Timer probe;
	SKIP_IF(!probe.works(), "no timers for threads");
	SKIP_IF(!machine::buffered(), "nothing is kept that could be lost");
	scenario::check(words);
	scenario::check(words_full);
}

// Catches a word that a refill or one-time key serves twice, or loses.
TEST_CASE("accounting: 16 to 2112 bytes, refills and one-time keys")
{
	const frequent_signals::Timer probe;
	SKIP_IF(!probe.works(), "no timers for threads");
	SKIP_IF(!machine::buffered(), "nothing is kept that could be lost");
	scenario::check(lengths);
}

// Catches abandoned claims beyond those of the draws that were jumped out of.
TEST_CASE("accounting: handlers that jump out of refills and one-time keys")
{
	const frequent_signals::Timer probe;
	SKIP_IF(!probe.works(), "no timers for threads");
	SKIP_IF(!machine::buffered(), "nothing is kept that could be lost");
	SKIP_IF(machine::slow(), "emulators and sanitizers do not survive it");
	scenario::check(jumps);
}
