// SPDX-License-Identifier: BSD-2-Clause
// Clocks: a cycle counter for nanoseconds, the system's clocks for longer times.
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

// Until that time of the same clock.
void sleep_until(std::uint64_t ns);

double wall_seconds();

// CPU time of this thread, so that other programs' time slices do not count.
double cpu_seconds();

// CPU time of all threads.
double process_cpu_seconds();

// The number of involuntary context switches of this thread.
std::uint64_t involuntary_switches();

// A constant-rate counter that is synchronised across CPUs: the CPU's if it qualifies, which costs a third of a vDSO
// call, else nanoseconds.  CPRNG_LAB_CLOCK=monotonic in the environment chooses nanoseconds.
#ifdef __x86_64__
extern const bool ticks_are_tsc;

inline std::uint64_t ticks()
{
	if (!ticks_are_tsc)
		return monotonic_ns();
	// Reads after all earlier instructions are done, and before later ones begin.
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

// Nanoseconds per tick.  The first call takes 20 ms, and should precede threads.
double ns_per_tick();

// Whether a tick stands for a CPU cycle.  Programs cannot read the core's own varying clock; the counter's rate is near
// the core's nominal one.
bool ticks_are_cycles();

// The unit of ticks, in full ("TSC cycles at 2.60 GHz", or "ns") and in short ("cycles", or "ns").
std::string cycles_name();
const char *cycles_unit();

// The counter's name, and the least difference of two consecutive readings, in nanoseconds.
std::string ticks_name();
double ticks_cost_ns();

} // namespace lab

#endif
