/* SPDX-License-Identifier: BSD-2-Clause */
/* The interface between the parts of the glue. */
#ifndef CPRNG_KERNEL_FREEBSD_GLUE_H
#define CPRNG_KERNEL_FREEBSD_GLUE_H

#include "core/port.h"
#include "engine/engine.h"

/*
 * The cipher of kern.random.use_chacha20_cipher, after the self-tests of all its backends that this CPU can run: by vector
 * instructions in threads, between fpu_kern_enter() and fpu_kern_leave().  Panics when a self-test fails.
 */
const struct cprng_engine *cprng_cipher_init(bool chacha);
extern const struct cprng_backend cprng_cipher;

#endif
