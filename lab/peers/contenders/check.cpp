// SPDX-License-Identifier: BSD-2-Clause
#include <string>

#include "../../common/error.hpp"
#include "contender.hpp"

void lab::has_failed(const char *name)
{
	throw failure(std::string(name) + " has failed");
}
