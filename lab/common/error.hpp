// SPDX-License-Identifier: BSD-2-Clause
// How the lab fails: one line on standard error, and an exit status.
#ifndef CPRNG_LAB_COMMON_ERROR_HPP
#define CPRNG_LAB_COMMON_ERROR_HPP

#include <stdexcept>

namespace lab {

// The command line must be changed: status 2.  Any other exception is status 1.
class usage_error : public std::runtime_error {
	using runtime_error::runtime_error;
};

// A file that was given is not what it should be: status 2 as well.
class bad_input : public std::runtime_error {
	using runtime_error::runtime_error;
};

class failure : public std::runtime_error {
	using runtime_error::runtime_error;
};

} // namespace lab

#endif
