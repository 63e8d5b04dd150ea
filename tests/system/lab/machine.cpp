// SPDX-License-Identifier: BSD-2-Clause
// The CPU fields that runs keep, from texts of kernels on several architectures.
#include <doctest/doctest.h>

#include <sstream>

#include "../../../lab/common/machine.hpp"

using namespace lab;

namespace {

nlohmann::ordered_json described(const char *text)
{
	std::istringstream in(text);
	return describe_cpu(in);
}

} // namespace

// Catches a field that is truncated or taken from another CPU.
TEST_CASE("machine: the CPU of an x86-64 guest, of which the first is described")
{
	const auto cpu = described("processor\t: 0\nvendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 207\n"
				   "model name\t: Some CPU @ 2.1: GHz\nstepping\t: 2\nmicrocode\t: 0x2b0001\n"
				   "flags\t\t: fpu hypervisor aes\n\nprocessor\t: 1\nmicrocode\t: 0x1\n");
	CHECK(cpu["cpu"] == "Some CPU @ 2.1: GHz");
	CHECK(cpu["cpu_signature"] == "GenuineIntel 6-207-2");
	CHECK(cpu["microcode"] == "0x2b0001");
	CHECK(cpu["hypervisor"] == true);
}

// Catches a guest reported where there is none.
TEST_CASE("machine: no hypervisor, by a flag that only looks like it")
{
	const auto cpu = described("cpu family\t: 26\nmodel\t\t: 2\nstepping\t: 1\nflags\t\t: fpu hypervisors\n");
	CHECK(cpu["hypervisor"] == false);
	CHECK(cpu["microcode"] == "unknown");
}

// Catches invented fields where the kernel has none.
TEST_CASE("machine: a CPU that says little of itself")
{
	const auto cpu = described("processor\t: 0\nBogoMIPS\t: 50.00\nFeatures\t: fp asimd aes\n");
	for (const char *key : { "cpu", "cpu_signature", "microcode", "hypervisor" })
		CHECK(cpu[key] == "unknown");
}
