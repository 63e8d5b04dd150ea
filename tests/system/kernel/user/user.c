/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* An external module; of cprng.ko it uses only the header and Module.symvers. */
#include <linux/init.h>
#include <linux/module.h>
#include <linux/version.h>

#include "kernel/linux/cprng.h"

static int __init user_init(void)
{
	u64 a, b;

	cprng_fast(&a, sizeof(a));
	cprng_strong(&b, sizeof(b));
	pr_info("user: %s, %u of 10\n", a != b ? "different" : "EQUAL", cprng_uniform32(10));
	return 0;
}
module_init(user_init);

static void __exit user_exit(void)
{
}
module_exit(user_exit);

MODULE_DESCRIPTION("Draws from cprng.ko");
MODULE_LICENSE("Dual BSD/GPL");
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 13, 0)
MODULE_IMPORT_NS(CPRNG);
#else
MODULE_IMPORT_NS("CPRNG");
#endif
