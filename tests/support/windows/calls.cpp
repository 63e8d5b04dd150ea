// SPDX-License-Identifier: BSD-2-Clause
#include "support.hpp"
#include "../replace.hpp"

REPLACE(const struct cprng_windows_calls *, cprng_windows_calls, (void))
{
	return windows::instead != nullptr ? windows::instead : __real_cprng_windows_calls();
}
