// SPDX-License-Identifier: BSD-2-Clause
// Lock hooks for a Fortuna object: C library mutexes that record waiting and holding times.
#ifndef CPRNG_LAB_FORTUNA_WATCHED_LOCKS_HPP
#define CPRNG_LAB_FORTUNA_WATCHED_LOCKS_HPP

#include <cstdint>
#include <vector>

#include <pthread.h>

#include <cprng/fortuna.h>

#include "../common/statistics.hpp"

namespace lab::fortuna {

// One thread's records.
struct lock_notes {
	lock_notes();

	void clear();

	samples read_held; // the generator's lock, by a reader
	samples read_waited;
	samples reseed_held; // the same, for a reseed, which holds the pools' lock as well
	samples pools_held;
};

class watched_locks {
public:
	// The hooks of a Fortuna object, see cprng/fortuna.h.
	enum { pools, generator };

	watched_locks();
	watched_locks(const watched_locks &) = delete;
	watched_locks &operator=(const watched_locks &) = delete;

	// For an object that this outlives.
	cprng_fortuna_hooks hooks();

	// The calling thread's record; nullptr: none.
	static void note_in(lock_notes *notes);

	void lock(int which, std::uint64_t *token);
	bool try_lock(int which, std::uint64_t *token);
	void unlock(int which, const std::uint64_t *token);

private:
	pthread_mutex_t mutex_[2];
};

} // namespace lab::fortuna

#endif
