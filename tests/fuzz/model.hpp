// SPDX-License-Identifier: BSD-2-Clause
// docs/streams-specification.md as a program: ciphers, numbers and streams, written from its text and from the papers that it
// cites, one block and one number at a time.  It shares nothing with src/.  It reads engines and constants from the page, so
// that an error in the page's tables shows as a difference.
#ifndef CPRNG_TESTS_FUZZ_MODEL_HPP
#define CPRNG_TESTS_FUZZ_MODEL_HPP

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace model {

using Bytes = std::vector<std::uint8_t>;

// Thrown if a stream, number or offset does not exist.
struct Refused {};

struct Engine {
	std::string name, cipher;
	unsigned int rounds;
	std::vector<std::size_t> key_sizes, nonce_sizes;

	std::size_t block_size() const
	{
		return cipher == "AES" ? 16 : 64;
	}
};

// The rows of the page's table.
const std::vector<Engine> &engines();
const Engine &engine(const std::string &name);

// An integer as this many bytes, the lowest first.
Bytes little(std::uint64_t value, std::size_t size);

// Block number `number` under a key and a nonce.
Bytes block(const Engine &engine, const Bytes &key, const Bytes &nonce, std::uint64_t number);
// The counter block that AES encrypts to this block.
Bytes aes_decrypted(const Bytes &key, const Bytes &block);
// A big-endian 128-bit counter, this many steps forwards or backwards.
Bytes counter_plus(Bytes counter, std::uint64_t steps);
Bytes counter_minus(Bytes counter, std::uint64_t steps);

double normal(std::uint64_t bits, double mu, double sigma);
// The smallest words below 2^63 for which the parts near, middle and far compute normals.
const std::vector<std::uint64_t> &seams();
double exponential(std::uint64_t bits, double mean);
double unit(std::uint64_t bits);
float unit(std::uint32_t bits);

class Stream {
public:
	Stream(const std::string &engine_name, const Bytes &key, const Bytes &nonce);
	// kind: 'i', 's' or 'b', with the bytes of the seed.
	static Stream of_seed(const std::string &engine_name, char kind, const Bytes &seed);
	static Stream of_integer(const std::string &engine_name, std::uint64_t seed);
	static Stream of_number(const std::string &engine_name, Bytes magnitude, bool is_negative);

	Stream child(std::uint64_t index) const;
	Bytes checkpoint() const;
	void seek(std::uint64_t to);
	Bytes read(std::size_t count);

	std::uint64_t bits(unsigned int width);
	std::uint32_t uniform32(std::uint32_t bound);
	std::uint64_t uniform64(std::uint64_t bound);
	std::uint64_t range64(std::uint64_t lo, std::uint64_t hi);
	std::int64_t int_range(std::int64_t lo, std::int64_t hi);
	// The places of n elements after a shuffle: element i of the result was element order[i].
	std::vector<std::size_t> order(std::size_t n);
	std::vector<std::uint64_t> sample(std::size_t k, std::uint64_t n);
	int bernoulli(double p);
	int bernoulli_ratio(std::uint64_t n, std::uint64_t d);
	std::size_t weighted(const std::vector<std::uint64_t> &weights);
	Bytes text(std::size_t length, const Bytes &alphabet);
	Bytes uuid4();
	Bytes uuid7(std::uint64_t ms);

	const Engine *row;
	Bytes key, nonce;
	std::uint64_t offset = 0, end;

private:
	Bytes uuid(Bytes first, std::uint8_t version);
	std::uint64_t lemire(std::uint64_t bound, unsigned int width);

	std::uint64_t cached = 0;
	Bytes cache;
};

} // namespace model

#endif
