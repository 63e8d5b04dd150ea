// SPDX-License-Identifier: BSD-2-Clause
#include "kernel.hpp"

void lab::add_kernel(contender_list &all)
{
	add_contender<kernel_entropy>(all, "getentropy", "C library, 256 bytes a call", true);
	add_contender<kernel_call>(all, "getrandom", "system call", true);
	add_if<kernel_vdso>(all, vdso_getrandom().here(), "vdso", "getrandom of the vDSO, called directly",
			    "the kernel's vDSO has no getrandom (Linux 6.11)");
}
