// SPDX-License-Identifier: BSD-2-Clause
// All kinds of children, and their work.
#ifndef CPRNG_SOAK_CHILDREN_HPP
#define CPRNG_SOAK_CHILDREN_HPP

#include "actor.hpp"

#include <string>

#include <sys/types.h>

namespace soak {

// A thread that forks until the round is over.
void fork_on(Actor *actor);

// fork without the C library; returns as fork does.
pid_t fork_raw();

[[noreturn]] void end_of_child(Actor *actor, int status);

// Waits for the children forked by its handlers.
void await_children(Actor *actor);

// The program's work when a child has started it.
extern const char program_argument[];
int run_as_program(int argc, char **argv);

// The end of the first child that failed; empty if none did.
std::string bad_end();

} // namespace soak

#endif
