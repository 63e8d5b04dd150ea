// SPDX-License-Identifier: BSD-2-Clause
// Unix only.  The signal handler removes an interrupted command's temporary file.  The signal then takes its usual effect, so the
// parent sees that it killed the command.
#ifndef CPRNG_CLI_SYSTEM_INTERRUPT_HPP
#define CPRNG_CLI_SYSTEM_INTERRUPT_HPP

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

// Call these under a guard.  The directory stays open until one of the last two is called.
// name has at most NAME_MAX bytes.
void remember_temporary(int directory, const char *name) noexcept;
// Remove the temporary file, as after a signal.  Without a remembered file it does nothing.
void abandon_file() noexcept;
// The file is complete.
void forget_file() noexcept;

#endif
