// SPDX-License-Identifier: BSD-2-Clause
// Function replacements.  cprng_replace() makes the linker redirect references to f to __wrap_f, and references to __real_f
// to f.  It finds each replacement by a line that begins with REPLACE.
#ifndef CPRNG_TESTS_REPLACE_HPP
#define CPRNG_TESTS_REPLACE_HPP

// REPLACE(type, f, parameters) { body }: the function that is called instead of f.
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
