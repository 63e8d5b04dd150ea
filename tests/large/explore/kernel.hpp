// SPDX-License-Identifier: BSD-2-Clause
// What the library learns from the kernel, so far as an experiment depends on it; the program is linked with --wrap for
// each of the functions that are replaced.
#ifndef CPRNG_TESTS_EXPLORE_KERNEL_HPP
#define CPRNG_TESTS_EXPLORE_KERNEL_HPP

#include <cstddef>
#include <cstdint>

#include <sys/types.h>

namespace kernel {

// Pages cannot be wiped on a fork: the library goes without buffers.
extern bool madvise_refused;
// In bytes.  Few states and slots: a fork copies less, and they are looked through at each end of a process.
extern long cpu_mask_size;
// What getpid(2) gives the library: the same in a copy of a process that is made to go back to (copy_process).
extern pid_t process_id;

// What the clocks stand at.
extern std::uint32_t seconds;

// A copy of the process with all of its memory, that which a fork wipes included.  Returns as fork does.
pid_t copy_process();

// Pages with a struct cprng_fork_state: one when the library is set up, more while two first draws are under way; nullptr past
// the last.
const void *wiped_page(std::size_t n);

} // namespace kernel

#endif
