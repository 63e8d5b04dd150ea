// SPDX-License-Identifier: BSD-2-Clause
#include "common/interrupt.hpp"

#include <climits>
#include <cstring>

#include <fcntl.h>
#include <unistd.h>

namespace {

// Plain static memory: all that a handler may rely on.
int directory;
char temporary[NAME_MAX + 1];

// Ctrl-C and the like, kill(1), and a closed terminal.
constexpr int handled[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };

extern "C" void remove_temporary(int signal_number)
{
	if (temporary[0] != '\0')
		unlinkat(directory, temporary, 0);
	// SA_RESETHAND restored the default action; the signal takes effect when the handler returns.
	raise(signal_number);
}

void install_handlers() noexcept
{
	struct sigaction action = {};
	action.sa_handler = remove_temporary;
	action.sa_flags = static_cast<int>(SA_RESETHAND);
	sigfillset(&action.sa_mask);
	for (int signal_number : handled) {
		struct sigaction before;
		// nohup(1) and shells without job control ignore a signal on purpose; it stays ignored.
		if (sigaction(signal_number, nullptr, &before) == 0 && before.sa_handler != SIG_IGN)
			sigaction(signal_number, &action, nullptr);
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

void remember_temporary(int parent, const char *name) noexcept
{
	directory = parent;
	std::strncpy(temporary, name, sizeof(temporary) - 1);
	install_handlers();
}

void forget_temporary() noexcept
{
	temporary[0] = '\0';
}
