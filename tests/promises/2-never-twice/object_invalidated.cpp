// SPDX-License-Identifier: BSD-2-Clause
// The effect of an invalidation on a program's Fortuna objects: they become unseeded, as in a forked child.
#include "../../support/fake_os.hpp"
#include "../../support/scenario.hpp"
#include "../../support/internals.hpp"
#include "../../support/machine.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <thread>
#include <vector>

#include <sys/mman.h>
#include <unistd.h>

namespace {

const unsigned char seed[64] = { 1, 2, 3 };
unsigned char bytes[64];

cprng_fortuna *seeded(const cprng_fortuna_options *options = nullptr)
{
	cprng_fortuna *f = nullptr;

	REQUIRE_IN_CHILD(cprng_fortuna_new(&f, options, options != nullptr ? sizeof(*options) : 0) == 0);
	REQUIRE_IN_CHILD(cprng_fortuna_seed(f, seed, sizeof(seed)) == 0);
	REQUIRE_IN_CHILD(cprng_fortuna_read(f, bytes, sizeof(bytes)) == 0);
	return f;
}

bool is_unseeded(cprng_fortuna *f)
{
	cprng_fortuna_info info;

	return cprng_fortuna_read(f, bytes, sizeof(bytes)) == CPRNG_ERR_UNSEEDED &&
	       cprng_fortuna_get_info(f, &info, sizeof(info)) == 0 && info.seeded == 0 && info.events == 0 &&
	       info.reseeds == 0;
}

bool is_wiped(const cprng_fortuna *f)
{
	const auto *secret = reinterpret_cast<const unsigned char *>(f->secret);

	return std::all_of(secret, secret + sizeof(*f->secret), [](unsigned char byte) { return byte == 0; });
}

// Events of `count` times 256 bits, distributed among the pools.
void add_events(cprng_fortuna *f, int count)
{
	for (int i = 0; i < count; i++)
		REQUIRE_IN_CHILD(cprng_fortuna_add(f, 1, seed, 32, 256) == 0);
}

// Catches an object that continues from a state that another copy of the process also has, and a list that loses an object.
CHILD_TEST_CASE("object: an invalidation leaves all of them unseeded", scenario::check_buffered)
{
	for (void (*const invalidate)() : { cprng_invalidate, +[] { REQUIRE_IN_CHILD(cprng_reseed() == 0); } }) {
		std::array<cprng_fortuna *, 3> objects = { seeded(), seeded(), seeded() };
		// Free the objects one by one, from different places in the list.
		for (std::size_t freed = 0; freed < objects.size(); freed++) {
			for (cprng_fortuna *f : objects) {
				REQUIRE_IN_CHILD(f == nullptr || cprng_fortuna_seed(f, seed, sizeof(seed)) == 0);
				if (f != nullptr)
					add_events(f, 33);
			}
			invalidate();
			for (cprng_fortuna *f : objects)
				REQUIRE_IN_CHILD(f == nullptr || is_unseeded(f));
			cprng_fortuna_free(objects[(freed + 1) % objects.size()]);
			objects[(freed + 1) % objects.size()] = nullptr;
		}
		REQUIRE_IN_CHILD(cprng_process()->objects == nullptr);
	}
	// Events after the invalidation seed it: pool 0 needs 64 bytes.
	cprng_fortuna *f = seeded();
	cprng_invalidate();
	add_events(f, 33);
	REQUIRE_IN_CHILD(cprng_fortuna_read(f, bytes, sizeof(bytes)) == 0);
	// A process that has drawn nothing has no generation yet.
	cprng_process()->fork_state->generation = 0;
	cprng_invalidate();
	REQUIRE_IN_CHILD(is_unseeded(f));
	cprng_fortuna_free(f);
}

// CRIU 3.17 restores a process like this: its pages are no longer wiped on a fork.
// Catches an object with which the child of a restored process continues from its parent's key.
CHILD_TEST_CASE("object: a restored process that has invalidated shares none with its children",
		scenario::check_buffered)
{
	struct cprng_process *p = cprng_process();
	std::array<cprng_fortuna *, 2> objects = { seeded(), seeded() };
	REQUIRE_IN_CHILD(madvise(p->fork_state, p->mapped - p->kept, MADV_KEEPONFORK) == 0);
	for (cprng_fortuna *f : objects)
		REQUIRE_IN_CHILD(madvise(f->secret, f->mapped - f->page, MADV_KEEPONFORK) == 0);

	// The expected result without the invalidation.
	pid_t child = fork();
	if (child == 0)
		_exit(cprng_fortuna_read(objects[0], bytes, sizeof(bytes)) == 0 ? 0 : 1);
	REQUIRE_IN_CHILD(machine::ended_well(child));
	cprng_invalidate();
	for (const bool again : { false, true }) {
		child = fork();
		if (child == 0)
			_exit(is_wiped(objects[0]) && is_unseeded(objects[1]) ? 0 : 1);
		REQUIRE_IN_CHILD(machine::ended_well(child));
		for (cprng_fortuna *f : objects) {
			REQUIRE_IN_CHILD(again || is_unseeded(f));
			REQUIRE_IN_CHILD(cprng_fortuna_seed(f, seed, sizeof(seed)) == 0);
			REQUIRE_IN_CHILD(cprng_fortuna_read(f, bytes, sizeof(bytes)) == 0);
		}
	}
}

unsigned int calls;

// The thread that invalidates may already hold the owner's lock: in its own code, or in code that its handler interrupted.
// Catches an invalidation that takes the owner's lock.
CHILD_TEST_CASE("object: an invalidation takes no lock of the owner", scenario::check_buffered)
{
	cprng_fortuna_hooks hooks = {};
	cprng_fortuna_options options = {};
	hooks.lock = [](void *, int, std::uint64_t *) { calls++; };
	hooks.try_lock = [](void *, int, std::uint64_t *) {
		calls++;
		return 1;
	};
	hooks.unlock = [](void *, int, const std::uint64_t *) { calls++; };
	hooks.now = [](void *) {
		calls++;
		return UINT64_C(0);
	};
	options.hooks = &hooks;
	cprng_fortuna *f = seeded(&options);
	const unsigned int before = calls;
	cprng_invalidate();
	REQUIRE_IN_CHILD(calls == before);
	REQUIRE_IN_CHILD(is_unseeded(f));
}

// Threads that invalidate while others create, use and free objects.
// Catches an invalidation that follows a pointer to an object which another thread frees.
CHILD_TEST_CASE("object: invalidations while objects come and go", scenario::check_buffered)
{
	std::atomic<bool> ends{ false };
	std::vector<std::thread> threads;
	cprng_fortuna *const all = seeded();

	for (int i = 0; i < 2; i++) {
		threads.emplace_back([&] {
			while (!ends) {
				cprng_invalidate();
				std::this_thread::yield();
			}
		});
		threads.emplace_back([&] {
			unsigned char event[32] = {}, out[100];
			while (!ends) {
				const int added = cprng_fortuna_add(all, 2, event, sizeof(event), 256);
				REQUIRE_IN_CHILD(added == 0 || added == CPRNG_ERR_FULL);
				const int read = cprng_fortuna_read(all, out, sizeof(out));
				REQUIRE_IN_CHILD(read == 0 || read == CPRNG_ERR_UNSEEDED);
			}
		});
	}
	for (int i = 0; i < 2000; i++) {
		cprng_fortuna *a = nullptr, *b = nullptr;
		REQUIRE_IN_CHILD(cprng_fortuna_new(&a, nullptr, 0) == 0);
		REQUIRE_IN_CHILD(cprng_fortuna_new(&b, nullptr, 0) == 0);
		REQUIRE_IN_CHILD(cprng_fortuna_seed(a, seed, sizeof(seed)) == 0);
		cprng_fortuna_free(a);
		cprng_fortuna_free(b);
	}
	ends = true;
	for (std::thread &thread : threads)
		thread.join();
	cprng_fortuna_free(all);
	REQUIRE_IN_CHILD(cprng_process()->objects == nullptr);
}

unsigned int waits;

// Pretends that an invalidation is walking the list; it ends once a thread waits for it.
// Catches an object that is unmapped while an invalidation uses it.
CHILD_TEST_CASE("object: made and freed before an invalidation or after it", scenario::check_buffered)
{
	(void)cprng_fast64();
	cprng_fortuna *f = nullptr;
	const auto invalidates = [] { cprng_process()->fork_state->lock.word = 16; };
	fake_os.wait = [](auto...) {
		waits++;
		cprng_process()->fork_state->lock.word = 0;
	};
	invalidates();
	REQUIRE_IN_CHILD(cprng_fortuna_new(&f, nullptr, 0) == 0);
	REQUIRE_IN_CHILD(waits == 1);
	invalidates();
	cprng_fortuna_free(f);
	REQUIRE_IN_CHILD(waits == 2);
}

// The list has no lock that a fork could leave held, and a child finds it intact.
// Catches a child whose objects no invalidation reaches.
CHILD_TEST_CASE("object: a child has its parent's objects", scenario::check_buffered)
{
	cprng_fortuna *f = seeded();
	const pid_t child = fork();
	if (child == 0) {
		cprng_fortuna *g = seeded();
		cprng_invalidate();
		REQUIRE_IN_CHILD(is_unseeded(f) && is_unseeded(g));
		cprng_fortuna_free(f);
		cprng_invalidate();
		cprng_fortuna_free(g);
		REQUIRE_IN_CHILD(cprng_process()->objects == nullptr);
		_exit(0);
	}
	REQUIRE_IN_CHILD(machine::ended_well(child));
	REQUIRE_IN_CHILD(cprng_fortuna_read(f, bytes, sizeof(bytes)) == 0);
	cprng_fortuna_free(f);
}

// Without pages for buffers an invalidation could not reach an object.
// Catches an object that no invalidation would reach.
CHILD_TEST_CASE("object: none where the process has no memory for buffers", scenario::check_buffered)
{
	fake_os.mmap.fail(1, -ENOMEM);
	(void)cprng_fast64();
	REQUIRE_IN_CHILD(cprng_process()->fork_state == nullptr);
	cprng_fortuna *f = nullptr;
	REQUIRE_IN_CHILD(cprng_fortuna_new(&f, nullptr, 0) == CPRNG_ERR_MEMORY);
	REQUIRE_IN_CHILD(f == nullptr);
}

constexpr unsigned int cells = CPRNG_HARVEST_CELLS;

// The operations of other parent threads at the fork.
void claim_all(cprng_harvest *q, cprng_harvest_claims *claims)
{
	const std::uint32_t other = cprng_harvest_claimant(q, claims) ^ 1;

	for (cprng_claim &claim : claims->cell)
		claim.taken = other;
}

unsigned int refused(int (*add)(cprng_fortuna *f), cprng_fortuna *f)
{
	unsigned int events = 0;

	for (unsigned int i = 0; i < cells; i++)
		events += add(f) != 0;
	return events;
}

int add_to_process(cprng_fortuna *)
{
	return cprng_add_entropy(1, seed, 32, 0);
}

int add_to_object(cprng_fortuna *f)
{
	return cprng_fortuna_add(f, 1, seed, 32, 0);
}

// Catches a fork that permanently loses cells of the harvest queue.
CHILD_TEST_CASE("object: a child has all cells of the harvest queue, and so have its children",
		scenario::check_buffered)
{
	struct cprng_process *p = cprng_process();
	cprng_fortuna *f = seeded();
	cprng_strong(bytes, sizeof(bytes));
	for (int generation = 0; generation < 3; generation++) {
		claim_all(&p->strong->state.harvest, &p->fortuna_claims);
		claim_all(&f->secret->state.harvest, &f->claims);
		REQUIRE_IN_CHILD(refused(add_to_process, nullptr) == cells);
		REQUIRE_IN_CHILD(refused(add_to_object, f) == cells);
		const pid_t child = fork();
		if (child != 0) {
			REQUIRE_IN_CHILD(machine::ended_well(child));
			_exit(0);
		}
		// The child's first use of Fortuna recovers them.
		cprng_strong(bytes, sizeof(bytes));
		REQUIRE_IN_CHILD(is_unseeded(f));
		REQUIRE_IN_CHILD(refused(add_to_process, nullptr) == 0);
		REQUIRE_IN_CHILD(refused(add_to_object, f) == 0);
		cprng_strong(bytes, sizeof(bytes));
		REQUIRE_IN_CHILD(cprng_fortuna_drain(f) == cells);
		// An operation of the forking thread itself continues in the child.
		p->fortuna_claims.cell[3].taken = cprng_harvest_claimant(&p->strong->state.harvest, &p->fortuna_claims);
		const std::uint32_t mine = p->fortuna_claims.cell[3].taken;
		const pid_t other = fork();
		if (other == 0) {
			cprng_strong(bytes, sizeof(bytes));
			_exit(p->fortuna_claims.cell[3].taken == mine ? 0 : 1);
		}
		REQUIRE_IN_CHILD(machine::ended_well(other));
		p->fortuna_claims.cell[3].taken = 0;
	}
	_exit(0);
}

} // namespace
