// SPDX-License-Identifier: BSD-2-Clause
// Real seccomp filters, for scenarios: a process that installs a filter keeps it until its end.
#ifndef CPRNG_TESTS_FILTERS_HPP
#define CPRNG_TESTS_FILTERS_HPP

#include <vector>

namespace filters {

// Makes one call return `error`; all others are allowed.
void refuse(unsigned int number, unsigned int error);

// The same, if its first argument has this value.
void refuse_first(unsigned int number, unsigned int first, unsigned int error);

// Makes one call raise SIGSYS; all others are allowed.
void trap(unsigned int number);

// These calls are allowed; all others get `action` (SECCOMP_RET_...).
void allow_only(const std::vector<long> &numbers, unsigned int action);

constexpr int reported = 78; // exit status of report_others()

// These calls are allowed; any other call ends the process with a line that reports the call's number.
void report_others(const std::vector<long> &numbers);

// Kills the process for one call with any of these bits set in its third argument.
void no_flags(unsigned int number);

} // namespace filters

#endif
