// SPDX-License-Identifier: BSD-2-Clause
#include "faults.hpp"
#include "splitmix64.hpp"
#include "script.hpp"
#include "replace.hpp"

#include "engine/engine.h"
#include "numbers/numbers.h"
#include "os/linux/announcements.h"

#include <algorithm>
#include <cerrno>
#include <cstdint>

#include <linux/membarrier.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

Faults faults;
unsigned long announcement_searches;

REPLACE(std::uint32_t, cprng_os_seconds, (void))
{
	if (faults.clock == Faults::Clock::refused)
		return 0;
	if (script::hooks.nanoseconds != 0)
		return static_cast<std::uint32_t>(script::hooks.nanoseconds / UINT64_C(1000000000));
	const std::uint32_t now = faults.clock == Faults::Clock::stands ? 1000 : __real_cprng_os_seconds();
	return now + static_cast<std::uint32_t>(faults.seconds_ahead);
}

REPLACE(std::uint64_t, cprng_os_nanoseconds, (void))
{
	if (script::hooks.clock)
		script::hooks.clock();
	if (faults.clock == Faults::Clock::refused)
		return 0;
	if (script::hooks.nanoseconds != 0)
		return script::hooks.nanoseconds;
	const std::uint64_t now = faults.clock == Faults::Clock::stands ? UINT64_C(1000000000000) :
									  __real_cprng_os_nanoseconds();
	return now + faults.seconds_ahead * UINT64_C(1000000000);
}

REPLACE(cprng_vgetrandom, cprng_vdso_getrandom, (void))
{
	return faults.vdso != nullptr ? faults.vdso : __real_cprng_vdso_getrandom();
}

REPLACE(void, cprng_os_wait, (std::uint32_t *word, std::uint32_t value))
{
	if (faults.futex_wait != nullptr)
		faults.futex_wait(word);
	else
		__real_cprng_os_wait(word, value);
}

REPLACE(bool, cprng_engine_default, (const cprng_engine **engine, const cprng_backend **backend))
{
	return !faults.no_cipher && __real_cprng_engine_default(engine, backend);
}

REPLACE(const cprng_numbers_backend *, cprng_numbers_select, (void))
{
	return faults.no_arithmetic ? nullptr : __real_cprng_numbers_select();
}

REPLACE(std::uint64_t, cprng_cpu_count, (std::uint32_t *period))
{
	if (faults.real_count)
		return __real_cprng_cpu_count(period);
	*period = faults.period;
	return faults.count;
}

REPLACE(std::uint64_t, cprng_cpu_random_word, (void))
{
	__atomic_fetch_add(&faults.words, 1, __ATOMIC_RELAXED);
	return faults.real_word ? __real_cprng_cpu_random_word() : faults.word;
}

// Hides what announces clones on this machine.  Called before main.
REPLACE(void, cprng_announcements_find, (struct cprng_os_announcements * found))
{
	announcement_searches++;
	found->file_state = "none";
}

REPLACE(bool, cprng_strong_try_key, (struct cprng_process * p, std::uint8_t key[32]))
{
	if (faults.pools_silent || !__real_cprng_strong_try_key(p, key))
		return false;
	__atomic_fetch_add(&faults.strong_keys, 1, __ATOMIC_RELAXED);
	return true;
}

REPLACE(std::uint64_t, cprng_copy_number, (void))
{
	return faults.real_copy_number ? __real_cprng_copy_number() : 0;
}

namespace {

// As the kernel does while it is not seeded.
void wait_for_boot()
{
	char byte = 0;

	while (write(faults.waits_from, &byte, 1) < 0 && errno == EINTR) {
	}
	while (read(faults.waits_for, &byte, 1) < 0 && errno == EINTR) {
	}
}

} // namespace

REPLACE(long, cprng_sys_getrandom, (void *buf, std::size_t len))
{
	const unsigned long call = __atomic_fetch_add(&faults.getrandom_calls, 1, __ATOMIC_RELAXED);

	if (script::hooks.getrandom)
		return script::hooks.getrandom(buf, len);
	switch (faults.getrandom) {
	case Faults::Getrandom::fails:
		return faults.getrandom_error;
	case Faults::Getrandom::one_byte:
		return __real_cprng_sys_getrandom(buf, len < 1 ? len : 1);
	case Faults::Getrandom::interrupted:
		// Ninety interruptions, then one byte, repeatedly.
		return call % 91 != 90 ? -EINTR : __real_cprng_sys_getrandom(buf, len < 1 ? len : 1);
	case Faults::Getrandom::replay:
		for (std::size_t i = 0; i < len; i++)
			static_cast<unsigned char *>(buf)[i] =
				static_cast<unsigned char>(splitmix64::word(faults.replayed++));
		return static_cast<long>(len);
	case Faults::Getrandom::too_much:
		return static_cast<long>(len) + 1;
	case Faults::Getrandom::waits:
		wait_for_boot();
		break;
	default:
		break;
	}
	const long n = __real_cprng_sys_getrandom(buf, len);
	if (n == -EINTR || (n >= 0 && n < static_cast<long>(len)))
		__atomic_fetch_add(&faults.getrandom_cut, 1, __ATOMIC_RELAXED);
	return n;
}

REPLACE(long, cprng_sys_mmap, (std::size_t len, int prot, int extra_flags))
{
	const unsigned long call = faults.mmap_calls++;

	if (call < 32 && (faults.mmap_fails >> call & 1) != 0)
		return -ENOMEM;
	return __real_cprng_sys_mmap(len, prot, extra_flags);
}

REPLACE(long, cprng_sys_madvise, (void *p, std::size_t len, int advice))
{
	if (faults.madvise_refused)
		return -EINVAL;
	if (advice == MADV_NOHUGEPAGE)
		faults.small_pages += len;
	return faults.madvise_pretends ? 0 : __real_cprng_sys_madvise(p, len, advice);
}

REPLACE(long, cprng_sys_mlock, (void *p, std::size_t len))
{
	faults.mlock_most = std::max(faults.mlock_most, len);
	__atomic_fetch_add(&faults.mlock_calls, 1, __ATOMIC_RELAXED);
	return faults.mlock_refused ? -EPERM : __real_cprng_sys_mlock(p, len);
}

REPLACE(long, cprng_sys_membarrier, (int command))
{
	if (script::hooks.membarrier)
		script::hooks.membarrier(command);
	if (faults.membarrier_missing)
		return -ENOSYS;
	if (faults.membarrier_fails && command != MEMBARRIER_CMD_QUERY)
		return -EPERM;
	return __real_cprng_sys_membarrier(command);
}

REPLACE(long, cprng_sys_cpu_mask_size, (void))
{
	return faults.cpu_mask_size != 0 ? faults.cpu_mask_size : __real_cprng_sys_cpu_mask_size();
}

REPLACE(unsigned long, getauxval, (unsigned long type))
{
	return faults.vdso_missing && type == AT_SYSINFO_EHDR ? 0 : __real_getauxval(type);
}

REPLACE(long, cprng_sys_tid_address, (std::uint32_t **word))
{
	return faults.tid_address_hidden ? -EINVAL : __real_cprng_sys_tid_address(word);
}

REPLACE(long, cprng_sys_set_tid_address, (std::uint32_t *word))
{
	return faults.tid_address_fixed ? -EPERM : __real_cprng_sys_set_tid_address(word);
}
