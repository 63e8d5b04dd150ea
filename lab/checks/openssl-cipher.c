// SPDX-License-Identifier: BSD-2-Clause
// -DCIPHER=EVP_...: a cipher under one key, with a call for each number.  -DPOOL: with a pool.
#include <openssl/evp.h>
#include <openssl/rand.h>

#include "check.h"

static EVP_CIPHER_CTX *context;
static unsigned char zeros[4096], pool[4096];
static size_t used = sizeof(pool);

static void encrypt(unsigned char *to, size_t len)
{
	int written;
	if (EVP_EncryptUpdate(context, to, &written, zeros, (int)len) != 1)
		abort();
}

static void draw(void *to, size_t len)
{
#ifdef POOL
	if (used + len > sizeof(pool)) {
		encrypt(pool, sizeof(pool));
		used = 0;
	}
	memcpy(to, pool + used, len);
	used += len;
#else
	encrypt(to, len);
#endif
}

static uint32_t number(void)
{
	uint32_t value;
	draw(&value, sizeof(value));
	return value;
}

int main(void)
{
	unsigned char key[48];
	context = EVP_CIPHER_CTX_new();
	if (RAND_bytes(key, sizeof(key)) != 1 || EVP_EncryptInit_ex(context, CIPHER(), NULL, key, key + 32) != 1)
		abort();
	MEASURE("bits32", USE(number()))
	MEASURE("fill256", draw(buffer, sizeof(buffer)); USE(&buffer))
	return used == 0;
}
