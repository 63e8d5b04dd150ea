// SPDX-License-Identifier: BSD-2-Clause
// A deterministic process: the test provides the kernel's bytes, the vDSO, the clocks and the cipher.  For scenarios
// (scenario.hpp), before the library is set up.
#ifndef CPRNG_TESTS_SCRIPT_HPP
#define CPRNG_TESTS_SCRIPT_HPP

#include "internals.hpp"

#include <array>
#include <functional>
#include <vector>

namespace script {

using Bytes = std::vector<unsigned char>;

// The bytes of a kernel that never repeats itself.
struct Given {
	bool by_vdso;
	Bytes bytes;
};

extern std::vector<Given> given;

// Serves bytes from such a kernel, by system call and optionally by a vDSO; the clocks stand still.
void begin(bool with_vdso);

// A kernel that gives a fixed sequence of bytes, from `replayed`.
long replay(void *buf, std::size_t len);
extern unsigned long replayed;

// A key that the cipher received, in order.
using Key = std::array<unsigned char, CPRNG_KEY_SIZE>;

struct Cipher {
	std::vector<Key> keys;
	std::function<void()> before_key, before_keystream;
};

extern Cipher cipher;

// From now on records the cipher calls of the process and its Fortuna.
void watch_cipher();

// The first len bytes that the process's cipher generates from a key and a keystream position, as in refills and one-time keys.
Bytes expanded(const Key &key, std::size_t len, std::uint64_t nonce = 0, std::uint64_t block = 0);

Key sum(const Key &a, const Key &b);
Key first_key(const Bytes &bytes, std::size_t at = 0);

} // namespace script

#endif
