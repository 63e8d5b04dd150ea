// SPDX-License-Identifier: BSD-2-Clause
// Children of every kind, and what they do.
#ifndef CPRNG_SOAK_CHILDREN_HPP
#define CPRNG_SOAK_CHILDREN_HPP

#include "actor.hpp"

#include <string>

#include <sys/types.h>

namespace soak {

// A thread that forks until the round is over.
void fork_on(Actor *actor);

// fork without the C library: as fork returns.
pid_t fork_raw();

[[noreturn]] void end_of_child(Actor *actor, int status);

// Waits for the children that its handlers have forked.
void await_children(Actor *actor);

// What the program does when a child has started it.
extern const char program_argument[];
int run_as_program(int argc, char **argv);

// How the first child ended that did not end well; empty if all did.
std::string bad_end();

} // namespace soak

#endif
