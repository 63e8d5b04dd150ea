// SPDX-License-Identifier: BSD-2-Clause
// Tests that lack their means: each says so when it is skipped, and the program counts them at its end.
#ifndef CPRNG_TESTS_SKIPS_HPP
#define CPRNG_TESTS_SKIPS_HPP

#include "doctest/doctest.h"

#include <cstdio>
#include <map>
#include <string>

#include <unistd.h>

namespace skips {

// Prints "N skipped: REASON" for each reason when the program ends; tests/skips collects these lines of a whole run.
class Counter {
public:
	Counter() = default;
	Counter(const Counter &) = delete;
	Counter &operator=(const Counter &) = delete;

	~Counter()
	{
		// A forked child has a copy of the counts, which are the parent's to print.
		if (getpid() != process)
			return;
		for (const auto &count : counts)
			std::printf("%u skipped: %s\n", count.second, count.first.c_str());
	}

	void add(const std::string &reason)
	{
		counts[reason]++;
	}

private:
	const pid_t process = getpid();
	std::map<std::string, unsigned int> counts;
};

inline Counter counter;

} // namespace skips

// Of a test case, or of a part of it.
#define SKIPPED(why) \
	do { \
		const std::string reason_(why); \
		skips::counter.add(reason_); \
		MESSAGE("skipped: " << reason_); \
	} while (0)

// Leaves the function.
#define SKIP_IF(condition, why) \
	do { \
		if (condition) { \
			SKIPPED(why); \
			return; \
		} \
	} while (0)

#endif
