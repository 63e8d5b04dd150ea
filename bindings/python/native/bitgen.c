/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * NumPy's bit generators: the functions that numpy.random.Generator calls for each number.  They stand in the struct that
 * a numpy.random.BitGenerator holds and its capsule points to.  Callers hold the bit generator's lock.
 *
 * Draws come from a block, which one request of the library fills.  A stream has its own buffer, and a larger one does not make
 * the numbers faster (docs/decisions/0024-python.md).
 */
#include "core.h"

#include <stdlib.h>
#if __has_include(<sys/mman.h>)
#include <sys/mman.h>
#endif

/*
 * The struct of numpy/random/bitgen.h, documented and stable since NumPy 1.17.  It is repeated here so that compiling
 * needs no NumPy and one binary serves all versions.
 */
struct bitgen {
	void *state;
	uint64_t (*next_uint64)(void *state);
	uint32_t (*next_uint32)(void *state);
	double (*next_double)(void *state);
	uint64_t (*next_raw)(void *state);
};

static const char capsule_name[] = "BitGenerator";

/* ------------------------------------------------------------------------------------------------------- draws */

/*
 * The block is a page that the kernel wipes in a forked child, omits from core files and, if permitted, locks.  Bytes that
 * were taken are erased.  The others are dropped when the library's generation has changed: after a fork, an invalidation, or a
 * detected clone.
 */
struct draws {
	ptrdiff_t next; /* the next byte, counted from the end of the page: 0 or less; 0: there is none */
	unsigned char *end;
	const uint64_t *number; /* cprng_generation_number(), once there is a page; before, NULL */
	uint64_t generation;    /* when the block was filled */
	unsigned int direct;    /* numbers drawn without a page */
};

/* Requests of this size have no bytes in common with those of a copy of the process (docs/snapshots.md). */
#define BLOCK 4096

/* Numbers drawn before there is a page, which costs about as much time as a few thousand of them save. */
#define DIRECT 1024

