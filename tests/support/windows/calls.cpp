// SPDX-License-Identifier: BSD-2-Clause
// The program is linked with --wrap for this.
#include "support.hpp"

extern "C" const struct cprng_windows_calls *__wrap_cprng_windows_calls(void);

const struct cprng_windows_calls *__wrap_cprng_windows_calls(void)
{
	return windows::instead != nullptr ? windows::instead : __real_cprng_windows_calls();
}
