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

/* randomdev.c. */
#if __FreeBSD_version < 1300000
struct random_algorithm *p_random_alg_context = &random_alg_context;

static void start_algorithm(void *unused)
{
	p_random_alg_context->ra_init_alg(unused);
}
SYSINIT(random_device, SI_SUB_RANDOM, SI_ORDER_THIRD, start_algorithm, NULL);
#elif defined(RANDOM_LOADABLE)
const struct random_algorithm *p_random_alg_context;
#endif

/* random_harvestq.c, with a test that the program chooses. */
static bool (*health_test)(const struct harvest_event *event) __attribute__((unused));
#ifdef FREEBSD_HEALTH_TEST
bool random_harvest_healthtest(const struct harvest_event *event)
{
	return health_test == NULL || health_test(event);
}
#endif

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

/* In 12.x only a read reseeds, and the first one must before this is true. */
static inline bool is_seeded(void)
{
	if (__FreeBSD_version < 1300000)
		p_random_alg_context->ra_pre_read();
	return p_random_alg_context->ra_seeded();
}

/*
 * Like randomdev.c's read_random_uio(), which generates at most 16 MiB at once; in 12.x a page at once, and whole blocks of 16
 * bytes, into a buffer.
 */
static inline void read_random_uio_of(uint8_t *buf, size_t len)
{
	const bool is_12 = __FreeBSD_version < 1300000;
	const size_t most = is_12 ? PAGE_SIZE : 16 << 20;
	uint8_t page[PAGE_SIZE];

	p_random_alg_context->ra_pre_read();
	demand(p_random_alg_context->ra_seeded());
	for (size_t n; len != 0; buf += n, len -= n) {
		n = MIN(len, most);
		p_random_alg_context->ra_read(is_12 ? page : buf, is_12 ? howmany(n, 16) * 16 : n);
		if (is_12)
			memcpy(buf, page, n);
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
