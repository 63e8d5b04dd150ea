// SPDX-License-Identifier: BSD-2-Clause
#include "load.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <mutex>
#include <numeric>
#include <string>

#include <time.h>
#include <unistd.h>

#include "clock.hpp"

namespace lab {

namespace {

class all_children {
public:
	void add(pid_t pid)
	{
		const std::lock_guard<std::mutex> guard(mutex_);
		living_.push_back(pid);
	}

	void remove(pid_t pid, const struct rusage &used)
	{
		const std::lock_guard<std::mutex> guard(mutex_);
		living_.erase(std::remove(living_.begin(), living_.end(), pid), living_.end());
		ended_ += seconds_of(used);
	}

	double seconds()
	{
		const std::lock_guard<std::mutex> guard(mutex_);
		return std::accumulate(living_.begin(), living_.end(), ended_,
				       [](double sum, pid_t pid) { return sum + seconds_of_living(pid); });
	}

private:
	// Precise to the nanosecond; /proc/PID/stat counts in ticks.
	static double seconds_of_living(pid_t pid)
	{
		clockid_t clock;
		struct timespec t = {};
		if (clock_getcpuclockid(pid, &clock) == 0)
			clock_gettime(clock, &t);
		return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
	}

	std::mutex mutex_;
	std::vector<pid_t> living_;
	double ended_ = 0;
};

all_children &children()
{
	static all_children all;
	return all;
}

} // namespace

double busy_seconds(std::istream &proc_stat, double ticks_a_second)
{
	// user nice system idle iowait irq softirq steal
	enum { idle = 3, iowait = 4 };
	std::string name;
	double ticks[8] = {};
	proc_stat >> name;
	for (double &n : ticks)
		proc_stat >> n;
	return (std::accumulate(std::begin(ticks), std::end(ticks), 0.0) - ticks[idle] - ticks[iowait]) /
	       ticks_a_second;
}

double own_cpu_seconds()
{
	return process_cpu_seconds() + children().seconds();
}

double seconds_of(const struct rusage &used)
{
	return static_cast<double>(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
	       static_cast<double>(used.ru_utime.tv_usec + used.ru_stime.tv_usec) * 1e-6;
}

void child_begins(pid_t pid)
{
	children().add(pid);
}

void child_has_ended(pid_t pid, const struct rusage &used)
{
	children().remove(pid, used);
}

cpu_times read_cpu_times()
{
	std::ifstream in("/proc/stat");
	const double busy = busy_seconds(in, static_cast<double>(sysconf(_SC_CLK_TCK)));
	return { busy, own_cpu_seconds(), wall_seconds() };
}

double cpus_of_others(const cpu_times &before, const cpu_times &after)
{
	return std::max(0.0, (after.busy - before.busy - (after.own - before.own)) / (after.now - before.now));
}

void load_windows::add(const cpu_times &before, const cpu_times &after)
{
	// May be negative if the ticks lag behind; clamping would keep the errors from cancelling out.
	now_.others += after.busy - before.busy - (after.own - before.own);
	now_.seconds += after.now - before.now;
	if (now_.seconds < least_seconds)
		return;
	full_.push_back(now_);
	now_ = {};
}

std::vector<double> load_windows::cpus() const
{
	std::vector<window> all = full_;
	if (all.empty() && now_.seconds >= least_alone)
		all.push_back(now_);
	std::vector<double> cpus;
	std::transform(all.begin(), all.end(), std::back_inserter(cpus),
		       [](const window &w) { return std::max(0.0, w.others / w.seconds); });
	return cpus;
}

} // namespace lab
