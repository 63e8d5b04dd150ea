// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * kernel.cprng.arandom, after NetBSD's kern.arandom: each read at position 0 returns up to 256
 * fresh bytes, as hexadecimal digits and a newline, since `sysctl -a` prints values to terminals.
 * A read at a later position returns the end of file, so that programs which read until then stop.
 *
 * kernel.cprng.locked_reads: 1: Fortuna's readers generate under its lock; 0: concurrently.
 */
#include <linux/sysctl.h>

#include "core/wipe.h"
#include "kernel/linux/compat.h"
#include "kernel/linux/module.h"

enum { ARANDOM_MAX = 256 };

static int read_arandom(CPRNG_SYSCTL_CONST struct ctl_table *table, int write, void *buffer,
			size_t *len, loff_t *pos)
{
	u8 bytes[ARANDOM_MAX];
	char *const text = buffer;
	size_t i, digits;

	if (write)
		return -EPERM;
	if (*pos != 0) {
		*len = 0;
		return 0;
	}
	digits = min_t(size_t, *len, 2 * ARANDOM_MAX);
	cprng_fast(bytes, DIV_ROUND_UP(digits, 2));
	for (i = 0; i < digits; i++)
		text[i] = i % 2 == 0 ? hex_asc_hi(bytes[i / 2]) : hex_asc_lo(bytes[i / 2]);
	cprng_wipe(bytes, sizeof(bytes));
	if (*len > digits)
		text[digits++] = '\n';
	*len = digits;
	*pos += digits;
	return 0;
}

/* Not const: one pointer is set at load. */
static struct ctl_table table[] __ro_after_init = {
	{
		.procname = "arandom",
		.mode = 0444,
		.proc_handler = read_arandom,
	},
	{
		.procname = "locked_reads",
		.maxlen = sizeof(u32),
		.mode = 0644,
		.proc_handler = proc_douintvec_minmax,
		.extra1 = SYSCTL_ZERO,
		.extra2 = SYSCTL_ONE,
	},
	{},
};

static struct ctl_table_header *header __ro_after_init;

int __init cprng_sysctl_init(void)
{
	table[1].data = cprng_fortuna_locked_reads();
	header = cprng_register_sysctl("kernel/cprng", table);
	return header ? 0 : -ENOMEM;
}

/* Waits for active handlers. */
void cprng_sysctl_exit(void)
{
	unregister_sysctl_table(header);
}
