// SPDX-License-Identifier: BSD-2-Clause
// All kinds of child processes, and their work.
#ifndef CPRNG_SOAK_CHILDREN_HPP
#define CPRNG_SOAK_CHILDREN_HPP

#include "actor.hpp"

#include <string>

#include <sys/types.h>

namespace soak {

// A thread that forks until the round is over.
void fork_on(Actor *actor);

// Forks without the C library; returns as fork does.
pid_t fork_raw();

[[noreturn]] void end_of_child(Actor *actor, int status);

// Waits for the children forked by its handlers.
void await_children(Actor *actor);

// The work of the program when a child has started it.
extern const char program_argument[];
int run_as_program(int argc, char **argv);

// How the first failed child ended; empty if none failed.
std::string bad_end();

} // namespace soak

#endif
