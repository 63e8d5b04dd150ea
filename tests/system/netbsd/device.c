/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * device [SEED]: /dev/urandom returns what the library's Fortuna served; with SEED, for comparing kernels with one seed.
 *
 * With SEED the host gives each kernel the same entropy (the hypercall is replaced), and the file is written to /dev/random, as
 * NetBSD does at its start with the seed of the last run.  Prints the drawn bytes.
 */
#include <fcntl.h>

#include "netbsd.h"

int __real_rumpns_cprng_fortuna_core_read(const void *f, void *buf, size_t len, int wait);
int __real_rumpuser_getrandom(void *buf, size_t len, int flags, size_t *got);

static int is_same;
static uint8_t last[4096];
static size_t last_len;

int __wrap_rumpns_cprng_fortuna_core_read(const void *f, void *buf, size_t len, int wait)
{
	const int status = __real_rumpns_cprng_fortuna_core_read(f, buf, len, wait);

	last_len = len < sizeof(last) ? len : sizeof(last);
	memcpy(last, buf, last_len);
	return status;
}

int __wrap_rumpuser_getrandom(void *buf, size_t len, int flags, size_t *got)
{
	if (!is_same)
		return __real_rumpuser_getrandom(buf, len, flags, got);
	memset(buf, 0x5a, len);
	*got = len;
	return 0;
}

static void print(const char *name, const uint8_t *bytes, size_t len)
{
	printf("%s ", name);
	while (len-- != 0)
		printf("%02x", *bytes++);
	printf("\n");
}

static void read_device(uint8_t *bytes, size_t len)
{
	const int fd = rump_sys_open("/dev/urandom", O_RDONLY);

	demand(fd >= 0, "/dev/urandom");
	last_len = 0;
	demand(rump_sys_read(fd, bytes, len) == (ssize_t)len, "a read of /dev/urandom");
	demand(last_len == len && memcmp(bytes, last, len) == 0, "/dev/urandom gives what Fortuna served");
	(void)rump_sys_close(fd);
}

static void write_seed(const char *path)
{
	uint8_t seed[512];
	const int file = open(path, O_RDONLY), fd = rump_sys_open("/dev/random", O_WRONLY);

	demand(file >= 0 && read(file, seed, sizeof(seed)) == (ssize_t)sizeof(seed), path);
	demand(fd >= 0 && rump_sys_write(fd, seed, sizeof(seed)) > 0, "a write to /dev/random");
	(void)rump_sys_close(fd);
	(void)close(file);
}

int main(int argc, char **argv)
{
	uint8_t few[16], many[64], fast[32];

	is_same = argc > 1;
	start_kernel();
	if (argc > 1)
		write_seed(argv[1]);
	/* Up to 16 bytes come from the CPU's object, more from the file's. */
	read_device(few, sizeof(few));
	read_device(many, sizeof(many));
	rump_schedule();
	(void)rumpns_cprng_fast(fast, sizeof(fast));
	rump_unschedule();
	print("few", few, sizeof(few));
	print("many", many, sizeof(many));
	print("fast", fast, sizeof(fast));
	finish(0);
}
