/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Included before FreeBSD's unit_test.c: a random_alg_context that calls the kernel's (unit.c).  The test still calls ra_init_alg
 * and ra_deinit_alg, which only 12.x has: SYSINIT() has done the work of the first before main().
 */
#ifndef FREEBSD_UNIT_H
#define FREEBSD_UNIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

void unit_process_event(uint64_t counter, const void *entropy, size_t size, unsigned int destination,
			unsigned int source);
void unit_pre_read(void);
void unit_read(uint8_t *buf, size_t len);
bool unit_seeded(void);

#ifndef _KERNEL
#include <sys/types.h>

#include <dev/random/randomdev.h>
#include <dev/random/unit_test.h>

static void unit_event(struct harvest_event *e)
{
	unit_process_event(e->he_somecounter, e->he_entropy, e->he_size, e->he_destination, e->he_source);
}

static void unit_nothing(void *argument)
{
	(void)argument;
}

static const struct {
	void (*ra_init_alg)(void *argument), (*ra_deinit_alg)(void *argument), (*ra_pre_read)(void);
	void (*ra_read)(uint8_t *buf, size_t len), (*ra_event_processor)(struct harvest_event *e);
	bool (*ra_seeded)(void);
} unit_context = { unit_nothing, unit_nothing, unit_pre_read, unit_read, unit_event, unit_seeded };

#define random_alg_context unit_context
#endif

#endif
