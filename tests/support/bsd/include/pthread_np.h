/* SPDX-License-Identifier: BSD-2-Clause */

/* pthread_main_np(3). */
int pthread_main_np(void);
