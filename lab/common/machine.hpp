// SPDX-License-Identifier: BSD-2-Clause
// The machine that was measured.
#ifndef CPRNG_LAB_COMMON_MACHINE_HPP
#define CPRNG_LAB_COMMON_MACHINE_HPP

#include <istream>
#include <string>

#include <nlohmann/json.hpp>

namespace lab {

// CPU and microcode, hypervisor, kernel, C library, compiler, clock, library version, time.
nlohmann::ordered_json describe_machine();

// The first CPU's entries in /proc/cpuinfo: "cpu", "cpu_signature" (family-model-stepping), "microcode", and whether
// the flags include "hypervisor".  Missing entries are "unknown"; they differ between architectures.
nlohmann::ordered_json describe_cpu(std::istream &cpuinfo);

// getloadavg(3), for 1, 5 and 15 minutes.
nlohmann::ordered_json load_average();

// The same as text, in a line or two.
std::string machine_text(const nlohmann::ordered_json &machine);

// The number of CPUs that this process may use.
unsigned int cpus();

// Cache sizes in bytes: L1 data, L2, L3.  0 if the C library does not know.
std::size_t cache_size(int level);

} // namespace lab

#endif
