/* SPDX-License-Identifier: BSD-2-Clause */
/* Single choices, of draws and of streams: trials with a probability, weighted choices, texts of an alphabet. */
#include "core.h"

#include <stdlib.h>

/* --------------------------------------------------------------------------------------------------- bernoulli() */

struct probability {
	double p;
	uint64_t numerator, denominator; /* denominator 0: p */
};

static bool ratio_from(PyObject *numerator, PyObject *denominator, struct probability *p)
{
	if (denominator == NULL || !core_u64_from(numerator, "numerator", &p->numerator) ||
	    !core_u64_from(denominator, "denominator", &p->denominator))
		return false;
	if (p->denominator == 0)
		p->denominator = 1; /* as in the library */
	return true;
}

/* A float, an int, a fraction, or another number that float() takes. */
static bool probability_from(PyObject *argument, struct probability *p)
{
	PyObject *numerator = NULL, *denominator;
	bool made;

	p->denominator = 0;
	if (!PyFloat_Check(argument) && !PyIndex_Check(argument)) {
		numerator = PyObject_GetAttrString(argument, "numerator");
		if (numerator == NULL && !PyErr_ExceptionMatches(PyExc_AttributeError))
			return false;
		PyErr_Clear();
	}
	if (numerator == NULL) {
		p->p = PyFloat_AsDouble(argument);
		return !PyErr_Occurred();
	}
	denominator = PyObject_GetAttrString(argument, "denominator");
	made = ratio_from(numerator, denominator, p);
	Py_DECREF(numerator);
	Py_XDECREF(denominator);
	return made;
}

static PyObject *bernoulli_by(PyObject *module, cprng_stream *stream, PyObject *const *arguments)
{
	struct probability p;
	int result, error = 0;

	(void)module;
	if (!probability_from(arguments[0], &p))
		return NULL;
	if (stream == NULL)
		result = p.denominator != 0 ? cprng_bernoulli_ratio(p.numerator, p.denominator) : cprng_bernoulli(p.p);
	else if (p.denominator != 0)
		error = cprng_stream_try_bernoulli_ratio(stream, &result, p.numerator, p.denominator);
	else
		error = cprng_stream_try_bernoulli(stream, &result, p.p);
	return error == 0 ? PyBool_FromLong(result) : core_raise(error);
}

/* ---------------------------------------------------------------------------------------------------- weighted() */

struct weights_object {
	PyObject_HEAD cprng_weights weights;
	struct cprng_alias *table;
	PyObject *values; /* the weights, as a tuple */
};

/* Returns false with an exception. */
static bool set_up(struct weights_object *w, uint64_t *values, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (!core_u64_from(PyTuple_GetItem(w->values, (Py_ssize_t)i), "a weight", &values[i]))
			return false;
	if (cprng_weights_init(&w->weights, w->table, values, count) == 0)
		return true;
	PyErr_SetString(PyExc_ValueError,
			"one weight or more must not be 0, and their number times their sum must be below 2**64");
	return false;
}

static PyObject *new_weights(PyTypeObject *type, PyObject *arguments, PyObject *keywords)
{
	allocfunc allocate = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
	PyObject *object, *given;
	struct weights_object *w;
	uint64_t *values;
	size_t count;
	bool made;

	if (keywords != NULL && PyDict_Size(keywords) != 0) {
		PyErr_SetString(PyExc_TypeError, "Weights() takes no keyword arguments");
		return NULL;
	}
	if (!PyArg_ParseTuple(arguments, "O", &given))
		return NULL;
	object = allocate(type, 0);
	w = (struct weights_object *)object;
	if (object == NULL)
		return NULL;
	w->values = PySequence_Tuple(given);
	if (w->values == NULL) {
		Py_DECREF(object);
		return NULL;
	}
	count = (size_t)PyTuple_Size(w->values);
	w->table = calloc(count + 1, sizeof(*w->table));
	values = calloc(count + 1, sizeof(*values));
	if (w->table == NULL || values == NULL)
		PyErr_NoMemory();
	made = w->table != NULL && values != NULL && set_up(w, values, count);
	free(values);
	if (made)
		return object;
	Py_DECREF(object);
	return NULL;
}

static void delete_weights(PyObject *self)
{
	PyTypeObject *type = Py_TYPE(self);
	freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
	struct weights_object *w = (struct weights_object *)self;

	Py_XDECREF(w->values);
	free(w->table);
	release(self);
	Py_DECREF(type);
}

static PyObject *reduce_weights(PyObject *self, PyObject *unused)
{
	(void)unused;
	return Py_BuildValue("(O(O))", (PyObject *)Py_TYPE(self), ((struct weights_object *)self)->values);
}

