// SPDX-License-Identifier: BSD-2-Clause
// Contenders that run this program again, because they would change the whole process.
#include <filesystem>
#include <fstream>

#include "program.hpp"
#include "sodium.hpp"

namespace lab {

namespace {

void add(contender_list &all, contender_info info)
{
	if (info.absent.empty()) {
		info.program.emplace_back("others-child");
		info.runs_again = true;
		run_in_program(info);
	}
	all.push_back(std::move(info));
}

std::string this_program()
{
	return std::filesystem::read_symlink("/proc/self/exe");
}

} // namespace

void add_newer_c_library(contender_list &all)
{
	contender_info info = {
		"arc4random-newer", "of a newer glibc, whose loader runs cprng-lab: as the row vdso", true, "", {}
	};
	const std::string directory = beside_this_program("newer-libc");
	std::getline(std::ifstream(directory + "/version"), info.version);
	if (info.version.empty())
		info.absent = "tools/newer-libc gets one: cmake -DCPRNG_LAB_DOWNLOAD=ON";
#ifndef LAB_ARC4RANDOM
	info.absent = "cprng-lab was built without arc4random";
#endif
	if (!info.version.empty())
		info.description = "glibc " + info.version +
				   ", whose loader runs cprng-lab: getrandom of the vDSO, as the row vdso";
	info.program = { directory + "/ld.so", "--library-path", directory, this_program() };
	info.there = "arc4random";
	add(all, std::move(info));
}

void add_sodium_internal(contender_list &all)
{
	contender_info info = {
		"libsodium-internal", "the same functions on randombytes_internal_implementation", true, "", {}
	};
	info.program = { "/proc/self/exe" };
	info.there = info.name;
#ifdef LAB_SODIUM
	info.version = sodium_version_string();
	info.make_there = [] { return std::make_unique<contender_of<sodium_internal>>(); };
#else
	info.absent = "libsodium was not found when the lab was built";
#endif
	add(all, std::move(info));
}

} // namespace lab
