/* SPDX-License-Identifier: BSD-2-Clause */
/* Orders of sequences: how cprng._orders and streams shuffle. */
#include "core.h"
#include "integers.h"

struct order {
	cprng_stream *stream; /* NULL: draws */
	int64_t *values;
	size_t size;
};

/* Indexes that are chosen before their elements are exchanged, so that the processor loads these together. */
enum { ORDER_BLOCK = 64 };

/*
 * Exchange the last of n values with that at index[0], the one before it with that at index[1], and so on.  Indexes of draws
 * are dropped when the library's generation has changed, as it has in a child that a signal handler forks.  Returns the number of
 * exchanges.
 */
static size_t exchange_values(int64_t *values, size_t n, const uint64_t *index, size_t count, const uint64_t *number,
			      uint64_t generation)
{
	size_t i;

	for (i = 0; i < count; i++) {
		const int64_t value = values[n - 1 - i];

		if (number != NULL && __atomic_load_n(number, __ATOMIC_RELAXED) != generation)
			break;
		values[n - 1 - i] = values[index[i]];
		values[index[i]] = value;
	}
	return i;
}

/* The choices of cprng_stream_shuffle() and cprng_shuffle(), from the last element down. */
static int order_piece(void *job, size_t begin, size_t count)
{
	const struct order *o = job;
	const bool far = core_stream_is_far(o->stream, CORE_TRIES_BYTES(count));
	uint64_t index[ORDER_BLOCK];
	int error = 0;

	for (size_t i = 0; begin == 0 && i < o->size; i++)
		o->values[i] = (int64_t)i;
	for (size_t n = o->size - begin, done; count > 0 && error == 0; count -= done, n -= done) {
		const uint64_t *const number = o->stream == NULL ? cprng_generation_number() : NULL;
		const uint64_t generation = number == NULL ? 0 : __atomic_load_n(number, __ATOMIC_ACQUIRE);
		/* Without a generation nothing shows a fork. */
		const size_t most = o->stream == NULL && generation % 2 == 0 ? 1 : ORDER_BLOCK;
		const size_t chosen = count < most ? count : most;

		for (size_t i = 0; i < chosen && error == 0; i++) {
			error = integers_one(o->stream, far, n - i, &index[i]);
			if (error == 0)
				__builtin_prefetch(&o->values[index[i]], 1);
		}
		done = error == 0 ?
			       exchange_values(o->values, n, index, chosen, most == 1 ? NULL : number, generation) :
			       0;
	}
	core_wipe(index, sizeof(index));
	return error;
}

/* permutation(stream or None, array of int64): write a random permutation of the array's indices to it. */
static PyObject *permutation(PyObject *module, PyObject *const *arguments, Py_ssize_t count)
{
	/* PIECE choices take some milliseconds if each waits for memory. */
	enum { PIECE = 128 * 1024, SHORT = 1024 };
	struct order order;
	Py_buffer view;
	uint64_t before;
	int status;

	if (!core_check_arguments("permutation", count, 2, 2))
		return NULL;
	order.stream = core_stream_of(module, arguments[0]);
	if (PyErr_Occurred() || !core_open_array(arguments[1], &view, CORE_INT64))
		return NULL;
	order.values = view.buf;
	order.size = (size_t)view.len / sizeof(int64_t);
	before = cprng_stream_tell(order.stream);
	/* One choice fewer than elements: the last would have a single candidate. */
	if (order.size <= SHORT) {
		status = order_piece(&order, 0, order.size == 0 ? 0 : order.size - 1);
		if (status != 0)
			core_raise_end();
	} else {
		status = core_in_pieces(order_piece, &order, order.size - 1, PIECE);
	}
	PyBuffer_Release(&view);
	return core_finished(order.stream, before, status);
}

/* A new list of the elements of values, the first count of them in the given order.  NULL with an exception. */
static PyObject *arranged(PyObject *values, const int64_t *order, Py_ssize_t count)
{
	const Py_ssize_t size = PyList_Size(values);
	PyObject *list = PyList_New(size);

	for (Py_ssize_t i = 0; list != NULL && i < size; i++) {
		PyObject *value = PyList_GetItem(values, i < count ? (Py_ssize_t)order[i] : i);

		/* The list takes over the reference. */
		Py_XINCREF(value);
		if (value == NULL || PyList_SetItem(list, i, value) != 0)
			Py_CLEAR(list);
	}
	return list;
}

/* Assign the list's first count elements to the sequence or, if write is not None, call it with the list. */
static int assign(PyObject *sequence, PyObject *elements, Py_ssize_t count, PyObject *write)
{
	PyObject *result;

	if (write != Py_None) {
		result = PyObject_CallFunctionObjArgs(write, elements, NULL);
		Py_XDECREF(result);
		return result == NULL ? -1 : 0;
	}
	for (Py_ssize_t i = 0; i < count; i++)
		if (PySequence_SetItem(sequence, i, PyList_GetItem(elements, i)) != 0)
			return -1;
	return 0;
}

/*
 * arrange(sequence, order, write or None): put a sequence's first elements into an order.  The sequences of
 * cprng._orders read and write in C, so that no other thread runs between reading and writing.  Elements appended after
 * the order was made stay behind these; a sequence that became shorter raises RuntimeError and is not changed.
 */
static PyObject *arrange(PyObject *module, PyObject *const *arguments, Py_ssize_t count)
{
	PyObject *values = NULL, *elements = NULL;
	Py_buffer order;
	Py_ssize_t size;
	int status = -1;

	(void)module;
	if (!core_check_arguments("arrange", count, 3, 3) || !core_open_array(arguments[1], &order, CORE_INT64))
		return NULL;
	size = order.len / (Py_ssize_t)sizeof(int64_t);
	values = PySequence_List(arguments[0]);
	if (values != NULL && PyList_Size(values) < size)
		PyErr_SetString(PyExc_RuntimeError, "the sequence became shorter while it was shuffled");
	else if (values != NULL)
		elements = arranged(values, order.buf, size);
	if (elements != NULL)
		status = assign(arguments[0], elements, size, arguments[2]);
	PyBuffer_Release(&order);
	Py_XDECREF(elements);
	Py_XDECREF(values);
	return status == 0 ? core_none() : NULL;
}

PyMethodDef core_order_functions[] = {
	{ "permutation", FAST_METHOD(permutation), METH_FASTCALL, NULL },
	{ "arrange", FAST_METHOD(arrange), METH_FASTCALL, NULL },
	{ NULL, NULL, 0, NULL },
};
