// SPDX-License-Identifier: BSD-2-Clause
#include "machine.hpp"

#include <cstdlib>
#include <ctime>
#include <fstream>
#include <map>

#include <sched.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <fmt/format.h>

#include <cprng/cprng.h>

#include "clock.hpp"
#include "libc.h"

namespace lab {

namespace {

std::string trimmed(const std::string &text)
{
	const std::size_t begin = text.find_first_not_of(" \t"), end = text.find_last_not_of(" \t");
	return begin == std::string::npos ? "" : text.substr(begin, end - begin + 1);
}

// The word in brackets of "always [madvise] never".
std::string chosen_of(const std::string &line)
{
	const std::size_t begin = line.find('['), end = line.find(']');
	return begin < end && end != std::string::npos ? line.substr(begin + 1, end - begin - 1) : line;
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

nlohmann::ordered_json describe_cpu(std::istream &cpuinfo)
{
	constexpr const char *unknown = "unknown";
	std::map<std::string, std::string> first;
	for (std::string line; std::getline(cpuinfo, line);)
		if (const std::size_t colon = line.find(':'); colon != std::string::npos)
			first.emplace(trimmed(line.substr(0, colon)), trimmed(line.substr(colon + 1)));
	const auto of = [&first](const char *name) { return first.count(name) != 0 ? first[name] : unknown; };
	const std::string flags = " " + of("flags") + " ";
	nlohmann::ordered_json hypervisor = unknown;
	if (first.count("flags") != 0)
		hypervisor = flags.find(" hypervisor ") != std::string::npos;
	std::string signature = unknown;
	if (first.count("cpu family") != 0)
		signature = of("vendor_id") + " " + of("cpu family") + "-" + of("model") + "-" + of("stepping");
	return { { "cpu", of("model name") },
		 { "cpu_signature", signature },
		 { "microcode", of("microcode") },
		 { "hypervisor", hypervisor } };
}

unsigned int cpus()
{
	cpu_set_t set;
	return sched_getaffinity(0, sizeof(set), &set) == 0 ? static_cast<unsigned int>(CPU_COUNT(&set)) : 1;
}

std::size_t cache_size(int level)
{
#ifdef _SC_LEVEL1_DCACHE_SIZE
	const long size = sysconf(level == 1 ? _SC_LEVEL1_DCACHE_SIZE :
				  level == 2 ? _SC_LEVEL2_CACHE_SIZE :
					       _SC_LEVEL3_CACHE_SIZE);
	return size > 0 ? static_cast<std::size_t>(size) : 0;
#else // musl
	(void)level;
	return 0;
#endif
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
	std::ifstream cpuinfo("/proc/cpuinfo");
	char libc[64];
	lab_libc(libc, sizeof(libc));
	nlohmann::ordered_json all = { { "time", utc_time() } };
	all.update(describe_cpu(cpuinfo));
	all.update({
		{ "cpus", cpus() },
		{ "caches", { cache_size(1), cache_size(2), cache_size(3) } },
		{ "architecture", system.machine },
		{ "kernel", fmt::format("{} {}", system.sysname, system.release) },
		{ "kernel_build", system.version },
		{ "huge_pages", chosen_of(first_line("/sys/kernel/mm/transparent_hugepage/enabled")) },
		{ "frequency_governor", first_line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor") },
		{ "kernel_clock", first_line("/sys/devices/system/clocksource/clocksource0/current_clocksource") },
		{ "libc", libc },
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
	});
	return all;
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
