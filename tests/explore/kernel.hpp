// SPDX-License-Identifier: BSD-2-Clause
// The kernel's answers to the library on which an experiment depends.
#ifndef CPRNG_TESTS_EXPLORE_KERNEL_HPP
#define CPRNG_TESTS_EXPLORE_KERNEL_HPP

#include <cstddef>
#include <cstdint>

#include <sys/types.h>
#include <unistd.h>

namespace kernel {

// Pretend that pages cannot be wiped on a fork: the library runs without buffers.
extern bool madvise_refused;
// Sizes in bytes.  Few states and slots, since each fork copies them and each process searches them at its end.
extern long cpu_mask_size;
// getpid(2)'s result for the library; does not change in a copy of a process made by copy_process().
extern pid_t process_id;

// The time that the clocks show.
extern std::uint32_t seconds;

// SHA-256 counts as one step, so no invalidation or migration happens within it.  This leaves 47,000 of the 254,000 steps of
// a reseed with Fortuna's events.
extern bool hashes_in_one_step;

// Copies the process with all its memory, including pages that a fork wipes.  Returns as fork does.
pid_t copy_process();

// Pages with a struct cprng_fork_state: one after set-up, more during two concurrent first draws; nullptr after the last.
const void *wiped_page(std::size_t n);

// Also works in handlers: before glibc 2.34 it uses glibc's fork, which takes locks there that the library does not use.
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
