// SPDX-License-Identifier: BSD-2-Clause
// The test vectors of tests/vectors/*.json.
#ifndef CPRNG_TESTS_VECTORS_HPP
#define CPRNG_TESTS_VECTORS_HPP

#include "engines.hpp"

#include <cstdint>
#include <string>
#include <vector>

struct Vector {
	std::string comment;
	const cprng_engine *engine;
	Position position; // block 0
	std::uint64_t offset;
	std::size_t length;
	Bytes keystream;     // either this
	Bytes xor_digest_64; // or the XOR of all 64-byte blocks
};

// Throws if the file cannot be read or parsed.
std::vector<Vector> read_vectors(const std::string &name);

#endif
