/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * slot seeds | urgent | tunables | health | serial | waits | readers N: tests of a random_alg_context; mutex: of as_kernel.h,
 * which has the kernel's side.
 */
#include "slot.h"

#include <unistd.h>

static unsigned int unblocked;

void randomdev_unblock(void)
{
	unblocked++;
}

static void seed(void)
{
	for (unsigned int i = 0; i < 8 * 32; i++)
		deliver(RANDOM_CACHED, i);
	demand(is_seeded());
}

/* 12 bytes of each event count: the sixth one in pool 0 makes 64 bytes. */
static void test_seeds(void)
{
	uint8_t a[100], b[100];
	unsigned int events = 0;

	demand(p_random_alg_context->ra_poolcount == 32);
	for (; !is_seeded(); events++) {
		demand(unblocked == 0 && events < 1000);
		deliver(RANDOM_CACHED, events);
	}
	demand(unblocked == 1);
	memset(a, 0, sizeof(a));
	memset(b, 0, sizeof(b));
	read_random_uio_of(a, sizeof(a));
	read_random_uio_of(b, sizeof(b));
	demand(memcmp(a, b, sizeof(a)) != 0);
	demand(unblocked == 1);
	if (freebsd_has_sysctl("block_seeded_status")) {
		freebsd_sysctl_set("block_seeded_status", 1);
		demand(!is_seeded());
	}
	printf("events %u\n", events);
}

/* Six events of the clone's source are enough for any destination, because all go to pool 0. */
static void test_urgent(void)
{
	unsigned int events = 0;

#if __FreeBSD_version >= 1300000
	for (; !is_seeded(); events++) {
		demand(events < 1000);
		deliver(RANDOM_PURE_VMGENID, 5 + events);
	}
#endif
	printf("events %u\n", events);
}

static uint32_t tested;

static bool fail_one_source(const struct harvest_event *event)
{
	tested++;
	return event->he_source != RANDOM_PURE_RDRAND;
}

/* A source that fails its test never seeds; then another does, with as many events as it needs alone. */
static void test_health(void)
{
	unsigned int failed, events = 0;

	health_test = fail_one_source;
	for (failed = 0; failed < 1000; failed++) {
		deliver(RANDOM_PURE_RDRAND, failed);
		demand(!is_seeded());
	}
	for (; !is_seeded(); events++) {
		demand(events < 1000);
		deliver(RANDOM_CACHED, events);
	}
	printf("events %u tested %u\n", events, tested - failed);
}

static void test_tunables(void)
{
	printf("concurrent_read %d minpoolsize %u",
	       freebsd_has_sysctl("concurrent_read") ? (int)freebsd_sysctl("concurrent_read") : -1,
	       freebsd_sysctl("minpoolsize"));
	freebsd_sysctl_set("minpoolsize", 1);
	printf(" least %u", freebsd_sysctl("minpoolsize"));
	freebsd_sysctl_set("minpoolsize", 1000000);
	printf(" most %u", freebsd_sysctl("minpoolsize"));
	freebsd_sysctl_set("minpoolsize", 32);
	printf(" set %u\n", freebsd_sysctl("minpoolsize"));
	freebsd_sysctl_set("minpoolsize", 24);
	/* The second event in pool 0 is enough. */
	for (unsigned int i = 0; i < 33; i++) {
		demand(!is_seeded());
		deliver(RANDOM_CACHED, i);
	}
	demand(is_seeded());
}

/* ------------------------------------------------------------------------------------------------ many readers */

enum { BLOCK = 16 };

static uint32_t stop;
static size_t bytes_each;

struct reader {
	pthread_t thread;
	uint8_t *bytes;
	unsigned int number;
};

static void *read_much(void *arg)
{
	struct reader *const r = arg;
	/* Whole blocks; more than a page, more than one section of the cipher, and more than one AES key generates. */
	static const size_t lengths[] = { 16, 32, 4096, 4112, 64 << 10, 1 << 20, (1 << 20) + 48 };
	size_t done = 0;

	for (unsigned int i = r->number; done != bytes_each; i++) {
		const size_t n = MIN(lengths[i % nitems(lengths)], bytes_each - done);
		read_random_uio_of(r->bytes + done, n);
		done += n;
	}
	return NULL;
}

static void *harvest(void *arg)
{
	unsigned long *const events = arg;

	while (__atomic_load_n(&stop, __ATOMIC_RELAXED) == 0) {
		deliver((unsigned int)(*events % 12), (unsigned int)*events);
		__atomic_add_fetch(events, 1, __ATOMIC_RELAXED);
		pause_us(10);
	}
	return NULL;
}

static int compare(const void *a, const void *b)
{
	return memcmp(a, b, BLOCK);
}

