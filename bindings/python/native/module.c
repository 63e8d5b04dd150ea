/* SPDX-License-Identifier: BSD-2-Clause */
/* The module: multi-phase initialisation, one state per interpreter, support for Python without the GIL. */
#include "core.h"

/* What each file adds to the module; either member may be NULL. */
static const struct {
	PyMethodDef *functions;
	int (*add)(PyObject *module); /* types and constants; 0 or, with an exception, -1 */
} contents[] = {
	{ core_draw_functions, core_add_draws },     /* draws.c */
	{ core_order_functions, NULL },              /* orders.c */
	{ core_token_functions, NULL },              /* tokens.c */
	{ core_fill_functions, core_add_kinds },     /* fills.c */
	{ NULL, core_add_stream },                   /* stream.c */
	{ core_choice_functions, core_add_weights }, /* choices.c */
	{ core_bitgen_functions, NULL },             /* bitgen.c */
};

static int execute(PyObject *module)
{
	for (size_t i = 0; i < sizeof(contents) / sizeof(contents[0]); i++) {
		if (contents[i].functions != NULL && PyModule_AddFunctions(module, contents[i].functions) != 0)
			return -1;
		if (contents[i].add != NULL && contents[i].add(module) != 0)
			return -1;
	}
	return PyModule_AddStringConstant(module, "version", cprng_version());
}

static int traverse(PyObject *module, visitproc visit, void *arg)
{
	Py_VISIT(core_state_of(module)->stream_type);
	Py_VISIT(core_state_of(module)->weights_type);
	Py_VISIT(core_state_of(module)->uuid_parts);
	return 0;
}

static int clear(PyObject *module)
{
	Py_CLEAR(core_state_of(module)->stream_type);
	Py_CLEAR(core_state_of(module)->weights_type);
	Py_CLEAR(core_state_of(module)->uuid_parts);
	return 0;
}

/* Python 3.11 and 3.12 refuse slots that they do not know.  One binary serves all, so the running version ends the table. */
#ifndef Py_mod_multiple_interpreters
#define Py_mod_multiple_interpreters 3
#define Py_MOD_PER_INTERPRETER_GIL_SUPPORTED ((void *)2)
#endif
#ifndef Py_mod_gil
#define Py_mod_gil 4
#define Py_MOD_GIL_NOT_USED ((void *)1)
#endif

enum { FROM_3_11, FROM_3_12, FROM_3_13 };
static PyModuleDef_Slot slots[] = {
	[FROM_3_11] = { Py_mod_exec, execute },
	[FROM_3_12] = { Py_mod_multiple_interpreters, Py_MOD_PER_INTERPRETER_GIL_SUPPORTED },
	[FROM_3_13] = { Py_mod_gil, Py_MOD_GIL_NOT_USED },
	{ 0, NULL },
};

static PyModuleDef definition = {
	.m_base = PyModuleDef_HEAD_INIT,
	.m_name = "cprng._core",
	.m_doc = "The C library cprng.  Not for programs: the interface is the module cprng.",
	.m_size = sizeof(struct core_state),
	.m_slots = slots,
	.m_traverse = traverse,
	.m_clear = clear,
};

PyMODINIT_FUNC PyInit__core(void);

PyMODINIT_FUNC PyInit__core(void)
{
	/* Every interpreter of the process stores the same value. */
	if (Py_Version < 0x030d0000)
		slots[Py_Version < 0x030c0000 ? FROM_3_12 : FROM_3_13].slot = 0;
	return PyModuleDef_Init(&definition);
}
