// SPDX-License-Identifier: BSD-2-Clause
#include "machine.hpp"

#include <cstdlib>
#include <ctime>
#include <fstream>

#include <gnu/libc-version.h>
#include <sched.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <fmt/format.h>

#include <cprng/cprng.h>

#include "clock.hpp"

namespace lab {

namespace {

std::string cpu_model()
{
	std::ifstream in("/proc/cpuinfo");
	for (std::string line; std::getline(in, line);) {
		if (line.rfind("model name", 0) != 0)
			continue;
		const std::size_t value = line.find_first_not_of(" \t", line.find(':') + 1);
		if (value != std::string::npos)
			return line.substr(value);
	}
	return "unknown";
}

std::string first_line(const char *path)
{
	std::string line;
	std::ifstream in(path);
	std::getline(in, line);
	return line.empty() ? "unknown" : line;
}

std::string utc_time()
{
	const std::time_t now = std::time(nullptr);
	std::tm parts = {};
	gmtime_r(&now, &parts);
	char text[32];
	std::strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &parts);
	return text;
}

} // namespace

unsigned int cpus()
{
	cpu_set_t set;
	return sched_getaffinity(0, sizeof(set), &set) == 0 ? static_cast<unsigned int>(CPU_COUNT(&set)) : 1;
}

std::size_t cache_size(int level)
{
	const long size = sysconf(level == 1 ? _SC_LEVEL1_DCACHE_SIZE :
				  level == 2 ? _SC_LEVEL2_CACHE_SIZE :
					       _SC_LEVEL3_CACHE_SIZE);
	return size > 0 ? static_cast<std::size_t>(size) : 0;
}

nlohmann::ordered_json load_average()
{
	double load[3] = {};
	if (getloadavg(load, 3) != 3)
		return nullptr;
	return { load[0], load[1], load[2] };
}

nlohmann::ordered_json describe_machine()
{
	struct utsname system = {};
	uname(&system);
	return {
		{ "time", utc_time() },
		{ "cpu", cpu_model() },
		{ "cpus", cpus() },
		{ "caches", { cache_size(1), cache_size(2), cache_size(3) } },
		{ "architecture", system.machine },
		{ "kernel", fmt::format("{} {}", system.sysname, system.release) },
		{ "kernel_clock", first_line("/sys/devices/system/clocksource/clocksource0/current_clocksource") },
		{ "libc", fmt::format("glibc {}", gnu_get_libc_version()) },
#ifdef __clang__
		{ "compiler", "clang " __clang_version__ },
#else
		{ "compiler", "gcc " __VERSION__ },
#endif
		{ "clock", ticks_name() },
		{ "clock_ns_per_tick", ns_per_tick() },
		{ "cycles", cycles_name() },
		{ "clock_cost_ns", ticks_cost_ns() },
		{ "cprng", cprng_version() },
	};
}

std::string machine_text(const nlohmann::ordered_json &machine)
{
	return fmt::format("{}, {} CPUs; {}; {}; {}; cprng {}\nclock: {}, {:.1f} ns a reading; {}",
			   machine["cpu"].get<std::string>(), machine["cpus"].get<unsigned int>(),
			   machine["kernel"].get<std::string>(), machine["libc"].get<std::string>(),
			   machine["compiler"].get<std::string>(), machine["cprng"].get<std::string>(),
			   machine["clock"].get<std::string>(), machine["clock_cost_ns"].get<double>(),
			   machine["time"].get<std::string>());
}

} // namespace lab
