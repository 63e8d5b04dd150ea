// SPDX-License-Identifier: BSD-2-Clause
#include "output/space.hpp"

#include <fmt/format.h>

#include "common/error.hpp"
#include "common/quantity.hpp"

void fail_to_fit(const std::string &name, int error, std::uint64_t wanted, std::uint64_t free)
{
	throw runtime_failure(fmt::format("{}: {}: {} bytes ({}) are needed, {} ({}) are free", name,
					  system_message(error), wanted, readable_size(wanted), free,
					  readable_size(free)));
}
