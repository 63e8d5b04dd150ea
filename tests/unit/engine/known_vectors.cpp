// SPDX-License-Identifier: BSD-2-Clause
// The published vectors and those made by tests/vectors/models.py, on every backend and through streams.
#include "doctest/doctest.h"

#include "../../support/vectors.hpp"

#include <set>

namespace {

Bytes xor_of_blocks(const Bytes &data)
{
	Bytes digest(64);

	for (std::size_t i = 0; i < data.size(); i++)
		digest[i % 64] ^= data[i];
	return digest;
}

void compare(const Vector &v, const Bytes &got, const std::string &how)
{
	const std::string what = v.comment + ", " + how;

	REQUIRE(got.size() == v.length);
	if (v.xor_digest_64.empty())
		same(got.data(), v.keystream.data(), v.length, what);
	else
		same(xor_of_blocks(got).data(), v.xor_digest_64.data(), 64, what + ", digest");
}

void check(const Vector &v)
{
	for (const cprng_backend *backend : usable_backends(v.engine))
		compare(v, keystream(v.engine, backend, v.position, v.offset, v.length), label(v.engine, backend));

	Stream s(v.engine, v.position.key, v.position.nonce);
	CHECK(cprng_stream_tell(s.get()) == 0);
	REQUIRE(cprng_stream_seek(s.get(), v.offset) == 0);
	compare(v, s.read(v.length), "stream");
	CHECK(cprng_stream_tell(s.get()) == v.offset + v.length);

	REQUIRE(cprng_stream_seek(s.get(), v.offset) == 0);
	Bytes by_pieces;
	for (std::size_t piece = 1; by_pieces.size() < v.length; piece += 7) {
		const Bytes more = s.read(std::min(piece, v.length - by_pieces.size()));
		by_pieces.insert(by_pieces.end(), more.begin(), more.end());
	}
	compare(v, by_pieces, "stream by pieces");
}

} // namespace

// Catches any error in a cipher, by published answers.
TEST_CASE("known vectors")
{
	// Check the counts: otherwise a file without vectors would pass.
	static const struct {
		const char *name;
		std::size_t vectors;
	} files[] = {
		{ "stream-ciphers.json", 27 }, { "rfc8439.json", 9 }, { "sp800-38a.json", 2 },   { "fips197.json", 3 },
		{ "carries.json", 36 },        { "acvp.json", 48 },   { "wycheproof.json", 15 },
	};
	std::set<std::string> seen;

	for (const auto &file : files) {
		const auto vectors = read_vectors(file.name);
		CHECK(vectors.size() == file.vectors);
		for (const Vector &v : vectors) {
			check(v);
			seen.insert(v.engine->name);
		}
	}
	CHECK(seen.size() == all_engines().size());
}
