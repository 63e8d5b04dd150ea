// SPDX-License-Identifier: BSD-2-Clause
// Prints the row's description and its draws.
#include <cstdio>

#include "../../../../lab/peers/contenders/contender.hpp"

int main()
{
	lab::contender_list all;
	lab::add_randp_library(all);
	const lab::contender_info &info = all.at(0);
	std::printf("%s|%d|%s|%s\n", info.name.c_str(), info.cryptographic, info.absent.c_str(), info.version.c_str());
	if (!info.absent.empty())
		return 0;
	const std::uint32_t bound = 7;
	for (const auto what :
	     { lab::work::bits8, lab::work::bits16, lab::work::bits32, lab::work::bits64, lab::work::below })
		std::printf("%llx\n",
			    static_cast<unsigned long long>(info.make()->number({ what, nullptr, 0, &bound, 1 })));
	unsigned char out[5] = {};
	info.make()->fill(out, 4);
	for (const unsigned char byte : out)
		std::printf("%02x", byte);
	std::printf("\n");
}
