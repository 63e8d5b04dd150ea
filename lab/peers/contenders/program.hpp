// SPDX-License-Identifier: BSD-2-Clause
// A contender in its own program, which times its own loops.  This is for other languages, whose runtime would disturb
// the process that measures the others and for which a call from C costs more than a draw; and for this program run
// again, if the contender would change the whole process.
//
// The program's arguments are `serve NAME`, or `first-byte NAME`, which draws a byte and prints the nanoseconds taken.
// `serve` answers requests on standard input, one per line, until its end:
//
//     loop COUNT WHAT LENGTH BOUNDS              COUNT calls in the main thread: their number, and its CPU seconds
//     threads THREADS SECONDS WHAT LENGTH BOUNDS calls for so long in so many threads: calls in all, wall-clock seconds
//     bytes LENGTH                               what one call of `fill` makes, in a buffer of zeros: in hexadecimal
//     number WHAT BOUND                          one number
//
// WHAT is 8, 16, 32, 64, below, fill or fixed; LENGTH is a fill's, and one of fixed_lengths where it is fixed; BOUNDS are
// those of `below`, separated by commas, and their number is a power of two.
#ifndef CPRNG_LAB_PEERS_CONTENDERS_PROGRAM_HPP
#define CPRNG_LAB_PEERS_CONTENDERS_PROGRAM_HPP

#include "contender.hpp"

namespace lab {

// Sets `make` of a contender whose `program` and `there` are set.
void run_in_program(contender_info &info);

// Answers on standard output.
void serve(contender &source, const std::function<std::unique_ptr<contender>()> &make);

} // namespace lab

#endif
