// SPDX-License-Identifier: BSD-2-Clause
// Of machine.hpp, what is asked on Windows.
#include "../machine.hpp"

bool machine::emulated()
{
	return false;
}
