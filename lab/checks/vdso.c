// SPDX-License-Identifier: BSD-2-Clause
// The interface of include/uapi/linux/random.h and lib/vdso/getrandom.c in Linux 6.11, on x86-64.
#include "check.h"

#include <dlfcn.h>
#include <sys/mman.h>

struct params {
	uint32_t size, prot, flags, reserved[13];
};

static ssize_t (*vdso)(void *, size_t, unsigned int, void *, size_t);
static struct params params;
static void *state;

static void draw(void *to, size_t len)
{
	if (vdso(to, len, 0, state, params.size) != (ssize_t)len)
		abort();
}

static uint32_t number(void)
{
	uint32_t value;
	draw(&value, sizeof(value));
	return value;
}

int main(void)
{
	*(void **)&vdso = dlsym(dlopen("linux-vdso.so.1", RTLD_LAZY | RTLD_NOLOAD), "__vdso_getrandom");
	if (vdso == NULL || vdso(NULL, 0, 0, &params, ~(size_t)0) != 0)
		abort();
	state = mmap(NULL, params.size, (int)params.prot, (int)params.flags, -1, 0);
	if (state == MAP_FAILED)
		abort();
	MEASURE("bits32", USE(number()))
	MEASURE("fill256", draw(buffer, sizeof(buffer)); USE(&buffer))
}
