// SPDX-License-Identifier: BSD-2-Clause
// Runs measurements: each once in random order, repeatedly, so that disturbances affect all of them equally.
#ifndef CPRNG_LAB_COMMON_RUN_HPP
#define CPRNG_LAB_COMMON_RUN_HPP

#include <atomic>
#include <functional>
#include <string>
#include <vector>

#include <sched.h>

#include "load.hpp"

namespace lab {

// From now on the first SIGINT ends the measurements, and the second one the program.
void catch_interrupts();
bool interrupted();

// The options that the lab's commands share.
struct run_options {
	std::string json;
	bool quick = false;
	double seconds = 0.25; // of each repetition
	int repetitions = 7;
	double patience = 0; // seconds

	void shorten()
	{
		seconds = 0.005;
		repetitions = 2;
	}
};

class schedule {
public:
	// Measures once, and returns a function that keeps the results; empty if interrupted.
	using job = std::function<std::function<void()>()>;

	// The approximate length of one repetition.
	void add(double seconds, job work)
	{
		units_.push_back({ seconds, std::move(work) });
	}

	// The same for a measurement that keeps its own results, regardless of other load.
	void add_kept(double seconds, std::function<void()> work)
	{
		add(seconds, [work = std::move(work)] {
			work();
			return [] {};
		});
	}

	double seconds() const;

	// Waits up to this many seconds in total until other programs are quiet, and repeats repetitions during which
	// they were not. Shows the remaining time on standard error, if that is a terminal.
	void run(int repetitions, double patience = 0);

	// Other programs' CPU use during the kept repetitions, and the numbers of kept and discarded ones.
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

	// Additional text for that progress line.
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

// Calls work(i) for each i below the count, starting with a different one in each turn, for results that are compared.  Returns
// false if interrupted.
template <typename Work> bool in_turn(std::size_t count, std::size_t turn, const Work &work)
{
	for (std::size_t i = 0; i < count && !interrupted(); i++)
		work((i + turn) % count);
	return !interrupted();
}

// Run each job in its own thread.  They start together, and `stop` is set after that many seconds.  Returns false if
// interrupted; rethrows a job's exception.
using stop_flag = std::atomic<bool>;
bool run_together(double seconds, const std::vector<std::function<void(const stop_flag &stop)>> &jobs);

// The same for jobs that end by themselves.
bool run_together(const std::vector<std::function<void()>> &jobs);

// The same with a forked process for each job, which must keep its results in shared memory.  No other thread may run.
bool run_in_processes(const std::vector<std::function<void()>> &jobs);

// Pins this thread to its current CPU.
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

// The n-th CPU that this thread may use: 0 is the first, and there are cpus() of them.  Returns false on failure.
bool go_to_cpu(unsigned int which);

// The same, but the thread may be moved away later.
void begin_on_cpu(unsigned int which);

} // namespace lab

#endif
