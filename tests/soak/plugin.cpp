// SPDX-License-Identifier: BSD-2-Clause
// A shared object that inlines draws, to be loaded and unloaded.  It uses nothing from the C++ library, some of whose symbols
// would keep the object loaded.
#include <cprng/cprng.h>

#include <string.h>

extern "C" __attribute__((visibility("default"))) void soak_plugin_draw(unsigned int bytes, unsigned char *low);

// One draw of 4, 8 or 16 bytes.
void soak_plugin_draw(unsigned int bytes, unsigned char *low)
{
	if (bytes == 4) {
		const uint32_t v = cprng_fast32();
		memcpy(low, &v, sizeof(v));
	} else if (bytes == 8) {
		const uint64_t v = cprng_fast64();
		memcpy(low, &v, sizeof(v));
	} else {
		cprng_fast(low, bytes);
	}
}
