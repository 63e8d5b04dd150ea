/* SPDX-License-Identifier: BSD-2-Clause */
/* Tokens and UUIDs.  Tokens are drawn into the object that is returned. */
#include "core.h"

#include <string.h>

/* As in the module secrets: DEFAULT_ENTROPY. */
#define DEFAULT_BYTES 32

/* The optional argument nbytes, positional or by keyword.  -1 with an exception. */
static Py_ssize_t size_from(const char *name, PyObject *const *arguments, Py_ssize_t count, PyObject *keywords)
{
	PyObject *size;

	if (count == 0 && keywords == NULL)
		return DEFAULT_BYTES;
	size = core_argument(name, "nbytes", arguments, count, keywords);
	if (size == NULL)
		return -1;
	return size == Py_None ? DEFAULT_BYTES : core_size_from(size, "number of bytes");
}

static PyObject *token_bytes(PyObject *module, PyObject *const *arguments, Py_ssize_t count, PyObject *keywords)
{
	const Py_ssize_t size = size_from("token_bytes", arguments, count, keywords);

	(void)module;
	return size < 0 ? NULL : core_random_bytes(size);
}

/* Without a branch or table access that would depend on the secret digit. */
static unsigned char digit_of(unsigned int value)
{
	return (unsigned char)('0' + value + (((9 - value) >> 8) & ('a' - '9' - 1)));
}

/* Write each byte as two digits, upper half first.  The bytes may be the last half of the digits' memory. */
static void write_digits(unsigned char *digits, const unsigned char *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++) {
		const unsigned int byte = bytes[i];

		digits[2 * i] = digit_of(byte >> 4);
		digits[2 * i + 1] = digit_of(byte & 15);
	}
}

/* No hexadecimal digit: the text before digits are written. */
#define BLANK "----------------"
#define BLANKS BLANK BLANK BLANK BLANK

static PyObject *token_hex(PyObject *module, PyObject *const *arguments, Py_ssize_t count, PyObject *keywords)
{
	static const char blanks[] = BLANKS BLANKS;
	const Py_ssize_t size = size_from("token_hex", arguments, count, keywords);
	PyObject *text, *bytes;
	unsigned char *digits;

	(void)module;
	if (size < 0)
		return NULL;
	if (size > 0 && size <= (Py_ssize_t)sizeof(blanks) / 2) {
		/*
		 * The stable ABI has no function that returns a str to write to.  But CPython stores ASCII text as its
		 * own UTF-8, and returns that in place; another implementation returns a copy, so that the first
		 * character stays blank.  No other code has a reference yet.
		 */
		text = PyUnicode_DecodeASCII(blanks, 2 * size, NULL);
		digits = text == NULL ? NULL : (unsigned char *)(uintptr_t)PyUnicode_AsUTF8AndSize(text, NULL);
		if (digits == NULL) {
			Py_XDECREF(text);
			return NULL;
		}
		cprng_fast(digits + size, (size_t)size);
		write_digits(digits, digits + size, (size_t)size);
		if (PyUnicode_ReadChar(text, 0) != (Py_UCS4)blanks[0])
			return text;
		core_wipe(digits, 2 * (size_t)size);
		Py_DECREF(text);
	}
	bytes = core_random_bytes(size);
	text = bytes == NULL ? NULL : PyObject_CallMethod(bytes, "hex", NULL);
	Py_XDECREF(bytes);
	return text;
}

/* ------------------------------------------------------------------------------------------------------ UUIDs */

/* Indices of the tuple in the module's state.  It is made for the first UUID, so that only then uuid is imported. */
enum { UUID_TYPE, UUID_UNKNOWN, UUID_INT, UUID_IS_SAFE };

/* A borrowed reference to the tuple, or NULL with an exception. */
static PyObject *uuid_parts(struct core_state *state)
{
	PyObject *parts = __atomic_load_n(&state->uuid_parts, __ATOMIC_ACQUIRE), *module, *type, *safe, *unknown;

	if (parts != NULL)
		return parts;
	module = PyImport_ImportModule("uuid");
	if (module == NULL)
		return NULL;
	type = PyObject_GetAttrString(module, "UUID");
	safe = type == NULL ? NULL : PyObject_GetAttrString(module, "SafeUUID");
	unknown = safe == NULL ? NULL : PyObject_GetAttrString(safe, "unknown");
	if (unknown != NULL)
		parts = Py_BuildValue("(OONN)", type, unknown, PyUnicode_InternFromString("int"),
				      PyUnicode_InternFromString("is_safe"));
	Py_DECREF(module);
	Py_XDECREF(type);
	Py_XDECREF(safe);
	Py_XDECREF(unknown);
	if (parts != NULL) {
		PyObject *none = NULL;

		/* Another thread may have stored its tuple first. */
		if (!__atomic_compare_exchange_n(&state->uuid_parts, &none, parts, false, __ATOMIC_ACQ_REL,
						 __ATOMIC_ACQUIRE)) {
			Py_DECREF(parts);
			parts = none;
		}
	}
	return parts;
}

