// SPDX-License-Identifier: BSD-2-Clause
// SHA-256 and the double hash: published answers, every split of a message, another implementation, and erasure.
#include "doctest/doctest.h"

#include "../fortuna/fixture.hpp"
#include "../fortuna/reference.hpp"

#include "core/sha256.h"

#include <string>

namespace {

Bytes bytes_of(const std::string &s)
{
	return Bytes(s.begin(), s.end());
}

std::string hex(const Bytes &b)
{
	return ::hex(b.data(), b.size());
}

// Hashes in pieces that end at these offsets and at the end of the message.  The context must be wiped afterwards.
template <typename Init, typename Final>
Bytes digest(Init init, Final final, const Bytes &message, const std::vector<std::size_t> &cuts)
{
	cprng_sha256 h;
	Bytes out(CPRNG_SHA256_SIZE);
	std::size_t at = 0;

	// The context's earlier content must not matter.
	std::memset(&h, 0xa5, sizeof(h));
	init(&h);
	for (std::size_t cut : cuts) {
		cprng_sha256_update(&h, message.data() + at, cut - at);
		at = cut;
	}
	cprng_sha256_update(&h, message.data() + at, message.size() - at);
	final(&h, out.data());
	CHECK(all_zero(h));
	return out;
}

Bytes sha256(const Bytes &message, const std::vector<std::size_t> &cuts = {})
{
	return digest(cprng_sha256_init, cprng_sha256_final, message, cuts);
}

Bytes sha256d(const Bytes &message, const std::vector<std::size_t> &cuts = {})
{
	return digest(cprng_sha256d_init, cprng_sha256d_final, message, cuts);
}

} // namespace

// Examples of FIPS 180-4 (NIST, "Examples with Intermediate Values") and of FIPS 180-2, appendix B.
// Catches any error in the hash.
TEST_CASE("SHA-256: published answers")
{
	const struct {
		std::string message;
		const char *digest;
	} answers[] = {
		{ "", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855" },
		{ "abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" },
		{ "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
		  "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1" },
		{ "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrs"
		  "mnopqrstnopqrstu",
		  "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1" },
		{ std::string(1000000, 'a'), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0" },
		// NIST's additional examples.
		{ std::string("\xbd"), "68325720aabd7c82f30f554b313d0570c95accbb7dc4b5aae11204c08ffe732b" },
		{ std::string("\xc9\x8c\x8e\x55"), "7abc22c0ae5af26ce93dbb94433a0e0b2e119d014f8e7f65bd56c61ccccd9504" },
		{ std::string(55, '\0'), "02779466cdec163811d078815c633f21901413081449002f24aa3e80f0b88ef7" },
		{ std::string(56, '\0'), "d4817aa5497628e7c77e6b606107042bbba3130888c5f47a375e6179be789fbb" },
		{ std::string(57, '\0'), "65a16cb7861335d5ace3c60718b5052e44660726da4cd13bb745381b235a1785" },
		{ std::string(64, '\0'), "f5a5fd42d16a20302798ef6ed309979b43003d2320d9f0e8ea9831a92759fb4b" },
		{ std::string(1000, '\0'), "541b3e9daa09b20bf85fa273e5cbd3e80185aa4ec298e765db87742b70138a53" },
		{ std::string(1000, 'A'), "c2e686823489ced2017f6059b8b239318b6364f6dcd835d0a519105a1eadd6e4" },
		{ std::string(1005, 'U'), "f4d62ddec0f3dd90ea1380fa16a5ff8dc4c54b21740650f24afc4120903552b0" },
	};

	for (const auto &answer : answers) {
		CAPTURE(answer.message.size());
		CHECK(hex(sha256(bytes_of(answer.message))) == answer.digest);
		CHECK(hex(reference::sha256(bytes_of(answer.message))) == answer.digest);
	}
}

// Catches a partial block that is buffered incorrectly.
TEST_CASE("SHA-256: every cut in two of messages of up to 300 bytes, and three at block ends")
{
	run::Random random("sha256 cuts");
	const Bytes all = random.bytes(300);

	for (std::size_t len = 0; len <= all.size(); len++) {
		const Bytes message(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(len));
		const Bytes want = reference::sha256(message), want_d = reference::hd(message);
		for (std::size_t cut = 0; cut <= len; cut++) {
			if (sha256(message, { cut }) != want)
				FAIL_CHECK("SHA-256 of " << len << " bytes, cut at " << cut);
			if (len % 16 == 3 && sha256d(message, { cut }) != want_d)
				FAIL_CHECK("Hd of " << len << " bytes, cut at " << cut);
		}
		if (sha256d(message) != want_d)
			FAIL_CHECK("Hd of " << len << " bytes");
		if (len >= 193 && sha256(message, { 63, 64, 65, 65, 127, 128, 129, 191, 192, 193 }) != want)
			FAIL_CHECK("SHA-256 of " << len << " bytes, cut about block ends");
	}
}

// Catches a wrong total length after several updates.
TEST_CASE("SHA-256: many cuts of long messages")
{
	run::Random random("sha256 long");

	for (std::size_t i = volume(200, 20); i != 0; i--) {
		const Bytes message = random.bytes(64 * random.below(80) + random.below(5) - random.below(2) * 2 + 2);
		std::vector<std::size_t> cuts;
		for (std::size_t at = random.below(70); at < message.size(); at += random.below(200))
			cuts.push_back(at);
		CHECK(sha256(message, cuts) == reference::sha256(message));
		CHECK(sha256d(message, cuts) == reference::hd(message));
	}
}

// These bytes are only counted: hashing them would take hours under an emulator.
// Catches a message length that is counted or written in 32 bits.
TEST_CASE("SHA-256: lengths of more than 2^32 bits")
{
	run::Random random("sha256 length");

	for (unsigned int bit = 28; bit < 61; bit++) {
		const Bytes message = random.bytes(random.below(200));
		const std::uint64_t before = (std::uint64_t{ 1 } << bit) + 64 * random.below(1 << 20);
		cprng_sha256 h;
		Bytes got(CPRNG_SHA256_SIZE);
		cprng_sha256_init(&h);
		h.length = before;
		cprng_sha256_update(&h, message.data(), message.size());
		cprng_sha256_final(&h, got.data());
		CHECK(got == reference::sha256(message, before));
	}
}
