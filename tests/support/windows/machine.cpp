// SPDX-License-Identifier: BSD-2-Clause
// The functions of machine.hpp that tests use on Windows.
#include "../machine.hpp"

bool machine::emulated()
{
	return false;
}
