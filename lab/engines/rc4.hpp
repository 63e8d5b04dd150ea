// SPDX-License-Identifier: BSD-2-Clause
// RC4, which NetBSD's cprng_fast() was until 2014.  RFC 7465 prohibits it in TLS; here it is what others are measured by.
#ifndef CPRNG_LAB_ENGINES_RC4_HPP
#define CPRNG_LAB_ENGINES_RC4_HPP

#include <cstddef>
#include <cstdint>
#include <utility>

namespace lab {

// Every byte of the stream is given: no first ones are dropped, so that it is the stream of RFC 6229.
class rc4 {
public:
	static constexpr const char *name = "rc4";
	static constexpr std::size_t key_size = 16, nonce_size = 0;
	static constexpr std::size_t key_size_min = 5, key_size_max = 256;

	void key(const unsigned char *key, std::size_t key_len, const unsigned char *)
	{
		for (unsigned int n = 0; n < 256; n++)
			s_[n] = static_cast<std::uint8_t>(n);
		std::uint8_t j = 0;
		for (unsigned int n = 0; n < 256; n++) {
			j = static_cast<std::uint8_t>(j + s_[n] + key[n % key_len]);
			std::swap(s_[n], s_[j]);
		}
		i_ = j_ = 0;
	}

	std::uint32_t next32()
	{
		std::uint32_t word = next8();
		word |= static_cast<std::uint32_t>(next8()) << 8;
		word |= static_cast<std::uint32_t>(next8()) << 16;
		return word | static_cast<std::uint32_t>(next8()) << 24;
	}

	void fill(unsigned char *out, std::size_t len)
	{
		for (; len != 0; len--)
			*out++ = next8();
	}

	// What nobody but the holder of the key may know: function(address, size) for each piece.  The first index counts
	// bytes and is public.
	template <typename Function> void secrets(Function function)
	{
		function(s_, sizeof(s_));
		function(&j_, sizeof(j_));
	}

private:
	std::uint8_t next8()
	{
		i_++;
		j_ = static_cast<std::uint8_t>(j_ + s_[i_]);
		std::swap(s_[i_], s_[j_]);
		return s_[static_cast<std::uint8_t>(s_[i_] + s_[j_])];
	}

	std::uint8_t s_[256];
	std::uint8_t i_, j_;
};

} // namespace lab

#endif
