// SPDX-License-Identifier: BSD-2-Clause
// Served bytes, and the key that they came from, are erased from all buffers.
#include "../../support/run.hpp"
#include "../../support/internals.hpp"
#include "../../support/machine.hpp"
#include "../../support/outline.hpp"
#include "../../support/frequent_signals.hpp"
#include "../../support/repeats.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include <sched.h>

namespace {

const cprng_buffer *buffers()
{
	return cprng_process()->buffers;
}

std::uint32_t states()
{
	return cprng_process()->buffer_count;
}

// The place of the bytes in this process's buffers; "" if they are nowhere.
std::string found_in_buffers(const void *bytes, std::size_t len)
{
	const unsigned char *p = static_cast<const unsigned char *>(bytes);

	for (std::uint32_t i = 0; i < states(); i++) {
		const cprng_buffer *b = &buffers()[i];
		if (b->left == 0 && b->key_tag == 0)
			continue; // never used
		const unsigned char *begin = reinterpret_cast<const unsigned char *>(b);
		const unsigned char *end = begin + sizeof(*b);
		const unsigned char *at = std::search(begin, end, p, p + len);
		if (at != end)
			return "state " + std::to_string(i) + ", byte " + std::to_string(at - begin);
	}
	return "";
}

// This thread's buffer, which stays the same on one CPU or in one slot.
const cprng_buffer *own_buffer()
{
	struct cprng_process *p = cprng_process();

	return &p->buffers[p->placement->index(p)];
}

// Pinned to one CPU, so that draws keep using the same buffer.
class Pinned {
public:
	Pinned()
	{
		machine::pin(0, machine::cpus().front());
	}

	~Pinned()
	{
		machine::unpin();
	}
};

// After a draw that lowered `left` by n, the n bytes above it are zero.
template <typename Draw> void check_place(const std::string &what, std::size_t n, Draw draw)
{
	const Pinned pinned;
	std::size_t looked = 0, erased = 0;

	for (int i = 0; i < 20000; i++) {
		const std::uint32_t before = own_buffer()->left;
		draw();
		const std::uint32_t after = own_buffer()->left;
		// Otherwise a refill or a preemption came in between.
		if (after + n != before)
			continue;
		looked++;
		const unsigned char *place = own_buffer()->out + after;
		erased += std::all_of(place, place + n, [](unsigned char b) { return b == 0; });
	}
	// Nearly all: at most every tenth draw of 64 bytes refills.  No other thread draws from this buffer, so
	// preemptions do not matter.
	INFO(std::string(what));
	CHECK(looked > 5000);
	CHECK(erased == looked);
}

} // namespace

// Catches a draw that lowers the count without erasing its bytes.
TEST_CASE("erasure: the place in the buffer that a draw came from")
{
	SKIP_IF(!machine::buffered(), "no buffers");
	// The fewest bytes that cprng_fast takes, by call.
	const std::size_t least = machine::per_cpu() ? 8 : 1;
	check_place("8 bits", 1, [] { (void)cprng_fast8(); });
	check_place("16 bits", 2, [] { (void)cprng_fast16(); });
	check_place("32 bits", 4, [] { (void)cprng_fast32(); });
	check_place("64 bits", 8, [] { (void)cprng_fast64(); });
	unsigned char bytes[64];
	// Inlined where the placement allows it, and by call.
	for (const std::size_t len : { 5, 12, 16, 24, 33, 64 })
		check_place(std::to_string(len) + " bytes by a call", std::max(least, len),
			    [&bytes, len] { outline::fast(bytes, len); });
	check_place("5 bytes", 8, [&bytes] { cprng_fast(bytes, 5); });
	check_place("12 bytes", 12, [&bytes] { cprng_fast(bytes, 12); });
	check_place("16 bytes", 16, [&bytes] { cprng_fast(bytes, 16); });
	check_place("24 bytes", 24, [&bytes] { cprng_fast(bytes, 24); });
	check_place("33 bytes", 33, [&bytes] { cprng_fast(bytes, 33); });
	check_place("64 bytes", 64, [&bytes] { cprng_fast(bytes, 64); });
}

