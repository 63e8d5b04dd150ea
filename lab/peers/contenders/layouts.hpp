// SPDX-License-Identifier: BSD-2-Clause
// Contenders in fresh processes of programs with different code addresses (lab/peers/contenders/layout_main.cpp).
#ifndef CPRNG_LAB_PEERS_CONTENDERS_LAYOUTS_HPP
#define CPRNG_LAB_PEERS_CONTENDERS_LAYOUTS_HPP

#include <string>
#include <vector>

#include "contender.hpp"

namespace lab {

struct layout {
	std::string name; // the padding before its code in bytes; "own" for a program with a single layout
	std::string program;
};

// The programs in lab-layouts/ beside this one, by padding; only this program if there are none.
const std::vector<layout> &layouts();

// Each make() starts a new process of that layout.  A contender in another language always runs its own program.
contender_info in_layout(const contender_info &info, const layout &where);

// Whether it has a single layout of its own.
bool has_own_layout(const contender_info &info);

} // namespace lab

#endif
