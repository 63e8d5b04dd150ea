/* SPDX-License-Identifier: BSD-2-Clause */
/* draws TASK GENERATOR SECONDS: the measurement of lab/peers/bindings/rust, in C; without arguments, list the tasks. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cprng/cprng.h>

#define USED(number) __asm__ volatile("" : : "r"(number) : "memory")

static double cpu_seconds(void)
{
	struct timespec t;

	if (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t) != 0)
		abort();
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

#define TIMED(name, number) \
	static void name(unsigned long count) \
	{ \
		for (unsigned long i = 0; i < count; i++) \
			USED(number); \
	}

static cprng_stream stream;
static unsigned char bytes[65536];

static uint64_t bits_of(double x)
{
	uint64_t bits;

	memcpy(&bits, &x, sizeof(bits));
	return bits;
}

static unsigned int filled(size_t size)
{
	cprng_fast(bytes, size);
	return bytes[0];
}

TIMED(u32, cprng_fast32())
TIMED(u64, cprng_fast64())
TIMED(below, cprng_uniform32(1000000))
TIMED(uniform, bits_of(cprng_double()))
TIMED(normal, bits_of(cprng_normal(0, 1)))
TIMED(bytes32, filled(32))
TIMED(bytes4096, filled(4096))
TIMED(bytes65536, filled(65536))
TIMED(stream_u32, cprng_stream_u32(&stream))
TIMED(stream_u64, cprng_stream_u64(&stream))
TIMED(stream_double, bits_of(cprng_stream_double(&stream)))
TIMED(stream_normal, bits_of(cprng_stream_normal(&stream, 0, 1)))

static const struct task {
	const char *name, *generator;
	void (*run)(unsigned long count);
} tasks[] = {
	{ "u32", "cprng in C", u32 },
	{ "u64", "cprng in C", u64 },
	{ "below", "cprng in C", below },
	{ "double", "cprng in C", uniform },
	{ "normal", "cprng in C", normal },
	{ "32 B", "cprng in C", bytes32 },
	{ "4 KiB", "cprng in C", bytes4096 },
	{ "64 KiB", "cprng in C", bytes65536 },
	{ "u32", "cprng stream in C", stream_u32 },
	{ "u64", "cprng stream in C", stream_u64 },
	{ "double", "cprng stream in C", stream_double },
	{ "normal", "cprng stream in C", stream_normal },
};

int main(int argc, char **argv)
{
	const size_t number = sizeof(tasks) / sizeof(tasks[0]);

	if (cprng_stream_seed_integer(&stream, NULL, 42) != 0)
		return 1;
	for (size_t i = 0; argc == 1 && i < number; i++)
		printf("%s\t%s\n", tasks[i].name, tasks[i].generator);
	for (size_t i = 0; argc == 4 && i < number; i++) {
		const double seconds = atof(argv[3]);
		if (strcmp(tasks[i].name, argv[1]) != 0 || strcmp(tasks[i].generator, argv[2]) != 0)
			continue;
		for (unsigned long count = 16;; count *= 4) {
			const double begin = cpu_seconds();
			tasks[i].run(count);
			const double took = cpu_seconds() - begin;
			if (took >= seconds) {
				printf("%.17g\n", took * 1e9 / (double)count);
				return 0;
			}
		}
	}
	return argc != 1;
}
