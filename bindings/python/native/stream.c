/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The type Stream: a cprng_stream as an object, with the functions of <cprng/stream.h> as methods.  It relies on the
 * interpreter's lock; cprng.Stream adds a lock per object.
 */
#include "core.h"

#include <stdlib.h>
#include <string.h>

struct stream_object {
	PyObject_HEAD
		/* In memory of its own, since objects lack its alignment.  Bit generators point to it: it never moves. */
		cprng_stream *stream;
	void *memory; /* the stream's allocation, from calloc(): Windows has no aligned_alloc() */
};

static cprng_stream *stream_in(PyObject *object)
{
	return ((struct stream_object *)object)->stream;
}

cprng_stream *core_stream_of(PyObject *module, PyObject *object)
{
	PyTypeObject *type = core_state_of(module)->stream_type;

	if (object == Py_None)
		return NULL;
	if (!PyObject_TypeCheck(object, type)) {
		PyErr_SetString(PyExc_TypeError, "neither a stream nor None");
		return NULL;
	}
	return stream_in(object);
}

/* An object whose stream is not initialised yet. */
static PyObject *empty_object(PyTypeObject *type)
{
	allocfunc allocate = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
	PyObject *object = allocate(type, 0);
	char *memory;

	if (object == NULL)
		return NULL;
	memory = calloc(1, sizeof(cprng_stream) + _Alignof(cprng_stream));
	if (memory == NULL) {
		Py_DECREF(object);
		return PyErr_NoMemory();
	}
	((struct stream_object *)object)->memory = memory;
	((struct stream_object *)object)->stream =
		(cprng_stream *)(memory + (-(uintptr_t)memory & (_Alignof(cprng_stream) - 1)));
	return object;
}

/* Returns the object, or releases it and sets the exception for an error. */
static PyObject *made(PyObject *object, int error)
{
	if (error == 0)
		return object;
	Py_DECREF(object);
	return core_raise(error);
}

static PyObject *new_stream(PyTypeObject *type, PyObject *arguments, PyObject *keywords)
{
	const char *engine;
	Py_buffer key, nonce = { 0 };
	PyObject *object;
	int error = 0;

	if (keywords != NULL && PyDict_Size(keywords) != 0) {
		PyErr_SetString(PyExc_TypeError, "Stream() takes no keyword arguments");
		return NULL;
	}
	if (!PyArg_ParseTuple(arguments, "sy*|y*", &engine, &key, &nonce))
		return NULL;
	object = empty_object(type);
	if (object != NULL)
		error = cprng_stream_init(stream_in(object), engine, key.buf, (size_t)key.len,
					  nonce.len == 0 ? NULL : nonce.buf, (size_t)nonce.len);
	if (error != 0) {
		PyErr_Format(PyExc_ValueError, "%s: engine '%s', key of %zd bytes, nonce of %zd", cprng_strerror(error),
			     engine, key.len, nonce.len);
		Py_CLEAR(object);
	}
	PyBuffer_Release(&key);
	PyBuffer_Release(&nonce);
	return object;
}

/* seeded(engine, kind, data): kind is the specification's, "i", "n", "s" or "b", and data the bytes of the seed. */
static PyObject *seeded(PyObject *type, PyObject *arguments)
{
	const char *engine;
	int kind, error;
	Py_buffer data;
	PyObject *object;
	cprng_stream *s;

	if (!PyArg_ParseTuple(arguments, "sCy*", &engine, &kind, &data))
		return NULL;
	object = empty_object((PyTypeObject *)type);
	s = object == NULL ? NULL : stream_in(object);
	if (kind == 's')
		error = cprng_stream_seed_text(s, engine, data.buf, (size_t)data.len);
	else if (kind == 'b')
		error = cprng_stream_seed_bytes(s, engine, data.buf, (size_t)data.len);
	else
		error = cprng_stream_seed_number(s, engine, data.buf, (size_t)data.len, kind == 'n');
	PyBuffer_Release(&data);
	if (object == NULL || error == 0)
		return object;
	Py_DECREF(object);
	if (error == CPRNG_ERR_SIZE || error == CPRNG_ERR_ARGUMENT)
		PyErr_SetString(PyExc_ValueError,
				"a seed of bytes has 16 or more; a string is not empty and has no NUL");
	else
		PyErr_Format(PyExc_ValueError, "%s: engine '%s'", cprng_strerror(error), engine);
	return NULL;
}

