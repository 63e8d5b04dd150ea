/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * calls FUNCTION SIZE SECONDS: nanoseconds per call, the minimum of 16 parts of that time.  For lab/peers/dropins/measure.
 *
 * For OpenSSL's functions it prints two figures: for a library context without configuration, and for the default one,
 * whose configuration names the provider.  Their parts alternate.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/provider.h>
#include <openssl/rand.h>

void arc4random_buf(void *buf, size_t len);

static unsigned char buffer[1 << 20];
static size_t size;
static int device;

static int call_getrandom(void)
{
	return getrandom(buffer, size, 0) == (ssize_t)size;
}

static int call_getentropy(void)
{
	return getentropy(buffer, size) == 0;
}

static int call_arc4random_buf(void)
{
	arc4random_buf(buffer, size);
	return 1;
}

static int call_read(void)
{
	return read(device, buffer, size) == (ssize_t)size;
}

/* NULL is the default context.  RAND_bytes(buf, num) is RAND_bytes_ex(NULL, buf, num, 0). */
static OSSL_LIB_CTX *library;

static int call_rand_bytes(void)
{
	return RAND_bytes_ex(library, buffer, size, 0) == 1;
}

static int call_rand_priv_bytes(void)
{
	return RAND_priv_bytes_ex(library, buffer, size, 0) == 1;
}

static const struct {
	const char *name;
	int (*call)(void);
	int of_openssl;
} functions[] = {
	{ "getrandom", call_getrandom, 0 },           { "getentropy", call_getentropy, 0 },
	{ "arc4random_buf", call_arc4random_buf, 0 }, { "read", call_read, 0 },
	{ "RAND_bytes", call_rand_bytes, 1 },         { "RAND_priv_bytes", call_rand_priv_bytes, 1 },
};

static double now(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static double time_of(int (*call)(void), size_t calls)
{
	const double begin = now();

	for (size_t i = 0; i < calls; i++) {
		if (!call()) {
			perror("a call failed");
			exit(1);
		}
	}
	return now() - begin;
}

/* As many calls as fit into one part of the time. */
static size_t calls_of_part(int (*call)(void), double part)
{
	size_t calls = 1;

	while (time_of(call, calls) < part / 2)
		calls *= 2;
	return calls;
}

static const char *generator_of(OSSL_LIB_CTX *context)
{
	EVP_RAND_CTX *public = RAND_get0_public(context);

	return public != NULL ? EVP_RAND_get0_name(EVP_RAND_CTX_get0_rand(public)) : "none";
}

int main(int argc, char **argv)
{
	enum { PARTS = 16, MOST = 2 };
	OSSL_LIB_CTX *contexts[MOST] = { NULL, NULL };
	int (*call)(void) = NULL;
	double part, least[MOST] = { 1e9, 1e9 };
	size_t calls[MOST];
	int count = 1;

	for (size_t i = 0; argc == 4 && i < sizeof(functions) / sizeof(functions[0]); i++) {
		if (strcmp(argv[1], functions[i].name) == 0) {
			call = functions[i].call;
			count = functions[i].of_openssl ? 2 : 1;
		}
	}
	if (call == NULL)
		return 2;
	size = strtoul(argv[2], NULL, 10);
	part = strtod(argv[3], NULL) / PARTS;
	if (size > sizeof(buffer))
		return 2;
	device = open("/dev/urandom", O_RDONLY | O_CLOEXEC);
	if (count == 2) {
		contexts[0] = OSSL_LIB_CTX_new();
		if (contexts[0] == NULL || strcmp(generator_of(contexts[0]), "CTR-DRBG") != 0 ||
		    strcmp(generator_of(NULL), "CPRNG") != 0) {
			fprintf(stderr, "generators: %s, %s\n", generator_of(contexts[0]), generator_of(NULL));
			return 3;
		}
	}
	for (int which = 0; which < count; which++) {
		library = contexts[which];
		calls[which] = calls_of_part(call, part);
	}
	for (int i = 0; i < PARTS; i++) {
		for (int which = 0; which < count; which++) {
			double elapsed;

			library = contexts[which];
			elapsed = time_of(call, calls[which]) / (double)calls[which];
			least[which] = elapsed < least[which] ? elapsed : least[which];
		}
	}
	for (int which = 0; which < count; which++)
		printf("%.2f\n", least[which] * 1e9);
	return 0;
}
