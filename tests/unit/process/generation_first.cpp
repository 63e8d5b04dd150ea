// SPDX-License-Identifier: BSD-2-Clause
// The draw that begins a generation, in a new process and in a forked child, returns the kernel's bytes and leaves no secrets.
// Also tests how a generation begins while other threads begin it, or after a fork during another operation.
#include "../../support/fake_os.hpp"
#include "../../support/internals.hpp"
#include "../../support/machine.hpp"
#include "../../support/scenario.hpp"
#include "../../support/script.hpp"

#include <algorithm>
#include <functional>
#include <memory>
#include <thread>

#include <csetjmp>
#include <cstring>

#include <unistd.h>

namespace first_generation_tests {
namespace {

using script::Bytes;
using script::given;

struct cprng_process *p;

bool nothing_is_buffered()
{
	return std::all_of(p->buffers, p->buffers + p->buffer_count,
			   [](const cprng_buffer &b) { return b.left == 0 && b.key_tag == 0; });
}

Bytes drawn(std::size_t len)
{
	Bytes bytes(len);

	cprng_fast(bytes.data(), len);
	return bytes;
}

// Bytes from the kernel that begin with a generation's number.
constexpr std::size_t number = sizeof(std::uint64_t);

Bytes after_number(const Bytes &bytes)
{
	REQUIRE_IN_CHILD(bytes.size() > number);
	return { bytes.begin() + number, bytes.end() };
}

void is_first_draw()
{
	const unsigned long locks = fake_os.mlock.calls;

	given.clear();
	const Bytes first = drawn(16);
	p = cprng_process();
	REQUIRE_IN_CHILD(given.size() == 1 && after_number(given[0].bytes) == first);
	REQUIRE_IN_CHILD(nothing_is_buffered() && fake_os.mlock.calls == locks);
	const Bytes second = drawn(16);
	REQUIRE_IN_CHILD(given.size() == 2 && given[1].bytes != second);
	REQUIRE_IN_CHILD(!nothing_is_buffered() && fake_os.mlock.calls > locks);
}

// Catches a first draw that fills a buffer, a second draw that does not, and bytes that are both buffered and served.
CHILD_TEST_CASE("first: the draw that begins a generation has the kernel's bytes and leaves nothing behind",
		scenario::check_buffered)
{
	script::begin(false);
	is_first_draw();
	const pid_t pid = fork();
	if (pid == 0) {
		is_first_draw();
		_exit(0);
	}
	REQUIRE_IN_CHILD(machine::ended_well(pid));
}

// Catches a one-time key that does not come from the kernel, or that is kept.
CHILD_TEST_CASE("first: a long request begins with a key of the kernel", scenario::check_buffered)
{
	script::begin(false);
	p = cprng_process();
	script::watch_cipher();
	const Bytes bytes = drawn(CPRNG_SHORT_MAX + 100);
	REQUIRE_IN_CHILD(given.size() == 1 && given[0].bytes.size() == number + CPRNG_KEY_SIZE);
	REQUIRE_IN_CHILD(bytes == script::expanded(script::first_key(after_number(given[0].bytes)), bytes.size()));
	REQUIRE_IN_CHILD(nothing_is_buffered() && fake_os.mlock.calls == 0);
}

// Calls `event` once, after the kernel has returned this many bytes.
void after_bytes(std::size_t len, const std::function<void()> &event)
{
	const auto pending = std::make_shared<bool>(true);

	fake_os.getrandom.after = [=](long, void *, std::size_t asked) {
		if (asked == len && *pending) {
			*pending = false;
			event();
		}
	};
}

bool in_child;

void fork_here()
{
	const pid_t pid = fork();

	REQUIRE_IN_CHILD(pid >= 0);
	in_child = pid == 0;
	if (!in_child)
		REQUIRE_IN_CHILD(machine::ended_well(pid));
}

// Catches bytes that parent and child both return.
CHILD_TEST_CASE("first: a fork after the kernel's bytes", scenario::check_buffered)
{
	script::begin(false);
	Bytes both;
	after_bytes(number + 16, [&] {
		both = after_number(given.back().bytes);
		fork_here();
	});
	REQUIRE_IN_CHILD((drawn(16) == both) != in_child);
	REQUIRE_IN_CHILD(both.size() == 16);
}

// Two copies of a checkpoint may both continue from there, and both invalidate.
// Catches bytes from before an invalidation that a draw returns after it.
CHILD_TEST_CASE("first: an invalidation after the kernel's bytes", scenario::check_buffered)
{
	script::begin(false);
	p = cprng_process();
	script::watch_cipher();
	for (const std::size_t len : { std::size_t{ 16 }, std::size_t{ CPRNG_SHORT_MAX + 100 } }) {
		p->fork_state->generation = 0;
		given.clear();
		after_bytes(number + std::min<std::size_t>(len, CPRNG_KEY_SIZE), cprng_invalidate);
		const Bytes bytes = drawn(len);
		const auto served = [&](const Bytes &fresh) {
			return len == 16 ? fresh : script::expanded(script::first_key(fresh), len);
		};
		REQUIRE_IN_CHILD(cprng_is_generation(p->fork_state->generation) && given.size() == 2);
		REQUIRE_IN_CHILD(bytes != served(after_number(given[0].bytes)));
		REQUIRE_IN_CHILD(bytes == served(after_number(given[1].bytes)));
	}
}

// Another thread begins the generation while this one waits for the kernel's bytes.
// Catches two concurrent generations in one process.
CHILD_TEST_CASE("first: another thread is faster", scenario::check_buffered)
{
	script::begin(false);
	p = cprng_process();
	std::uint64_t theirs = 0;
	cprng_first_draw start = {};
	start.len = 16;
	start.begun = true;
	after_bytes(number + start.len, [&] { std::thread([&] { theirs = cprng_generation(p); }).join(); });
	const std::uint64_t mine = cprng_generation_or_begin(p, &start);
	REQUIRE_IN_CHILD(cprng_is_generation(theirs) && mine == theirs && !start.begun);
	start.begun = true;
	REQUIRE_IN_CHILD(cprng_generation_or_begin(p, &start) == theirs && !start.begun);
	// The buffer has no key yet, so this draw begins a generation without looking for one first.
	start.begun = true;
	REQUIRE_IN_CHILD(cprng_generation_after_pop(p, &start) == theirs && !start.begun);
	// Not used in this process, but after a fork in the parent.
	REQUIRE_IN_CHILD(std::all_of(start.bytes, start.bytes + start.len, [](auto byte) { return byte == 0; }));
}

// A handler has jumped out of a draw that was beginning a generation.
// Catches a process that draws from the kernel permanently.
CHILD_TEST_CASE("first: what an abandoned thread has begun is replaced", scenario::check_buffered)
{
	script::begin(false);
	p = cprng_process();
	p->fork_state->generation = 4096;
	REQUIRE_IN_CHILD(cprng_is_generation(cprng_generation(p)));
	p->fork_state->generation = 4096;
	REQUIRE_IN_CHILD(cprng_is_generation(cprng_generation_wait(p)));
}

// A fork happens while another thread of the parent is in the middle of an invalidation.  The second fork happens when the
// parent's forking thread has found nothing to repair, and has its generation's number but has not published it.
// Catches a child whose buffers stay disabled because they needed no repair before the fork.
CHILD_TEST_CASE("first: a fork in the middle of an invalidation is repaired", scenario::check_buffered)
{
	script::begin(false);
	p = cprng_process();
	if (!p->placement->restartable)
		_exit(scenario::unavailable);
	// One of the two words is set to 0, or both.
	for (const unsigned int words : { 1U, 2U, 3U }) {
		if (in_child)
			break;
		const auto fork_in_invalidation = [words] {
			p->draw.cpus = (words & 1) != 0 ? 0 : p->buffer_count;
			cprng_draw_1.cpus = (words & 2) != 0 ? 0 : p->buffer_count;
			fork_here();
			if (!in_child)
				p->draw.cpus = cprng_draw_1.cpus = p->buffer_count;
		};
		fork_in_invalidation();
		if (!in_child)
			after_bytes(number + 16, fork_in_invalidation);
		(void)drawn(16);
	}
	REQUIRE_IN_CHILD(all_open(p));
	REQUIRE_IN_CHILD(cprng_is_generation(p->fork_state->generation));
	// A preempted refill may push nothing.
	for (int i = 0; i < 100 && nothing_is_buffered(); i++)
		(void)drawn(16);
	REQUIRE_IN_CHILD(!nothing_is_buffered());
}

// The same with a child that shares the memory and may be the process that forks.
// Catches a forked process that uses sequences although the kernel may not restart them.
CHILD_TEST_CASE("first: a fork beside a child that shares the memory is repaired", scenario::check_buffered)
{
	script::begin(false);
	p = cprng_process();
	if (!p->placement->restartable)
		_exit(scenario::unavailable);
	// The fork happens before, during or after the disabling of the buffers.
	for (const unsigned int words : { 0U, 1U, 3U }) {
		if (in_child)
			break;
		p->fork_state->generation = 0;
		after_bytes(number + 16, [words] {
			p->draw.cpus = (words & 1) != 0 ? 0 : p->buffer_count;
			cprng_draw_1.cpus = (words & 2) != 0 ? 0 : p->buffer_count;
			p->buffers_disabled = 1;
			fork_here();
			if (!in_child) {
				p->buffers_disabled = 0;
				p->draw.cpus = cprng_draw_1.cpus = p->buffer_count;
			}
		});
		(void)drawn(16);
	}
	REQUIRE_IN_CHILD(p->buffers_disabled == 0);
	REQUIRE_IN_CHILD(p->placement->restartable == !in_child);
	REQUIRE_IN_CHILD(in_child ? all_closed(p) : all_open(p));
}

// Two threads that repair concurrently could free a claim that is in use.
// Catches a generation begun during a repair.
CHILD_TEST_CASE("first: no generation is begun while the lock is held", scenario::check_buffered)
{
	script::begin(false);
	p = cprng_process();
	p->fork_state->lock.word = 16; // belongs to no thread of this process
	REQUIRE_IN_CHILD(cprng_generation(p) == 0);
	p->fork_state->lock.word = 0;
	REQUIRE_IN_CHILD(cprng_is_generation(cprng_generation(p)));
}

unsigned int waits;

// A thread that may wait does so while another thread repairs.  Meanwhile that thread publishes its generation, and a third
// thread makes a claim.
// Catches two concurrent repairs, and a repair under a generation that another thread has published.
CHILD_TEST_CASE("first: a thread that may wait waits for a repair, and finds what it has made",
		scenario::check_buffered)
{
	script::begin(false);
	p = cprng_process();
	fake_os.wait = [](auto...) {
		waits++;
		p->fork_state->lock.word = 0;
	};
	p->fork_state->lock.word = 16;
	REQUIRE_IN_CHILD(cprng_is_generation(cprng_generation_wait(p)) && waits == 1);

	constexpr std::uint64_t theirs = 12345;
	const pid_t pid = machine::raw_fork();
	REQUIRE_IN_CHILD(pid >= 0);
	if (pid == 0) {
		fake_os.wait = [](auto...) {
			p->fork_state->generation = theirs;
			p->buffers_disabled = 1;
			p->fork_state->lock.word = 0;
		};
		p->fork_state->lock.word = 16;
		REQUIRE_IN_CHILD(cprng_generation_wait(p) == theirs);
		// A repair must not undo claims made under the other thread's generation.
		REQUIRE_IN_CHILD(p->buffers_disabled == 1);
		_exit(0);
	}
	REQUIRE_IN_CHILD(machine::status_of(pid) == 0);
}

// Another thread's claim may be in use if the caller is a child that shares the memory.
// Catches a claim freed while in use.
CHILD_TEST_CASE("first: what may be a child that shares the memory frees no claim", scenario::check_buffered)
{
	script::begin(true);
	p = cprng_process();
	if (p->vdso.states == 0)
		_exit(scenario::unavailable);
	const std::uint32_t other = cprng_claim_owner() + 64;
	p->entropy_claim[0].taken = other;
	REQUIRE_IN_CHILD(cprng_is_generation(cprng_generation_wait(p)) && p->entropy_claim[0].taken == other);
}

sigjmp_buf out_of_begin;

// In the child, a handler also begins a generation and jumps away.  It leaves its own token, not that of the interrupted code.
// Catches a token that is the same for all, so that a child's exchange mistakes another's token for its own.
CHILD_TEST_CASE("first: a handler that begins and jumps away leaves another token", scenario::check_buffered)
{
	script::begin(false);
	p = cprng_process();
	std::uint64_t both = 0;
	after_bytes(number, [&both] {
		std::memcpy(&both, given.back().bytes.data(), sizeof(both));
		fork_here();
		if (!in_child)
			return;
		after_bytes(number, [] { siglongjmp(out_of_begin, 1); });
		if (sigsetjmp(out_of_begin, 0) == 0)
			(void)cprng_generation(p);
	});
	const std::uint64_t mine = cprng_generation(p);
	REQUIRE_IN_CHILD(mine == 0 || (mine == (both | CPRNG_IS_GENERATION)) != in_child);
	REQUIRE_IN_CHILD(cprng_is_generation(cprng_generation(p)));
}

// While a thread begins a generation, there is none: the process claims, enables and steps nothing.
void has_no_generation(bool with_slots)
{
	constexpr std::uint64_t token = 4096;
	unsigned char bytes[CPRNG_KEY_SIZE];
	fake_os.membarrier.answer = with_slots ? -ENOSYS : 0;
	script::begin(true);
	(void)cprng_fast64();
	p = cprng_process();
	p->fork_state->generation = token;
	const auto claims = [] {
		const auto taken = [](const cprng_claim &claim) { return claim.taken != 0; };
		return std::any_of(p->entropy_claim, p->entropy_claim + p->vdso.states, taken) ||
		       std::any_of(p->slot_claim, p->slot_claim + CPRNG_SLOTS_MAX,
				   [&taken](const cprng_slot_claim &slot) { return taken(slot.claim); });
	};
	if (!p->placement->restartable) {
		REQUIRE_IN_CHILD(!p->placement->pop(p, bytes, sizeof(bytes)));
		REQUIRE_IN_CHILD(p->placement->take_key(p, bytes) == 0);
		p->placement->put_key(p, token, bytes, 1);
		REQUIRE_IN_CHILD(nothing_is_buffered());
	}
	if (p->vdso.states != 0) {
		const std::size_t before = given.size();
		cprng_kernel_bytes_by_vdso(p, bytes, sizeof(bytes));
		REQUIRE_IN_CHILD(given.size() == before + 1 && !given.back().by_vdso);
	}
	REQUIRE_IN_CHILD(!claims());
	cprng_generation_invalidate(p);
	REQUIRE_IN_CHILD(p->fork_state->generation == 0);
	p->fork_state->generation = token;
	p->buffers_disabled = 1;
	cprng_vfork_enable_buffers(p);
	REQUIRE_IN_CHILD(p->buffers_disabled == 1);
}

const scenario::Scenario no_generation("first: no generation", [] { has_no_generation(false); });
const scenario::Scenario no_generation_of_slots("first: no generation, slots", [] { has_no_generation(true); });

// Catches code that mistakes a token in the generation's word for a generation.
TEST_CASE("first: a token is no generation")
{
	scenario::check_buffered(no_generation);
	scenario::check_buffered(no_generation_of_slots);
}

} // namespace
} // namespace first_generation_tests
