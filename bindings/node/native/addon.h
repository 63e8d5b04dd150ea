/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The Node package's addon, which uses only Node-API.  lib/ checks arguments in JavaScript.  The addon checks an array's type,
 * length and address again when it writes, so that it never writes elsewhere.
 */
#ifndef CPRNG_NODE_ADDON_H
#define CPRNG_NODE_ADDON_H

/* In Node 12.22, 14.17, 16 and later.  It has BigInt. */
#define NAPI_VERSION 8
#include <node_api.h>

#include "calls.h"

/* block(): returns a Uint32Array over a page, or null if blocks are unavailable. */
napi_value addon_block(napi_env env, napi_callback_info info);
/* refill(words, kind): refill completely with words, standard normals or standard exponentials; returns how many. */
int addon_refill(union value *v);
/* Detect a clone.  If the library has dropped its buffers since the last call, make all environments refill their blocks. */
void addon_notice_generation(void);
/* "locked", "refused" or "none": the lock of this environment's blocks. */
const char *addon_block_lock(void);

#endif