static PyObject *show_weights(PyObject *self)
{
	return PyUnicode_FromFormat("cprng.Weights(%R)", ((struct weights_object *)self)->values);
}

static Py_ssize_t count_weights(PyObject *self)
{
	return PyTuple_Size(((struct weights_object *)self)->values);
}

static PyObject *weighted_by(PyObject *module, cprng_stream *stream, PyObject *const *arguments)
{
	const cprng_weights *w = &((struct weights_object *)arguments[0])->weights;
	size_t index;
	int error;

	if (!PyObject_TypeCheck(arguments[0], core_state_of(module)->weights_type)) {
		PyErr_SetString(PyExc_TypeError, "the weights must be a cprng.Weights");
		return NULL;
	}
	if (stream == NULL)
		return PyLong_FromSize_t(cprng_weighted(w));
	error = cprng_stream_try_weighted(stream, &index, w);
	return error == 0 ? PyLong_FromSize_t(index) : core_raise(error);
}

/* -------------------------------------------------------------------------------------------------------- text() */

struct text {
	cprng_stream *stream; /* NULL: draws */
	char *out;            /* with room for a NUL */
	const char *alphabet;
	size_t symbols;
};

static int text_piece(void *job, size_t begin, size_t count)
{
	const struct text *t = job;

	if (t->stream == NULL)
		return cprng_text(t->out + begin, count, t->alphabet, t->symbols);
	return cprng_stream_text(t->stream, t->out + begin, count, t->alphabet, t->symbols);
}

/* The characters at these places of an alphabet of symbols. */
static PyObject *text_at(const char *places, size_t length, const Py_UCS4 *symbols)
{
	/* wchar_t has 16 bits on Windows: two for a character above U+FFFF. */
	wchar_t *codes = length < SIZE_MAX / 8 ? malloc(4 * length + sizeof(*codes)) : NULL;
	PyObject *result;
	size_t used = 0;

	if (codes == NULL)
		return PyErr_NoMemory();
	for (size_t i = 0; i < length; i++) {
		Py_UCS4 symbol = symbols[(unsigned char)places[i]];
		if (sizeof(*codes) == 2 && symbol > 0xffff) {
			codes[used++] = (wchar_t)(0xd7c0 + (symbol >> 10));
			symbol = 0xdc00 | (symbol & 0x3ff);
		}
		codes[used++] = (wchar_t)symbol;
	}
	/* One allocation: the decoders widen a string at its first wider character, and leave the narrow copy in memory. */
	result = PyUnicode_FromWideChar(codes, (Py_ssize_t)used);
	core_wipe(codes, 4 * length);
	free(codes);
	return result;
}

/* Characters of an alphabet of bytes, or the symbols at the places that these bytes are. */
static PyObject *text_of_bytes(struct text *t, size_t length, const Py_UCS4 *symbols)
{
	const uint64_t before = cprng_stream_tell(t->stream);
	PyObject *result = NULL;
	int status;

	t->out = length < PY_SSIZE_T_MAX ? malloc(length + 1) : NULL;
	if (t->out == NULL)
		return PyErr_NoMemory();
	if (length < CORE_LONG_DRAW)
		status = text_piece(t, 0, length);
	else
		status = core_in_pieces(text_piece, t, length, CORE_PIECE_BYTES / 8);
	if (status != 0)
		core_finished(t->stream, before, status);
	else if (symbols != NULL)
		result = text_at(t->out, length, symbols);
	else
		result = PyUnicode_DecodeLatin1(t->out, (Py_ssize_t)length, NULL);
	core_wipe(t->out, length);
	free(t->out);
	return result;
}

static PyObject *text_by(PyObject *module, cprng_stream *stream, PyObject *const *arguments)
{
	const Py_ssize_t length = core_size_from(arguments[0], "length");
	struct text t = { .stream = stream };
	Py_UCS4 symbols[256];
	char places[256];
	Py_ssize_t size, count;

	(void)module;
	if (length < 0)
		return NULL;
	if (!PyUnicode_Check(arguments[1])) {
		PyErr_SetString(PyExc_TypeError, "the alphabet must be a str");
		return NULL;
	}
	t.alphabet = PyUnicode_AsUTF8AndSize(arguments[1], &size);
	count = PyUnicode_GetLength(arguments[1]);
	if (t.alphabet == NULL)
		return NULL;
	if (count < 1 || count > 256) {
		PyErr_SetString(PyExc_ValueError, "an alphabet has 1 to 256 characters");
		return NULL;
	}
	t.symbols = (size_t)count;
	/* Only ASCII: a byte is a character. */
	if (size == count)
		return text_of_bytes(&t, (size_t)length, NULL);
	for (size_t i = 0; i < sizeof(places); i++)
		places[i] = (char)i;
	t.alphabet = places;
	return PyUnicode_AsUCS4(arguments[1], symbols, 256, 0) == NULL ? NULL :
									 text_of_bytes(&t, (size_t)length, symbols);
}

