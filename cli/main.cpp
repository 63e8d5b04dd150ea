// SPDX-License-Identifier: BSD-2-Clause
// cprng: random numbers from the command line.
#include "shell/command.hpp"

int main(int argc, char **argv)
{
	return run_command(argc, argv);
}
