// SPDX-License-Identifier: BSD-2-Clause
#include "c_library.hpp"

void lab::add_c_library(contender_list &all)
{
	constexpr const char *name = "arc4random", *description = "C library: arc4random, _buf, _uniform";
#ifdef LAB_ARC4RANDOM
	add_contender<c_library_arc4random>(all, name, description, true);
#else
	add_absent(all, name, description, true, "this C library has none (glibc 2.36)");
#endif
}
