// SPDX-License-Identifier: BSD-2-Clause
// The commands.  Each adds itself to the command line with its arguments and its help; its work throws failure or
// closed_pipe.  Everything typed is checked before the first byte of output.
#ifndef CPRNG_CLI_SHELL_COMMANDS_HPP
#define CPRNG_CLI_SHELL_COMMANDS_HPP

#include "shell/command_line.hpp"

void add_bytes(command_line &line);
void add_encodings(command_line &line);
void add_stream(command_line &line);

void add_unsigned(command_line &line);
void add_int(command_line &line);
void add_float(command_line &line);
void add_normal(command_line &line);
void add_exponential(command_line &line);
void add_dice(command_line &line);

void add_uuid(command_line &line);
void add_password(command_line &line);
void add_phrase(command_line &line);

void add_shuffle(command_line &line);
void add_pick(command_line &line);

void add_seed_file(command_line &line);
void add_invalidate(command_line &line);
void add_info(command_line &line);
void add_selftest(command_line &line);
void add_run(command_line &line);
void add_completion(command_line &line);
void add_help(command_line &line);

#endif
