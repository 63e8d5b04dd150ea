// SPDX-License-Identifier: BSD-2-Clause
// The signal handler removes an interrupted command's temporary file.  The signal then takes its usual effect, so the
// parent sees that it killed the command.
#ifndef CPRNG_CLI_COMMON_INTERRUPT_HPP
#define CPRNG_CLI_COMMON_INTERRUPT_HPP

#include <signal.h>

// Blocks signals while it lives, so that the file and its remembered name change together.
class interrupt_guard {
public:
	interrupt_guard();
	~interrupt_guard();
	interrupt_guard(const interrupt_guard &) = delete;
	interrupt_guard &operator=(const interrupt_guard &) = delete;

private:
	sigset_t before_;
};

// Call both under a guard.  The directory stays open; name has at most NAME_MAX bytes.
void remember_temporary(int directory, const char *name) noexcept;
void forget_temporary() noexcept;

#endif
