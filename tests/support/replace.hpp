// SPDX-License-Identifier: BSD-2-Clause
// Replacements of functions: cprng_replace() has the linker redirect the program's references to f to __wrap_f, and those to
// __real_f to f.  It finds each in a line that begins with REPLACE.
#ifndef CPRNG_TESTS_REPLACE_HPP
#define CPRNG_TESTS_REPLACE_HPP

// REPLACE(type, f, parameters) { body }: what is called in place of f.
#define REPLACE(type, f, parameters) \
	extern "C" type __real_##f parameters; \
	extern "C" type __wrap_##f parameters; \
	[[gnu::used]] static auto *const linked_##f = &__real_##f; /* undefined where the linker does not redirect */ \
	type __wrap_##f parameters

// Calls `instead` if there is one, and otherwise f.
#define REPLACE_BY(instead, type, f, parameters, arguments) \
	REPLACE(type, f, parameters) \
	{ \
		return instead ? instead arguments : __real_##f arguments; \
	}

#endif
