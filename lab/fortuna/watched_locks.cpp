// SPDX-License-Identifier: BSD-2-Clause
#include "watched_locks.hpp"

#include "../common/clock.hpp"

namespace lab::fortuna {

namespace {

// Roughly the number of 32-byte reads that a thread makes in half a second.
constexpr std::size_t many = std::size_t{ 1 } << 20;
// Reseeds come ten times a second, drains a thousand times.
constexpr std::size_t few = std::size_t{ 1 } << 14;

thread_local struct {
	lock_notes *notes;
	bool has_pools;
	std::uint64_t waited;
} self;

} // namespace

lock_notes::lock_notes() : read_held(many), read_waited(many), reseed_held(few), pools_held(few)
{
}

void lock_notes::clear()
{
	for (samples *s : { &read_held, &read_waited, &reseed_held, &pools_held })
		s->clear();
}

watched_locks::watched_locks()
{
	for (pthread_mutex_t &m : mutex_)
		pthread_mutex_init(&m, nullptr);
}

cprng_fortuna_hooks watched_locks::hooks()
{
	cprng_fortuna_hooks h = {};
	h.lock = [](void *arg, int which, std::uint64_t *token) {
		static_cast<watched_locks *>(arg)->lock(which, token);
	};
	h.try_lock = [](void *arg, int which, std::uint64_t *token) {
		return static_cast<int>(static_cast<watched_locks *>(arg)->try_lock(which, token));
	};
	h.unlock = [](void *arg, int which, const std::uint64_t *token) {
		static_cast<watched_locks *>(arg)->unlock(which, token);
	};
	h.now = [](void *) { return monotonic_ns(); };
	h.arg = this;
	return h;
}

void watched_locks::note_in(lock_notes *notes)
{
	self.notes = notes;
}

// The token holds the thread's previous count of context switches and the time when the lock was acquired.  The count
// is read outside the lock: that is a system call, and would extend the lock's hold.  The time that the mutex itself
// takes to be released is not counted.
void watched_locks::lock(int which, std::uint64_t *token)
{
	token[1] = involuntary_switches();
	const std::uint64_t begin = ticks();
	pthread_mutex_lock(&mutex_[which]);
	token[0] = ticks();
	if (which == generator)
		self.waited = token[0] - begin;
	else
		self.has_pools = true;
}

bool watched_locks::try_lock(int which, std::uint64_t *token)
{
	token[1] = involuntary_switches();
	if (pthread_mutex_trylock(&mutex_[which]) != 0)
		return false;
	token[0] = ticks();
	if (which == generator)
		self.waited = 0;
	else
		self.has_pools = true;
	return true;
}

void watched_locks::unlock(int which, const std::uint64_t *token)
{
	const std::uint64_t end = ticks();
	pthread_mutex_unlock(&mutex_[which]);
	const bool reseeding = which == generator && self.has_pools;
	if (which == pools)
		self.has_pools = false;
	if (self.notes == nullptr)
		return;
	const bool disturbed = involuntary_switches() != token[1];
	const std::uint64_t held = end - token[0];
	if (which == pools) {
		self.notes->pools_held.add(held, disturbed);
	} else if (reseeding) {
		self.notes->reseed_held.add(held, disturbed);
	} else {
		self.notes->read_held.add(held, disturbed);
		self.notes->read_waited.add(self.waited, disturbed);
	}
}

} // namespace lab::fortuna
