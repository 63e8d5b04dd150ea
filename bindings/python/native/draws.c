/* SPDX-License-Identifier: BSD-2-Clause */
/* Draws: bytes, integers, choices, and the type whose methods cprng.Random has. */
#include "core.h"

#include <string.h>

static void draw(void *out, size_t len)
{
	if (len < CORE_LONG_DRAW) {
		cprng_fast(out, len);
		return;
	}
	Py_BEGIN_ALLOW_THREADS cprng_fast(out, len);
	Py_END_ALLOW_THREADS
}

static PyObject *random_bytes(PyObject *self, PyObject *argument)
{
	Py_ssize_t size = core_size_from(argument, "number of bytes");
	PyObject *bytes;

	(void)self;
	if (size < 0)
		return NULL;
	bytes = PyBytes_FromStringAndSize(NULL, size);
	/* The empty bytes object is one for all, and has nothing to be filled. */
	if (bytes != NULL && size > 0)
		draw(PyBytes_AsString(bytes), (size_t)size);
	return bytes;
}

static PyObject *strong_bytes(PyObject *module, PyObject *argument)
{
	Py_ssize_t size = core_size_from(argument, "number of bytes");
	PyObject *bytes;

	(void)module;
	if (size < 0)
		return NULL;
	bytes = PyBytes_FromStringAndSize(NULL, size);
	if (bytes != NULL && size > 0) {
		char *out = PyBytes_AsString(bytes);

		/* It waits for a lock that another thread may hold. */
		Py_BEGIN_ALLOW_THREADS cprng_strong(out, (size_t)size);
		Py_END_ALLOW_THREADS
	}
	return bytes;
}

static PyObject *fill_bytes(PyObject *module, PyObject *argument)
{
	Py_buffer view;

	(void)module;
	if (PyObject_GetBuffer(argument, &view, PyBUF_WRITABLE | PyBUF_C_CONTIGUOUS | PyBUF_FORMAT) != 0)
		return NULL;
	if (core_has_objects(view.format)) {
		PyBuffer_Release(&view);
		PyErr_SetString(PyExc_TypeError, "an array of objects is no memory for bytes");
		return NULL;
	}
	draw(view.buf, (size_t)view.len);
	PyBuffer_Release(&view);
	Py_INCREF(argument);
	return argument;
}

/* ---------------------------------------------------------------------------------------------------- integers */

/* A uniform integer of `bits` bits, any number of them above 0. */
static PyObject *long_integer(size_t bits)
{
	size_t size = bits / 8 + (bits % 8 != 0);
	PyObject *bytes = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)size), *number;
	unsigned char *data;

	if (bytes == NULL)
		return NULL;
	data = (unsigned char *)PyBytes_AsString(bytes);
	draw(data, size);
	if (bits % 8 != 0)
		data[size - 1] &= (unsigned char)((1 << bits % 8) - 1);
	number = PyObject_CallMethod((PyObject *)&PyLong_Type, "from_bytes", "Os", bytes, "little");
	/* No other code has seen the object. */
	explicit_bzero(data, size);
	Py_DECREF(bytes);
	return number;
}

static PyObject *getrandbits(PyObject *self, PyObject *argument)
{
	PyObject *index = PyNumber_Index(argument);
	int overflow;
	long bits;

	(void)self;
	if (index == NULL)
		return NULL;
	bits = PyLong_AsLongAndOverflow(index, &overflow);
	Py_DECREF(index);
	if (bits < 0 && PyErr_Occurred())
		return NULL;
	if (overflow > 0) {
		PyErr_SetString(PyExc_OverflowError, "number of bits is too large");
		return NULL;
	}
	if (bits < 0) {
		PyErr_SetString(PyExc_ValueError, "number of bits must be non-negative");
		return NULL;
	}
	if (bits == 0)
		return PyLong_FromLong(0);
	if (bits <= 32)
		return PyLong_FromUnsignedLong(cprng_fast32() >> (32 - bits));
	if (bits <= 64)
		return PyLong_FromUnsignedLongLong(cprng_fast64() >> (64 - bits));
	return long_integer((size_t)bits);
}

