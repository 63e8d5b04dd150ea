// SPDX-License-Identifier: BSD-2-Clause
// Other programs' CPU use, from scripted readings with ticks as coarse as the kernel's.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <sstream>
#include <vector>

#include "../../../lab/common/child.hpp"
#include "../../../lab/common/clock.hpp"
#include "../../../lab/common/load.hpp"

using namespace lab;

namespace {

constexpr double tick = 0.01;

// Others use that many CPUs all the time, the lab one; the kernel reports the sum in whole ticks.
cpu_times at(double now, double others)
{
	return { std::floor((others + 1) * now / tick) * tick, now, now };
}

} // namespace

// Catches idle time that counts as work.
TEST_CASE("load: busy time is the first line of /proc/stat without idle and iowait")
{
	std::istringstream in("cpu  100 20 30 4000 500 6 7 8 900 1000\ncpu0 1 2 3 4 5 6 7 8 9 10\n");
	CHECK(busy_seconds(in, 100) == doctest::Approx(1.71));
	std::istringstream none("");
	CHECK(busy_seconds(none, 100) == 0);
}

// Catches an impossible number of CPUs, from ticks divided by much shorter times.
TEST_CASE("load: repetitions that are short beside a tick give no CPUs that are not there")
{
	for (const double length : { 20e-6, 0.003, 0.04 }) {
		CAPTURE(length);
		load_windows load;
		double most_alone = 0;
		for (double now = 1000; now < 1005; now += length) {
			load.add(at(now, 0.5), at(now + length, 0.5));
			most_alone = std::max(most_alone, cpus_of_others(at(now, 0.5), at(now + length, 0.5)));
		}
		const std::vector<double> cpus = load.cpus();
		REQUIRE(cpus.size() >= 4);
		for (const double one : cpus)
			CHECK(one == doctest::Approx(0.5).epsilon(0.03));
		// The result if the short repetitions were evaluated separately.
		if (length < 0.001)
			CHECK(most_alone > 400);
	}
}

// Catches time between repetitions that counts, and a figure for a time without ticks.
TEST_CASE("load: nothing in between is counted, and nothing is known of too short a time")
{
	load_windows load;
	load.add(at(0, 1), at(0.05, 1));
	CHECK(load.cpus().empty());
	load.add(at(100, 1), at(100.1, 1));
	REQUIRE(load.cpus().size() == 1);
	CHECK(load.cpus()[0] == doctest::Approx(1).epsilon(0.1));
	load.add(at(200, 0), at(201, 0));
	REQUIRE(load.cpus().size() == 1);
	CHECK(load.cpus()[0] == doctest::Approx(0.15 / 1.15).epsilon(0.1));
	// A long repetition is a window.
	load.add(at(300, 0.25), at(310, 0.25));
	CHECK(load.cpus().size() == 2);
}

// Catches the lab's own processes counted as others.
TEST_CASE("load: children are the lab's own, while they run and afterwards")
{
	const auto of_children = [] { return own_cpu_seconds() - process_cpu_seconds(); };
	const double before = of_children();
	double running;
	{
		child shell({ "/bin/sh" });
		shell.ask("i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done; echo done");
		CHECK(shell.answer() == "done");
		running = of_children();
		CHECK(running > before + 0.001);
	}
	// At least its usage then, in rusage's microseconds.
	CHECK(of_children() > running - 0.001);
}
