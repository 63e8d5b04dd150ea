/* SPDX-License-Identifier: BSD-2-Clause */
/* Windows: random bytes, and the kernel's count of the reseeds of its generator. */
#ifdef _WIN32

#include "os/os.h"
#include "os/windows/calls.h"

#include <errno.h>

const char cprng_os_entropy_name[] = "ProcessPrng or RtlGenRandom";
const char cprng_os_no_entropy[] = "no random numbers from the system: ProcessPrng, RtlGenRandom";

/* RtlGenRandom takes a 32-bit length. */
#define ENTROPY_PIECE ((size_t)1 << 30)

/*
 * ProcessPrng runs a generator in this process's memory.  Windows seeds it from the kernel, and again whenever the kernel's own
 * generator is reseeded; no documented call returns bytes of the kernel itself (docs/systems.md).  A call that fails is an error:
 * RtlGenRandom is only for versions that lack ProcessPrng.
 */
long cprng_os_entropy(void *buf, size_t len)
{
	const struct cprng_windows_calls *const calls = cprng_windows_calls();
	const DWORD last_error = GetLastError();
	uint8_t *const bytes = buf;
	bool filled = true;

	if (calls->process_prng == NULL && calls->rtl_gen_random == NULL)
		return -ENOSYS;
	for (size_t at = 0, n; at < len && filled; at += n) {
		n = len - at < ENTROPY_PIECE ? len - at : ENTROPY_PIECE;
		filled = calls->process_prng != NULL ? calls->process_prng(bytes + at, n) != 0 :
						       calls->rtl_gen_random(bytes + at, (ULONG)n) != 0;
	}
	SetLastError(last_error);
	return filled ? 0 : -EIO;
}

/*
 * KUSER_SHARED_DATA.RNGSeedVersion (ntddk.h), in the page that Windows maps at one address into each process; the offset has been
 * the same since Windows 8.  It counts the reseeds of the kernel's generator: about one an hour, and one after a hypervisor has
 * announced a clone.  So the library also invalidates when there was no clone.  It is 0 in earlier versions and in wine.
 */
struct cprng_os_announcements {
	uint64_t seed_version;
};

#define SHARED_DATA UINT64_C(0x7ffe0000)
#define SEED_VERSION_OFFSET 0x250

const bool cprng_os_vm_shows_reseeds = true;

const struct cprng_os_announcements *cprng_os_find_announcements(void)
{
	const struct cprng_os_announcements *const page =
		(const struct cprng_os_announcements *)(uintptr_t)(SHARED_DATA + SEED_VERSION_OFFSET);

	return cprng_os_vm_generation(page) != 0 ? page : NULL;
}

uint64_t cprng_os_vm_generation(const struct cprng_os_announcements *a)
{
	return a == NULL ? 0 : __atomic_load_n(&a->seed_version, __ATOMIC_ACQUIRE);
}

bool cprng_os_vm_shows(const struct cprng_os_announcements *a, uint64_t generation)
{
	return cprng_os_vm_generation(a) == generation;
}

struct cprng_os_announced cprng_os_announced(void)
{
	return (struct cprng_os_announced){ cprng_os_find_announcements() != NULL ? "seed version" : "none", "",
					    "none" };
}

#endif
