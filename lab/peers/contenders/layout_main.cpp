// SPDX-License-Identifier: BSD-2-Clause
// A program with cprng-lab's contenders and generators at other addresses.  It serves a contender, as cprng-lab does when it runs
// itself again (../contenders/program.hpp), or times a generator (../../origins/cprng_fast/keys.hpp).
#include <cstdio>
#include <exception>
#include <string_view>

#include "../../origins/cprng_fast/keys.hpp"
#include "program.hpp"

int main(int argc, char **argv)
{
	try {
		if (lab::serve_keys(argc, argv))
			return 0;
	} catch (const std::exception &error) {
		std::fprintf(stderr, "%s: %s\n", argv[0], error.what());
		return 1;
	}
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
