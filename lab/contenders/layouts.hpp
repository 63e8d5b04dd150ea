// SPDX-License-Identifier: BSD-2-Clause
// Contenders in fresh processes of programs that differ in where their code lies (lab/layouts/).
#ifndef CPRNG_LAB_CONTENDERS_LAYOUTS_HPP
#define CPRNG_LAB_CONTENDERS_LAYOUTS_HPP

#include <string>
#include <vector>

#include "contender.hpp"

namespace lab {

struct layout {
	std::string name; // the bytes in front of its code; "own" of a program that has no other layout
	std::string program;
};

// The programs in lab-layouts/ beside this one, by their pads; this program alone where there are none.
const std::vector<layout> &layouts();

// Each make() of it is a new process of that program.  Of a contender in another language it is its own program, whichever
// layout is asked for.
contender_info in_layout(const contender_info &info, const layout &where);

// Has a layout of its own and no other.
bool has_own_layout(const contender_info &info);

} // namespace lab

#endif
