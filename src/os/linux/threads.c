/* SPDX-License-Identifier: BSD-2-Clause */
#include "os/linux/sys.h"
#include "os/os.h"

bool cprng_os_is_first_thread(void)
{
	return cprng_sys_gettid() == cprng_os_process_id();
}

long cprng_os_get_exit_word(uint32_t **word)
{
	*word = NULL;
	return cprng_sys_tid_address(word);
}

long cprng_os_set_exit_word(uint32_t *word)
{
	return cprng_sys_set_tid_address(word);
}

/*
 * The kernel gives the size of its CPU masks, which covers all possible CPUs, holes and hot-plugged ones included, without
 * a look into /sys or /proc.
 */
uint32_t cprng_os_cpu_limit(void)
{
	const long size = cprng_sys_cpu_mask_size();

	return size <= 0 ? 0 : size > (long)(UINT32_MAX / 8) ? UINT32_MAX : (uint32_t)size * 8;
}
