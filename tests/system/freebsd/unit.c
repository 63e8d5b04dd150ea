/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The kernel's side of FreeBSD's unit_test.c, which is not compiled like the kernel: its events have other types.
 */
#include "slot.h"

#include "unit.h"

void unit_process_event(uint64_t counter, const void *entropy, size_t size, unsigned int destination,
			unsigned int source)
{
	struct harvest_event event;

	memset(&event, 0, sizeof(event));
	event.he_somecounter = (uint32_t)counter;
	event.he_size = (uint8_t)MIN(size, sizeof(event.he_entropy));
	memcpy(event.he_entropy, entropy, event.he_size);
	event.he_destination = (uint8_t)destination;
	event.he_source = (uint8_t)source;
	p_random_alg_context->ra_event_processor(&event);
}

void unit_pre_read(void)
{
	p_random_alg_context->ra_pre_read();
}

void unit_read(uint8_t *buf, size_t len)
{
	p_random_alg_context->ra_read(buf, len);
}

bool unit_seeded(void)
{
	return p_random_alg_context->ra_seeded();
}
