// SPDX-License-Identifier: BSD-2-Clause
// Restartable sequences, as a signal handler sees them.
#ifndef CPRNG_TESTS_SEQUENCES_HPP
#define CPRNG_TESTS_SEQUENCES_HPP

namespace sequences {

// Was the interrupted code in one?  The kernel moves the program counter of a sequence that it cuts to the abort address
// before it makes the signal's frame, and that address follows the signature that the C library registered.  context: the
// handler's third argument.
bool was_cut(const void *context);

} // namespace sequences

#endif