static void delete_stream(PyObject *self)
{
	PyTypeObject *type = Py_TYPE(self);
	freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);

	cprng_stream_wipe(stream_in(self));
	free(((struct stream_object *)self)->memory);
	release(self);
	Py_DECREF(type);
}

/* ------------------------------------------------------------------------------------------------------ offsets */

static PyObject *tell_offset(PyObject *self, PyObject *unused)
{
	(void)unused;
	return PyLong_FromUnsignedLongLong(cprng_stream_tell(stream_in(self)));
}

/*
 * Whether the stream is beyond 2^63 bytes or ends before: bit generators refuse it, because the functions of their struct abort
 * at the end.  From an offset below 2^63 no program reads that far.
 */
static PyObject *is_far(PyObject *self, PyObject *unused)
{
	const uint64_t far = UINT64_C(1) << 63;
	cprng_stream copy = *stream_in(self);
	const bool result = cprng_stream_tell(&copy) >= far || cprng_stream_seek(&copy, far) != 0;

	(void)unused;
	cprng_stream_wipe(&copy);
	return PyBool_FromLong(result);
}

static PyObject *seek(PyObject *self, PyObject *argument)
{
	uint64_t offset;
	int error;

	if (!core_u64_from(argument, "offset", &offset))
		return NULL;
	error = cprng_stream_seek(stream_in(self), offset);
	return error == 0 ? core_none() : core_raise(error);
}

static PyObject *child_of(PyObject *self, PyObject *argument)
{
	PyObject *child;
	uint64_t index;

	if (!core_u64_from(argument, "index of the child", &index))
		return NULL;
	child = empty_object(Py_TYPE(self));
	return child == NULL ? NULL : made(child, cprng_stream_child(stream_in(self), index, stream_in(child)));
}

/* -------------------------------------------------------------------------------------------------- checkpoints */

static PyObject *save(PyObject *self, PyObject *unused)
{
	PyObject *bytes = PyBytes_FromStringAndSize(NULL, CPRNG_STREAM_CHECKPOINT_SIZE);

	(void)unused;
	if (bytes == NULL)
		return NULL;
	return made(bytes, cprng_stream_save(stream_in(self), PyBytes_AsString(bytes), CPRNG_STREAM_CHECKPOINT_SIZE));
}

static PyObject *restore(PyObject *self, PyObject *argument)
{
	unsigned char saved[CPRNG_STREAM_CHECKPOINT_SIZE];
	cprng_stream again;
	Py_buffer view;
	int error = CPRNG_ERR_CHECKPOINT;

	if (PyObject_GetBuffer(argument, &view, PyBUF_SIMPLE) != 0)
		return NULL;
	memset(&again, 0, sizeof(again));
	if (view.len == (Py_ssize_t)sizeof(saved)) {
		/* The library must not read memory that another thread may be writing. */
		memcpy(saved, view.buf, sizeof(saved));
		error = cprng_stream_restore(&again, saved, sizeof(saved));
		core_wipe(saved, sizeof(saved));
	}
	PyBuffer_Release(&view);
	if (error == 0)
		*stream_in(self) = again;
	cprng_stream_wipe(&again);
	if (error != 0)
		return core_raise(error);
	return core_none();
}

/* ---------------------------------------------------------------------------------------------------------- numbers */

struct reading {
	cprng_stream *stream;
	char *out;
};

static int read_piece(void *job, size_t begin, size_t count)
{
	const struct reading *r = job;

	return cprng_stream_read(r->stream, r->out + begin, count);
}

static PyObject *read_bytes(PyObject *self, PyObject *argument)
{
	Py_ssize_t size = core_size_from(argument, "number of bytes");
	struct reading job = { .stream = stream_in(self) };
	const uint64_t before = cprng_stream_tell(job.stream);
	PyObject *bytes;
	int status;

	if (size < 0)
		return NULL;
	bytes = PyBytes_FromStringAndSize(NULL, size);
	if (bytes == NULL || size == 0)
		return bytes;
	job.out = PyBytes_AsString(bytes);
	if (size < CORE_LONG_DRAW)
		return made(bytes, read_piece(&job, 0, (size_t)size));
	status = core_in_pieces(read_piece, &job, (size_t)size, CORE_PIECE_BYTES);
	if (status == 0)
		return bytes;
	Py_DECREF(bytes);
	return core_finished(job.stream, before, status);
}

