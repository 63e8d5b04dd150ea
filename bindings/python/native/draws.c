/* SPDX-License-Identifier: BSD-2-Clause */
/* Draws: bytes, integers, choices, and the type with cprng.Random's methods. */
#include "core.h"

#include <string.h>

static int draw_piece(void *out, size_t begin, size_t count)
{
	cprng_fast((unsigned char *)out + begin, count);
	return 0;
}

/* cprng_strong() waits for a lock that another thread may hold. */
static int draw_strong_piece(void *out, size_t begin, size_t count)
{
	cprng_strong((unsigned char *)out + begin, count);
	return 0;
}

/* Returns 0, or -1 with an exception that a signal handler raised. */
static int draw(void *out, size_t len)
{
	if (len >= CORE_LONG_DRAW)
		return core_in_pieces(draw_piece, out, len, CORE_PIECE_BYTES);
	cprng_fast(out, len);
	return 0;
}

/* Returns the object, or releases it and returns NULL if the draw failed. */
static PyObject *drawn(PyObject *object, int status)
{
	if (status == 0)
		return object;
	Py_DECREF(object);
	return NULL;
}

PyObject *core_random_bytes(Py_ssize_t size)
{
	PyObject *bytes = PyBytes_FromStringAndSize(NULL, size);

	/* The empty bytes object is shared, and needs no filling. */
	return bytes == NULL || size == 0 ? bytes : drawn(bytes, draw(PyBytes_AsString(bytes), (size_t)size));
}

static PyObject *random_bytes(PyObject *self, PyObject *argument)
{
	const Py_ssize_t size = core_size_from(argument, "number of bytes");

	(void)self;
	return size < 0 ? NULL : core_random_bytes(size);
}

static PyObject *strong_bytes(PyObject *module, PyObject *argument)
{
	Py_ssize_t size = core_size_from(argument, "number of bytes");
	PyObject *bytes;

	(void)module;
	if (size < 0)
		return NULL;
	bytes = PyBytes_FromStringAndSize(NULL, size);
	if (bytes == NULL || size == 0)
		return bytes;
	return drawn(bytes,
		     core_in_pieces(draw_strong_piece, PyBytes_AsString(bytes), (size_t)size, CORE_PIECE_BYTES / 8));
}

static PyObject *fill_bytes(PyObject *module, PyObject *argument)
{
	Py_buffer view;
	int status;

	(void)module;
	if (!core_open_array(argument, &view, ""))
		return NULL;
	status = draw(view.buf, (size_t)view.len);
	PyBuffer_Release(&view);
	Py_INCREF(argument);
	return drawn(argument, status);
}

/* ---------------------------------------------------------------------------------------------------- integers */

/* A uniform integer of `bits` bits, 1 or more. */
static PyObject *long_integer(size_t bits)
{
	size_t size = bits / 8 + (bits % 8 != 0);
	PyObject *bytes = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)size), *number;
	unsigned char *data;

	if (bytes == NULL)
		return NULL;
	data = (unsigned char *)PyBytes_AsString(bytes);
	if (draw(data, size) != 0) {
		Py_DECREF(bytes);
		return NULL;
	}
	if (bits % 8 != 0)
		data[size - 1] &= (unsigned char)((1 << bits % 8) - 1);
	number = PyObject_CallMethod((PyObject *)&PyLong_Type, "from_bytes", "(Os)", bytes, "little");
	/* No other code has a reference yet. */
	core_wipe(data, size);
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

/* For a bound that may exceed 2^64: rejection from numbers with as many bits as the bound. */
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

/* The bound is an int outside [1, 2^64): ValueError if it is 0 or negative. */
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
 * Takes no arguments, but is declared METH_FASTCALL: the interpreter calls such functions faster than METH_NOARGS
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

/* ------------------------------------------------------------------------------------- choices and permutations */

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
	/* The index is an int object, as in sequence[i]: some Python sequences implement only __getitem__(). */
	index = PyLong_FromUnsignedLongLong(cprng_uniform64((uint64_t)size));
	if (index == NULL)
		return NULL;
	element = PyObject_GetItem(sequence, index);
	Py_DECREF(index);
	return element;
}

