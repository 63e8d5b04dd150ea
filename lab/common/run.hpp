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

#include "load.hpp"

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
	double patience = 0; // seconds

	void be_quick()
	{
		seconds = 0.005;
		repetitions = 2;
	}
};

class schedule {
public:
	// Measures, and gives what keeps the results; nothing when it was interrupted.
	using job = std::function<std::function<void()>()>;

	// One repetition takes about so long.
	void add(double seconds, job work)
	{
		units_.push_back({ seconds, std::move(work) });
	}

	// The same for what keeps its results itself, whatever else the machine did.
	void add_kept(double seconds, std::function<void()> work)
	{
		add(seconds, [work = std::move(work)] {
			work();
			return [] {};
		});
	}

	double seconds() const;

	// Waits, for so many seconds in all, until the other programs of the machine are quiet, and makes a repetition
	// again in which they were not.  Tells on standard error how long it will take yet, if that is a terminal.
	void run(int repetitions, double patience = 0);

	// What other programs used during the repetitions that were kept, and how many were kept and were not.
	const load_windows &others() const
	{
		return others_;
	}

	int kept() const
	{
		return kept_;
	}

	int thrown_away() const
	{
		return thrown_away_;
	}

	// What it says there beside that.
	static void announce(const std::string &what);

private:
	struct unit {
		double seconds;
		job work;
	};

	void repeat(const unit &u, double &patience);

	std::vector<unit> units_;
	load_windows others_;
	int kept_ = 0, thrown_away_ = 0;
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

// The same, but the thread may be moved from there.
void begin_on_cpu(unsigned int which);

} // namespace lab

#endif
