// SPDX-License-Identifier: BSD-2-Clause
#include <cprng/cprng.hpp>

std::uint64_t other_draw();

std::uint64_t other_draw()
{
	return cprng::generator()();
}
