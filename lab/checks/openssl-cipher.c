// SPDX-License-Identifier: BSD-2-Clause
// -DCIPHER=EVP_...: a cipher under one key, with a call per number; -DPOOL: numbers come from a pool.
#include <openssl/evp.h>
#include <openssl/rand.h>

#include "check.h"

struct generator {
	EVP_CIPHER_CTX *context;
	size_t used;
	unsigned char zeros[4096], pool[4096];
};

static void encrypt(struct generator *g, unsigned char *to, size_t len)
{
	int written;
	if (EVP_EncryptUpdate(g->context, to, &written, g->zeros, (int)len) != 1)
		abort();
}

static void draw(struct generator *g, void *to, size_t len)
{
#ifdef POOL
	if (g->used + len > sizeof(g->pool)) {
		encrypt(g, g->pool, sizeof(g->pool));
		g->used = 0;
	}
	memcpy(to, g->pool + g->used, len);
	g->used += len;
#else
	encrypt(g, to, len);
#endif
}

static uint32_t number(struct generator *g)
{
	uint32_t value;
	draw(g, &value, sizeof(value));
	return value;
}

int main(void)
{
	unsigned char key[48];
	struct generator *g = calloc(1, sizeof(*g));
	if (g == NULL)
		abort();
	g->used = sizeof(g->pool);
	g->context = EVP_CIPHER_CTX_new();
	if (RAND_bytes(key, sizeof(key)) != 1 || EVP_EncryptInit_ex(g->context, CIPHER(), NULL, key, key + 32) != 1)
		abort();
	MEASURE("bits32", USE(number(g)))
	MEASURE("fill256", draw(g, buffer, sizeof(buffer)); USE(&buffer))
	EVP_CIPHER_CTX_free(g->context);
	free(g);
	return 0;
}
