// SPDX-License-Identifier: BSD-2-Clause
// Tests whose prerequisites are missing.  Each reports that it is skipped, and the program prints the counts at its end.  A
// test case that neither asserts anything nor reports a skip fails the program (doctest.cpp).
#ifndef CPRNG_TESTS_SKIPS_HPP
#define CPRNG_TESTS_SKIPS_HPP

#include "doctest/doctest.h"

#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include <unistd.h>

namespace skips {

// Prints "N skipped: REASON" for each reason when the program ends; tests/support/results collects these lines.
class Counter {
public:
	Counter() = default;
	Counter(const Counter &) = delete;
	Counter &operator=(const Counter &) = delete;

	~Counter()
	{
		// A forked child has a copy of the counts; only the parent prints them.
		if (getpid() != process)
			return;
		for (const auto &count : counts)
			std::printf("%u skipped: %s\n", count.second, count.first.c_str());
		for (const std::string &name : silent)
			std::printf("neither asserted anything nor was skipped: %s\n", name.c_str());
		std::fflush(stdout);
		if (!silent.empty())
			std::_Exit(1);
	}

	void add(const std::string &reason)
	{
		counts[reason]++;
		skipped = true;
	}

	void begin_case()
	{
		skipped = false;
	}

	void end_case(const char *name, bool asserted)
	{
		if (!asserted && !skipped)
			silent.push_back(name);
	}

private:
	const pid_t process = getpid();
	std::map<std::string, unsigned int> counts;
	bool skipped = false;
	std::vector<std::string> silent; // test cases that could not fail
};

inline Counter counter;

} // namespace skips

// Skips a test case, or a part of it.
#define SKIPPED(why) \
	do { \
		const std::string reason_(why); \
		skips::counter.add(reason_); \
		MESSAGE("skipped: " << reason_); \
	} while (0)

// These return from the calling function.
#define SKIP_IF(condition, why) \
	do { \
		if (condition) { \
			SKIPPED(why); \
			return; \
		} \
	} while (0)

#endif
