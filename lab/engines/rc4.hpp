// SPDX-License-Identifier: BSD-2-Clause
// RC4, NetBSD's cprng_fast() until 2014.  RFC 7465 prohibits it in TLS; here it is the reference for others.
//
// As in NetBSD's arc4randbyte(), each byte is a separate step that stores both indices.
#ifndef CPRNG_LAB_ENGINES_RC4_HPP
#define CPRNG_LAB_ENGINES_RC4_HPP

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace lab {

// Returns every byte of the stream (it drops no first ones), as in RFC 6229.  Cells are bytes, or relaxed atomics for
// threads that share a state without a lock, so that only the lock differs.
template <typename Cell> class basic_rc4 {
public:
	static constexpr const char *name = "rc4";
	static constexpr std::size_t key_size = 16, nonce_size = 0;
	static constexpr std::size_t key_size_min = 5, key_size_max = 256;

	void key(const unsigned char *key, std::size_t key_len, const unsigned char *)
	{
		std::uint8_t s[256], j = 0;
		for (unsigned int n = 0; n < 256; n++)
			s[n] = static_cast<std::uint8_t>(n);
		for (unsigned int n = 0; n < 256; n++) {
			j = static_cast<std::uint8_t>(j + s[n] + key[n % key_len]);
			std::swap(s[n], s[j]);
		}
		for (unsigned int n = 0; n < 256; n++)
			put(s_[n], s[n]);
		put(i_, 0);
		put(j_, 0);
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
			*out++ = static_cast<unsigned char>(next8());
	}

	// Secret state: calls function(address, size) for each piece.  The first index counts bytes and is public.
	template <typename Function> void secrets(Function function)
	{
		function(s_, sizeof(s_));
		function(&j_, sizeof(j_));
	}

private:
	static unsigned int get(const std::uint8_t &cell)
	{
		return cell;
	}

	static void put(std::uint8_t &cell, unsigned int value)
	{
		cell = static_cast<std::uint8_t>(value);
	}

	static unsigned int get(const std::atomic<std::uint8_t> &cell)
	{
		return cell.load(std::memory_order_relaxed);
	}

	static void put(std::atomic<std::uint8_t> &cell, unsigned int value)
	{
		cell.store(static_cast<std::uint8_t>(value), std::memory_order_relaxed);
	}

	unsigned int next8()
	{
		const unsigned int i = (get(i_) + 1) & 0xff, a = get(s_[i]), j = (get(j_) + a) & 0xff, b = get(s_[j]);
		put(i_, i);
		put(j_, j);
		put(s_[i], b);
		put(s_[j], a);
		return get(s_[(a + b) & 0xff]);
	}

	Cell s_[256], i_, j_;
};

using rc4 = basic_rc4<std::uint8_t>;

} // namespace lab

#endif