static PyObject *u64(PyObject *self, PyObject *unused)
{
	uint64_t word;
	const int error = core_below(stream_in(self), 0, &word);

	(void)unused;
	return error == 0 ? PyLong_FromUnsignedLongLong(word) : core_raise(error);
}

/* ---------------------------------------------------------------------------------------------------------- samples */

/* Memory for k integers, which the caller frees, or NULL with an exception. */
static uint64_t *integers(size_t k)
{
	uint64_t *memory = k > PY_SSIZE_T_MAX / sizeof(uint64_t) ? NULL : malloc(k == 0 ? 1 : k * sizeof(uint64_t));

	if (memory == NULL)
		PyErr_NoMemory();
	return memory;
}

static PyObject *list_of(const uint64_t *values, size_t count)
{
	PyObject *list = PyList_New((Py_ssize_t)count);

	for (size_t i = 0; list != NULL && i < count; i++) {
		PyObject *value = PyLong_FromUnsignedLongLong(values[i]);

		/* The list takes over the reference. */
		if (value == NULL || PyList_SetItem(list, (Py_ssize_t)i, value) != 0) {
			Py_DECREF(list);
			list = NULL;
		}
	}
	return list;
}

/* Releases the interpreter's lock for a long sample. */
static int take_sample(cprng_stream *s, uint64_t *values, size_t k, uint64_t n)
{
	PyThreadState *state;
	int error;

	if (k < CORE_LONG_DRAW / sizeof(*values))
		return cprng_stream_sample(s, values, k, n);
	state = PyEval_SaveThread();
	error = cprng_stream_sample(s, values, k, n);
	PyEval_RestoreThread(state);
	return error;
}

static PyObject *sample(PyObject *self, PyObject *arguments)
{
	Py_ssize_t k;
	PyObject *second, *list = NULL;
	uint64_t *values, n;
	int error;

	if (!PyArg_ParseTuple(arguments, "nO", &k, &second) || !core_u64_from(second, "n", &n))
		return NULL;
	if (k < 0 || (uint64_t)k > n) {
		PyErr_SetString(PyExc_ValueError, "a sample is no larger than what it is taken from, and not negative");
		return NULL;
	}
	values = integers((size_t)k);
	if (values == NULL)
		return NULL;
	error = take_sample(stream_in(self), values, (size_t)k, n);
	if (error == 0)
		list = list_of(values, (size_t)k);
	else
		core_raise(error);
	free(values);
	return list;
}

#define METHOD(name, function, how) { name, (PyCFunction)(function), how, NULL }

static PyMethodDef methods[] = {
	METHOD("seeded", seeded, METH_VARARGS | METH_CLASS),
	METHOD("tell", tell_offset, METH_NOARGS),
	METHOD("is_far", is_far, METH_NOARGS),
	METHOD("seek", seek, METH_O),
	METHOD("child", child_of, METH_O),
	METHOD("save", save, METH_NOARGS),
	METHOD("restore", restore, METH_O),
	METHOD("read", read_bytes, METH_O),
	METHOD("u64", u64, METH_NOARGS),
	METHOD("sample", sample, METH_VARARGS),
	{ NULL, NULL, 0, NULL },
};

static PyType_Slot slots[] = {
	{ Py_tp_doc, "Stream(engine, key, nonce=None, /): a stream of the C library." },
	{ Py_tp_new, new_stream },
	{ Py_tp_dealloc, delete_stream },
	{ Py_tp_methods, methods },
	{ 0, NULL },
};

static PyType_Spec spec = {
	.name = "cprng._core.Stream",
	.basicsize = sizeof(struct stream_object),
	.flags = Py_TPFLAGS_DEFAULT,
	.slots = slots,
};

int core_add_stream(PyObject *module)
{
	return core_add_type(module, &spec, &core_state_of(module)->stream_type);
}