/* bound is an int of any size, above 2^64 say: rejection of numbers of as many bits as bound has. */
static PyObject *below_long(PyObject *bound)
{
	PyObject *length = PyObject_CallMethod(bound, "bit_length", NULL);
	size_t bits;

	if (length == NULL)
		return NULL;
	bits = PyLong_AsSize_t(length);
	Py_DECREF(length);
	if (bits == (size_t)-1 && PyErr_Occurred())
		return NULL;
	for (;;) {
		PyObject *number = long_integer(bits);
		int below;

		if (number == NULL)
			return NULL;
		below = PyObject_RichCompareBool(number, bound, Py_LT);
		if (below > 0)
			return number;
		Py_DECREF(number);
		if (below < 0 || PyErr_CheckSignals() != 0)
			return NULL;
	}
}

/* Sets ValueError for an int that is 0 or negative; otherwise it is above 2^64. */
static PyObject *below_other(PyObject *bound)
{
	PyObject *zero = PyLong_FromLong(0);
	int positive = zero == NULL ? -1 : PyObject_RichCompareBool(bound, zero, Py_GT);

	Py_XDECREF(zero);
	if (positive > 0)
		return below_long(bound);
	if (positive == 0)
		PyErr_SetString(PyExc_ValueError, "upper bound must be positive");
	return NULL;
}

static PyObject *below(PyObject *self, PyObject *argument)
{
	PyObject *index = NULL, *result;
	unsigned long long bound;

	(void)self;
	if (!PyLong_Check(argument)) {
		index = PyNumber_Index(argument);
		if (index == NULL)
			return NULL;
		argument = index;
	}
	bound = PyLong_AsUnsignedLongLong(argument);
	if (bound == (unsigned long long)-1 && PyErr_Occurred()) {
		PyErr_Clear();
		result = below_other(argument);
	} else if (bound == 0) {
		result = below_other(argument);
	} else if (bound <= UINT32_MAX) {
		result = PyLong_FromUnsignedLong(cprng_uniform32((uint32_t)bound));
	} else {
		result = PyLong_FromUnsignedLongLong(cprng_uniform64(bound));
	}
	Py_XDECREF(index);
	return result;
}

/* ----------------------------------------------------------------------------------------------- floating point */

/*
 * Without arguments, and declared as one that takes an array of them: the interpreter has a shorter way to such a function
 * (docs/decisions/0024-python.md).
 */
static PyObject *random_double(PyObject *self, PyObject *const *arguments, Py_ssize_t count)
{
	(void)self, (void)arguments;
	if (count != 0 && !core_check_arguments("random", count, 0, 0))
		return NULL;
	return PyFloat_FromDouble(cprng_double());
}

static PyObject *standard_normal(PyObject *self, PyObject *unused)
{
	(void)self, (void)unused;
	return PyFloat_FromDouble(cprng_normal(0, 1));
}

static PyObject *standard_exponential(PyObject *self, PyObject *unused)
{
	(void)self, (void)unused;
	return PyFloat_FromDouble(cprng_exponential(1));
}

/* ------------------------------------------------------------------------------------------- choices and orders */

static PyObject *choice(PyObject *self, PyObject *sequence)
{
	Py_ssize_t size = PyObject_Size(sequence);
	PyObject *index, *element;

	(void)self;
	if (size < 0)
		return NULL;
	if (size == 0) {
		PyErr_SetString(PyExc_IndexError, "Cannot choose from an empty sequence");
		return NULL;
	}
	/* By an int, as the expression sequence[i] has it: some sequences of Python have no other way. */
	index = PyLong_FromUnsignedLongLong(cprng_uniform64((uint64_t)size));
	if (index == NULL)
		return NULL;
	element = PyObject_GetItem(sequence, index);
	Py_DECREF(index);
	return element;
}

/* A new reference, which no other thread takes away. */
static PyObject *list_item(PyObject *list, Py_ssize_t at)
{
#ifdef Py_GIL_DISABLED
	return PyList_GetItemRef(list, at);
#else
	PyObject *item = PyList_GetItem(list, at);

	Py_XINCREF(item);
	return item;
#endif
}

static int exchange(PyObject *sequence, bool is_list, Py_ssize_t i, Py_ssize_t j)
{
	PyObject *a = is_list ? list_item(sequence, i) : PySequence_GetItem(sequence, i);
	PyObject *b = a == NULL ? NULL : is_list ? list_item(sequence, j) : PySequence_GetItem(sequence, j);
	int failed = -1;

	if (b == NULL) {
		Py_XDECREF(a);
		return failed;
	}
	if (!is_list) {
		failed = PySequence_SetItem(sequence, i, b) != 0 || PySequence_SetItem(sequence, j, a) != 0 ? -1 : 0;
		Py_DECREF(a);
		Py_DECREF(b);
	} else {
		/* The list takes the references, with or without success. */
		failed = PyList_SetItem(sequence, i, b);
		failed = PyList_SetItem(sequence, j, a) != 0 ? -1 : failed;
	}
	return failed;
}

