// SPDX-License-Identifier: BSD-2-Clause
// Clocks: one for what takes nanoseconds, those of the system for the rest.
#ifndef CPRNG_LAB_COMMON_CLOCK_HPP
#define CPRNG_LAB_COMMON_CLOCK_HPP

#include <cstdint>
#include <string>

#ifdef __x86_64__
#include <x86intrin.h>
#endif

namespace lab {

// Nanoseconds of CLOCK_MONOTONIC.
std::uint64_t monotonic_ns();

double wall_seconds();

// CPU time of this thread: other programs take turns on the CPU, and are not to be counted.
double cpu_seconds();

// CPU time of all threads.
double process_cpu_seconds();

// How often the scheduler took the CPU from this thread, which did not give it up.
std::uint64_t involuntary_switches();

// A counter that goes on evenly on all CPUs: that of the CPU where it is such a one, which costs a third of a call to
// the vDSO, or else nanoseconds.
#ifdef __x86_64__
extern const bool ticks_are_tsc;

inline std::uint64_t ticks()
{
	if (!ticks_are_tsc)
		return monotonic_ns();
	// Everything before it is done when the counter is read; what comes after may not begin before.
	_mm_lfence();
	const std::uint64_t t = __rdtsc();
	_mm_lfence();
	return t;
}
#else
inline std::uint64_t ticks()
{
	return monotonic_ns();
}
#endif

// Nanoseconds of a tick.  The first call takes 20 ms, and should come before threads.
double ns_per_tick();

// What a tick is called where it stands for a cycle of the CPU: "TSC cycles at 2.60 GHz", or "ns".  The clock of the core
// itself, which goes up and down, cannot be read by a program; that of the counter is near the core's nominal one.
std::string cycles_name();

// The name of the counter, and the least difference of two readings in a row, in nanoseconds.
std::string ticks_name();
double ticks_cost_ns();

} // namespace lab

#endif