static unsigned char *new_page(void)
{
#ifdef MADV_WIPEONFORK
	unsigned char *page = mmap(NULL, BLOCK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (page == MAP_FAILED)
		return NULL;
	if (madvise(page, BLOCK, MADV_WIPEONFORK) == 0 && madvise(page, BLOCK, MADV_DONTDUMP) == 0)
		return page;
	munmap(page, BLOCK);
#endif
	return NULL;
}

static bool has_page(struct draws *d)
{
	const uint64_t *number;
	unsigned char *page;

	if (d->number != NULL)
		return true;
	if (d->direct++ < DIRECT)
		return false;
	d->direct = 0;
	/* Old emulators accept the advice without effect: the library detects this, and then has no generation. */
	number = cprng_generation_number();
	page = number == NULL ? NULL : new_page();
	if (page == NULL)
		return false;
	d->end = page + BLOCK;
	d->number = number;
	return true;
}

static void release_draws(PyObject *capsule)
{
	struct draws *d = PyCapsule_GetContext(capsule);

#ifdef MADV_WIPEONFORK
	/* The kernel clears the page before anyone else gets it. */
	if (d->number != NULL)
		munmap(d->end - BLOCK, BLOCK);
#endif
	free(d);
}

static void fill(struct draws *d)
{
	const uint64_t generation = __atomic_load_n(d->number, __ATOMIC_ACQUIRE);

	if (generation % 2 == 0)
		return;
#ifdef MADV_WIPEONFORK
	/* A child does not inherit the lock. */
	if (d->generation != generation)
		(void)mlock(d->end - BLOCK, BLOCK);
#endif
	cprng_fast(d->end - BLOCK, BLOCK);
	d->generation = generation;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	d->next = -BLOCK;
}

/*
 * Fill the block, and return a number that was not in it, of 4 or 8 bytes.  It is drawn last: a child that a signal handler forks
 * before has another one, and no function is called that could save its register on the stack.
 */
static __attribute__((noinline)) uint64_t fill_and_draw(struct draws *d, size_t size)
{
	d->next = 0;
	if (has_page(d))
		fill(d);
	return size == sizeof(uint32_t) ? cprng_fast32() : cprng_fast64();
}

/*
 * The generation is compared last: in a child that a signal handler has forked since the function began, it is another one, and the
 * page is empty.
 */
#define DEFINE_DRAW(type, name) \
	static inline __attribute__((always_inline)) type draw_##name(void *state) \
	{ \
		struct draws *d = state; \
		const ptrdiff_t at = d->next; \
		type number; \
		if (__builtin_expect(at > -(ptrdiff_t)sizeof(number), 0)) \
			return (type)fill_and_draw(d, sizeof(number)); \
		memcpy(&number, d->end + at, sizeof(number)); \
		memset(d->end + at, 0, sizeof(number)); \
		d->next = at + (ptrdiff_t)sizeof(number); \
		__atomic_signal_fence(__ATOMIC_SEQ_CST); \
		if (__builtin_expect(__atomic_load_n(d->number, __ATOMIC_RELAXED) != d->generation, 0)) \
			return (type)fill_and_draw(d, sizeof(number)); \
		return number; \
	}
DEFINE_DRAW(uint64_t, uint64)
DEFINE_DRAW(uint32_t, uint32)

static double draw_double(void *state)
{
	return (double)(draw_uint64(state) >> 11) * (1.0 / 9007199254740992.0); /* 2^-53, as cprng_double() */
}

/* ------------------------------------------------------------------------------------------------------ streams */

#define DEFINE_STREAM(type, name, function) \
	static type stream_##name(void *state) \
	{ \
		return function(state); \
	}
DEFINE_STREAM(uint64_t, uint64, cprng_stream_u64)
DEFINE_STREAM(uint32_t, uint32, cprng_stream_u32)
DEFINE_STREAM(double, double, cprng_stream_double)

static void release_stream(PyObject *capsule)
{
	Py_DECREF((PyObject *)PyCapsule_GetContext(capsule));
}

/* --------------------------------------------------------------------------------------------------- connecting */

/* The capsule lives as long as its bit generator, and keeps what its functions use. */
static bool keep(PyObject *capsule, void *what, PyCapsule_Destructor release)
{
	return PyCapsule_SetContext(capsule, what) == 0 && PyCapsule_SetDestructor(capsule, release) == 0;
}

static bool connect_draws(struct bitgen *bitgen, PyObject *capsule)
{
	struct draws *d = calloc(1, sizeof(*d));

	if (d == NULL) {
		PyErr_NoMemory();
		return false;
	}
	if (!keep(capsule, d, release_draws)) {
		free(d);
		return false;
	}
	*bitgen = (struct bitgen){ d, draw_uint64, draw_uint32, draw_double, draw_uint64 };
	return true;
}

static bool connect_stream(struct bitgen *bitgen, PyObject *capsule, PyObject *object, cprng_stream *stream)
{
	if (!keep(capsule, object, release_stream))
		return false;
	Py_INCREF(object);
	*bitgen = (struct bitgen){ stream, stream_uint64, stream_uint32, stream_double, stream_uint64 };
	return true;
}

/* connect(capsule, stream or None): makes the capsule's bit generator draw from the stream. */
static PyObject *connect(PyObject *module, PyObject *const *arguments, Py_ssize_t count)
{
	struct bitgen *bitgen;
	cprng_stream *stream;

	if (!core_check_arguments("connect", count, 2))
		return NULL;
	bitgen = PyCapsule_GetPointer(arguments[0], capsule_name);
	if (bitgen == NULL)
		return NULL;
	stream = core_stream_of(module, arguments[1]);
	if (stream == NULL && PyErr_Occurred())
		return NULL;
	if (PyCapsule_GetContext(arguments[0]) != NULL) {
		PyErr_SetString(PyExc_ValueError, "the bit generator is already connected");
		return NULL;
	}
	if (stream == NULL ? connect_draws(bitgen, arguments[0]) :
			     connect_stream(bitgen, arguments[0], arguments[1], stream))
		return core_none();
	return NULL;
}

PyMethodDef core_bitgen_functions[] = {
	{ "connect", FAST_METHOD(connect), METH_FASTCALL, NULL },
	{ NULL, NULL, 0, NULL },
};
