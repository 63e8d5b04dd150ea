// SPDX-License-Identifier: BSD-2-Clause
// Sample output, before any measurement.
#include "tour.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

#include <fmt/format.h>

#include <cprng/cprng.h>

namespace lab::tour {

namespace {

std::string hex(const unsigned char *bytes, std::size_t size)
{
	return fmt::format("{:02x}", fmt::join(bytes, bytes + size, ""));
}

// Several numbers of each kind in a line, since a single one does not look random.
template <typename Draw> std::string several(int count, const char *format, Draw draw)
{
	std::string text;
	for (int i = 0; i < count; i++)
		text += fmt::format(fmt::runtime(i == 0 ? format : std::string(" ") + format), draw());
	return text;
}

void line(const char *call, const std::string &result)
{
	fmt::print("  {:<32} {}\n", call, result);
}

void show_integers()
{
	line("cprng_fast8()", several(12, "{:3}", cprng_fast8));
	line("cprng_fast16()", several(8, "{:5}", cprng_fast16));
	line("cprng_fast32()", several(5, "{:10}", cprng_fast32));
	line("cprng_fast64()", several(3, "{:20}", cprng_fast64));
}

void show_ranges()
{
	line("1 + cprng_uniform32(6)", several(24, "{}", [] { return 1 + cprng_uniform32(6); }));
	line("cprng_uniform64(1000000000000)", several(4, "{:12}", [] { return cprng_uniform64(1000000000000); }));
	line("cprng_range64(49152, 65535)", several(8, "{}", [] { return cprng_range64(49152, 65535); }));
	line("cprng_double()", several(4, "{:.14f}", cprng_double));
}

void show_bytes()
{
	unsigned char bytes[32];
	cprng_fast(bytes, sizeof(bytes));
	line("cprng_fast(key, 32)", hex(bytes, sizeof(bytes)));
}

void show_deck()
{
	constexpr char ranks[] = "A23456789TJQK", suits[] = "shdc";
	unsigned char deck[52];
	for (std::size_t i = 0; i < sizeof(deck); i++)
		deck[i] = static_cast<unsigned char>(i);
	cprng_shuffle(deck, sizeof(deck), sizeof(deck[0]));

	std::string hand;
	for (std::size_t i = 0; i < sizeof(deck); i++) {
		hand += { ranks[deck[i] % 13], suits[deck[i] / 13], ' ' };
		if ((i + 1) % 26 == 0) {
			hand.pop_back();
			line(i < 26 ? "cprng_shuffle(deck, 52, 1)" : "", hand);
			hand.clear();
		}
	}
}

// RFC 8439, A.1, test vector 1: key and nonce of zeros.
bool show_stream()
{
	static const unsigned char published[32] = {
		0x76, 0xb8, 0xe0, 0xad, 0xa0, 0xf1, 0x3d, 0x90, 0x40, 0x5d, 0x6a, 0xe5, 0x53, 0x86, 0xbd, 0x28,
		0xbd, 0xd2, 0x19, 0xb8, 0xa0, 0x8d, 0xed, 0x1a, 0xa8, 0x36, 0xef, 0xcc, 0x8b, 0x77, 0x0d, 0xc7,
	};
	const unsigned char key[32] = {}, nonce[12] = {};
	unsigned char bytes[sizeof(published)];
	cprng_stream stream;
	const bool read = cprng_stream_init(&stream, "chacha20", key, sizeof(key), nonce, sizeof(nonce)) == CPRNG_OK &&
			  cprng_stream_read(&stream, bytes, sizeof(bytes)) == CPRNG_OK;
	cprng_stream_wipe(&stream);
	const bool same = read && std::memcmp(bytes, published, sizeof(bytes)) == 0;

	line("cprng_stream_read(), chacha20,", read ? hex(bytes, sizeof(bytes)) : "failed");
	line("key and nonce of zeros",
	     same ? "as in RFC 8439, A.1, number 1" : "NOT what RFC 8439, A.1, number 1 says");
	return same;
}

} // namespace

bool show_numbers()
{
	fmt::print("Numbers\n\n");
	show_integers();
	show_ranges();
	show_bytes();
	show_deck();
	return show_stream();
}

void show_choices()
{
	cprng_info info;
	cprng_get_info(&info, sizeof(info));
	fmt::print("\nImplementation on this machine (`cprng info` has more)\n\n");
	line("engine", info.engine);
	line("backend", info.backend);
	line("buffers", info.placement);
	line("entropy", info.entropy);
	fmt::print("\n");
}

} // namespace lab::tour
