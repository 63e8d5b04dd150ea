// SPDX-License-Identifier: BSD-2-Clause
#include "sodium.hpp"

void lab::add_sodium(contender_list &all)
{
	constexpr const char *name = "libsodium",
			     *description = "randombytes_random, _buf, _uniform; the kernel's by default";
#ifdef LAB_SODIUM
	add_contender<sodium>(all, name, description, true, sodium_version_string());
#else
	add_absent(all, name, description, true, "libsodium was not found when the lab was built");
#endif
}
