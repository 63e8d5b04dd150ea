/* SPDX-License-Identifier: BSD-2-Clause */
#include <cprng/cprng.h>

#include "api/event.h"
#include "api/sized.h"
#include "engine/engine.h"
#include "process/process.h"
#include "process/strong.h"

_Static_assert(CPRNG_SOURCE_APPLICATION >= CPRNG_SOURCES_OWN, "numbers of sources");

void cprng_strong(void *buf, size_t len)
{
	if (len != 0)
		cprng_strong_read(cprng_process(), (uint8_t *)buf, len);
}

int cprng_add_entropy(unsigned int source, const void *buf, size_t len, unsigned int entropy_bits)
{
	struct cprng_event event;
	int error;

	if (source >= CPRNG_APPLICATION_SOURCES)
		return CPRNG_ERR_SOURCE;
	error = cprng_event_make(&event, CPRNG_SOURCE_APPLICATION + source, buf, len, entropy_bits);
	if (error != CPRNG_OK || len == 0)
		return error;
	error = cprng_strong_add(cprng_process(), &event) == CPRNG_FORTUNA_OK ? CPRNG_OK : CPRNG_ERR_FULL;
	cprng_wipe(&event, sizeof(event));
	cprng_clear_registers();
	return error;
}

void cprng_strong_set_locked_reads(int on)
{
	cprng_strong_set_locked(cprng_process(), on != 0);
}

void cprng_get_strong_info(struct cprng_strong_info *info, size_t size)
{
	struct cprng_process *p;
	struct cprng_strong_info known;
	uint8_t probe[1];

	if (info == NULL)
		return;
	p = cprng_process();
	cprng_strong_read(p, probe, sizeof(probe));
	cprng_strong_describe(p, &known);
	cprng_copy_sized(info, size, &known, sizeof(known));
}
