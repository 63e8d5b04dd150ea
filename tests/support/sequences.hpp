// SPDX-License-Identifier: BSD-2-Clause
// Restartable sequences from a signal handler's point of view.
#ifndef CPRNG_TESTS_SEQUENCES_HPP
#define CPRNG_TESTS_SEQUENCES_HPP

namespace sequences {

// Whether the signal interrupted a sequence.  The kernel moves the program counter of an interrupted sequence to the abort
// address before it creates the signal's frame, and that address follows the signature registered by the C library.
// context: the handler's third argument.
bool was_cut(const void *context);

} // namespace sequences

#endif
