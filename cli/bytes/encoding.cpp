// SPDX-License-Identifier: BSD-2-Clause
// Eight characters at a time, as bytes of a 64-bit word, in arithmetic that the compiler can vectorise.  A table would be
// read at addresses that depend on what may become a key.
#include "bytes/encoding.hpp"

#include <cstring>

#include "common/wiped.hpp"

namespace {

// From the machine's byte order to big-endian, and back.
constexpr std::uint64_t big_endian(std::uint64_t x)
{
	return __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? x : __builtin_bswap64(x);
}

constexpr std::uint64_t each = 0x0101010101010101;

// Each byte is 1 where the input byte (below 64) is at least `least`, else 0.
constexpr std::uint64_t from(std::uint64_t bytes, unsigned int least)
{
	return ((bytes + each * (128 - least)) >> 7) & each;
}

// The encodings.  A group of `bytes` bytes is read as a big-endian number and becomes eight characters: spread() puts
// each character's bits into a byte of its own, the first character highest; letters() turns them into ASCII.  No byte
// carries into its neighbour.
struct hexadecimal {
	static constexpr std::size_t bytes = 4;
	static constexpr unsigned int bits = 4;
	static constexpr bool padded = false;

	static constexpr std::uint64_t spread(std::uint64_t x)
	{
		x = (x << 16 | x) & 0x0000ffff0000ffff;
		x = (x << 8 | x) & 0x00ff00ff00ff00ff;
		return (x << 4 | x) & 0x0f0f0f0f0f0f0f0f;
	}

	// '0' is 48, 'a' is 97
	static constexpr std::uint64_t letters(std::uint64_t x)
	{
		return x + each * 48 + from(x, 10) * (97 - 10 - 48);
	}
};

struct five_bits {
	static constexpr std::size_t bytes = 5;
	static constexpr unsigned int bits = 5;
	static constexpr bool padded = true;

	static constexpr std::uint64_t spread(std::uint64_t x)
	{
		x = (x << 12 & 0x000fffff00000000) | (x & 0x00000000000fffff);
		x = (x << 6 & 0x03ff000003ff0000) | (x & 0x000003ff000003ff);
		return (x << 3 & 0x1f001f001f001f00) | (x & 0x001f001f001f001f);
	}