/* The attribute, or NULL: without an exception if there is none. */
static PyObject *attribute(PyObject *object, const char *name)
{
	PyObject *value = PyObject_GetAttrString(object, name);

	if (value == NULL && PyErr_ExceptionMatches(PyExc_AttributeError))
		PyErr_Clear();
	return value;
}

/*
 * Are the elements of an array views of it?  Those of several dimensions and of structures are: an exchange would write the
 * second over the first, which is what the first view then shows.  -1 with an exception.
 */
static int has_views(PyObject *sequence)
{
	PyObject *dimensions = attribute(sequence, "ndim"), *type, *names;
	long count = 0;
	int result;

	if (dimensions != NULL && PyLong_Check(dimensions))
		count = PyLong_AsLong(dimensions);
	Py_XDECREF(dimensions);
	if (PyErr_Occurred())
		return -1;
	type = count == 1 ? attribute(sequence, "dtype") : NULL;
	names = type != NULL ? attribute(type, "names") : NULL;
	result = count > 1 || (names != NULL && names != Py_None);
	Py_XDECREF(names);
	Py_XDECREF(type);
	return PyErr_Occurred() ? -1 : result;
}

static PyObject *shuffle(PyObject *self, PyObject *sequence)
{
	const bool is_list = PyList_CheckExact(sequence);
	const int views = is_list ? 0 : has_views(sequence);
	Py_ssize_t size = views < 0 ? -1 : PyObject_Size(sequence);

	(void)self;
	if (size < 0)
		return NULL;
	if (views != 0) {
		PyErr_SetString(PyExc_TypeError, "an array of rows or structures: "
						 "numpy.random.Generator(cprng.BitGenerator()).shuffle() has these");
		return NULL;
	}
	for (Py_ssize_t i = size - 1; i > 0; i--)
		if (exchange(sequence, is_list, i, (Py_ssize_t)cprng_uniform64((uint64_t)i + 1)) != 0)
			return NULL;
	Py_RETURN_NONE;
}

/* -------------------------------------------------------------------------------------------- about the library */

static PyObject *invalidate(PyObject *module, PyObject *unused)
{
	(void)module, (void)unused;
	cprng_invalidate();
	Py_RETURN_NONE;
}

static PyObject *reseed(PyObject *module, PyObject *unused)
{
	int error = cprng_reseed();

	(void)module, (void)unused;
	if (error != 0)
		return core_raise(error);
	Py_RETURN_NONE;
}

static PyObject *info(PyObject *module, PyObject *unused)
{
	struct cprng_info now;

	(void)module, (void)unused;
	cprng_get_info(&now, sizeof(now));
	return Py_BuildValue("{s:s,s:s,s:s,s:s,s:s,s:s}", "engine", now.engine, "backend", now.backend, "placement",
			     now.placement, "entropy", now.entropy, "fork_guard", now.fork_guard, "memory_lock",
			     now.memory_lock);
}

#define ONE_ARGUMENT(name, function, text) { name, (PyCFunction)(function), METH_O, text }
#define NO_ARGUMENT(name, function, text) { name, (PyCFunction)(function), METH_NOARGS, text }

