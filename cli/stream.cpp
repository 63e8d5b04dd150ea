// SPDX-License-Identifier: BSD-2-Clause
// cprng stream: the keystream of a named engine.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include <cprng/cprng.h>

#include "buffer.hpp"
#include "commands.hpp"
#include "error.hpp"
#include "hex.hpp"
#include "output.hpp"
#include "size.hpp"

namespace {

// The nonce of RFC 8439 leaves 32 bits to the block counter, which must not wrap: 2^32 blocks of 64 bytes.
constexpr std::size_t short_counter_nonce = 12;
constexpr std::uint64_t short_counter_end = std::uint64_t{ 1 } << 38;

class stream {
public:
	stream(const std::string &engine, const std::vector<std::uint8_t> &key, const std::vector<std::uint8_t> &nonce)
	{
		check(cprng_stream_init(&stream_, engine.c_str(), key.data(), key.size(), nonce.data(), nonce.size()));
	}

	~stream()
	{
		cprng_stream_wipe(&stream_);
	}

	stream(const stream &) = delete;
	stream &operator=(const stream &) = delete;

	void seek(std::uint64_t offset)
	{
		check(cprng_stream_seek(&stream_, offset));
	}

	void read(void *data, std::size_t size)
	{
		check(cprng_stream_read(&stream_, data, size));
	}

private:
	// What the user can do wrong has been checked before, with better words.
	static void check(int error)
	{
		if (error != CPRNG_OK)
			throw runtime_failure(fmt::format("stream: {}", cprng_strerror(error)));
	}

	cprng_stream stream_;
};

cprng_engine_info find_engine(const std::string &name)
{
	cprng_engine_info engine;
	for (unsigned int i = 0; cprng_get_engine(i, &engine, sizeof(engine)) == CPRNG_OK; i++)
		if (name == engine.name)
			return engine;
	throw usage_error(fmt::format("--engine: {} is unknown (known: {})", quote(name), engine_names()));
}

// what: "--key"; noun: "a key".  The second size is 0 where the engine takes but one.
void check_length(std::string_view what, std::string_view noun, const cprng_engine_info &engine,
		  const std::uint8_t (&sizes)[2], std::size_t length)
{
	if (length == sizes[0] || (sizes[1] != 0 && length == sizes[1]))
		return;
	std::string taken = fmt::format("{}", sizes[0]);
	if (sizes[1] != 0)
		taken = fmt::format("{} or {}", std::min(sizes[0], sizes[1]), std::max(sizes[0], sizes[1]));
	throw usage_error(fmt::format("{}: {} takes {} of {} bytes, not {}", what, engine.name, noun, taken, length));
}

void check_end(std::uint64_t offset, std::uint64_t size, std::size_t nonce_length)
{
	std::uint64_t end = std::numeric_limits<std::uint64_t>::max();
	if (nonce_length == short_counter_nonce)
		end = short_counter_end;
	if (offset > end || size > end - offset)
		throw usage_error(fmt::format("stream: {} bytes from offset {} would pass the end of the stream at {}",
					      size, offset, end));
}

} // namespace

std::string engine_names()
{
	std::string names;
	cprng_engine_info engine;
	for (unsigned int i = 0; cprng_get_engine(i, &engine, sizeof(engine)) == CPRNG_OK; i++) {
		if (i > 0)
			names += ' ';
		names += engine.name;
	}
	return names;
}

int run_stream(const stream_arguments &arguments)
{
	cprng_engine_info engine = find_engine(arguments.engine);
	std::vector<std::uint8_t> key = parse_hex("--key", arguments.key);
	check_length("--key", "a key", engine, engine.key_sizes, key.size());
	std::vector<std::uint8_t> nonce(engine.nonce_sizes[0]);
	if (arguments.nonce) {
		nonce = parse_hex("--nonce", *arguments.nonce);
		check_length("--nonce", "a nonce", engine, engine.nonce_sizes, nonce.size());
	}
	std::uint64_t offset = parse_size("--offset", arguments.offset);
	std::uint64_t left = parse_size("SIZE", arguments.size);
	check_end(offset, left, nonce.size());

	output out;
	if (!arguments.force && out.is_terminal())
		throw usage_error("stream: raw bytes would spoil the terminal; redirect the output or give --force");
	stream source(engine.name, key, nonce);
	source.seek(offset);
	wiped_buffer buffer;
	while (left > 0) {
		auto size = static_cast<std::size_t>(std::min<std::uint64_t>(left, wiped_buffer::size));
		source.read(buffer.data(), size);
		out.write(buffer.data(), size);
		left -= size;
	}
	out.finish();
	return 0;
}
