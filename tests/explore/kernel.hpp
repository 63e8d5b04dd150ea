// SPDX-License-Identifier: BSD-2-Clause
// The kernel's answers to the library, as far as an experiment depends on them.
#ifndef CPRNG_TESTS_EXPLORE_KERNEL_HPP
#define CPRNG_TESTS_EXPLORE_KERNEL_HPP

#include <cstddef>
#include <cstdint>

#include <sys/types.h>
#include <unistd.h>

namespace kernel {

// Pages cannot be wiped on a fork: the library runs without buffers.
extern bool madvise_refused;
// In bytes.  Few states and slots: a fork copies less, and every process's end searches them.
extern long cpu_mask_size;
// getpid(2)'s result for the library: unchanged in a copy of a process that is made to go back to (copy_process).
extern pid_t process_id;

// The time on the clocks.
extern std::uint32_t seconds;

// SHA-256 runs without a boundary, and so without an invalidation or a migration in it: 47,000 of the 254,000 steps of a
// reseed with Fortuna's events are left.
extern bool hashes_in_one_step;

// Copies the process with all of its memory, including pages that a fork wipes.  Returns as fork does.
pid_t copy_process();

// Pages with a struct cprng_fork_state: one after set-up, more during two concurrent first draws; nullptr after the last.
const void *wiped_page(std::size_t n);

// In handlers too: before 2.34 by glibc's fork, which then takes locks that the library does not use.
inline pid_t fork_alone()
{
#if defined(__GLIBC__) && defined(__GLIBC_PREREQ)
#if !__GLIBC_PREREQ(2, 34)
	return fork();
#endif
#endif
	return _Fork();
}

} // namespace kernel

#endif
