// SPDX-License-Identifier: BSD-2-Clause
// cprng-lab keystream: the keystream of a lab engine, like `cprng stream` for the library's.
#include <algorithm>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "../commands.hpp"
#include "../common/error.hpp"
#include "../origins/engines/engines.hpp"

namespace lab {

namespace {

struct stream_options {
	std::string engine, key;
	std::optional<std::string> nonce;
	std::string offset = "0", size;
	bool force = false;
};

std::string engine_names()
{
	std::string all;
	for (const engine_info &engine : engines)
		all += (all.empty() ? "" : " ") + std::string(engine.name);
	return all;
}

// Some of cprng's units, in its spelling.  CLI11's AsSizeValue ignores case, makes K 1000 or k 1024, and reports errors
// in its own words.
constexpr struct {
	std::string_view name;
	std::uint64_t bytes;
} units[] = {
	{ "", 1 },
	{ "B", 1 },
	{ "kB", 1000 },
	{ "KB", 1000 },
	{ "KiB", 1024 },
	{ "MB", 1000000 },
	{ "MiB", std::uint64_t{ 1 } << 20 },
	{ "GB", 1000000000 },
	{ "GiB", std::uint64_t{ 1 } << 30 },
	{ "TB", 1000000000000 },
	{ "TiB", std::uint64_t{ 1 } << 40 },
};

std::uint64_t parse_size(std::string_view option, std::string_view text)
{
	std::uint64_t value = 0;
	const char *const end = text.data() + text.size();
	const auto [stop, error] = std::from_chars(text.data(), end, value);
	const std::string_view name(stop, static_cast<std::size_t>(end - stop));
	const auto *const unit =
		std::find_if(std::begin(units), std::end(units), [name](const auto &u) { return u.name == name; });
	if (error == std::errc::result_out_of_range || (unit != std::end(units) && value > UINT64_MAX / unit->bytes))
		throw usage_error(fmt::format("{}: '{}' is more than 2^64 - 1", option, text));
	if (error != std::errc() || unit == std::end(units))
		throw usage_error(fmt::format("{}: '{}' is not a size (such as 4096, 64KiB or 1MB)", option, text));
	return value * unit->bytes;
}

// The message does not repeat the digits, which may be a key.
std::vector<unsigned char> parse_hex(std::string_view option, std::string_view text)
{
	std::vector<unsigned char> bytes;
	if (text.size() % 2 != 0)
		throw usage_error(fmt::format("{}: an odd number of hexadecimal digits ({})", option, text.size()));
	for (std::size_t i = 0; i < text.size(); i += 2) {
		const char *const pair = text.data() + i;
		const char *const stop = std::from_chars(pair, pair + 2, bytes.emplace_back(), 16).ptr;
		if (stop != pair + 2)
			throw usage_error(fmt::format("{}: position {} is not a hexadecimal digit", option,
						      stop - text.data() + 1));
	}
	return bytes;
}

void check_length(std::string_view option, const char *engine, std::size_t least, std::size_t most, std::size_t length)
{
	if (least <= length && length <= most)
		return;
	const std::string taken = least == most ? fmt::format("{}", least) : fmt::format("{} to {}", least, most);
	throw usage_error(fmt::format("{}: {} takes {} bytes, not {}", option, engine, taken, length));
}

// Returns false if the pipe's reader has closed it.
bool write_all(const unsigned char *data, std::size_t size)
{
	while (size != 0) {
		const ssize_t written = write(STDOUT_FILENO, data, size);
		if (written < 0 && errno == EPIPE)
			return false;
		if (written < 0 && errno == EINTR && !interrupted())
			continue;
		if (written < 0 && errno == EINTR)
			return false;
		if (written < 0)
			throw failure(fmt::format("cannot write to standard output: {}", std::strerror(errno)));
		data += written;
		size -= static_cast<std::size_t>(written);
	}
	return true;
}

void run(const stream_options &chosen)
{
	const engine_info *engine = find_engine(chosen.engine);
	if (engine == nullptr)
		throw usage_error(
			fmt::format("--engine: '{}' is not an engine of the lab ({}); `cprng stream` has the library's",
				    chosen.engine, engine_names()));
	const std::vector<unsigned char> key = parse_hex("--key", chosen.key);
	check_length("--key", engine->name, engine->key_size_min, engine->key_size_max, key.size());
	std::vector<unsigned char> nonce(engine->nonce_size);
	if (chosen.nonce) {
		nonce = parse_hex("--nonce", *chosen.nonce);
		check_length("--nonce", engine->name, engine->nonce_size, engine->nonce_size, nonce.size());
	}
	std::uint64_t skip = parse_size("--offset", chosen.offset), left = parse_size("SIZE", chosen.size);
	if (!chosen.force && isatty(STDOUT_FILENO) != 0)
		throw usage_error("keystream: standard output is a terminal; redirect it or give --force");
	std::signal(SIGPIPE, SIG_IGN);

	const std::unique_ptr<any_engine> source = engine->make();
	source->key(key.data(), key.size(), nonce.data());
	std::vector<unsigned char> buffer(std::size_t{ 1 } << 16);
	// No engine can seek: generate and discard the bytes before the offset.
	while (left != 0 && !interrupted()) {
		const bool skipping = skip != 0;
		std::uint64_t &of = skipping ? skip : left;
		const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(of, buffer.size()));
		source->fill(buffer.data(), size);
		if (!skipping && !write_all(buffer.data(), size))
			return;
		of -= size;
	}
}

} // namespace

std::function<void()> add_keystream(CLI::App &app)
{
	const auto chosen = std::make_shared<stream_options>();
	app.add_option("--engine", chosen->engine, engine_names())->required()->option_text("NAME");
	app.add_option("--key", chosen->key, "hexadecimal")->required()->option_text("HEX");
	app.add_option("--nonce", chosen->nonce, "hexadecimal, where the engine takes one (zeros)")->option_text("HEX");
	app.add_option("--offset", chosen->offset, "bytes to leave out, which takes as long as to give them (0)")
		->option_text("N");
	app.add_flag("--force", chosen->force, "write to a terminal");
	app.add_option("SIZE", chosen->size, "bytes, such as 4096, 64KiB or 1MB")->required()->option_text(" ");
	return [chosen] { run(*chosen); };
}

} // namespace lab
