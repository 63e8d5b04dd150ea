// SPDX-License-Identifier: BSD-2-Clause
// Runs measurements: all of them once, in random order, and that again and again, so that whatever else the machine does
// meets all alike.
#ifndef CPRNG_LAB_COMMON_RUN_HPP
#define CPRNG_LAB_COMMON_RUN_HPP

#include <atomic>
#include <functional>
#include <string>
#include <vector>

#include <sched.h>

namespace lab {

// From now on SIGINT does not end the program but the measuring; the second one does.
void catch_interrupts();
bool interrupted();

// What the lab's commands have in common.
struct run_options {
	std::string json;
	bool quick = false;
	double seconds = 0.25; // each repetition
	int repetitions = 7;

	void be_quick()
	{
		seconds = 0.005;
		repetitions = 2;
	}
};

class schedule {
public:
	// One repetition of work takes about so long.  It keeps its results to itself, and none when interrupted.
	void add(double seconds, std::function<void()> work)
	{
		units_.push_back({ seconds, std::move(work) });
	}

	double seconds() const;

	// Tells on standard error how long it will take yet, if that is a terminal.
	void run(int repetitions);

	// What it says there beside that.
	static void announce(const std::string &what);

private:
	struct unit {
		double seconds;
		std::function<void()> work;
	};
	std::vector<unit> units_;
};

// The jobs run each in a thread of its own; they begin together, and `stop` is set after so many seconds.  False when
// that was interrupted.  What a job throws is thrown here.
using stop_flag = std::atomic<bool>;
bool run_together(double seconds, const std::vector<std::function<void(const stop_flag &stop)>> &jobs);

// The same for jobs that come to an end by themselves.
bool run_together(const std::vector<std::function<void()>> &jobs);

// Keeps this thread on the CPU that it is on.
class stay_here {
public:
	stay_here();
	~stay_here();
	stay_here(const stay_here &) = delete;
	stay_here &operator=(const stay_here &) = delete;

private:
	cpu_set_t before_;
	bool moved_;
};

// The number of a CPU that this thread may use: the first is 0, and there are cpus() of them.  False where it cannot be.
bool go_to_cpu(unsigned int which);

} // namespace lab

#endif
