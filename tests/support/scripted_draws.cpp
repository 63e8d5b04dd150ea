// SPDX-License-Identifier: BSD-2-Clause
#include "scripted_draws.hpp"

namespace {

std::vector<std::uint64_t> script;
std::size_t position;

} // namespace

// What draw.h calls where it knows no restartable sequence, as on a system that is not Linux; under another name, and
// its inline functions static, so that the library's own are not touched.
extern "C" std::uint64_t scripted_draw(unsigned int bytes)
{
	const std::size_t at = position++;
	const std::uint64_t value = at < script.size() ? script[at] : 0;

	return bytes == 8 ? value : value & ((std::uint64_t{ 1 } << 8 * bytes) - 1);
}

#undef __linux__
#define CPRNG_INLINE_DRAW static inline __attribute__((unused))
#define cprng_draw_slow_1 scripted_draw
#include "cprng/draw.h"

void scripted::set(const std::vector<std::uint64_t> &values)
{
	script = values;
	position = 0;
}

std::size_t scripted::used()
{
	return position;
}

std::uint32_t scripted::uniform32(std::uint32_t bound)
{
	return cprng_uniform32(bound);
}

double scripted::real()
{
	return cprng_double();
}
