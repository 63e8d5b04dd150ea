/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The library as a device of wolfSSL's crypto callbacks (WOLF_CRYPTO_CB, enabled in Debian's package): it serves the
 * generators created for this device, and wolfSSL does everything else itself.
 *
 *     WC_RNG rng;
 *
 *     if (cprng_wolfssl_register() != 0 || wc_InitRng_ex(&rng, NULL, CPRNG_WOLFSSL_DEVICE) != 0)
 *             return 1;
 *     wolfSSL_CTX_SetDevId(ctx, CPRNG_WOLFSSL_DEVICE);
 */
#ifndef CPRNG_ADAPTERS_WOLFSSL_H
#define CPRNG_ADAPTERS_WOLFSSL_H

#include <wolfssl/options.h>

#include <wolfssl/wolfcrypt/cryptocb.h>
#include <wolfssl/wolfcrypt/error-crypt.h>
#include <wolfssl/wolfcrypt/random.h>

#include <cprng/cprng.h>

#ifndef WOLF_CRYPTO_CB
#error "this wolfSSL is built without crypto callbacks (WOLF_CRYPTO_CB)"
#endif

/* "CPRN": any number that no other device of the program uses. */
#ifndef CPRNG_WOLFSSL_DEVICE
#define CPRNG_WOLFSSL_DEVICE 0x4350524e
#endif

static inline int cprng_wolfssl_callback(int device, wc_CryptoInfo *info, void *context)
{
	(void)device;
	(void)context;
	switch (info->algo_type) {
	case WC_ALGO_TYPE_RNG:
		cprng_fast(info->rng.out, info->rng.sz);
		return 0;
	case WC_ALGO_TYPE_SEED:
		cprng_strong(info->seed.seed, info->seed.sz);
		return 0;
	default:
		return CRYPTOCB_UNAVAILABLE;
	}
}

/* Call it once, after wolfCrypt_Init() or wolfSSL_Init().  Returns 0, or wolfSSL's error: too many devices. */
static inline int cprng_wolfssl_register(void)
{
	return wc_CryptoCb_RegisterDevice(CPRNG_WOLFSSL_DEVICE, cprng_wolfssl_callback, NULL);
}

#endif
