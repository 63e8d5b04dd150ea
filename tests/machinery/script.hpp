// SPDX-License-Identifier: BSD-2-Clause
// A process in which nothing is left to chance: the kernel's bytes, the vDSO, the clocks and the cipher are the test's.
// For scenarios (scenario.hpp), before the library is set up.
#ifndef CPRNG_TESTS_SCRIPT_HPP
#define CPRNG_TESTS_SCRIPT_HPP

#include "internals.hpp"

#include <array>
#include <functional>
#include <vector>

namespace script {

using Bytes = std::vector<unsigned char>;

// Hooks, each without effect while it is empty.  The library calls them instead of what they are named after.
struct Hooks {
	std::function<long(void *, std::size_t)> getrandom;
	std::function<void(int)> membarrier; // before the real one
	std::function<long()> pid;
	std::function<void()> clock;   // before it is read to the nanosecond
	std::uint64_t nanoseconds = 0; // what all clocks show
};

extern Hooks hooks;

// What a kernel gave that never repeats itself.
struct Given {
	bool by_vdso;
	Bytes bytes;
};

extern std::vector<Given> given;

// The bytes come from such a kernel, by system call, and by a vDSO too if one is wanted; the clocks stand still.
void begin(bool with_vdso);

// A key that the cipher was given, in order.
using Key = std::array<unsigned char, CPRNG_KEY_SIZE>;

struct Cipher {
	std::vector<Key> keys;
	std::function<void()> before_key, before_keystream;
};

extern Cipher cipher;

// From here on the cipher of the process, and of its Fortuna, is watched.
void watch_cipher();

// The first len bytes that the cipher of the process makes of a key, as refills and one-time keys use it.
Bytes expanded(const Key &key, std::size_t len);

Key sum(const Key &a, const Key &b);
Key first_key(const Bytes &bytes, std::size_t at = 0);

} // namespace script

#endif
