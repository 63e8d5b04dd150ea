// SPDX-License-Identifier: BSD-2-Clause
// Compiled once for each binary, with MODULE as the name of its function and LIBRARY as the library that it is linked with.
#include "module.hpp"

#include <cprng/cprng.hpp>

namespace {

std::uint64_t draw()
{
	return cprng_fast64();
}

std::uint64_t call()
{
	std::uint64_t (*volatile function)() = cprng_fast64;
	return function();
}

std::uint64_t generate()
{
	const cprng::generator random;
	std::uint64_t (cprng::generator::*volatile function)() const = &cprng::generator::operator();
	return (random.*function)();
}

void fill(void *buf, std::size_t len)
{
	cprng_fast(buf, len);
}

#ifdef ONLY_DRAWS
constexpr void (*invalidate)() = nullptr, (*vfork_child)() = nullptr;
constexpr int (*reseed)() = nullptr;
#else
void invalidate()
{
	cprng_invalidate();
}

int reseed()
{
	return cprng_reseed();
}

void vfork_child()
{
	cprng_vfork_child();
}
#endif

void get_info(cprng_info *info)
{
	cprng_get_info(info, sizeof(*info));
}

const cprng_draw *own()
{
	return __atomic_load_n(&cprng_draw_1.buffers, __ATOMIC_ACQUIRE) != nullptr ? &cprng_draw_1 : nullptr;
}

const Module module = { LIBRARY, draw, call, generate, fill, invalidate, reseed, vfork_child, get_info, own };

} // namespace

const Module *MODULE()
{
	return &module;
}
