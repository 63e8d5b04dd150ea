/* SPDX-License-Identifier: BSD-2-Clause */
/* Calls of the addon that WebAssembly does without: draws, and functions for the whole process. */
#include "addon.h"

#include <stdio.h>

static int fill(union value *v)
{
	addon_notice_generation();
	cprng_fast(v[0].p, v[1].u);
	return CPRNG_OK;
}

static int strong(union value *v)
{
	addon_notice_generation();
	cprng_strong(v[0].p, v[1].u);
	return CPRNG_OK;
}

/* A UUID as text, which lies in the values behind it: these are erased. */
static int uuid_text(union value *v, int error)
{
	_Static_assert((MOST_VALUES - 3) * sizeof(*v) >= 37, "the text and its NUL");
	cprng_uuid_text((char *)(v + 3), (uint8_t *)(v + 1));
	v[0].text = (char *)(v + 3);
	return error;
}

/* uuid(), uuid7(): a UUID of version 4 or 7 (RFC 9562). */
static int uuid(union value *v)
{
	addon_notice_generation();
	cprng_uuid4((uint8_t *)(v + 1));
	return uuid_text(v, CPRNG_OK);
}

static int uuid7(union value *v)
{
	addon_notice_generation();
	return uuid_text(v, cprng_uuid7((uint8_t *)(v + 1)));
}

static int shuffle(union value *v)
{
	const size_t size = cprng_node_element_size(v[2].u);

	addon_notice_generation();
	cprng_shuffle(v[0].p, v[1].u / size, size);
	return CPRNG_OK;
}

static int shuffle_stream(union value *v)
{
	const size_t size = cprng_node_element_size(v[3].u);

	return cprng_stream_try_shuffle(v[0].s, v[1].p, v[2].u / size, size);
}

static int invalidate(union value *v)
{
	(void)v;
	cprng_invalidate();
	addon_notice_generation();
	return CPRNG_OK;
}

static int reseed(union value *v)
{
	const int error = cprng_reseed();

	(void)v;
	if (error == CPRNG_OK)
		addon_notice_generation();
	return error;
}

static int version(union value *v)
{
	v[0].text = cprng_version();
	return CPRNG_OK;
}

/* Texts that JavaScript splits. */
static _Thread_local char lines[512];

static int info(union value *v)
{
	struct cprng_info about;

	cprng_get_info(&about, sizeof(about));
	snprintf(lines, sizeof(lines), "%s\n%s\n%s\n%s\n%s\n%s\n%s", about.engine, about.backend, about.placement,
		 about.entropy, about.fork_guard, about.memory_lock, addon_block_lock());
	v[0].text = lines;
	return CPRNG_OK;
}

/* The stream's buffer, its size, and the halves of `next` in units of 4 bytes, which are equal if it has 32 bits. */
static int layout(union value *v)
{
	const size_t next = offsetof(cprng_stream, next) / 4, halves = sizeof(ptrdiff_t) / 4;
	const size_t low = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? halves - 1 : 0;

	snprintf(lines, sizeof(lines), "%zu\n%d\n%zu\n%zu", offsetof(cprng_stream, buffer), CPRNG_STREAM_BUFFER,
		 next + low, next + (halves - 1 - low));
	v[0].text = lines;
	return CPRNG_OK;
}

const struct call addon_draw_calls[] = {
	{ "fill", "p", 0, fill },
	{ "strong", "p", 0, strong },
	{ "refill", "xw", 'd', addon_refill },
	{ "uuid", "", 't', uuid },
	{ "uuid7", "", 't', uuid7 },
	{ "shuffle", "x", 0, shuffle },
	{ "streamShuffle", "sx", 0, shuffle_stream },
	{ "invalidate", "", 0, invalidate },
	{ "reseed", "", 0, reseed },
	{ "version", "", 't', version },
	{ "info", "", 't', info },
	{ "streamLayout", "", 't', layout },
	{ NULL, NULL, 0, NULL },
};
