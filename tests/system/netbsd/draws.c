/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * draws COUNT THREADS: COUNT requests of 16 bytes, by threads and by soft interrupts of all CPUs (RUMP_NCPU); no answer comes
 * twice.
 *
 * A rump kernel does not preempt threads.  So before an expansion of a key, in a refill or elsewhere, a thread that could be
 * preempted in a real kernel gives its CPU to the next one, up to SWITCHES times.  Only long requests may be preempted there.
 *
 * Among 10^8 answers of 16 bytes two are equal by chance once in 10^22 runs.
 */
#include <pthread.h>

#include "netbsd.h"

enum { OF_A_THREAD = 1000, OF_A_SOFTINT = 250, LONG = 272, SWITCHES = 200, BUCKETS = 1 << 12, PLACES = 1 << 16 };

struct answer {
	uint64_t half[2];
};

static struct answer *answers;
static size_t wanted, claimed, by_softints, keys, expansions, switches, exposed;
static void *softint;

/* How often a thread of this program has disabled preemption in its draw. */
static __thread int disabled = -1, is_long;

void __real_rumpns_kpreempt_disable(void);
void __real_rumpns_kpreempt_enable(void);
void __real_rumpns_cprng_cipher_expand(const uint8_t *key, uint8_t *out, size_t len);

void __wrap_rumpns_kpreempt_disable(void)
{
	__real_rumpns_kpreempt_disable();
	disabled += disabled >= 0;
}

void __wrap_rumpns_kpreempt_enable(void)
{
	disabled -= disabled > 0;
	__real_rumpns_kpreempt_enable();
}

void __wrap_rumpns_cprng_cipher_expand(const uint8_t *key, uint8_t *out, size_t len)
{
	if (disabled >= 0)
		__atomic_fetch_add(&expansions, 1, __ATOMIC_RELAXED);
	if (disabled == 0 && !is_long)
		__atomic_fetch_add(&exposed, 1, __ATOMIC_RELAXED);
	if (disabled == 0 && __atomic_fetch_add(&switches, 1, __ATOMIC_RELAXED) < SWITCHES) {
		rump_unschedule();
		usleep(1);
		rump_schedule();
	}
	__real_rumpns_cprng_cipher_expand(key, out, len);
}

/* Soft interrupts take new keys from this. */
size_t __wrap_rumpns_cprng_strong(void *object, void *buf, size_t len, int flags)
{
	size_t got;

	__atomic_fetch_add(&keys, 1, __ATOMIC_RELAXED);
	/* The object's mutex does it. */
	disabled += disabled >= 0;
	got = __real_rumpns_cprng_strong(object, buf, len, flags);
	disabled -= disabled > 0;
	return got;
}

/* False when there are enough.  The first is the beginning of a long request, which expands its key with preemption on. */
static int draw_some(size_t count)
{
	const size_t first = __atomic_fetch_add(&claimed, count, __ATOMIC_RELAXED);
	uint8_t bytes[LONG];
	size_t i;

	if (first < wanted) {
		is_long = 1;
		(void)rumpns_cprng_fast(bytes, sizeof(bytes));
		is_long = 0;
		memcpy(&answers[first], bytes, sizeof(answers[first]));
	}
	for (i = first + 1; i < first + count && i < wanted; i++)
		(void)rumpns_cprng_fast(&answers[i], sizeof(answers[i]));
	return i == first + count;
}

static void on_softint(void *arg)
{
	(void)arg;
	if (draw_some(OF_A_SOFTINT))
		__atomic_fetch_add(&by_softints, OF_A_SOFTINT, __ATOMIC_RELAXED);
}

static void *draw_all(void *arg)
{
	int more;

	(void)arg;
	demand(rump_pub_lwproc_rfork(RUMP_RFFDG) == 0, "rump_pub_lwproc_rfork");
	do {
		rump_schedule();
		rumpns_softint_schedule(softint);
		disabled = 0;
		more = draw_some(OF_A_THREAD);
		disabled = -1;
		rump_unschedule();
	} while (more);
	return NULL;
}

static size_t bucket(const struct answer *a)
{
	return a->half[0] % BUCKETS;
}

/* Finds repeats among the answers of a bucket, by a table of their places in it. */
static size_t count_in(const struct answer *of, size_t count)
{
	static uint32_t table[PLACES];
	size_t different = 0, i, at;

	memset(table, 0, sizeof(table));
	for (i = 0; i < count; i++) {
		at = of[i].half[1] % PLACES;
		while (table[at] != 0 && memcmp(&of[table[at] - 1], &of[i], sizeof(of[i])) != 0)
			at = (at + 1) % PLACES;
		if (table[at] == 0) {
			demand(++different < PLACES / 2, "room in the table");
			table[at] = (uint32_t)i + 1;
		}
	}
	return count - different;
}

/* Sorts in place into buckets that each fit into a cache. */
static size_t count_repeats(void)
{
	static size_t next[BUCKETS], end[BUCKETS];
	size_t repeats = 0, begin = 0, i, b;

	for (i = 0; i < wanted; i++)
		end[bucket(&answers[i])]++;
	for (b = 0; b < BUCKETS; b++) {
		next[b] = begin;
		begin += end[b];
		end[b] = begin;
	}
	for (b = 0; b < BUCKETS; b++) {
		while (next[b] < end[b]) {
			struct answer *const at = &answers[next[b]];
			const size_t right = bucket(at);
			const struct answer a = *at;

			*at = answers[next[right]];
			answers[next[right]++] = a;
		}
	}
	for (begin = 0, b = 0; b < BUCKETS; begin = end[b++])
		repeats += count_in(answers + begin, end[b] - begin);
	return repeats;
}

int main(int argc, char **argv)
{
	pthread_t thread[64];
	size_t threads, repeats, i;

	demand(argc == 3, "two arguments");
	wanted = strtoull(argv[1], NULL, 10);
	threads = strtoull(argv[2], NULL, 10);
	demand(threads > 0 && threads <= 64, "1 to 64 threads");
	answers = calloc(wanted, sizeof(*answers));
	demand(answers != NULL, "memory");
	start_kernel();
	keys = 0;
	rump_schedule();
	softint = rumpns_softint_establish(SOFTINT_NET | SOFTINT_MPSAFE, on_softint, NULL);
	rump_unschedule();
	for (i = 0; i < threads; i++)
		demand(pthread_create(&thread[i], NULL, draw_all, NULL) == 0, "pthread_create");
	for (i = 0; i < threads; i++)
		demand(pthread_join(thread[i], NULL) == 0, "pthread_join");
	/* A handler may still be in its last draws, which would show as a zero that comes twice. */
	rump_schedule();
	rump_unschedule();
	usleep(200000);
	repeats = count_repeats();
	printf("draws %zu softints %zu keys %zu expansions %zu switches %zu exposed %zu repeats %zu\n", wanted,
	       by_softints, keys, expansions, switches, exposed, repeats);
	finish(repeats != 0 || exposed != 0);
}
