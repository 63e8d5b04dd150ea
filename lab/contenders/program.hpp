// SPDX-License-Identifier: BSD-2-Clause
// A contender that runs in a program of its own, which times its own loops: another language's, whose runtime does not
// belong into the process that measures the others and for which a call from C costs more than a draw; or this program
// again, where what is measured would change the whole process.
//
// The program's arguments are `serve NAME` or `first-byte NAME`, which makes a byte and prints the nanoseconds that it
// took.  `serve` answers requests on standard input, one line each, until its end:
//
//     loop COUNT WHAT LENGTH BOUNDS              COUNT calls in the main thread: their number, and its CPU seconds
//     threads THREADS SECONDS WHAT LENGTH BOUNDS calls for so long in so many threads: calls in all, wall-clock seconds
//     bytes LENGTH                               what one call of `fill` makes, in a buffer of zeros: in hexadecimal
//     number WHAT BOUND                          one number
//
// WHAT is 8, 16, 32, 64, below or fill; LENGTH that of a fill; BOUNDS those of `below`, a power of two of them, with
// commas between them.
#ifndef CPRNG_LAB_CONTENDERS_PROGRAM_HPP
#define CPRNG_LAB_CONTENDERS_PROGRAM_HPP

#include "contender.hpp"

namespace lab {

// Fills in `make` of a contender whose `program` and `there` are known.
void run_in_program(contender_info &info);

// Answers on standard output.
void serve(contender &source, const std::function<std::unique_ptr<contender>()> &make);

} // namespace lab

#endif
