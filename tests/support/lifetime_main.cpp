// SPDX-License-Identifier: BSD-2-Clause
#include "lifetime.hpp"

int main(int argc, char **argv)
{
	return lifetime::is_wanted(argc, argv) ? lifetime::main(argc, argv) : 2;
}
