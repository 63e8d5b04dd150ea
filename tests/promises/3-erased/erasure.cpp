// SPDX-License-Identifier: BSD-2-Clause
// Served bytes are erased from the buffer that they came from.  (Every length: unit/process/placement_percpu.cpp;
// the whole memory: whole_memory/.)
#include "../../support/run.hpp"
#include "../../support/internals.hpp"
#include "../../support/machine.hpp"
#include "../../support/outline.hpp"
#include "../../support/frequent_signals.hpp"
#include "../../support/repeats.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include <sched.h>

namespace {

// This thread's buffer.  It stays the same on one CPU or in one slot.
const cprng_buffer *own_buffer()
{
	struct cprng_process *p = cprng_process();

	return &p->buffers[p->placement->index(p)];
}

// After a draw that lowered `left` by n, the n bytes above it are zero.
template <typename Draw> void check_place(const std::string &what, std::size_t n, Draw draw)
{
	std::size_t looked = 0, erased = 0;
	const long preempted = machine::preemptions();

	// Stay on one CPU, so that all draws use the same buffer.
	machine::pin(0, machine::cpus().front());
	for (int i = 0; i < 20000; i++) {
		const std::uint32_t before = own_buffer()->left;
		draw();
		const std::uint32_t after = own_buffer()->left;
		// Skip draws with a refill in between.
		if (after + n != before)
			continue;
		looked++;
		const unsigned char *place = own_buffer()->out + after;
		erased += std::all_of(place, place + n, [](unsigned char b) { return b == 0; });
	}
	machine::unpin();
	// Nearly all draws are checked: at most every tenth draw of 64 bytes refills.  A preempted pop may leave bytes in place
	// that are never served.
	INFO(std::string(what));
	CHECK(looked > 5000);
	CHECK(looked - erased <= static_cast<std::size_t>(machine::preemptions() - preempted));
}

} // namespace

// Catches a draw that lowers the count without erasing its bytes.
TEST_CASE("erasure: the place in the buffer that a draw came from")
{
	SKIP_IF(!machine::buffered(), "no buffers");
	// The fewest bytes that a call of cprng_fast takes from the buffer.
	const std::size_t least = machine::per_cpu() ? 8 : 1;
	check_place("8 bits", 1, [] { (void)cprng_fast8(); });
	check_place("16 bits", 2, [] { (void)cprng_fast16(); });
	check_place("32 bits", 4, [] { (void)cprng_fast32(); });
	check_place("64 bits", 8, [] { (void)cprng_fast64(); });
	unsigned char bytes[64];
	// Inlined draws where the placement allows them, and function calls.
	for (const std::size_t len : { 5, 12, 16, 24, 33, 64 })
		check_place(std::to_string(len) + " bytes by a call", std::max(least, len),
			    [&bytes, len] { outline::fast(bytes, len); });
#ifdef __OPTIMIZE__
	const std::size_t five = 8; // inlined, from a word
#else
	const std::size_t five = std::max<std::size_t>(least, 5);
#endif
	check_place("5 bytes", five, [&bytes] { cprng_fast(bytes, 5); });
	check_place("12 bytes", 12, [&bytes] { cprng_fast(bytes, 12); });
	check_place("16 bytes", 16, [&bytes] { cprng_fast(bytes, 16); });
	check_place("24 bytes", 24, [&bytes] { cprng_fast(bytes, 24); });
	check_place("33 bytes", 33, [&bytes] { cprng_fast(bytes, 33); });
	check_place("64 bytes", 64, [&bytes] { cprng_fast(bytes, 64); });
}

namespace {

volatile bool cut_now;
volatile int cuts_seen;

// The worst case: the sequence is restarted on another CPU, after other draws.
void move_when_cut(bool cut)
{
	static volatile unsigned int turn;
	unsigned char bytes[48];

	// Only once for each check: signals at this rate would keep the sequence from completing.
	if (!cut || cut_now)
		return;
	cut_now = true;
	cuts_seen = cuts_seen + 1;
	cprng_fast(bytes, 16 + turn % 32);
	turn = turn + 1;
	machine::pin(0, machine::cpus()[turn % machine::cpus().size()]);
}

} // namespace

// An interrupted push or put has left bytes in a buffer.  The retry, perhaps into another CPU's buffer, must not store the
// same bytes again: when served, they would be erased in only one of the two buffers.
// Catches bytes of an interrupted push or put that the retry also stores on a second CPU.
TEST_CASE("erasure: refills that were cut leave no copies")
{
	SKIP_IF(!machine::per_cpu(), "no restartable sequences");
	frequent_signals::Timer timer;
	SKIP_IF(!timer.works(), "no timers for threads");
	std::size_t copies = 0, twins = 0, drained = 0;

	cut_now = false;
	cuts_seen = 0;
	cprng_invalidate();
	frequent_signals::set_handler(move_when_cut);
	timer.start(frequent_signals::interval());
	for (std::size_t i = 0; i < 4000000 && drained < machine::scaled(200, 20); i++) {
		unsigned char bytes[64];
		cprng_draw_by_refill(cprng_process(), bytes, 8);
		if (!cut_now) {
			// Make room for the next push.
			unsigned char rest[480];
			cprng_fast(rest, sizeof(rest));
			cprng_fast(rest, sizeof(rest));
			continue;
		}
		timer.stop();
		drained++;
		// Serve all remaining bytes, and search every buffer for them.
		std::vector<std::uint64_t> served;
		for (int cpu : machine::cpus()) {
			machine::pin(0, cpu);
			while (own_buffer()->left >= 8)
				served.push_back(cprng_fast64());
		}
		Seen seen(served.size() + 16);
		for (std::uint64_t v : served)
			seen.insert(v);
		const struct cprng_process *p = cprng_process();
		for (std::uint32_t s = 0; s < p->buffer_count; s++) {
			const cprng_buffer *b = &p->buffers[s];
			for (std::size_t at = b->left; at + 8 <= CPRNG_BUFFER_SIZE; at++) {
				const std::uint64_t v = window_at(b->out + at);
				copies += v != 0 && seen.contains(v);
			}
			for (std::uint32_t other = 0; other < s; other++) {
				const std::uint64_t v = window_at(b->key);
				twins += v != 0 && v == window_at(p->buffers[other].key);
			}
		}
		cprng_invalidate();
		cut_now = false;
		timer.start(frequent_signals::interval());
	}
	timer.stop();
	frequent_signals::set_handler(nullptr);
	machine::unpin();
	MESSAGE(cuts_seen << " interruptions; after " << drained << " of them all bytes were served and searched for");
	// At least one of four million refills, a second of computing, is interrupted unless no signal comes at all.
	CHECK(drained > 0);
	INFO("served words that are still in a buffer; keys that are in two buffers");
	CHECK(copies == 0);
	CHECK(twins == 0);
}
