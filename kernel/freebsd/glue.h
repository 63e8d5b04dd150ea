/* SPDX-License-Identifier: BSD-2-Clause */
/* The interface between the parts of the glue. */
#ifndef CPRNG_KERNEL_FREEBSD_GLUE_H
#define CPRNG_KERNEL_FREEBSD_GLUE_H

#include "core/port.h"
#include "engine/engine.h"

/*
 * Test all backends that this CPU can run of the cipher that
 * kern.random.use_chacha20_cipher selects, and return it.  It uses vector
 * instructions in threads, between fpu_kern_enter() and fpu_kern_leave().
 * Panics if a self-test fails.
 */
const struct cprng_engine *cprng_cipher_init(bool chacha);
extern const struct cprng_backend cprng_cipher;

#endif
