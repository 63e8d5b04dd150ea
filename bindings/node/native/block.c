/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Blocks: pages of random words, or of normal or exponential numbers, from which lib/block.js draws without calling C.
 * Each environment (the main thread or a Worker) has its own.
 *
 * In a forked child the kernel zeroes the page, so the child finds no numbers and refills it.  The page is locked if
 * permitted, and excluded from core files.  If the kernel does not wipe pages, there are no blocks.
 */
#include "addon.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#if __has_include(<sys/mman.h>)
#include <sys/mman.h>
#endif

/* lib/block.js reads and writes these as words[0] and words[1], and the numbers after them. */
struct header {
	uint32_t left;  /* number of unserved words or doubles, which are served from the end */
	uint32_t stale; /* nonzero after an invalidation; set by any thread, cleared by the environment's thread */
};
_Static_assert(sizeof(struct header) == sizeof(double), "doubles behind it are aligned");

struct block {
	struct block *next;
	struct header *page;
	size_t size;
};

/* All blocks of the process.  The lock is held for a few stores, never across a fork or a callback. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct block *blocks;

static void take_lock(void)
{
	pthread_mutex_lock(&lock);
}

static void release_lock(void)
{
	pthread_mutex_unlock(&lock);
}

static _Thread_local const char *lock_state = "none";

/* The library's generation (cprng_generation_number) when all blocks were last marked stale, which happens under the lock. */
static uint64_t noted;

void addon_notice_generation(void)
{
	const uint64_t *const number = cprng_generation_number();
	const uint64_t now = number == NULL ? 0 : __atomic_load_n(number, __ATOMIC_SEQ_CST);

	if (now != 0 && __atomic_load_n(&noted, __ATOMIC_ACQUIRE) == now)
		return;
	take_lock();
	for (struct block *block = blocks; block != NULL; block = block->next)
		__atomic_store_n(&block->page->stale, 1, __ATOMIC_SEQ_CST);
	__atomic_store_n(&noted, now, __ATOMIC_RELEASE);
	release_lock();
}

const char *addon_block_lock(void)
{
	return lock_state;
}

#ifdef MADV_WIPEONFORK
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* A forked child could never acquire a lock that another thread held at the fork. */
static void watch_forks(void)
{
	pthread_atfork(take_lock, release_lock, release_lock);
}

/* Called when the array is collected and when the environment ends. */
static void end(napi_env env, void *page, void *hint)
{
	struct block *block = hint;

	(void)env;
	take_lock();
	for (struct block **place = &blocks; *place != NULL; place = &(*place)->next) {
		if (*place == block) {
			*place = block->next;
			break;
		}
	}
	release_lock();
	/* No erasure of unserved numbers: the kernel wipes the page before another process gets it. */
	munmap(page, block->size);
	free(block);
}

static void *new_page(size_t size)
{
	void *page = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (page == MAP_FAILED)
		return NULL;
	if (madvise(page, size, MADV_WIPEONFORK) != 0 || madvise(page, size, MADV_DONTDUMP) != 0) {
		munmap(page, size);
		return NULL;
	}
	lock_state = mlock(page, size) == 0 ? "locked" : "refused";
	return page;
}

napi_value addon_block(napi_env env, napi_callback_info info)
{
	napi_value buffer, array;
	struct block *block = malloc(sizeof(*block));

	(void)info;
	pthread_once(&once, watch_forks);
	if (block == NULL)
		goto none;
	block->size = (size_t)sysconf(_SC_PAGESIZE);
	/* Old emulators accept the advice without effect: the library detects this, and then has no generation. */
	block->page = cprng_generation_number() == NULL ? NULL : new_page(block->size);
	if (block->page == NULL) {
		free(block);
		goto none;
	}
	take_lock();
	block->next = blocks;
	blocks = block;
	release_lock();
	/* Refused if V8's arrays have a separate memory area (Electron). */
	if (napi_create_external_arraybuffer(env, block->page, block->size, end, block, &buffer) != napi_ok) {
		end(env, block->page, block);
		lock_state = "none";
		goto none;
	}
	if (napi_create_typedarray(env, napi_uint32_array, block->size / sizeof(uint32_t), buffer, 0, &array) ==
	    napi_ok)
		return array;
	return NULL;
none:
	return napi_get_null(env, &array) == napi_ok ? array : NULL;
}
#else
napi_value addon_block(napi_env env, napi_callback_info info)
{
	napi_value none;

	(void)info;
	return napi_get_null(env, &none) == napi_ok ? none : NULL;
}
#endif

/*
 * Fill by short requests.  They use up the CPU's buffer, the only bytes that a clone of the process shares with this one, and
 * refill it.  A long request would take only a key from the buffer.
 */
static bool fill_shortly(uint64_t kind, void *out, size_t count)
{
	enum { MOST = 512 };
	const size_t size = kind == KIND_U32 ? sizeof(uint32_t) : sizeof(double);
	int error = kind == KIND_U32 || kind == KIND_NORMAL || kind == KIND_EXPONENTIAL ? CPRNG_OK : CPRNG_ERR_ARGUMENT;

	for (size_t n; count != 0 && error == CPRNG_OK; out = (char *)out + n * size, count -= n) {
		n = count < MOST / size ? count : MOST / size;
		error = cprng_node_fill(NULL, kind, out, n, kind == KIND_NORMAL ? 0 : 1, 1);
	}
	return error == CPRNG_OK;
}

int addon_refill(union value *v)
{
	const uint64_t kind = v[3].u;
	struct header *const header = v[0].p;
	size_t count;

	if (v[2].u != UINT32 || v[1].u <= sizeof(*header))
		return CPRNG_ERR_ARGUMENT;
	count = (v[1].u - sizeof(*header)) / (kind == KIND_U32 ? sizeof(uint32_t) : sizeof(double));
	addon_notice_generation();
	/* Before the draw: an invalidation in between marks the block stale again, and the next draw refills it. */
	__atomic_store_n(&header->stale, 0, __ATOMIC_SEQ_CST);
	if (!fill_shortly(kind, header + 1, count))
		return CPRNG_ERR_ARGUMENT;
	header->left = (uint32_t)count;
	v[0].d = (double)count;
	return CPRNG_OK;
}
