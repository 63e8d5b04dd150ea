// SPDX-License-Identifier: BSD-2-Clause
// Compiled for each program: OWN_MODULE and LINKED_MODULE are defined if the program itself, or a linked shared
// library, uses the library.
#include "modules.hpp"

std::vector<const Module *> modules::of_program()
{
	std::vector<const Module *> found;

#ifdef OWN_MODULE
	found.push_back(program_module());
#endif
#ifdef LINKED_MODULE
	found.push_back(linked_module());
#endif
	return found;
}
