// SPDX-License-Identifier: BSD-2-Clause
#include "fake_os.hpp"

#include "internals.hpp"

#include "cpu/cpu.h"
#include "cpu/random_instructions.h"
#include "engine/engine.h"
#include "numbers/numbers.h"
#include "os/linux/announcements.h"

#include <sys/auxv.h>
#include <sys/file.h>

unsigned long announcement_searches;

REPLACE_ANSWERED(getrandom, cprng_sys_getrandom, (void *buf, std::size_t len), buf, fake_os.getrandom.at_most(len))
REPLACE_ANSWERED(mmap, cprng_sys_mmap, (std::size_t len, int prot, int extra_flags), len, prot, extra_flags)
REPLACE_ANSWERED(map_file, cprng_sys_map_file, (int fd, std::size_t len), fd, len)
REPLACE_ANSWERED(munmap, cprng_sys_munmap, (void *p, std::size_t len), p, len)
REPLACE_ANSWERED(madvise, cprng_sys_madvise, (void *p, std::size_t len, int advice), p, len, advice)
REPLACE_ANSWERED(membarrier, cprng_sys_membarrier, (int command), command)
REPLACE_ANSWERED(mlock, cprng_sys_mlock, (void *p, std::size_t len), p, len)
REPLACE_ANSWERED(tid_address, cprng_sys_tid_address, (std::uint32_t **word), word)
REPLACE_ANSWERED(set_tid_address, cprng_sys_set_tid_address, (std::uint32_t *word), word)

REPLACE(long, cprng_sys_cpu_mask_size, (void))
{
	return fake_os.cpu_mask_size(__real_cprng_sys_cpu_mask_size);
}

REPLACE(long, cprng_os_process_id, (void))
{
	return fake_os.process_id(__real_cprng_os_process_id);
}

REPLACE(long, cprng_sys_flock, (int fd, int operation))
{
	const auto real = [=](int) { return __real_cprng_sys_flock(fd, operation); };

	return operation == LOCK_UN ? fake_os.unlock(real, fd) : fake_os.lock(real, fd);
}

REPLACE_BY(fake_os.wait, void, cprng_os_wait, (std::uint32_t *word, std::uint32_t value), (word, value))

// ------------------------------------------------------------------------------------------------- the vDSO, clones

REPLACE(unsigned long, getauxval, (unsigned long type))
{
	return fake_os.vdso_missing && type == AT_SYSINFO_EHDR ? 0 : __real_getauxval(type);
}

REPLACE(cprng_vgetrandom, cprng_vdso_getrandom, (void))
{
	return fake_os.vdso != nullptr ? fake_os.vdso : __real_cprng_vdso_getrandom();
}

// Hides this machine's announcements of clones.  Called before main.
REPLACE(void, cprng_announcements_find, (struct cprng_os_announcements * found))
{
	announcement_searches++;
	found->file_state = "none";
}

// ------------------------------------------------------------------------------------------------------------ clocks

static std::uint64_t shown(std::uint64_t (*real)())
{
	if (fake_os.clock)
		return fake_os.clock();
	return (fake_os.nanoseconds != 0 ? fake_os.nanoseconds : real()) + fake_os.seconds_ahead * FakeOs::second;
}

REPLACE(std::uint64_t, cprng_os_nanoseconds, (void))
{
	return shown(__real_cprng_os_nanoseconds);
}

REPLACE(std::uint32_t, cprng_os_seconds, (void))
{
	const std::uint64_t now = shown([] { return __real_cprng_os_seconds() * FakeOs::second; });

	return static_cast<std::uint32_t>(now / FakeOs::second);
}

// ----------------------------------------------------------------------------------------------------------- the CPU

REPLACE_BY(fake_os.rdseed, bool, cprng_cpu_rdseed, (std::uint64_t *word), (word))
REPLACE_BY(fake_os.rdrand, bool, cprng_cpu_rdrand, (std::uint64_t *word), (word))
REPLACE_BY(fake_os.cycles, std::uint64_t, cprng_cpu_cycles, (void), ())

REPLACE(std::uint32_t, cprng_cpu_features, (void))
{
	return (__real_cprng_cpu_features() | fake_os.features_added) & ~fake_os.features_hidden;
}

REPLACE(std::uint64_t, cprng_cpu_count, (std::uint32_t *period))
{
	if (fake_os.real_count)
		return __real_cprng_cpu_count(period);
	*period = fake_os.period;
	return fake_os.count;
}

REPLACE(std::uint64_t, cprng_cpu_random_word, (void))
{
	__atomic_fetch_add(&fake_os.words, 1, __ATOMIC_RELAXED);
	return fake_os.real_word ? __real_cprng_cpu_random_word() : fake_os.word;
}

// ------------------------------------------------------------------------------------------- the library's own parts

REPLACE(std::uint64_t, cprng_copy_number, (void))
{
	return fake_os.real_copy_number ? __real_cprng_copy_number() : 0;
}

REPLACE(bool, cprng_engine_default, (const cprng_engine **engine, const cprng_backend **backend))
{
	return !fake_os.no_cipher && __real_cprng_engine_default(engine, backend);
}

REPLACE(const cprng_numbers_backend *, cprng_numbers_select, (void))
{
	return fake_os.no_arithmetic ? nullptr : __real_cprng_numbers_select();
}

REPLACE(bool, cprng_strong_try_key, (struct cprng_process * p, std::uint8_t key[32]))
{
	if (fake_os.pools_silent || !__real_cprng_strong_try_key(p, key))
		return false;
	__atomic_fetch_add(&fake_os.strong_keys, 1, __ATOMIC_RELAXED);
	return true;
}
