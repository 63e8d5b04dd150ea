// SPDX-License-Identifier: BSD-2-Clause
#include "kernel.hpp"

#include "../support/internals.hpp"
#include "../support/replace.hpp"
#include "../support/steps.hpp"

#include "core/sha256.h"
#include "os/linux/announcements.h"

#include <cerrno>
#include <cstddef>
#include <cstdint>

#include <sys/mman.h>
#include <unistd.h>

bool kernel::madvise_refused;
long kernel::cpu_mask_size = 8;
pid_t kernel::process_id = 1000;
std::uint32_t kernel::seconds = 1000;
bool kernel::hashes_in_one_step;

namespace {

template <typename Function, typename... Arguments> void hash(Function f, Arguments... arguments)
{
	if (kernel::hashes_in_one_step)
		steps::skip(f, arguments...);
	else
		f(arguments...);
}

// Missing in the headers of older C libraries.
constexpr int map_droppable = 8;

// Memory that a fork wipes: the library's pages, and the vDSO generator's states.
struct Region {
	void *p;
	std::size_t len;
	bool library; // false: the vDSO's
};
Region regions[8];
std::size_t region_count;

void note(void *p, std::size_t len, bool library)
{
	for (std::size_t i = 0; i < region_count; i++) {
		if (regions[i].p == p)
			return;
	}
	if (region_count < sizeof(regions) / sizeof(regions[0]))
		regions[region_count++] = { p, len, library };
}

void advise(int advice)
{
	for (std::size_t i = 0; i < region_count; i++)
		(void)madvise(regions[i].p, regions[i].len, advice);
}

} // namespace

pid_t kernel::copy_process()
{
	advise(MADV_KEEPONFORK);
	const pid_t pid = kernel::fork_alone();
	advise(MADV_WIPEONFORK);
	return pid;
}

const void *kernel::wiped_page(std::size_t n)
{
	for (std::size_t i = 0; i < region_count; i++) {
		if (regions[i].library && n-- == 0)
			return regions[i].p;
	}
	return nullptr;
}

// The same bytes for all copies, so that a key that two copies use gives the same output and is noticed.
REPLACE(std::uint64_t, cprng_copy_number, (void))
{
	return 0;
}

REPLACE(long, cprng_sys_madvise, (void *p, std::size_t len, int advice))
{
	if (kernel::madvise_refused)
		return -EINVAL;
	const long r = __real_cprng_sys_madvise(p, len, advice);
	if (r == 0 && advice == MADV_WIPEONFORK)
		note(p, len, cprng_the_process == nullptr); // later: an object
	return r;
}

// The vDSO generator's states are in droppable pages, which cannot be kept on a fork.  Plain pages, which a fork also wipes,
// replace them.
REPLACE(long, cprng_sys_mmap, (std::size_t len, int prot, int extra_flags))
{
	if ((extra_flags & MAP_TYPE) != map_droppable)
		return __real_cprng_sys_mmap(len, prot, extra_flags);
	const long r = __real_cprng_sys_mmap(len, prot, (extra_flags & ~MAP_TYPE) | MAP_PRIVATE);
	if (r < 0 && r > -4096)
		return r;
	if (madvise(reinterpret_cast<void *>(r), len, MADV_WIPEONFORK) == 0)
		note(reinterpret_cast<void *>(r), len, false);
	return r;
}

// The loser of two concurrent first draws frees its pages; then they need not be copied.
REPLACE(long, cprng_sys_munmap, (void *p, std::size_t len))
{
	const char *begin = static_cast<const char *>(p);
	std::size_t kept = 0;

	for (std::size_t i = 0; i < region_count; i++) {
		const char *region = static_cast<const char *>(regions[i].p);
		if (region < begin || region >= begin + len)
			regions[kept++] = regions[i];
	}
	region_count = kept;
	return munmap(p, len) == 0 ? 0 : -errno;
}

REPLACE(long, cprng_sys_cpu_mask_size, (void))
{
	return kernel::cpu_mask_size;
}

REPLACE(long, cprng_os_process_id, (void))
{
	return kernel::process_id;
}

// Time stands still: a step takes thousands of times as long as its instruction, and must not change what is due.
REPLACE(std::uint64_t, cprng_os_nanoseconds, (void))
{
	return kernel::seconds * UINT64_C(1000000000);
}

REPLACE(std::uint32_t, cprng_os_seconds, (void))
{
	return kernel::seconds;
}

REPLACE(void, cprng_announcements_find, (struct cprng_os_announcements * found))
{
	found->file_state = "none";
}

// Fix the inputs of keystream positions, so that two processes that use one key have the same output.
REPLACE(std::uint64_t, cprng_cpu_count, (std::uint32_t *period))
{
	*period = 1;
	return 1;
}

REPLACE(std::uint64_t, cprng_cpu_random_word, (void))
{
	return 1;
}

// Functions that depend only on their arguments.
REPLACE(void, cprng_sha256_update, (struct cprng_sha256 * h, const void *data, std::size_t len))
{
	hash(__real_cprng_sha256_update, h, data, len);
}

REPLACE(void, cprng_sha256_final, (struct cprng_sha256 * h, std::uint8_t *digest))
{
	hash(__real_cprng_sha256_final, h, digest);
}

REPLACE(void, cprng_sha256d_final, (struct cprng_sha256 * h, std::uint8_t *digest))
{
	hash(__real_cprng_sha256d_final, h, digest);
}
