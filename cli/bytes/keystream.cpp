// SPDX-License-Identifier: BSD-2-Clause
#include "bytes/keystream.hpp"

#include <algorithm>
#include <limits>
#include <string_view>

#include <fmt/format.h>

#include <cprng/cprng.h>

#include "common/error.hpp"
#include "common/hex.hpp"
#include "common/input.hpp"
#include "common/suggest.hpp"
#include "system/system.hpp"

namespace {

// The nonce of RFC 8439 leaves 32 bits to the block counter, which must not wrap: 2^32 blocks of 64 bytes.
constexpr std::size_t short_counter_nonce = 12;
constexpr std::uint64_t short_counter_end = std::uint64_t{ 1 } << 38;
// The most bytes of a key file; no key has as many digits.
constexpr std::size_t key_file_max = 4096;

cprng_engine_info find_engine(const std::string &name)
{
	cprng_engine_info engine;
	for (unsigned int i = 0; cprng_get_engine(i, &engine, sizeof(engine)) == CPRNG_OK; i++)
		if (name == engine.name)
			return engine;
	refuse_unknown("--engine", name, engine_names());
}

// what: "--key"; noun: "a key".  The second size is 0 if the engine takes only one size.
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

// The file's hexadecimal digits, without the line end after them.
secret_text read_key_file(const std::string &name)
{
	secret_text text = input::file(name).read_whole(key_file_max, "a key");
	while (!text.empty() && (text.back() == '\n' || text.back() == '\r'))
		text.pop_back();
	return text;
}

} // namespace

std::vector<std::string> engine_names()
{
	std::vector<std::string> names;
	cprng_engine_info engine;
	for (unsigned int i = 0; cprng_get_engine(i, &engine, sizeof(engine)) == CPRNG_OK; i++)
		names.emplace_back(engine.name);
	return names;
}

void add_keystream_options(command &command, keystream_options &options)
{
	const std::string names = fmt::format("one of {}", fmt::join(engine_names(), " "));
	if (!options.engine)
		command.option("--engine", options.engine, "NAME", names, engine_names());
	else
		command.option("--engine", options.engine, "NAME", fmt::format("{} ({})", names, *options.engine),
			       engine_names());
	command.option("--key", options.key, "HEX", "key in hexadecimal; other users can see it");
	command.option("--key-file", options.key_file, "FILE", "file with the key in hexadecimal");
	command.option("--nonce", options.nonce, "HEX", "nonce in hexadecimal (zeros)");
}

keystream::keystream(const keystream_options &options, const seed_options &seed)
{
	const bool seeded = has_seed(seed);
	if (!options.engine && !seeded && !options.has_key())
		throw usage_error("--seed is required, or --engine and --key; random bytes are those of cprng bytes");
	if (!options.engine && !seeded)
		throw usage_error("--engine is required");
	if (!seeded) {
		open_key(options, find_engine(*options.engine));
		return;
	}
	if (options.has_key() || options.nonce)
		throw usage_error("--seed excludes --key, --key-file and --nonce");
	start_ = options.engine ? open_seed(seed, find_engine(*options.engine).name) : open_seed(seed, nullptr);
	end_ = std::numeric_limits<std::uint64_t>::max();
}

keystream::~keystream()
{
	cprng_stream_wipe(&start_);
}

void keystream::open_key(const keystream_options &options, const cprng_engine_info &engine)
{
	if (options.key && options.key_file)
		throw usage_error("--key and --key-file exclude each other");
	if (!options.has_key())
		throw usage_error("--key is required, or --key-file");
	// The key is on the stack and in registers as long as the output lasts: keep it out of core dumps.
	forbid_dumps();
	wiped_vector<std::uint8_t> key;
	wiped_vector<std::uint8_t> nonce(engine.nonce_sizes[0]);
	if (options.key) {
		key = parse_hex("--key", *options.key);
		check_length("--key", "a key", engine, engine.key_sizes, key.size());
	} else {
		key = parse_hex("--key-file", as_view(read_key_file(*options.key_file)));
		check_length("--key-file", "a key", engine, engine.key_sizes, key.size());
	}
	if (options.nonce) {
		nonce = parse_hex("--nonce", *options.nonce);
		check_length("--nonce", "a nonce", engine, engine.nonce_sizes, nonce.size());
	}
	check_library("stream",
		      cprng_stream_init(&start_, engine.name, key.data(), key.size(), nonce.data(), nonce.size()));
	end_ = nonce.size() == short_counter_nonce ? short_counter_end : std::numeric_limits<std::uint64_t>::max();
}

amount keystream::check_end(std::uint64_t offset, const amount &size) const
{
	if (offset > end_ || (!size.is_endless() && size.value() > end_ - offset))
		throw usage_error(fmt::format("{} bytes from offset {} would pass the end of the stream at {}",
					      size.is_endless() ? 0 : size.value(), offset, end_));
	return size.is_endless() ? amount(end_ - offset) : size;
}

void keystream::read(std::uint64_t offset, void *data, std::size_t size) const
{
	cprng_stream stream = start_;
	int error = cprng_stream_seek(&stream, offset);
	if (error == CPRNG_OK)
		error = cprng_stream_read(&stream, data, size);
	cprng_stream_wipe(&stream);
	check_library("stream", error);
}
