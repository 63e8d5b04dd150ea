// SPDX-License-Identifier: BSD-2-Clause
// A program with cprng-lab's contenders at other addresses.  It serves one of them, as cprng-lab does when it runs itself again
// (../contenders/program.hpp).
#include <cstdio>
#include <exception>
#include <string_view>

#include "program.hpp"

int main(int argc, char **argv)
{
	if (argc != 4 || argv[1] != std::string_view("others-child") || argv[2] != std::string_view("serve")) {
		std::fprintf(stderr, "usage: %s others-child serve NAME (cprng-lab runs it)\n", argv[0]);
		return 2;
	}
	try {
		const lab::contender_info &info = lab::find_contender(argv[3]);
		lab::serve(*info.made_there(), [&info] { return info.made_there(); });
		return 0;
	} catch (const std::exception &error) {
		std::fprintf(stderr, "%s: %s\n", argv[0], error.what());
		return 1;
	}
}
