// SPDX-License-Identifier: BSD-2-Clause
// RC4, NetBSD's cprng_fast() until 2014.  RFC 7465 prohibits it in TLS; here it is the reference for others.
//
// As in NetBSD's arc4randbyte(), each byte is a separate step that stores both indices.
#ifndef CPRNG_LAB_ORIGINS_ENGINES_RC4_HPP
#define CPRNG_LAB_ORIGINS_ENGINES_RC4_HPP

#include <cstddef>
#include <cstdint>
#include <utility>

namespace lab {

// Returns every byte of the stream (it drops no first ones), as in RFC 6229.
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
		std::uint32_t value = next8();
		value |= static_cast<std::uint32_t>(next8()) << 8;
		value |= static_cast<std::uint32_t>(next8()) << 16;
		return value | static_cast<std::uint32_t>(next8()) << 24;
	}

	void fill(unsigned char *out, std::size_t len)
	{
		for (; len != 0; len--)
			*out++ = next8();
	}

	// Secret state: calls function(address, size) for each piece.  The first index counts bytes and is public.
	template <typename Function> void secrets(Function function)
	{
		function(s_, sizeof(s_));
		function(&j_, sizeof(j_));
	}

private:
	// An index is a byte, so a step stays within the state even where other threads change it meanwhile.
	std::uint8_t next8()
	{
		const auto i = static_cast<std::uint8_t>(i_ + 1);
		const std::uint8_t a = s_[i];
		const auto j = static_cast<std::uint8_t>(j_ + a);
		const std::uint8_t b = s_[j];
		i_ = i;
		j_ = j;
		s_[i] = b;
		s_[j] = a;
		return s_[static_cast<std::uint8_t>(a + b)];
	}

	std::uint8_t s_[256], i_, j_;
};

} // namespace lab

#endif
