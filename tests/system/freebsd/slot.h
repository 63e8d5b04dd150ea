/* SPDX-License-Identifier: BSD-2-Clause */
/* Shared by the programs: the kernel's side of random_alg_context. */
#ifndef FREEBSD_SLOT_H
#define FREEBSD_SLOT_H

#include "as_kernel.h"

#include <stdlib.h>
#include <time.h>

#include <sys/random.h>

#include <dev/random/randomdev.h>
#include <dev/random/random_harvestq.h>

#define demand(condition) \
	do { \
		if (!(condition)) { \
			fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
			exit(1); \
		} \
	} while (0)

/* An event of 12 bytes, as the kernel's harvest queue makes them. */
static inline void deliver(unsigned int source, unsigned int destination)
{
	static uint32_t count;
	struct harvest_event event;

	memset(&event, 0, sizeof(event));
	event.he_somecounter = __atomic_fetch_add(&count, 1, __ATOMIC_RELAXED);
	event.he_size = sizeof(event.he_entropy);
	event.he_destination = (uint8_t)destination;
	event.he_source = (uint8_t)source;
	p_random_alg_context->ra_event_processor(&event);
}

/* Like randomdev.c's read_random_uio(), which generates at most 16 MiB at once. */
static inline void read_random_uio_of(uint8_t *buf, size_t len)
{
	const size_t most = 16 << 20;

	p_random_alg_context->ra_pre_read();
	demand(p_random_alg_context->ra_seeded());
	for (size_t n; len != 0; buf += n, len -= n) {
		n = MIN(len, most);
		p_random_alg_context->ra_read(buf, n);
	}
}

static inline double seconds(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static inline void pause_us(long us)
{
	const struct timespec pause = { us / 1000000, us % 1000000 * 1000 };

	nanosleep(&pause, NULL);
}

#endif
