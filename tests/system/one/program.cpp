// SPDX-License-Identifier: BSD-2-Clause
//
// The classes for C++17 from the same header.
#include "cprng.h"

#include <vector>

int main()
{
	std::vector<double> first(100), second(100);

	cprng::stream(42).fill_normal(first);
	cprng::stream(42).fill_normal(second);
	return first == second && cprng::uniform(1) == 0 ? 0 : 1;
}