PyMethodDef core_draw_functions[] = {
	ONE_ARGUMENT("random_bytes", random_bytes,
		     "random_bytes($module, n, /)\n--\n\n"
		     "Return n random bytes.\n\n"
		     ">>> len(random_bytes(32))\n32\n"),
	ONE_ARGUMENT("strong_bytes", strong_bytes,
		     "strong_bytes($module, n, /)\n--\n\n"
		     "Return n random bytes of the process's Fortuna, for keys that live long.\n\n"
		     "Takes longer than random_bytes(), and recovers from a disclosure of its state even if an\n"
		     "attacker controls most sources of entropy: cprng_strong(3).\n\n"
		     ">>> len(strong_bytes(32))\n32\n"),
	ONE_ARGUMENT("fill_bytes", fill_bytes,
		     "fill_bytes($module, buffer, /)\n--\n\n"
		     "Fill a writable, contiguous buffer with random bytes, and return it.\n\n"
		     "For secrets that the program erases itself, which a bytes object does not allow.\n\n"
		     ">>> key = fill_bytes(bytearray(32))\n>>> key != bytearray(32)\nTrue\n"
		     ">>> key[:] = bytes(32)  # erased\n"),
	ONE_ARGUMENT("randbelow", below,
		     "randbelow($module, n, /)\n--\n\n"
		     "Return a uniform integer in [0, n), for n of any size above 0.\n\n"
		     ">>> 0 <= randbelow(6) < 6\nTrue\n"),
	ONE_ARGUMENT("randbits", getrandbits,
		     "randbits($module, k, /)\n--\n\n"
		     "Return a uniform integer of k bits.\n\n"
		     ">>> 0 <= randbits(128) < 2**128\nTrue\n"),
	{ "random", FAST_METHOD(random_double), METH_FASTCALL,
	  "random($module, /)\n--\n\n"
	  "Return a uniform multiple of 2**-53 in [0, 1).\n\n"
	  ">>> 0.0 <= random() < 1.0\nTrue\n" },
	NO_ARGUMENT("standard_normal", standard_normal, "standard_normal($module, /)\n--\n\n"),
	NO_ARGUMENT("standard_exponential", standard_exponential, "standard_exponential($module, /)\n--\n\n"),
	ONE_ARGUMENT("choice", choice,
		     "choice($module, sequence, /)\n--\n\n"
		     "Return one element of a sequence.\n\n"
		     ">>> choice(['a', 'b', 'c']) in 'abc'\nTrue\n"),
	ONE_ARGUMENT(
		"shuffle", shuffle,
		"shuffle($module, sequence, /)\n--\n\n"
		"Put a mutable sequence into a uniformly random order, in place.\n\n"
		"Arrays of several dimensions and of structures are refused: numpy.random.Generator has shuffle().\n\n"
		">>> cards = list(range(52))\n>>> shuffle(cards)\n>>> sorted(cards) == list(range(52))\nTrue\n"),
	NO_ARGUMENT("invalidate", invalidate,
		    "invalidate($module, /)\n--\n\n"
		    "Drop all that is buffered: no byte drawn after the return was generated before the call.\n\n"
		    "After an event that the library cannot see, such as a restored checkpoint of the process:\n"
		    "cprng(3).\n\n"
		    ">>> invalidate()\n"),
	NO_ARGUMENT("reseed", reseed,
		    "reseed($module, /)\n--\n\n"
		    "Do what invalidate() does, and reseed from the kernel.  OSError if that does not answer.\n\n"
		    ">>> reseed()\n"),
	NO_ARGUMENT("info", info,
		    "info($module, /)\n--\n\n"
		    "Return what serves the draws of this process: cprng_info(3).\n\n"
		    ">>> sorted(info())\n"
		    "['backend', 'engine', 'entropy', 'fork_guard', 'memory_lock', 'placement']\n"),
	{ NULL, NULL, 0, NULL },
};

static PyMethodDef draws_methods[] = {
	{ "random", FAST_METHOD(random_double), METH_FASTCALL,
	  "random($self, /)\n--\n\nReturn a uniform multiple of 2**-53 in [0, 1)." },
	ONE_ARGUMENT("getrandbits", getrandbits, "getrandbits($self, k, /)\n--\n\nReturn a uniform integer of k bits."),
	ONE_ARGUMENT("randbytes", random_bytes, "randbytes($self, n, /)\n--\n\nReturn n random bytes."),
	ONE_ARGUMENT("_randbelow", below, "_randbelow($self, n, /)\n--\n\nReturn a uniform integer in [0, n)."),
	ONE_ARGUMENT("choice", choice, "choice($self, seq, /)\n--\n\nReturn one element of a sequence."),
	ONE_ARGUMENT("shuffle", shuffle,
		     "shuffle($self, x, /)\n--\n\nPut a mutable sequence into a uniformly random order, in place."),
	{ NULL, NULL, 0, NULL },
};

static PyType_Slot draws_slots[] = {
	{ Py_tp_doc, "Methods that draw, for classes that inherit from random.Random as well." },
	{ Py_tp_methods, draws_methods },
	{ 0, NULL },
};

static PyType_Spec draws_spec = {
	.name = "cprng._core.Draws",
	.basicsize = 0, /* that of object, so that it goes with any other base */
	.flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
	.slots = draws_slots,
};

int core_add_draws(PyObject *module)
{
	PyObject *type = PyType_FromModuleAndSpec(module, &draws_spec, NULL);
	int status = type == NULL ? -1 : PyModule_AddType(module, (PyTypeObject *)type);

	Py_XDECREF(type);
	return status;
}
