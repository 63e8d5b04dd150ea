/* SPDX-License-Identifier: BSD-2-Clause */
/* An event as the public functions take it. */
#ifndef CPRNG_API_EVENT_H
#define CPRNG_API_EVENT_H

#include <cprng/cprng.h>

#include "core/wipe.h"
#include "fortuna/harvest.h"

/* Check the arguments of an event, and copy it; the source was checked.  Returns 0 or the error.  Wipe it. */
static inline int cprng_event_make(struct cprng_event *event, unsigned int source, const void *buf, size_t len,
				   unsigned int entropy_bits)
{
	if (len > CPRNG_EVENT_MAX)
		return CPRNG_ERR_SIZE;
	if (entropy_bits > 8 * len || (buf == NULL && len != 0))
		return CPRNG_ERR_ARGUMENT;
	memset(event, 0, sizeof(*event));
	event->source = (uint8_t)source;
	event->len = (uint8_t)len;
	event->entropy_bits = (uint16_t)entropy_bits;
	if (len != 0)
		memcpy(event->payload, buf, len);
	return CPRNG_OK;
}

#endif
