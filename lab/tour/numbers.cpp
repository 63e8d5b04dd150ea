// SPDX-License-Identifier: BSD-2-Clause
#include "numbers.hpp"

#include <cinttypes>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>

#include <cprng/cprng.h>

namespace {

constexpr char hex_digits[] = "0123456789abcdef";

std::string hex(const unsigned char *bytes, std::size_t size)
{
	std::string text;
	for (std::size_t i = 0; i < size; i++) {
		text += hex_digits[bytes[i] >> 4];
		text += hex_digits[bytes[i] & 15];
	}
	return text;
}

// Some of each, in a line: one number would not look random.
template <typename Draw> std::string several(int count, const char *format, Draw draw)
{
	std::string text;
	for (int i = 0; i < count; i++) {
		char number[64];
		std::snprintf(number, sizeof(number), format, draw());
		text += (i == 0 ? "" : " ");
		text += number;
	}
	return text;
}

void line(const char *call, const std::string &result)
{
	std::printf("  %-32s %s\n", call, result.c_str());
}

void line(const char *call, std::uint32_t number, const char *what)
{
	line(call, std::to_string(number) + what);
}

void show_integers()
{
	line("cprng_fast8()", several(12, "%3" PRIu8, cprng_fast8));
	line("cprng_fast16()", several(8, "%5" PRIu16, cprng_fast16));
	line("cprng_fast32()", several(5, "%10" PRIu32, cprng_fast32));
	line("cprng_fast64()", several(3, "%20" PRIu64, cprng_fast64));
}

void show_ranges()
{
	line("1 + cprng_uniform32(6)", several(24, "%" PRIu32, [] { return 1 + cprng_uniform32(6); }));
	line("cprng_uniform64(1000000000000)", several(4, "%12" PRIu64, [] { return cprng_uniform64(1000000000000); }));
	line("cprng_range64(49152, 65535)", several(8, "%" PRIu64, [] { return cprng_range64(49152, 65535); }));
	line("cprng_double()", several(4, "%.14f", cprng_double));
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
	std::printf("Numbers from cprng %s\n\n", cprng_version());
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
	std::puts("\nWhat serves them on this machine\n");
	line("engine", info.engine);
	line("backend", info.backend);
	line("placement of the buffers", info.placement);
	line("entropy", info.entropy);
	line("fork guard", info.fork_guard);
	line("memory lock", info.memory_lock);
	line("buffers, at the most", info.buffers, "");
	line("memory of each used", info.state_bytes, " bytes");
	line("of which random at the most", info.buffer_bytes, " bytes");
	line("fresh entropy after", info.refills_per_reseed, " refills,");
	line("or at the first refill after", info.seconds_per_reseed, " s");
}
