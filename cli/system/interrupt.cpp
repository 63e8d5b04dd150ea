// SPDX-License-Identifier: BSD-2-Clause
#include "system/interrupt.hpp"

#include <algorithm>
#include <climits>
#include <cstring>
#include <iterator>

#include <fcntl.h>
#include <unistd.h>

namespace {

// Static memory, because the signal handler reads it.
// The temporary file's directory, or -1.
int remembered = -1;
char temporary[NAME_MAX + 1];

// By default these do not end a process; SIGKILL and SIGSTOP cannot be handled.
constexpr int harmless[] = { SIGCHLD, SIGCONT, SIGTSTP, SIGTTIN, SIGTTOU, SIGURG, SIGWINCH };

extern "C" void end_by_signal(int signal_number)
{
	abandon_file();
	// SA_RESETHAND restored the default action; the signal takes effect when the handler returns.
	raise(signal_number);
}

void install_handlers() noexcept
{
	struct sigaction action = {};
	action.sa_handler = end_by_signal;
	action.sa_flags = static_cast<int>(SA_RESETHAND);
	sigfillset(&action.sa_mask);
	for (int number = 1; number <= SIGRTMAX; number++) {
		struct sigaction before;
		// nohup(1) and shells without job control ignore a signal on purpose; it stays ignored, as another handler stays.
		if (std::find(std::begin(harmless), std::end(harmless), number) == std::end(harmless) &&
		    sigaction(number, nullptr, &before) == 0 && before.sa_handler == SIG_DFL)
			sigaction(number, &action, nullptr);
	}
}

} // namespace

interrupt_guard::interrupt_guard()
{
	sigset_t all;
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &before_);
}

interrupt_guard::~interrupt_guard()
{
	sigprocmask(SIG_SETMASK, &before_, nullptr);
}

void remember_temporary(int directory, const char *name) noexcept
{
	remembered = directory;
	std::strncpy(temporary, name, sizeof(temporary) - 1);
	install_handlers();
}

void abandon_file() noexcept
{
	if (remembered < 0)
		return;
	unlinkat(remembered, temporary, 0);
	remembered = -1;
}

void forget_file() noexcept
{
	remembered = -1;
}
