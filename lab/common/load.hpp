// SPDX-License-Identifier: BSD-2-Clause
// What else the machine does while the lab measures: other programs, interrupts, and what a hypervisor takes away.
//
// The kernel counts the time in which CPUs are busy in ticks of 10 ms, one CPU's at a time.  A repetition may take less
// than a tick, and the load during it alone is unknown: one tick in 30 µs would be 300 CPUs.  So what repetitions have used
// is added up, and reported of windows that are long beside a tick.
#ifndef CPRNG_LAB_COMMON_LOAD_HPP
#define CPRNG_LAB_COMMON_LOAD_HPP

#include <istream>
#include <vector>

#include <sys/resource.h>
#include <sys/types.h>

namespace lab {

// Seconds of all CPUs together in which they were not idle: the first line of /proc/stat.
double busy_seconds(std::istream &proc_stat, double ticks_a_second);

// CPU time of this process and of the children below: the running ones and the ones that have ended.
double own_cpu_seconds();

// Of each child process; its children are its own once it has waited for them.
void child_begins(pid_t pid);
void child_has_ended(pid_t pid, const struct rusage &used);

// Readings of the same moment, in seconds.
struct cpu_times {
	double busy, own, now;
};

cpu_times read_cpu_times();

// CPUs that others used on the average between two readings.  Of short times: only ticks, see above.
double cpus_of_others(const cpu_times &before, const cpu_times &after);

class load_windows {
public:
	static constexpr double least_seconds = 1; // of a window: an error of a hundredth for each CPU
	static constexpr double least_alone = 0.1; // of the only one, when all took less than that

	// What was measured between the readings is counted.
	void add(const cpu_times &before, const cpu_times &after);

	// CPUs that others used, of each window; none where all took less than least_alone.
	std::vector<double> cpus() const;

private:
	struct window {
		double others = 0, seconds = 0;
	};

	std::vector<window> full_;
	window now_;
};

} // namespace lab

#endif
