// SPDX-License-Identifier: BSD-2-Clause
// The two locks of a Fortuna as hooks of the lab's: mutexes of the C library that note how long they were waited for and
// held.
#ifndef CPRNG_LAB_FORTUNA_WATCHED_LOCKS_HPP
#define CPRNG_LAB_FORTUNA_WATCHED_LOCKS_HPP

#include <cstdint>
#include <vector>

#include <pthread.h>

#include <cprng/fortuna.h>

#include "../common/statistics.hpp"

namespace lab::fortuna {

// What a thread notes down.
struct lock_notes {
	lock_notes();

	void clear();

	samples read_held; // the generator's lock, by a reader
	samples read_waited;
	samples reseed_held; // the same, for a reseed: the lock of the pools is held as well
	samples pools_held;
};

class watched_locks {
public:
	// Those of a Fortuna, in cprng/fortuna.h.
	enum { pools, generator };

	watched_locks();
	watched_locks(const watched_locks &) = delete;
	watched_locks &operator=(const watched_locks &) = delete;

	// For an object that lives no longer than this.
	cprng_fortuna_hooks hooks();

	// Where this thread notes down; nullptr: nowhere.
	static void note_in(lock_notes *notes);

	void lock(int which, std::uint64_t *token);
	bool try_lock(int which, std::uint64_t *token);
	void unlock(int which, const std::uint64_t *token);

private:
	pthread_mutex_t mutex_[2];
};

} // namespace lab::fortuna

#endif
