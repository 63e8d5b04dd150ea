// SPDX-License-Identifier: BSD-2-Clause
// Callers that meet a lock held by another thread, or an incomplete set-up.  A draw never waits, an invalidation sleeps in the
// kernel until the lock is free, and the next caller completes what an interrupted caller left incomplete.
#include "../../support/fake_os.hpp"
#include "../../support/scenario.hpp"
#include "../../support/internals.hpp"
#include "../../support/machine.hpp"

#include <cstdio>
#include <thread>

#include <unistd.h>

namespace {

// Belongs to no thread of this process: no errno has this address.
constexpr std::uintptr_t another_thread = 16;

unsigned int waits;

// The holder releases the lock when a thread sleeps on it for the third time.  The first two sleeps end early, as when the
// kernel refuses the call or wakes the thread.
void release(std::uint32_t *, std::uint32_t)
{
	if (++waits < 3)
		return;
	cprng_process()->fork_state->lock.word = 0;
}

struct cprng_lock *hold()
{
	struct cprng_lock *lock = &cprng_process()->fork_state->lock;

	fake_os.wait = release;
	waits = 0;
	lock->word = another_thread;
	return lock;
}

// A spinning thread would never end here.  A spinning real-time thread would also keep the holder from running.
// Catches a caller that spins on a held lock, or that does not wait for it.
CHILD_TEST_CASE("contention: an invalidation sleeps until the holder of the lock is through", scenario::check_buffered)
{
	(void)cprng_fast64();
	const struct cprng_lock *lock = hold();
	const std::uint64_t generation = cprng_generation(cprng_process());
	cprng_invalidate();
	REQUIRE_IN_CHILD(waits == 3);
	REQUIRE_IN_CHILD(lock->word == 0);
	REQUIRE_IN_CHILD(cprng_generation_changed(cprng_process(), generation));

	if (machine::per_cpu()) {
		hold();
		cprng_vfork_child();
		REQUIRE_IN_CHILD(waits == 3);
	}
	// A seed must not be lost while the lock is held.
	(void)cprng_strong_is_used(cprng_process());
	unsigned char seed[32] = {};
	cprng_process()->fork_state->generation = 0;
	hold();
	cprng_strong_seed(cprng_process(), seed, sizeof(seed));
	REQUIRE_IN_CHILD(waits == 3);
	REQUIRE_IN_CHILD(cprng_process()->fork_state->generation != 0);
}

// While the lock is held, every kind of draw uses the kernel's bytes.
// Catches a draw that waits for the fork state's lock instead of using the kernel's bytes.
CHILD_TEST_CASE("contention: a draw never waits", scenario::check_buffered)
{
	(void)cprng_fast64();
	struct cprng_process *p = cprng_process();
	struct cprng_lock *lock = hold();
	p->fork_state->generation = 0;
	const unsigned long calls = fake_os.getrandom.calls;
	unsigned char bytes[1000] = {};
	cprng_draw_by_refill(cprng_process(), bytes, 64);
	cprng_fast(bytes, sizeof(bytes));
	cprng_strong(bytes, sizeof(bytes));
	REQUIRE_IN_CHILD(waits == 0);
	REQUIRE_IN_CHILD(fake_os.getrandom.calls > calls);
	REQUIRE_IN_CHILD(!cprng_is_generation(p->fork_state->generation));
	*lock = {};
	(void)cprng_draw_by_refill(cprng_process(), bytes, 64);
	REQUIRE_IN_CHILD(cprng_is_generation(p->fork_state->generation));
}

// A handler wants the lock that its own thread holds.
const scenario::Scenario own("contention: own lock", [] {
	(void)cprng_fast64();
	cprng_lock_take(&cprng_process()->fork_state->lock);
	cprng_invalidate();
	dprintf(STDOUT_FILENO, "went on");
});

void check_inlined(const scenario::Scenario &scenario)
{
	SKIP_IF(!machine::inlined(), "draws are not inlined");
	scenario::check(scenario);
}

// Resets cprng_draw_1 to its state before the first draw.
void forget_publication()
{
	std::memset(&cprng_draw_1, 0, sizeof(cprng_draw_1));
	cprng_draw_1.cpus = CPRNG_CPUS_UNSET;
}

// A handler jumped away, or another thread forked, after the set-up was published and before the inlined draws were.
// Catches a process whose inlined draws stay slow after an interrupted set-up.
CHILD_TEST_CASE("contention: inlined draws are published again", check_inlined)
{
	(void)cprng_fast64();
	REQUIRE_IN_CHILD(cprng_inlined_is_published(cprng_process()));
	forget_publication();
	(void)cprng_fast64();
	REQUIRE_IN_CHILD(cprng_inlined_is_published(cprng_process()));
	REQUIRE_IN_CHILD(cprng_draw_1.cpus == cprng_process()->draw.cpus);
	REQUIRE_IN_CHILD(cprng_draw_1.rseq_offset == cprng_process()->draw.rseq_offset);
	const unsigned long calls = fake_os.getrandom.calls;
	const std::uint32_t left = cprng_process()->buffers[cprng_process()->placement->index(cprng_process())].left;
	REQUIRE_IN_CHILD(left > 0);
	(void)cprng_fast32();
	REQUIRE_IN_CHILD(calls == fake_os.getrandom.calls);
}

// Another thread erases or disables the buffers before the inlined draws are published.
// Catches a publication that permits draws from disabled buffers, and buffers disabled for only one kind of draw.
CHILD_TEST_CASE("contention: buffers that are closed before inlined draws are published stay closed", check_inlined)
{
	(void)cprng_fast64();
	struct cprng_process *p = cprng_process();
	const std::uint32_t all = p->buffer_count;
	REQUIRE_IN_CHILD(cprng_draw_1.cpus == all);
	forget_publication();
	REQUIRE_IN_CHILD(cprng_inlined_allow(p, 0) == all);
	REQUIRE_IN_CHILD(cprng_draw_1.cpus == CPRNG_CPUS_UNSET);
	REQUIRE_IN_CHILD(cprng_inlined_publish(p));
	REQUIRE_IN_CHILD(cprng_inlined_is_published(p));
	REQUIRE_IN_CHILD(cprng_draw_1.cpus == 0);
	// A late publisher has seen an older permission.
	cprng_draw_1.buffers = nullptr;
	p->draw.cpus = all;
	REQUIRE_IN_CHILD(cprng_inlined_publish(p));
	REQUIRE_IN_CHILD(cprng_draw_1.cpus == 0);
	// A permission for one kind of draw applies to the other as well.
	REQUIRE_IN_CHILD(cprng_inlined_allow(p, all) == all);
	REQUIRE_IN_CHILD(cprng_draw_1.cpus == all && p->draw.cpus == all);
	p->draw.cpus = 0;
	REQUIRE_IN_CHILD(cprng_inlined_allow(p, 0) == all);
	REQUIRE_IN_CHILD(cprng_draw_1.cpus == 0 && p->draw.cpus == 0);
	REQUIRE_IN_CHILD(cprng_inlined_allow(p, all) == 0);
	// Before the first publication no inlined draw is permitted.
	p->draw.cpus = 0;
	cprng_draw_1.cpus = CPRNG_CPUS_UNSET;
	REQUIRE_IN_CHILD(cprng_inlined_allow(p, 0) == 0);
}

// The dynamic linker has bound this copy's variable to another copy, so the variable serves that copy's inlined draws.
// Catches two copies of the library that set one variable in turn, which would mix their fields.
CHILD_TEST_CASE("contention: what another copy has published is left alone", check_inlined)
{
	(void)cprng_fast64();
	struct cprng_process *p = cprng_process();
	unsigned char buffer[64];
	cprng_draw_1.owner = buffer;
	cprng_draw_1.buffers = buffer;
	REQUIRE_IN_CHILD(!cprng_inlined_publish(p));
	// A draw by function call still uses this copy's buffer, without a refill.
	machine::pin(0, machine::cpus().front());
	const struct cprng_buffer *const own = &p->buffers[p->placement->index(p)];
	(void)cprng_draw_slow_1(4);
	const std::uint32_t left = own->left;
	(void)cprng_draw_slow_1(4);
	REQUIRE_IN_CHILD(left > 0 && own->left < left);
	(void)cprng_inlined_allow(p, 0);
	(void)cprng_inlined_allow(p, p->buffer_count);
	(void)cprng_inlined_allow(p, 0);
	REQUIRE_IN_CHILD(cprng_draw_1.owner == buffer && cprng_draw_1.buffers == buffer);
	REQUIRE_IN_CHILD(cprng_draw_1.cpus == p->buffer_count && p->draw.cpus == 0);
}

// A claim survives a fork: it still belongs to the operation that the handler interrupted.
// Catches a child that frees its own claims, or keeps those of threads that do not exist in it.
CHILD_TEST_CASE("contention: what is claimed in the middle of an operation is claimed in a forked child",
		scenario::check_buffered)
{
	(void)cprng_fast64();
	struct cprng_process *p = cprng_process();
	const std::uint32_t mine = cprng_claim_owner(), other = mine + 64;
	struct cprng_claim *slot = &p->slot_claim[3].claim, *vdso = &p->entropy_claim[5];
	const bool slots = p->placement == &cprng_placement_slots, states = p->vdso.states > 5;
	for (const std::uint32_t owner : { mine, other }) {
		slot->taken = vdso->taken = owner;
		const pid_t pid = machine::raw_fork();
		REQUIRE_IN_CHILD(pid >= 0);
		if (pid == 0) {
			(void)cprng_fast64();
			// The other thread does not exist in the child.
			const std::uint32_t kept = owner == mine ? owner : 0;
			// Unused slots are unchanged.
			_exit(slot->taken == (slots ? kept : owner) && (!states || vdso->taken == kept) ? 0 : 1);
		}
		REQUIRE_IN_CHILD(machine::status_of(pid) == 0);
	}
	// A thread other than its process's first may not be alone, so it frees no claims.
	slot->taken = vdso->taken = other;
	const pid_t pid = machine::raw_fork();
	if (pid == 0) {
		std::thread([&] { (void)cprng_fast64(); }).join();
		_exit((!slots || slot->taken == other) && (!states || vdso->taken == other) ? 0 : 1);
	}
	REQUIRE_IN_CHILD(machine::status_of(pid) == 0);
}

} // namespace

// Catches a lock that does not recognise its own thread.
TEST_CASE("contention: a handler that wants the lock of its own thread gets a message, and no deadlock")
{
	SKIP_IF(!machine::buffered(), "there are no locks");
	const scenario::Result r = own.run();
	INFO(r.describe());
	CHECK(r.aborted_saying("cprng: a signal handler wants a lock that its own thread holds"));
}
