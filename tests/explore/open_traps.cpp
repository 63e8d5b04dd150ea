// SPDX-License-Identifier: BSD-2-Clause
// Until the library leaves the synchronous signals open where it blocks signals: SIGTRAP is left open here, without which
// the kernel kills a process at the first step after the call.  To be deleted, with its --wrap, when the library does.
#include <csignal>
#include <cstdint>

#include <sys/syscall.h>
#include <unistd.h>

extern "C" void __wrap_cprng_sys_block_signals(std::uint64_t *saved);

void __wrap_cprng_sys_block_signals(std::uint64_t *saved)
{
	const std::uint64_t most = ~(UINT64_C(1) << (SIGTRAP - 1));

	(void)syscall(SYS_rt_sigprocmask, SIG_BLOCK, &most, saved, sizeof(most));
}