	// 'A' is 65; '2', which is 50, follows 'Z', which is 90
	static constexpr std::uint64_t letters(std::uint64_t x)
	{
		return x + each * 65 - from(x, 26) * (65 + 26 - 50);
	}
};

// Characters 62 and 63 are '+' and '/', or '-' and '_': 43 and 47, or 45 and 95.
template <unsigned int character_62, unsigned int character_63> struct six_bits {
	static constexpr std::size_t bytes = 6;
	static constexpr unsigned int bits = 6;
	// base64url goes into URLs, where '=' would have to be encoded again.
	static constexpr bool padded = character_62 == '+';

	static constexpr std::uint64_t spread(std::uint64_t x)
	{
		x = (x << 8 & 0x00ffffff00000000) | (x & 0x0000000000ffffff);
		x = (x << 4 & 0x0fff00000fff0000) | (x & 0x00000fff00000fff);
		return (x << 2 & 0x3f003f003f003f00) | (x & 0x003f003f003f003f);
	}

	// 'A' is 65, 'a' is 97 = 71 + 26, '0' is 48 = 52 - 4.
	static constexpr std::uint64_t letters(std::uint64_t x)
	{
		return x + each * 65 + from(x, 26) * 6 - from(x, 52) * 75 - from(x, 62) * (58 - character_62) +
		       from(x, 63) * (character_63 - character_62 - 1);
	}
};

template <typename Form> constexpr std::uint64_t characters(std::uint64_t group)
{
	return Form::letters(Form::spread(group));
}

static_assert(characters<hexadecimal>(0x0123cdef) == 0x3031323363646566);
static_assert(characters<five_bits>(0x0000000000) == 0x4141414141414141);
static_assert(characters<six_bits<43, 47>>(0xfbffbf000000) == 0x2b2f2b2f41414141);

// Read a group as a big-endian number; `there` bytes may be read at `bytes`.
template <std::size_t size, std::size_t there = size> std::uint64_t load(const unsigned char *bytes)
{
	std::uint64_t group = 0;
	std::memcpy(&group, bytes, there);
	return big_endian(group) >> (64 - 8 * size);
}

// Groups per batch; a batch stays in the L1 cache.
constexpr std::size_t batch = 128;

// Inlined into the versions for each instruction set below.  There are two loops because the loads of the first are
// unaligned, and gcc would vectorise no loop that contains them.
template <typename Form>
__attribute__((always_inline)) inline void encode_groups(const unsigned char *bytes, std::size_t groups, char *out)
{
	wiped_array<std::uint64_t, batch> text;
	while (groups > 0) {
		const std::size_t count = groups < batch ? groups : batch;
		// For all groups but the last, eight bytes can be read, which takes one load.
		for (std::size_t i = 0; i + 1 < count; i++)
			text[i] = load < Form::bytes, Form::bytes == 4 ? 4 : 8 > (bytes + i * Form::bytes);
		text[count - 1] = load<Form::bytes>(bytes + (count - 1) * Form::bytes);
		for (std::size_t i = 0; i < count; i++)
			text[i] = big_endian(characters<Form>(text[i]));
		std::memcpy(out, text.data(), count * sizeof(text[0]));
		bytes += count * Form::bytes;
		out += count * sizeof(text[0]);
		groups -= count;
	}
}

template <typename Form> void encode_portable(const unsigned char *bytes, std::size_t groups, char *out)
{
	encode_groups<Form>(bytes, groups, out);
}

#if defined(__x86_64__)
template <typename Form>
__attribute__((target("avx2"))) void encode_avx2(const unsigned char *bytes, std::size_t groups, char *out)
{
	encode_groups<Form>(bytes, groups, out);
}
#endif

template <typename Form> void encode_form(const unsigned char *bytes, std::size_t size, char *out) noexcept
{
	const std::size_t groups = size / Form::bytes;
#if defined(__x86_64__)
	static const bool avx2 = __builtin_cpu_supports("avx2");
	(avx2 ? encode_avx2<Form> : encode_portable<Form>)(bytes, groups, out);
#else
	encode_portable<Form>(bytes, groups, out);
#endif
	const std::size_t rest = size - groups * Form::bytes;
	if (rest == 0)
		return;
	// Zeros fill up the last group; characters that encode none of its bytes become padding.
	wiped_array<unsigned char, Form::bytes> last = {};
	std::memcpy(last.data(), bytes + groups * Form::bytes, rest);
	wiped_array<std::uint64_t, 1> text;
	text[0] = big_endian(characters<Form>(load<Form::bytes>(last.data())));
	const std::size_t used = (8 * rest + Form::bits - 1) / Form::bits;
	char *shown = reinterpret_cast<char *>(text.data());
	std::memset(shown + used, '=', sizeof(text) - used);
	// Base64 encodes two groups of four characters at a time.
	const std::size_t written = !Form::padded ? used : Form::bits == 6 ? (used + 3) / 4 * 4 : sizeof(text);
	std::memcpy(out + groups * sizeof(text), shown, written);
}

} // namespace

std::uint64_t encoded_size(encoding form, std::uint64_t size) noexcept
{
	switch (form) {
	case encoding::raw:
		return size;
	case encoding::hex:
		return 2 * size;
	case encoding::base32:
		return size / 5 * 8 + (size % 5 != 0 ? 8 : 0);
	case encoding::base64url:
		return size / 3 * 4 + (size % 3 != 0 ? size % 3 + 1 : 0);
	case encoding::base64:
		break;
	}
	return size / 3 * 4 + (size % 3 != 0 ? 4 : 0);
}

void encode(encoding form, const unsigned char *bytes, std::size_t size, char *out) noexcept
{
	switch (form) {
	case encoding::raw:
		std::memcpy(out, bytes, size);
		return;
	case encoding::hex:
		encode_form<hexadecimal>(bytes, size, out);
		return;
	case encoding::base32:
		encode_form<five_bits>(bytes, size, out);
		return;
	case encoding::base64:
		encode_form<six_bits<43, 47>>(bytes, size, out);
		return;
	case encoding::base64url:
		encode_form<six_bits<45, 95>>(bytes, size, out);
		return;
	}
}
