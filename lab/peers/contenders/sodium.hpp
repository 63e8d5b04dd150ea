// SPDX-License-Identifier: BSD-2-Clause
#ifndef CPRNG_LAB_PEERS_CONTENDERS_SODIUM_HPP
#define CPRNG_LAB_PEERS_CONTENDERS_SODIUM_HPP

#include "source.hpp"

#ifdef LAB_SODIUM
#include <sodium.h>

namespace lab {

class sodium : public source_of_words<sodium, std::uint32_t> {
public:
	sodium() : sodium(nullptr)
	{
	}

	std::uint32_t step()
	{
		return randombytes_random();
	}

	// 64 bits: one request, as programs make it, instead of two words.
	template <typename Number> Number next()
	{
		if constexpr (sizeof(Number) == 8)
			return number_of_bytes<Number>(*this);
		else
			return source_of_words::next<Number>();
	}

	std::uint32_t below(std::uint32_t n)
	{
		return randombytes_uniform(n);
	}

	void fill(unsigned char *out, std::size_t len)
	{
		randombytes_buf(out, len);
	}

protected:
	explicit sodium(randombytes_implementation *chosen)
	{
		// Only once: choosing again would restart the generator under drawing threads.
		static const bool good = [chosen] {
			return (chosen == nullptr || randombytes_set_implementation(chosen) == 0) && sodium_init() >= 0;
		}();
		check(good, "sodium_init");
	}
};

// The same functions on libsodium's internal generator.  A program chooses it once per process, before sodium_init, so
// this needs its own process.
class sodium_internal : public sodium {
public:
	sodium_internal() : sodium(&randombytes_internal_implementation)
	{
	}

	// 64 bits: two words, since this generator changes its key after each request of bytes, which costs twenty times as much.
	template <typename Number> Number next()
	{
		return source_of_words::next<Number>();
	}
};

// A cipher's keystream under one permanent key.
template <int (*Stream)(unsigned char *, unsigned long long, const unsigned char *, const unsigned char *)>
class sodium_stream : public source_of_bytes<sodium_stream<Stream>> {
public:
	sodium_stream()
	{
		check(sodium_init() >= 0, "sodium_init");
		randombytes_buf(key_, sizeof(key_));
	}

	void fill(unsigned char *out, std::size_t len) const
	{
		check(Stream(out, len, nonce_, key_) == 0, "a cipher of libsodium");
	}

private:
	unsigned char key_[32], nonce_[8] = {};
};

static_assert(crypto_stream_salsa20_KEYBYTES == 32 && crypto_stream_salsa20_NONCEBYTES == 8);
static_assert(crypto_stream_chacha20_KEYBYTES == 32 && crypto_stream_chacha20_NONCEBYTES == 8);

using sodium_salsa20 = sodium_stream<crypto_stream_salsa20>;
using sodium_chacha20 = sodium_stream<crypto_stream_chacha20>;

} // namespace lab
#endif

#endif
