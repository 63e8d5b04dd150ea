// SPDX-License-Identifier: BSD-2-Clause
#include "scripted_machine.hpp"

Machine *machine;

extern "C" {
long __wrap_cprng_sys_getrandom(void *buf, std::size_t len);
bool __wrap_cprng_cpu_rdseed(std::uint64_t *word);
bool __wrap_cprng_cpu_rdrand(std::uint64_t *word);
std::uint64_t __wrap_cprng_cpu_cycles(void);
std::uint64_t __wrap_cprng_os_nanoseconds(void);
std::uint32_t __wrap_cprng_cpu_features(void);
long __wrap_cprng_sys_openat(int dir, const char *path, int flags, unsigned int mode);
long __wrap_cprng_sys_fstat(int fd, struct stat *status);
long __wrap_cprng_sys_map_file(int fd, std::size_t len);
long __wrap_cprng_sys_close(int fd);
long __wrap_cprng_sys_munmap(void *p, std::size_t len);
}

long __wrap_cprng_sys_getrandom(void *buf, std::size_t len)
{
	return machine != nullptr && machine->getrandom ? machine->getrandom(buf, len) :
							  __real_cprng_sys_getrandom(buf, len);
}

bool __wrap_cprng_cpu_rdseed(std::uint64_t *word)
{
	return machine != nullptr && machine->seed ? machine->seed(word) : __real_cprng_cpu_rdseed(word);
}

bool __wrap_cprng_cpu_rdrand(std::uint64_t *word)
{
	return machine != nullptr && machine->random ? machine->random(word) : __real_cprng_cpu_rdrand(word);
}

std::uint64_t __wrap_cprng_cpu_cycles(void)
{
	return machine != nullptr && machine->cycles ? machine->cycles() : __real_cprng_cpu_cycles();
}

std::uint64_t __wrap_cprng_os_nanoseconds(void)
{
	return machine != nullptr && machine->nanoseconds ? machine->nanoseconds() : __real_cprng_os_nanoseconds();
}

std::uint32_t __wrap_cprng_cpu_features(void)
{
	const std::uint32_t real = __real_cprng_cpu_features();
	return machine != nullptr ? (real | machine->features_added) & ~machine->features_hidden : real;
}

long __wrap_cprng_sys_openat(int dir, const char *path, int flags, unsigned int mode)
{
	return machine != nullptr && machine->open ? machine->open(path) :
						     __real_cprng_sys_openat(dir, path, flags, mode);
}

// These tests use files as pages, which pass for a device.
long __wrap_cprng_sys_fstat(int fd, struct stat *status)
{
	const long result = __real_cprng_sys_fstat(fd, status);
	if (machine != nullptr && machine->open && !machine->plain_file)
		status->st_mode = S_IFCHR | 0444;
	return result;
}

long __wrap_cprng_sys_map_file(int fd, std::size_t len)
{
	return machine != nullptr && machine->map ? machine->map(fd, len) : __real_cprng_sys_map_file(fd, len);
}

long __wrap_cprng_sys_close(int fd)
{
	if (machine != nullptr)
		machine->closed.push_back(fd);
	return __real_cprng_sys_close(fd);
}

long __wrap_cprng_sys_munmap(void *p, std::size_t len)
{
	if (machine != nullptr)
		machine->unmapped.push_back(p);
	return __real_cprng_sys_munmap(p, len);
}
