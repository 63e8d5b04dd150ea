// SPDX-License-Identifier: BSD-2-Clause
#include "randp.hpp"

void lab::add_randp(contender_list &all)
{
	constexpr const char *name = "randp-design",
			     *description = "randp's design, rebuilt: a pool of 256 bytes a thread";
#ifdef LAB_AES_HERE
	add_if<randp>(all, randp::here(), name, description, "the CPU has no instructions for AES");
#else
	add_absent(all, name, description, true, "no instructions for AES are known on this architecture");
#endif
}
