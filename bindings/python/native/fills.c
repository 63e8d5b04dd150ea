/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Arrays of numbers, filled in parts by several threads, without the interpreter's lock.  Each part begins at its own
 * offset of a stream, so the numbers do not depend on the parts.
 */
#include "core.h"
#include "parts.h"

/* Shorter fills keep the interpreter's lock (docs/decisions/0024-python.md). */
#define SHORT_FILL 4096

enum kind { BYTES, FLOAT, DOUBLE, NORMAL, EXPONENTIAL };

static const struct {
	const char *name;   /* in Python */
	const char *format; /* of elements, as in Python's struct; "": any */
	size_t size;
} kinds[] = {
	[BYTES] = { "BYTES", "", 1 },
	[FLOAT] = { "FLOAT", "f", 4 },
	[DOUBLE] = { "DOUBLE", "d", 8 },
	[NORMAL] = { "NORMAL", "d", 8 },
	[EXPONENTIAL] = { "EXPONENTIAL", "d", 8 },
};

int core_add_kinds(PyObject *module)
{
	for (int kind = BYTES; kind <= EXPONENTIAL; kind++)
		if (PyModule_AddIntConstant(module, kinds[kind].name, kind) != 0)
			return -1;
	return 0;
}

struct fill {
	enum kind kind;
	cprng_stream *stream; /* NULL: draws */
	unsigned char *out;
	double a, b; /* mu and sigma, or the mean */
	Py_ssize_t threads;
};

static int fill_by(const struct fill *f, cprng_stream *s, void *out, size_t count)
{
	switch (f->kind) {
	case BYTES:
		if (s != NULL)
			return cprng_stream_read(s, out, count);
		cprng_fast(out, count);
		return 0;
	case FLOAT:
		return FILL(float, out, count);
	case DOUBLE:
		return FILL(double, out, count);
	case NORMAL:
		return FILL(normal, out, count, f->a, f->b);
	case EXPONENTIAL:
		break;
	}
	return FILL(exponential, out, count, f->a);
}

static int fill_part(void *job, struct part *part)
{
	const struct fill *f = job;
	const size_t size = kinds[f->kind].size;
	unsigned char *out = f->out + part->begin * size;
	cprng_stream s;
	int error;

	if (f->stream == NULL)
		return fill_by(f, NULL, out, part->end - part->begin);
	s = *f->stream;
	error = cprng_stream_advance(&s, (int64_t)(part->begin * size));
	if (error == 0)
		error = fill_by(f, &s, out, part->end - part->begin);
	cprng_stream_wipe(&s);
	return error;
}

/* ---------------------------------------------------------------------------------------------------- arguments */

/* Numbers [begin, begin + count) of a fill, with a suitable number of threads. */
static int fill_piece(void *job, size_t begin, size_t count)
{
	struct fill piece = *(const struct fill *)job;
	const size_t bytes = count * kinds[piece.kind].size;
	int error;

	piece.out += begin * kinds[piece.kind].size;
	if (bytes < SHORT_FILL)
		error = fill_part(&piece, &(struct part){ .begin = 0, .end = count });
	else
		error = run_parts(fill_part, &piece, NULL, count, parts_for(bytes, piece.threads));
	if (error == 0 && piece.stream != NULL)
		error = cprng_stream_advance(piece.stream, (int64_t)bytes);
	return error;
}

static int run_fill(struct fill *f, size_t count)
{
	const size_t size = kinds[f->kind].size, bytes = count * size;

	if (bytes < SHORT_FILL)
		return fill_piece(f, 0, count);
	/* An array for which the stream is too short stays as it is. */
	if (f->stream != NULL && (cprng_stream_advance(f->stream, (int64_t)bytes) != 0 ||
				  cprng_stream_advance(f->stream, -(int64_t)bytes) != 0))
		return CPRNG_ERR_RANGE;
	return core_in_pieces(fill_piece, f, count, CORE_PIECE_BYTES / size * parts_for(bytes, f->threads));
}

