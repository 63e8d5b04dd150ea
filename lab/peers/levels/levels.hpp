// SPDX-License-Identifier: BSD-2-Clause
// Emulated older CPUs: the library's ciphers, OpenSSL's and libsodium's, limited to the same instructions.
#ifndef CPRNG_LAB_PEERS_LEVELS_LEVELS_HPP
#define CPRNG_LAB_PEERS_LEVELS_LEVELS_HPP

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace lab::levels {

struct level {
	const char *name, *description;
	std::uint32_t
		features; // CPRNG_CPU_*: the ceiling of the library, which libsodium follows (sodium_features.cpp)
	std::uint64_t openssl_lack[2]; // the bits that OPENSSL_ia32cap(3) clears
};

constexpr const char *everything = "all";

// The levels that this CPU can emulate, best first.
std::vector<level> possible();

// Throws lab::usage_error for an unknown name.
level find(const std::string &name);

// The command line that serves a level, with the environment for OpenSSL.
std::vector<std::string> command_of(const level &at);

constexpr std::size_t request_bytes = 65536;

struct cipher {
	const char *name;
	bool openssl, sodium; // have the cipher, too
};
constexpr cipher ciphers[] = {
	{ "aes256-ctr", true, false },
	{ "chacha20", true, true },
	{ "salsa20", false, true },
};

// Answers each line of standard input with a line:
//
//     time CIPHER LIBRARY SECONDS    nanoseconds per request; "-" if the lab lacks this library
//     backend CIPHER                 the library's backend
//     generator                      the cipher that serves draws at this level
//     openssl                        the features that OpenSSL reports
void serve(const level &at);

} // namespace lab::levels

#endif
