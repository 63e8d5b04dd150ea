/* SPDX-License-Identifier: BSD-2-Clause */
/* A program against the installed library: exit status 0 on success. */
#include <cprng/cprng.h>

#include <stdio.h>
#include <string.h>

uint32_t other_draw(void); /* other.c: the inlined draws in a second object */

int main(void)
{
	/* RFC 8439 A.1, test vector 1: key, nonce and counter of zeros */
	static const unsigned char expected[8] = { 0x76, 0xb8, 0xe0, 0xad, 0xa0, 0xf1, 0x3d, 0x90 };
	static const unsigned char key[32];
	unsigned char a[32], b[32], bytes[8];
	cprng_stream stream;

	cprng_fast(a, sizeof(a));
	cprng_fast(b, sizeof(b));
	if (memcmp(a, b, sizeof(a)) == 0 || cprng_fast64() == cprng_fast64() || cprng_uniform32(1) != 0 ||
	    cprng_double() >= 1.0 || (other_draw() == other_draw() && other_draw() == other_draw())) {
		fprintf(stderr, "not random\n");
		return 1;
	}
	if (cprng_stream_init(&stream, "chacha20", key, sizeof(key), NULL, 0) != 0 ||
	    cprng_stream_read(&stream, bytes, sizeof(bytes)) != 0 || memcmp(bytes, expected, sizeof(bytes)) != 0) {
		fprintf(stderr, "not ChaCha20\n");
		return 1;
	}
	cprng_stream_wipe(&stream);
	return strncmp(cprng_version(), "0.", 2) != 0;
}
