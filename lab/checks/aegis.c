// SPDX-License-Identifier: BSD-2-Clause
// -DAEGIS(x)=aegis...##x: libaegis's keystream under one key, with a nonce per call.
#include <aegis.h>
#include <aegis128x4.h>
#include <aegis256x4.h>
#include <unistd.h>

#include "check.h"

static uint8_t key[AEGIS(_KEYBYTES)], nonce[AEGIS(_NPUBBYTES)];
static uint64_t calls_of_stream;

static void stream(unsigned char *to, size_t len)
{
	memcpy(nonce, &calls_of_stream, sizeof(calls_of_stream));
	calls_of_stream++;
	AEGIS(_stream)(to, len, nonce, key);
}

static uint32_t number(void)
{
	uint32_t value;
	stream((unsigned char *)&value, sizeof(value));
	return value;
}

int main(void)
{
	if (aegis_init() != 0 || getentropy(key, sizeof(key)) != 0)
		abort();
	MEASURE("bits32", USE(number()))
	MEASURE("fill256", stream(buffer, sizeof(buffer)); USE(&buffer))
	return 0;
}
