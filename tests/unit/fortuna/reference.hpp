// SPDX-License-Identifier: BSD-2-Clause
// A second implementation of the generator, written from the book.
#ifndef CPRNG_TESTS_FORTUNA_REFERENCE_HPP
#define CPRNG_TESTS_FORTUNA_REFERENCE_HPP

#include "../../support/engines.hpp"
#include "../../support/sha256.hpp"

#include "core/uint128.h"

#include <cstdint>

namespace reference {

// Increments byte by byte.
cprng_uint128 add(cprng_uint128 a, cprng_uint128 b);

// Returns len bytes from block number `counter` on.  The portable backend is called for one block at a time.  Other backends
// are called for as many blocks as leave the counter's upper 96 bits unchanged, so that the result does not rely on their
// carries.
Bytes keystream(const cprng_engine *engine, const cprng_backend *backend, const Bytes &key, cprng_uint128 counter,
		std::size_t len);

class Generator {
public:
	explicit Generator(const cprng_engine *engine) : Generator(engine, Bytes(32), cprng_uint128{ 0, 0 })
	{
	}

	// Uses the portable backend, or the best one for long outputs.
	Generator(const cprng_engine *engine, const Bytes &key, cprng_uint128 counter, bool portable = false);

	void reseed(const Bytes &seed);
	Bytes piece(std::size_t len);
	Bytes read(std::size_t len, bool locked = false); // in pieces
	std::size_t piece_max(bool locked = false) const;

	// Whether key and counter are equal.
	bool equals(const std::uint8_t *other_key, cprng_uint128 other_counter) const;

	const cprng_engine *engine;
	const cprng_backend *backend;
	Bytes key;
	cprng_uint128 counter;
};

} // namespace reference

#endif
