// SPDX-License-Identifier: BSD-2-Clause
// The machine's other load during measurements: other programs, interrupts, and a hypervisor's steal time.
//
// The kernel accounts busy time in ticks of 10 ms per CPU.  A repetition may be shorter than a tick, so the load during
// it alone is unknown: one tick in 30 µs would be 300 CPUs.  So the repetitions' usage is summed, and reported for
// windows that are much longer than a tick.
#ifndef CPRNG_LAB_COMMON_LOAD_HPP
#define CPRNG_LAB_COMMON_LOAD_HPP

#include <istream>
#include <vector>

#include <sys/resource.h>
#include <sys/types.h>

namespace lab {

// Busy seconds of all CPUs together, from the first line of /proc/stat.
double busy_seconds(std::istream &proc_stat, double ticks_a_second);

// CPU time of this process and of the children below, running or ended.
double own_cpu_seconds();

// The CPU time that was used.
double seconds_of(const struct rusage &used);

// CPU time of each child process, which includes the children that it has waited for.
void child_begins(pid_t pid);
void child_has_ended(pid_t pid, const struct rusage &used);

// Readings at the same moment, in seconds.
struct cpu_times {
	double busy, own, now;
};

cpu_times read_cpu_times();

// The average number of CPUs that others used between two readings; for short times it is quantised, see above.
double cpus_of_others(const cpu_times &before, const cpu_times &after);

class load_windows {
public:
	static constexpr double least_seconds = 1; // per window: a tick is then an error of 1% per CPU
	static constexpr double least_alone = 0.1; // for the only window, if all took less

	// Counts what was measured between the readings.
	void add(const cpu_times &before, const cpu_times &after);

	// For each window the CPUs that others used; empty if the total is below least_alone.
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
