// SPDX-License-Identifier: BSD-2-Clause
#include "design.hpp"

void lab::add_randp(contender_list &all)
{
	constexpr const char *name = "randp-design",
			     *description =
				     "randp's design, rebuilt with its defaults (3 rounds of AES): no CSPRNG, it says";
#ifdef LAB_HAS_AES
	if (randp::available())
		add_contender<randp>(all, name, description, false);
	else
		add_absent(all, name, description, false, "the CPU has no instructions for AES");
#else
	add_absent(all, name, description, false, "no instructions for AES are known on this architecture");
#endif
}