/* The UUID's bytes as a number; erases them. */
static PyObject *uuid_number(unsigned char bytes[16])
{
	unsigned char digits[2 * 16 + 1];
	PyObject *number;

	write_digits(digits, bytes, 16);
	digits[sizeof(digits) - 1] = '\0';
	number = PyLong_FromString((const char *)digits, NULL, 16);
	core_wipe(bytes, 16);
	core_wipe(digits, sizeof(digits));
	return number;
}

/*
 * The UUID of these bytes, which are erased.  As the module uuid does: the object has two attributes, which only
 * object.__setattr__() can set.
 */
static PyObject *uuid_of_bytes(PyObject *module, unsigned char bytes[16])
{
	PyObject *number = uuid_number(bytes), *parts, *uuid;

	parts = number == NULL ? NULL : uuid_parts(core_state_of(module));
	if (parts == NULL) {
		Py_XDECREF(number);
		return NULL;
	}
	uuid = PyType_GenericNew((PyTypeObject *)PyTuple_GetItem(parts, UUID_TYPE), NULL, NULL);
	if (uuid != NULL && (PyObject_GenericSetAttr(uuid, PyTuple_GetItem(parts, UUID_INT), number) != 0 ||
			     PyObject_GenericSetAttr(uuid, PyTuple_GetItem(parts, UUID_IS_SAFE),
						     PyTuple_GetItem(parts, UUID_UNKNOWN)) != 0))
		Py_CLEAR(uuid);
	Py_DECREF(number);
	return uuid;
}

static PyObject *uuid4(PyObject *module, PyObject *unused)
{
	unsigned char bytes[16];

	(void)unused;
	cprng_uuid4(bytes);
	return uuid_of_bytes(module, bytes);
}

static PyObject *uuid7(PyObject *module, PyObject *unused)
{
	unsigned char bytes[16];
	const int error = cprng_uuid7(bytes);

	(void)unused;
	if (error == CPRNG_ERR_SYSTEM)
		return PyErr_SetFromErrno(PyExc_OSError);
	return error == 0 ? uuid_of_bytes(module, bytes) : core_raise(error);
}

/* uuid_of(stream, milliseconds or None): of version 7, or 4. */
static PyObject *uuid_of(PyObject *module, PyObject *const *arguments, Py_ssize_t count)
{
	unsigned char bytes[16];
	cprng_stream *stream;
	uint64_t milliseconds;
	int error;

	if (!core_check_arguments("uuid_of", count, 2))
		return NULL;
	stream = core_stream_of(module, arguments[0]);
	if (PyErr_Occurred())
		return NULL;
	if (arguments[1] == Py_None) {
		error = cprng_stream_uuid4(stream, bytes);
	} else {
		if (!core_u64_from(arguments[1], "unix_ms", &milliseconds))
			return NULL;
		error = cprng_stream_uuid7(stream, milliseconds, bytes);
	}
	if (error == 0)
		return uuid_of_bytes(module, bytes);
	if (error == CPRNG_ERR_RANGE)
		return core_raise(error);
	PyErr_SetString(PyExc_ValueError, "unix_ms must be below 2**48");
	return NULL;
}

PyMethodDef core_token_functions[] = {
	{ "token_bytes", FAST_METHOD(token_bytes), METH_FASTCALL | METH_KEYWORDS,
	  "token_bytes($module, /, nbytes=None)\n--\n\n"
	  "Return random bytes.\n" PARAMETERS "nbytes : int, default: 32\n" RETURNS "bytes\n" RAISES
	  "ValueError\n    If nbytes is negative.\n" EXAMPLES ">>> len(token_bytes())\n32\n" },
	{ "token_hex", FAST_METHOD(token_hex), METH_FASTCALL | METH_KEYWORDS,
	  "token_hex($module, /, nbytes=None)\n--\n\n"
	  "Return random bytes as hexadecimal text.\n" PARAMETERS "nbytes : int, default: 32\n" RETURNS "str\n" RAISES
	  "ValueError\n    If nbytes is negative.\n" EXAMPLES ">>> len(token_hex(16))\n32\n" },
	{ "uuid4", uuid4, METH_NOARGS,
	  "uuid4($module, /)\n--\n\n"
	  "Return a random UUID, of version 4.\n" RETURNS "uuid.UUID\n" EXAMPLES ">>> uuid4().version\n4\n" },
	{ "uuid7", uuid7, METH_NOARGS,
	  "uuid7($module, /)\n--\n\n"
	  "Return a UUID of version 7, greater than those that the process made before.\n" RETURNS
	  "uuid.UUID\n" EXAMPLES ">>> uuid7() < uuid7()\nTrue\n" },
	{ "uuid_of", FAST_METHOD(uuid_of), METH_FASTCALL, NULL },
	{ NULL, NULL, 0, NULL },
};
