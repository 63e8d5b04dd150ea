// SPDX-License-Identifier: BSD-2-Clause
// The environment of this run: placement, processors, emulation.
#ifndef CPRNG_TESTS_MACHINE_HPP
#define CPRNG_TESTS_MACHINE_HPP

#include "skips.hpp"

#include "doctest/doctest.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <sys/types.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define CPRNG_TESTS_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define CPRNG_TESTS_SANITIZED 1
#endif
#endif
#ifndef CPRNG_TESTS_SANITIZED
#define CPRNG_TESTS_SANITIZED 0
#endif

namespace machine {

enum class Placement { automatic, per_cpu, slots, unbuffered };

// The placement of this process's draws; sets up the library.
Placement placement();
bool per_cpu();

// Whether the C library has registered the threads, so that draws are inlined.
bool inlined();
bool buffered();

// qemu-user and the like, which emulate system calls and are slow.
bool emulated();

// Under emulation or a sanitizer, where a fork takes many milliseconds.
bool slow();

// The factor for volumes: 1 for the full volumes (run::large()), otherwise 0.1 where draws take a nanosecond, and less for
// slower placements, sanitizers and emulators.  The environment variable CPRNG_TEST_SCALE multiplies it.
double scale();
std::size_t scaled(double volume, std::size_t at_least = 1);

// The CPU numbers that this process may use.
const std::vector<int> &cpus();
bool pin(pid_t thread, int cpu);
void unpin();
pid_t thread_id();
// How often the kernel has preempted this thread.
long preemptions();

// Forks without the C library, its handlers and its caches.  Returns as fork does, or a negative error number.
pid_t raw_fork(unsigned long extra_flags = 0);
// Whether the process exited with status 0.
bool ended_well(pid_t pid);
// Waits for the process; returns waitpid(2)'s status.
int status_of(pid_t pid);
std::string describe_status(int status);

// The rseq_cs field of this thread's restartable-sequences area; 0 if there is no area.
std::uint64_t open_sequence();

// Memory shared by parent and children.
void *shared_memory(std::size_t len);

} // namespace machine

#endif