// 8 given bytes occur among 4096 * states by chance with probability 2^-46; there are fewer than 2^13 comparisons for
// each of the few states in use: 10^-10.
// Catches served bytes that remain in some buffer.
TEST_CASE("erasure: served bytes, of every length")
{
	SKIP_IF(!machine::buffered(), "no buffers");
	std::size_t left_behind = 0;
	std::string where;
	const auto look = [&](const void *p, std::size_t len) {
		const std::string at = found_in_buffers(p, len);
		if (!at.empty())
			where = at;
		left_behind += !at.empty();
	};
	for (std::size_t len = 8; len <= 600; len++) {
		unsigned char bytes[600];
		cprng_fast(bytes, len);
		look(bytes, 8);
		look(bytes + len / 2 - 4, 8);
		look(bytes + len - 8, 8);
		const std::uint64_t v = cprng_fast64();
		look(&v, sizeof(v));
	}
	for (std::size_t len : { 1000, 4096, 65536, 1 << 20, (1 << 20) + 5 }) {
		std::vector<unsigned char> bytes(len);
		cprng_fast(bytes.data(), len);
		look(&bytes[0], 8);
		look(&bytes[16], 8);
		look(&bytes[len / 2], 8);
		look(&bytes[len - 8], 8);
	}
	INFO(where);
	CHECK(left_behind == 0);
}

// Catches a key that outlives its refill.
TEST_CASE("erasure: a refill replaces the key, and the old one is nowhere")
{
	SKIP_IF(!machine::buffered(), "no buffers");
	const Pinned pinned;
	std::size_t replaced = 0, left_behind = 0, zero = 0;
	std::array<unsigned char, CPRNG_KEY_SIZE> key, none = {};
	unsigned char bytes[512];

	for (int i = 0; i < 2000; i++) {
		const bool large = i % 2 != 0;
		if (own_buffer()->key_tag == 0) {
			cprng_draw_by_refill(cprng_process(), bytes, 16);
			continue;
		}
		std::copy_n(own_buffer()->key, key.size(), key.begin());
		zero += key == none;
		cprng_draw_by_refill(cprng_process(), bytes, large ? sizeof(bytes) : 8);
		replaced += !std::equal(key.begin(), key.end(), own_buffer()->key);
		left_behind += !found_in_buffers(key.data(), 16).empty() || !found_in_buffers(&key[16], 16).empty();
	}
	CHECK(replaced > 1500);
	CHECK(zero == 0);
	CHECK(left_behind == 0);
}

namespace {

volatile bool cut_now;
volatile int cuts_seen;

// The worst case: the sequence is restarted on another CPU, after other draws.
void move_when_cut(bool cut)
{
	static volatile unsigned int turn;
	unsigned char bytes[48];

	// Once for each check: signals at this rate would keep the sequence from ever completing.
	if (!cut || cut_now)
		return;
	cut_now = true;
	cuts_seen = cuts_seen + 1;
	cprng_fast(bytes, 16 + turn % 32);
	turn = turn + 1;
	machine::pin(0, machine::cpus()[turn % machine::cpus().size()]);
}

} // namespace

// An interrupted push or put has left bytes in a buffer.  The retry, perhaps into another CPU's buffer, must not store
// the same bytes: those are served, and erased in one place only.
// Catches an interrupted push or put that the retry stores on a second CPU.
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
		for (std::uint32_t s = 0; s < states(); s++) {
			const cprng_buffer *b = &buffers()[s];
			for (std::size_t at = b->left; at + 8 <= CPRNG_BUFFER_SIZE; at++) {
				const std::uint64_t v = window_at(b->out + at);
				copies += v != 0 && seen.contains(v);
			}
			for (std::uint32_t other = 0; other < s; other++) {
				const std::uint64_t v = window_at(b->key);
				twins += v != 0 && v == window_at(buffers()[other].key);
			}
		}
		cprng_invalidate();
		cut_now = false;
		timer.start(frequent_signals::interval());
	}
	timer.stop();
	frequent_signals::set_handler(nullptr);
	machine::unpin();
	MESSAGE(cuts_seen << " cuts, after " << drained << " of which all was served and looked for");
	// At least one of four million refills, a second of computing, is interrupted unless no signal comes at all.
	CHECK(drained > 0);
	INFO("words that were served and are still in a buffer; keys that two buffers have");
	CHECK(copies == 0);
	CHECK(twins == 0);
}