/* ----------------------------------------------------------------------------------------------------- functions */

/* name(arguments...) of draws, and name_of(stream, arguments...). */
#define DEFINE_BOTH(name, expected) \
	static PyObject *name(PyObject *module, PyObject *const *arguments, Py_ssize_t count) \
	{ \
		if (!core_check_arguments(#name, count, expected)) \
			return NULL; \
		return name##_by(module, NULL, arguments); \
	} \
	static PyObject *name##_of(PyObject *module, PyObject *const *arguments, Py_ssize_t count) \
	{ \
		cprng_stream *stream; \
		if (!core_check_arguments(#name "_of", count, expected + 1)) \
			return NULL; \
		stream = core_stream_of(module, arguments[0]); \
		return PyErr_Occurred() ? NULL : name##_by(module, stream, arguments + 1); \
	}
DEFINE_BOTH(bernoulli, 1)
DEFINE_BOTH(weighted, 1)
DEFINE_BOTH(text, 2)

PyMethodDef core_choice_functions[] = {
	{ "bernoulli", FAST_METHOD(bernoulli), METH_FASTCALL,
	  "bernoulli($module, p, /)\n--\n\n"
	  "Return True with probability p, exactly.\n" PARAMETERS
	  "p : float, int or fractions.Fraction\n    0 or less is never, 1 or more always.\n" RETURNS "bool\n" RAISES
	  "OverflowError\n    If the numerator or denominator of a fraction is not in [0, 2**64).\n" EXAMPLES
	  ">>> from fractions import Fraction\n"
	  ">>> bernoulli(Fraction(1, 3)) in (True, False)\nTrue\n" },
	{ "weighted", FAST_METHOD(weighted), METH_FASTCALL,
	  "weighted($module, weights, /)\n--\n\n"
	  "Return an index of the Weights, each with the probability of its weight.\n" PARAMETERS
	  "weights : Weights\n" RETURNS "int\n" EXAMPLES ">>> weighted(Weights([0, 3, 0]))\n1\n" },
	{ "text", FAST_METHOD(text), METH_FASTCALL,
	  "text($module, length, alphabet, /)\n--\n\n"
	  "Return text of so many characters of an alphabet.\n" PARAMETERS
	  "length : int\nalphabet : str\n    1 to 256 characters.\n" RETURNS "str\n" RAISES
	  "ValueError\n    If the length is negative, or the alphabet empty or longer.\n" EXAMPLES
	  ">>> len(text(21, \"0123456789abcdefghjkmnpqrstvwxyz\"))\n21\n" },
	{ "bernoulli_of", FAST_METHOD(bernoulli_of), METH_FASTCALL, NULL },
	{ "weighted_of", FAST_METHOD(weighted_of), METH_FASTCALL, NULL },
	{ "text_of", FAST_METHOD(text_of), METH_FASTCALL, NULL },
	{ NULL, NULL, 0, NULL },
};

static PyMethodDef methods[] = {
	{ "__reduce__", reduce_weights, METH_NOARGS, NULL },
	{ NULL, NULL, 0, NULL },
};

static PyType_Slot slots[] = {
	{ Py_tp_doc,
	  "Weights(weights, /)\n--\n\n"
	  "A table for weighted(), set up once.\n" PARAMETERS "weights : iterable of int\n" RAISES
	  "ValueError\n    If all are 0, or their number times their sum is 2**64 or more.\n"
	  "OverflowError\n    If one is not in [0, 2**64).\n" EXAMPLES ">>> len(Weights([70, 25, 5]))\n3\n" },
	{ Py_tp_new, new_weights },
	{ Py_tp_dealloc, delete_weights },
	{ Py_tp_repr, show_weights },
	{ Py_sq_length, count_weights },
	{ Py_tp_methods, methods },
	{ 0, NULL },
};

static PyType_Spec spec = {
	.name = "cprng.Weights",
	.basicsize = sizeof(struct weights_object),
	.flags = Py_TPFLAGS_DEFAULT,
	.slots = slots,
};

int core_add_weights(PyObject *module)
{
	return core_add_type(module, &spec, &core_state_of(module)->weights_type);
}