/* fill(stream or None, kind, array, a, b, threads): threads 0 means a suitable number. */
static PyObject *fill(PyObject *module, PyObject *const *arguments, Py_ssize_t count)
{
	struct fill f;
	Py_buffer view;
	uint64_t before;
	Py_ssize_t kind;
	int status;

	if (!core_check_arguments("fill", count, 6))
		return NULL;
	f.stream = core_stream_of(module, arguments[0]);
	kind = PyLong_AsSsize_t(arguments[1]);
	f.a = PyFloat_AsDouble(arguments[3]);
	f.b = PyFloat_AsDouble(arguments[4]);
	f.threads = PyErr_Occurred() ? -1 : core_size_from(arguments[5], "threads");
	if (PyErr_Occurred())
		return NULL;
	if (kind < BYTES || kind > EXPONENTIAL) {
		PyErr_SetString(PyExc_ValueError, "no such kind of numbers");
		return NULL;
	}
	if (!core_open_array(arguments[2], &view, kinds[kind].format))
		return NULL;
	f.kind = (enum kind)kind;
	f.out = view.buf;
	before = cprng_stream_tell(f.stream);
	status = run_fill(&f, (size_t)view.len / kinds[kind].size);
	PyBuffer_Release(&view);
	return core_finished(f.stream, before, status);
}

/* Elements [begin, begin + count) of an integer array.  Afterwards the stream stands after them. */
static int integers_piece(void *job, size_t begin, size_t count)
{
	struct integers piece = *(const struct integers *)job;

	piece.out = (unsigned char *)piece.out + begin * piece.size;
	piece.count = count;
	return integers_fill(&piece, parts_for(count * 8, piece.threads));
}

/* integers(stream or None, array, low, bound, threads): low + [0, bound), modulo 2^64; bound 0 means 2^64. */
static PyObject *integers(PyObject *module, PyObject *const *arguments, Py_ssize_t count)
{
	struct integers job = { 0 };
	Py_buffer view;
	uint64_t before;
	int status;

	if (!core_check_arguments("integers", count, 5))
		return NULL;
	job.stream = core_stream_of(module, arguments[0]);
	job.low = PyLong_AsUnsignedLongLongMask(arguments[2]);
	job.bound = PyLong_AsUnsignedLongLongMask(arguments[3]);
	job.threads = PyErr_Occurred() ? -1 : core_size_from(arguments[4], "threads");
	if (PyErr_Occurred() || !core_open_array(arguments[1], &view, "bBhHiIlLqQ?"))
		return NULL;
	job.out = view.buf;
	job.size = (size_t)view.itemsize;
	job.count = (size_t)view.len / job.size;
	before = cprng_stream_tell(job.stream);
	status = core_in_pieces(integers_piece, &job, job.count,
				CORE_PIECE_BYTES / 8 * parts_for(job.count * 8, job.threads));
	PyBuffer_Release(&view);
	return core_finished(job.stream, before, status);
}

struct ranges {
	cprng_stream *stream; /* NULL: draws */
	uint64_t *values;
	const uint64_t *lows;
};

static int ranges_piece(void *job, size_t begin, size_t count)
{
	const struct ranges *r = job;
	int error = 0;

	for (size_t i = begin; i < begin + count && error == 0; i++) {
		error = core_below(r->stream, r->values[i] + 1, &r->values[i]);
		r->values[i] += r->lows[i];
	}
	return error;
}

/*
 * ranges(stream or None, values, lows), two arrays of 64-bit numbers of the same length.  Replaces each value by a
 * uniform number of [low, low + value], modulo 2^64.
 */
static PyObject *ranges(PyObject *module, PyObject *const *arguments, Py_ssize_t count)
{
	struct ranges job;
	Py_buffer values, lows;
	uint64_t before;
	int status;

	if (!core_check_arguments("ranges", count, 3))
		return NULL;
	job.stream = core_stream_of(module, arguments[0]);
	if (PyErr_Occurred() || !core_open_array(arguments[1], &values, CORE_UINT64))
		return NULL;
	if (!core_open_array(arguments[2], &lows, CORE_UINT64)) {
		PyBuffer_Release(&values);
		return NULL;
	}
	job.values = values.buf;
	job.lows = lows.buf;
	before = cprng_stream_tell(job.stream);
	status = values.len == lows.len ? core_in_pieces(ranges_piece, &job, (size_t)values.len / sizeof(uint64_t),
							 CORE_PIECE_BYTES / 8) :
					  CPRNG_ERR_ARGUMENT;
	PyBuffer_Release(&values);
	PyBuffer_Release(&lows);
	return core_finished(job.stream, before, status);
}

PyMethodDef core_fill_functions[] = {
	{ "fill", FAST_METHOD(fill), METH_FASTCALL, NULL },
	{ "integers", FAST_METHOD(integers), METH_FASTCALL, NULL },
	{ "ranges", FAST_METHOD(ranges), METH_FASTCALL, NULL },
	{ NULL, NULL, 0, NULL },
};
