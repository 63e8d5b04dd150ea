// SPDX-License-Identifier: BSD-2-Clause
// Runs measurements: all of them once, in random order, and that again and again, so that whatever else the machine does
// meets all alike.
#ifndef CPRNG_LAB_COMMON_RUN_HPP
#define CPRNG_LAB_COMMON_RUN_HPP

#include <atomic>
#include <functional>
#include <string>
#include <vector>

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

} // namespace lab

#endif
