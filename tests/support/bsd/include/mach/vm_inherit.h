/* SPDX-License-Identifier: BSD-2-Clause */
#include <pthread_np.h> /* macOS declares these functions in <pthread.h> */

#define VM_INHERIT_SHARE 0
#define VM_INHERIT_NONE 2
