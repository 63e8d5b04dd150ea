// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Loading: each part needs the parts before it.  No draws happen before all are initialised. */
#include <linux/init.h>
#include <linux/module.h>
#include <linux/random.h>

#include "kernel/linux/module.h"

/*
 * FreeBSD's first default, "due to the security sensitivity of random(4)" (docs/decisions/0019).
 * In both modes a piece is one step of the generator, and steps follow each other in the lock's
 * order; but a concurrent reader holds its piece's key outside the lock, where it may be preempted
 * for any time.
 */
static bool locked_reads = true;
module_param(locked_reads, bool, 0444);
MODULE_PARM_DESC(locked_reads,
		 "readers of Fortuna generate under its lock (sysctl kernel.cprng.locked_reads)");

static int __init cprng_init(void)
{
	int r;

	r = cprng_cipher_init();
	if (r != 0)
		return r;
	/*
	 * The kernel's generator provides the first seed, so no draw is unseeded.  Waits at most a
	 * second at boot.
	 */
	r = wait_for_random_bytes();
	if (r != 0)
		return r;
	r = cprng_fortuna_init(locked_reads);
	if (r != 0)
		return r;
	r = cprng_reseed_init();
	if (r != 0)
		goto no_reseed;
	r = cprng_sysctl_init();
	if (r != 0)
		goto no_sysctl;
	r = cprng_device_init();
	if (r != 0)
		goto no_device;
	cprng_debug_init();
	pr_info("cprng: loaded\n");
	return 0;
no_device:
	cprng_sysctl_exit();
no_sysctl:
	cprng_reseed_exit();
no_reseed:
	cprng_fortuna_exit();
	return r;
}
module_init(cprng_init);

/*
 * Users of exported functions and open files hold a module reference; the other entry points are
 * closed first.
 */
static void __exit cprng_exit(void)
{
	cprng_test_point(CPRNG_AT_EXIT);
	cprng_debug_exit();
	cprng_device_exit();
	cprng_sysctl_exit();
	cprng_reseed_exit();
	cprng_fortuna_exit();
}
module_exit(cprng_exit);

MODULE_DESCRIPTION("Cryptographic random numbers from per-CPU states and Fortuna");
MODULE_LICENSE("Dual BSD/GPL");
MODULE_VERSION("0.1.0");
