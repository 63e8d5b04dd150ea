// SPDX-License-Identifier: BSD-2-Clause
// The temporary file of an interrupted command is removed by the signal handler, and the signal then takes its usual
// effect: the parent sees that the command was killed by it.
#ifndef CPRNG_CLI_COMMON_INTERRUPT_HPP
#define CPRNG_CLI_COMMON_INTERRUPT_HPP

#include <signal.h>

// While one exists no signal is handled: file and note change together.
class interrupt_guard {
public:
	interrupt_guard();
	~interrupt_guard();
	interrupt_guard(const interrupt_guard &) = delete;
	interrupt_guard &operator=(const interrupt_guard &) = delete;

private:
	sigset_t before_;
};

// Both under a guard.  name is shorter than PATH_MAX.
void remember_temporary(const char *name) noexcept;
void forget_temporary() noexcept;

#endif
