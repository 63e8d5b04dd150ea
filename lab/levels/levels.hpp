// SPDX-License-Identifier: BSD-2-Clause
// What an older CPU would have: the library's ciphers, OpenSSL's and libsodium's, held to the same instructions.
#ifndef CPRNG_LAB_LEVELS_LEVELS_HPP
#define CPRNG_LAB_LEVELS_LEVELS_HPP

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace lab::levels {

struct level {
	const char *name, *description;
	std::uint32_t
		features; // CPRNG_CPU_*: the ceiling of the library, which libsodium follows (sodium_features.cpp)
	std::uint64_t openssl_lack[2]; // what OPENSSL_ia32cap(3) takes away
};

constexpr const char *everything = "all";

// The levels that this CPU can play, the best first.
std::vector<level> possible();

// Throws a lab::usage_error when there is none of that name.
level find(const std::string &name);

// The command that serves a level, with what OpenSSL has to know before it begins.
std::vector<std::string> command_of(const level &at);

constexpr std::size_t request_bytes = 65536;

struct cipher {
	const char *name;
	bool openssl, sodium; // have it, too
};
constexpr cipher ciphers[] = {
	{ "aes256-ctr", true, false },
	{ "chacha20", true, true },
	{ "salsa20", false, true },
};

// Answers lines on standard input, each with one:
//
//     time CIPHER LIBRARY SECONDS    nanoseconds of a request; "-" where the lab has no such library
//     backend CIPHER                 the library's
//     generator                      the cipher that serves draws at this level
//     openssl                        the features that OpenSSL tells
void serve(const level &at);

} // namespace lab::levels

#endif
