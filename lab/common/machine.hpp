// SPDX-License-Identifier: BSD-2-Clause
// What was measured on.
#ifndef CPRNG_LAB_COMMON_MACHINE_HPP
#define CPRNG_LAB_COMMON_MACHINE_HPP

#include <istream>
#include <string>

#include <nlohmann/json.hpp>

namespace lab {

// CPU with its microcode, is it a guest of a hypervisor, kernel, C library, compiler, clock, version of the library, time.
nlohmann::ordered_json describe_machine();

// Of /proc/cpuinfo, of the first CPU: "cpu", "cpu_signature" (family-model-stepping), "microcode", and whether the flags say
// that there is a "hypervisor".  What is not there is "unknown"; it differs from one architecture to the other.
nlohmann::ordered_json describe_cpu(std::istream &cpuinfo);

// The three of getloadavg(3), for 1, 5 and 15 minutes.
nlohmann::ordered_json load_average();

// The same in a line or two.
std::string machine_text(const nlohmann::ordered_json &machine);

// That can run at once.
unsigned int cpus();

// Bytes of the caches: 1 for that of the data of the first level, 2, 3.  0 when the C library does not know.
std::size_t cache_size(int level);

} // namespace lab

#endif
