// SPDX-License-Identifier: BSD-2-Clause
// More threads than CPUs, drawing in rounds, interrupted by signals whose handlers also draw, and migrated between CPUs.
#ifndef CPRNG_TESTS_THREAD_ROUNDS_HPP
#define CPRNG_TESTS_THREAD_ROUNDS_HPP

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace thread_rounds {

// One thread's draws in a round: outside handlers, and in its signal handlers, in order.
struct Haul {
	std::vector<std::uint64_t> open, handled;
	std::size_t opened = 0, taken = 0; // how many of them

	void put_open(std::uint64_t v)
	{
		if (opened < open.size())
			open[opened++] = v;
	}

	void put_handled(std::uint64_t v)
	{
		if (taken < handled.size())
			handled[taken++] = v;
	}
};

struct Totals {
	std::uint64_t values = 0, signals = 0, cuts = 0;
};

struct Plan {
	std::size_t threads;
	std::size_t rounds;
	std::size_t per_round;    // values that each thread draws outside handlers
	void (*draw)(Haul &haul); // puts one or more values
	void (*draw_in_handler)(Haul &haul);
	std::function<void(std::vector<Haul> &)> judge; // after each round, while no thread draws
	std::function<void()> meanwhile;                // called repeatedly while they draw; may be empty
};

// The number of values that fit into a haul.
constexpr std::size_t most_handled(std::size_t per_round)
{
	return per_round / 8 + 4096;
}

inline std::size_t most_of_a_round(const Plan &plan)
{
	return plan.threads * (plan.per_round + most_handled(plan.per_round));
}

Totals run(const Plan &plan);

// Runs it with its own judge: all values of a round must differ, and none may be 0.
Totals check_distinct(Plan plan);

} // namespace thread_rounds

#endif
