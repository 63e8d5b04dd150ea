/* SPDX-License-Identifier: BSD-2-Clause */
/* Replaces FreeBSD's file: only its tunable, which 12.x does not have. */
#include "as_kernel.h"

#if __FreeBSD_version >= 1300000
extern bool random_chachamode;
bool random_chachamode = true;
SYSCTL_BOOL(_kern_random, OID_AUTO, use_chacha20_cipher, CTLFLAG_RDTUN, &random_chachamode, 0, "");
#endif
