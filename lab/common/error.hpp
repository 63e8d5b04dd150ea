// SPDX-License-Identifier: BSD-2-Clause
// Errors of the lab: one line on standard error, and an exit status.
#ifndef CPRNG_LAB_COMMON_ERROR_HPP
#define CPRNG_LAB_COMMON_ERROR_HPP

#include <stdexcept>

namespace lab {

// The command line is wrong: status 2.  Any other exception gives status 1.
class usage_error : public std::runtime_error {
	using runtime_error::runtime_error;
};

// An input file is invalid: status 2 as well.
class bad_input : public std::runtime_error {
	using runtime_error::runtime_error;
};

class failure : public std::runtime_error {
	using runtime_error::runtime_error;
};

} // namespace lab

#endif
