// SPDX-License-Identifier: BSD-2-Clause
#include "scripted_machine.hpp"

#include "replace.hpp"

static Machine real;
Machine *machine = &real;

void Machine::restore()
{
	machine = &real;
}

REPLACE_BY(machine->getrandom, long, cprng_sys_getrandom, (void *buf, std::size_t len), (buf, len))
REPLACE_BY(machine->seed, bool, cprng_cpu_rdseed, (std::uint64_t *word), (word))
REPLACE_BY(machine->random, bool, cprng_cpu_rdrand, (std::uint64_t *word), (word))
REPLACE_BY(machine->cycles, std::uint64_t, cprng_cpu_cycles, (void), ())
REPLACE_BY(machine->nanoseconds, std::uint64_t, cprng_os_nanoseconds, (void), ())
REPLACE_BY(machine->map, long, cprng_sys_map_file, (int fd, std::size_t len), (fd, len))

REPLACE(std::uint32_t, cprng_cpu_features, (void))
{
	return (__real_cprng_cpu_features() | machine->features_added) & ~machine->features_hidden;
}

REPLACE(long, cprng_sys_openat, (int dir, const char *path, int flags, unsigned int mode))
{
	return machine->open ? machine->open(path) : __real_cprng_sys_openat(dir, path, flags, mode);
}

// These tests use files as pages, which pass for a device.
REPLACE(long, cprng_sys_fstat, (int fd, struct stat *status))
{
	const long result = __real_cprng_sys_fstat(fd, status);
	if (machine->open && !machine->plain_file)
		status->st_mode = S_IFCHR | 0444;
	return result;
}

REPLACE(long, cprng_sys_close, (int fd))
{
	if (machine != &real)
		machine->closed.push_back(fd);
	return __real_cprng_sys_close(fd);
}

REPLACE(long, cprng_sys_munmap, (void *p, std::size_t len))
{
	if (machine != &real)
		machine->unmapped.push_back(p);
	return __real_cprng_sys_munmap(p, len);
}
