// SPDX-License-Identifier: BSD-2-Clause
// Real seccomp filters, for scenarios: the process that installs one has it until its end.
#ifndef CPRNG_TESTS_FILTERS_HPP
#define CPRNG_TESTS_FILTERS_HPP

#include <vector>

namespace filters {

// One call gives `error`; all others are allowed.
void refuse(unsigned int number, unsigned int error);

// One call raises SIGSYS; all others are allowed.
void trap(unsigned int number);

// These are allowed; all others meet `action` (SECCOMP_RET_...).
void allow_only(const std::vector<long> &numbers, unsigned int action);

constexpr int reported = 78; // exit status of report_others()

// These are allowed; another one ends the process with a line that reports its number.
void report_others(const std::vector<long> &numbers);

// One call is killed for if any bit of its third argument is set.
void no_flags(unsigned int number);

} // namespace filters

#endif