static void test_readers(unsigned int count)
{
	struct reader readers[8];
	unsigned long events = 0, repeats = 0;
	pthread_t harvester;
	uint8_t *all;

	demand(count <= nitems(readers));
	seed();
	bytes_each = 3 << 20;
	all = calloc(count, bytes_each);
	demand(all != NULL && pthread_create(&harvester, NULL, harvest, &events) == 0);
	/* Otherwise, on a busy machine, the readers would end before it begins. */
	while (__atomic_load_n(&events, __ATOMIC_RELAXED) == 0)
		pause_us(10);
	for (unsigned int i = 0; i < count; i++) {
		readers[i].bytes = all + i * bytes_each;
		readers[i].number = i;
		demand(pthread_create(&readers[i].thread, NULL, read_much, &readers[i]) == 0);
	}
	for (unsigned int i = 0; i < count; i++)
		pthread_join(readers[i].thread, NULL);
	__atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
	pthread_join(harvester, NULL);
	/* Bytes that were not written are blocks of zeros, which would repeat. */
	qsort(all, count * bytes_each / BLOCK, BLOCK, compare);
	for (size_t i = BLOCK; i < count * bytes_each; i += BLOCK)
		repeats += memcmp(all + i - BLOCK, all + i, BLOCK) == 0;
	printf("blocks %zu repeats %lu events %lu\n", count * bytes_each / BLOCK, repeats, events);
}

/* ------------------------------------------------------------------------------------------------ harvest */

static void *harvest_some(void *arg)
{
	for (unsigned int i = 0; i < 100; i++)
		deliver(RANDOM_CACHED, i);
	__atomic_store_n((uint32_t *)arg, 1, __ATOMIC_RELEASE);
	return NULL;
}

static bool health_test_that_waits(const struct harvest_event *event)
{
	(void)event;
	demand(__atomic_fetch_add(&tested, 1, __ATOMIC_SEQ_CST) == 0);
	/* The alarm ends this. */
	while (__atomic_load_n(&freebsd_waiting, __ATOMIC_SEQ_CST) == 0)
		pause_us(10);
	health_test = NULL;
	return true;
}

/* Two threads deliver events; while one of them is in the health test, the other must wait for it. */
static void test_serial(void)
{
	uint32_t ended[2] = { 0 };
	pthread_t threads[2];

	seed();
	alarm(100);
	health_test = health_test_that_waits;
	for (int i = 0; i < 2; i++)
		demand(pthread_create(&threads[i], NULL, harvest_some, &ended[i]) == 0);
	for (int i = 0; i < 2; i++) {
		pthread_join(threads[i], NULL);
		demand(__atomic_load_n(&ended[i], __ATOMIC_ACQUIRE) == 1);
	}
	printf("ended 2\n");
}

/* While this thread holds the locks that readers take, like a preempted reader, another thread delivers events. */
static void test_waits(void)
{
	uint32_t ended = 0;
	pthread_t thread;

	seed();
	/* A harvest thread that waits would never return. */
	alarm(100);
	freebsd_lock_all("fortuna health");
	demand(pthread_create(&thread, NULL, harvest_some, &ended) == 0);
	pthread_join(thread, NULL);
	demand(__atomic_load_n(&ended, __ATOMIC_ACQUIRE) == 1);
	freebsd_unlock_all("fortuna health");
	printf("ended 1\n");
}

/* ------------------------------------------------------------------------------------------------ the kernel's side */

static struct mtx mutex;

static void *lock_and_unlock(void *arg)
{
	mtx_lock(&mutex);
	mtx_unlock(&mutex);
	return arg;
}

/* Holds the mutex, running or asleep, until a thread that waits for it has spun or slept; true if it has done what is expected. */
static bool held(bool runs)
{
	const uint32_t spins = freebsd_spins, sleeps = freebsd_sleeps;
	bool is_spinning, is_sleeping;
	pthread_t thread;

	mtx_lock(&mutex);
	demand(pthread_create(&thread, NULL, lock_and_unlock, NULL) == 0);
	/* The alarm ends this. */
	do {
		if (!runs)
			pause_us(1000);
		is_spinning = __atomic_load_n(&freebsd_spins, __ATOMIC_RELAXED) != spins;
		is_sleeping = __atomic_load_n(&freebsd_sleeps, __ATOMIC_RELAXED) != sleeps;
	} while (!is_sleeping && !(runs && is_spinning));
	mtx_unlock(&mutex);
	pthread_join(thread, NULL);
	return runs ? is_spinning : is_sleeping;
}

/* A thread spins for an owner that runs, unless the scheduler stops the owner first; and sleeps while the owner sleeps. */
static void test_mutex(void)
{
	unsigned int turns = 0;

	mtx_init(&mutex, "test", NULL, MTX_DEF);
	alarm(100);
	while (!held(true))
		demand(++turns < 10000);
	demand(held(false));
	mtx_destroy(&mutex);
	printf("spins %u sleeps %u\n", freebsd_spins, freebsd_sleeps);
}

int main(int argc, char **argv)
{
	const char *const test = argc > 1 ? argv[1] : "";

	if (strcmp(test, "seeds") == 0)
		test_seeds();
	else if (strcmp(test, "urgent") == 0)
		test_urgent();
	else if (strcmp(test, "tunables") == 0)
		test_tunables();
	else if (strcmp(test, "health") == 0)
		test_health();
	else if (strcmp(test, "serial") == 0)
		test_serial();
	else if (strcmp(test, "mutex") == 0)
		test_mutex();
	else if (strcmp(test, "waits") == 0)
		test_waits();
	else if (strcmp(test, "readers") == 0 && argc > 2)
		test_readers((unsigned int)atoi(argv[2]));
	else
		demand(!"a test");
	return 0;
}
