// SPDX-License-Identifier: BSD-2-Clause
#ifndef CPRNG_CLI_SHELL_COMMAND_HPP
#define CPRNG_CLI_SHELL_COMMAND_HPP

// The command with these arguments; returns its exit status.
int run_command(int argc, char **argv);

#endif