static PyObject *shuffle(PyObject *self, PyObject *sequence)
{
	PyObject *orders, *result;

	(void)self;
	if (PyList_CheckExact(sequence))
		return core_shuffle(NULL, sequence);
	orders = PyImport_ImportModule("cprng._orders");
	result = orders == NULL ? NULL : PyObject_CallMethod(orders, "shuffle", "(O)", sequence);
	Py_XDECREF(orders);
	return result;
}

/* -------------------------------------------------------------------------------------------- keyword arguments */

/* A function of one argument, positional or by keyword, as in the modules secrets and random. */
#define DEFINE_NAMED(function, argument, of) \
	static PyObject *function##_named(PyObject *self, PyObject *const *arguments, Py_ssize_t count, \
					  PyObject *keywords) \
	{ \
		PyObject *only = core_argument(#function, #argument, arguments, count, keywords); \
		return only == NULL ? NULL : of(self, only); \
	}
DEFINE_NAMED(randbelow, exclusive_upper_bound, below)
DEFINE_NAMED(randbits, k, getrandbits)
DEFINE_NAMED(getrandbits, k, getrandbits)
DEFINE_NAMED(randbytes, n, random_bytes)
DEFINE_NAMED(choice, seq, choice)
DEFINE_NAMED(shuffle, x, shuffle)

#define NAMED(function, argument, text) \
	{ #function, FAST_METHOD(function##_named), METH_FASTCALL | METH_KEYWORDS, \
	  #function "($self, /, " #argument ")\n--\n\n" text }

/* -------------------------------------------------------------------------------------------- about the library */

static PyObject *invalidate(PyObject *module, PyObject *unused)
{
	(void)module, (void)unused;
	cprng_invalidate();
	return core_none();
}

static PyObject *reseed(PyObject *module, PyObject *unused)
{
	int error = cprng_reseed();

	(void)module, (void)unused;
	if (error != 0)
		return core_raise(error);
	return core_none();
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

/* Functions of the module that are methods of Random, too. */
#define RANDOM \
	{ "random", FAST_METHOD(random_double), METH_FASTCALL, \
	  "random($self, /)\n--\n\n" \
	  "Return a uniform multiple of 2**-53 in [0, 1).\n" RETURNS "float\n" EXAMPLES \
	  ">>> 0.0 <= random() < 1.0\nTrue\n" }
#define CHOICE \
	NAMED(choice, seq, \
	      "Return one element of a sequence.\n" PARAMETERS "seq : sequence\n" RETURNS "object\n" RAISES \
	      "IndexError\n    If seq is empty.\n" EXAMPLES ">>> choice(['a', 'b', 'c']) in 'abc'\nTrue\n")
#define SHUFFLE \
	NAMED(shuffle, x, \
	      "Put a mutable sequence into a uniformly random order, in place; of an array, the rows.\n" PARAMETERS \
	      "x : collections.abc.MutableSequence or numpy.ndarray\n" RAISES \
	      "TypeError\n    If x is neither.\n" EXAMPLES \
	      ">>> cards = list(range(52))\n>>> shuffle(cards)\n>>> sorted(cards) == list(range(52))\nTrue\n")
#define BITS(name) \
	NAMED(name, k, \
	      "Return a uniform integer of k bits.\n" PARAMETERS "k : int\n" RETURNS "int\n" RAISES \
	      "ValueError\n    If k is negative.\n" EXAMPLES ">>> 0 <= " #name "(128) < 2**128\nTrue\n")
#define BYTES(name) \
	"Return n random bytes.\n" PARAMETERS "n : int\n" RETURNS "bytes\n" RAISES \
	"ValueError\n    If n is negative.\n" EXAMPLES ">>> len(" name "(32))\n32\n"

#define ONE_ARGUMENT(name, function, text) { name, (PyCFunction)(function), METH_O, text }
#define NO_ARGUMENT(name, function, text) { name, (PyCFunction)(function), METH_NOARGS, text }

PyMethodDef core_draw_functions[] = {
	ONE_ARGUMENT("random_bytes", random_bytes, "random_bytes($module, n, /)\n--\n\n" BYTES("random_bytes")),
	ONE_ARGUMENT("strong_bytes", strong_bytes,
		     "strong_bytes($module, n, /)\n--\n\n"
		     "Return n random bytes of the process's Fortuna, for long-lived keys.\n\n"
		     "Takes longer than random_bytes(), and recovers from a disclosure of its state even if an\n"
		     "attacker controls most sources of entropy: cprng_strong(3).\n" PARAMETERS "n : int\n" RETURNS
		     "bytes\n" RAISES "ValueError\n    If n is negative.\n" EXAMPLES ">>> len(strong_bytes(32))\n32\n"),
	ONE_ARGUMENT(
		"fill_bytes", fill_bytes,
		"fill_bytes($module, buffer, /)\n--\n\n"
		"Fill a writable, contiguous buffer with random bytes, and return it.\n\n"
		"For secrets that the program erases itself, which a bytes object does not allow.\n" PARAMETERS
		"buffer : bytearray, memoryview, array or numpy.ndarray\n" RETURNS "buffer\n" RAISES
		"TypeError\n    If not every byte is valid in its elements: objects, truth values, text.\n" EXAMPLES
		">>> key = fill_bytes(bytearray(32))\n>>> key != bytearray(32)\nTrue\n"
		">>> key[:] = bytes(32)  # erased\n"),
	NAMED(randbelow, exclusive_upper_bound,
	      "Return a uniform integer in [0, exclusive_upper_bound), a bound of any size.\n" PARAMETERS
	      "exclusive_upper_bound : int\n" RETURNS "int\n" RAISES
	      "ValueError\n    If the bound is 0 or less.\n" EXAMPLES ">>> 0 <= randbelow(6) < 6\nTrue\n"),
	BITS(randbits),
	RANDOM,
	CHOICE,
	SHUFFLE,
	NO_ARGUMENT("standard_normal", standard_normal, "standard_normal($module, /)\n--\n\n"),
	NO_ARGUMENT("standard_exponential", standard_exponential, "standard_exponential($module, /)\n--\n\n"),
	NO_ARGUMENT("invalidate", invalidate,
		    "invalidate($module, /)\n--\n\n"
		    "Discard all buffered bytes: no byte drawn after the return was generated before the call.\n\n"
		    "Call it after an event that the library cannot detect, such as a restored checkpoint of\n"
		    "the process: cprng(3).\n" EXAMPLES ">>> invalidate()\n"),
	NO_ARGUMENT("reseed", reseed,
		    "reseed($module, /)\n--\n\n"
		    "Do what invalidate() does, and reseed from the kernel.\n" RAISES
		    "OSError\n    If the kernel gives no entropy.\n" EXAMPLES ">>> reseed()\n"),
	NO_ARGUMENT("info", info,
		    "info($module, /)\n--\n\n"
		    "Return what serves this process's draws: cprng_info(3).\n" RETURNS "dict of str\n" EXAMPLES
		    ">>> sorted(info())\n"
		    "['backend', 'engine', 'entropy', 'fork_guard', 'memory_lock', 'placement']\n"),
	{ NULL, NULL, 0, NULL },
};

static PyMethodDef draws_methods[] = {
	RANDOM,
	CHOICE,
	SHUFFLE,
	BITS(getrandbits),
	NAMED(randbytes, n, BYTES("randbytes")),
	ONE_ARGUMENT("_randbelow", below, "_randbelow($self, n, /)\n--\n\nReturn a uniform integer in [0, n)."),
	{ NULL, NULL, 0, NULL },
};

static PyType_Slot draws_slots[] = {
	{ Py_tp_doc, "Methods that draw, for classes that inherit from random.Random as well." },
	{ Py_tp_methods, draws_methods },
	{ 0, NULL },
};

static PyType_Spec draws_spec = {
	.name = "cprng._core.Draws",
	.basicsize = 0, /* the size of object, so that the type combines with any other base */
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
