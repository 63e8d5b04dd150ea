// SPDX-License-Identifier: BSD-2-Clause
#include "clock.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string_view>

#include <sys/resource.h>
#include <time.h>

namespace lab {

namespace {

std::uint64_t read_clock(clockid_t clock)
{
	struct timespec t = {};
	clock_gettime(clock, &t); // these clocks always exist
	return static_cast<std::uint64_t>(t.tv_sec) * 1000000000 + static_cast<std::uint64_t>(t.tv_nsec);
}

#ifdef __x86_64__
// Linux checks whether the counter is constant-rate and synchronised across CPUs; if so, it is the kernel's clock source.
bool tsc_is_good()
{
	const char *chosen = std::getenv("CPRNG_LAB_CLOCK");
	if (chosen != nullptr && std::string_view(chosen) == "monotonic")
		return false;
	std::string source;
	std::ifstream("/sys/devices/system/clocksource/clocksource0/current_clocksource") >> source;
	return source == "tsc";
}
#endif

double calibrate()
{
	constexpr std::uint64_t calibration_ns = 20000000;
	const std::uint64_t begin_ns = monotonic_ns(), begin = ticks();
	std::uint64_t end_ns;
	do
		end_ns = monotonic_ns();
	while (end_ns - begin_ns < calibration_ns);
	return static_cast<double>(end_ns - begin_ns) / static_cast<double>(ticks() - begin);
}

} // namespace

#ifdef __x86_64__
const bool ticks_are_tsc = tsc_is_good();
#endif

std::uint64_t monotonic_ns()
{
	return read_clock(CLOCK_MONOTONIC);
}

void sleep_until(std::uint64_t ns)
{
	struct timespec t = {};
	t.tv_sec = static_cast<time_t>(ns / 1000000000);
	t.tv_nsec = static_cast<long>(ns % 1000000000);
	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, nullptr);
}

double wall_seconds()
{
	return static_cast<double>(monotonic_ns()) * 1e-9;
}

double cpu_seconds()
{
	return static_cast<double>(read_clock(CLOCK_THREAD_CPUTIME_ID)) * 1e-9;
}

double process_cpu_seconds()
{
	return static_cast<double>(read_clock(CLOCK_PROCESS_CPUTIME_ID)) * 1e-9;
}

std::uint64_t involuntary_switches()
{
	struct rusage usage = {};
	getrusage(RUSAGE_THREAD, &usage);
	return static_cast<std::uint64_t>(usage.ru_nivcsw);
}

double ns_per_tick()
{
	static const double ratio = calibrate();
	return ratio;
}

bool ticks_are_cycles()
{
#ifdef __x86_64__
	return ticks_are_tsc;
#else
	return false;
#endif
}

std::string ticks_name()
{
	return ticks_are_cycles() ? "time stamp counter" : "CLOCK_MONOTONIC";
}

std::string cycles_name()
{
	if (!ticks_are_cycles())
		return cycles_unit();
	char text[64];
	std::snprintf(text, sizeof(text), "TSC cycles at %.2f GHz", 1 / ns_per_tick());
	return text;
}

const char *cycles_unit()
{
	return ticks_are_cycles() ? "cycles" : "ns";
}

double ticks_cost_ns()
{
	std::uint64_t least = UINT64_MAX;
	for (int i = 0; i < 10000; i++) {
		const std::uint64_t begin = ticks();
		least = std::min(least, ticks() - begin);
	}
	return static_cast<double>(least) * ns_per_tick();
}

} // namespace lab
