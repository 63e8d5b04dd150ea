// SPDX-License-Identifier: BSD-2-Clause
// The keystream that --engine, --key and --nonce name.
#ifndef CPRNG_CLI_BYTES_KEYSTREAM_HPP
#define CPRNG_CLI_BYTES_KEYSTREAM_HPP

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <cprng/cprng.h>

#include "common/quantity.hpp"
#include "shell/command_line.hpp"
#include "shell/seed.hpp"

struct keystream_options {
	std::optional<std::string> engine;
	std::optional<std::string> key;
	std::optional<std::string> key_file;
	std::optional<std::string> nonce;

	bool has_key() const
	{
		return key || key_file;
	}
};

// The names of all engines.
std::vector<std::string> engine_names();

// Adds --engine, --key, --key-file and --nonce.  An engine that is already set is the default; without a default,
// keystream() requires --engine.
void add_keystream_options(command &command, keystream_options &options);

class keystream {
public:
	// Throws usage_error, or runtime_failure if the key file cannot be read.  A seed replaces the key, and then
	// --engine is optional.
	explicit keystream(const keystream_options &options, const seed_options &seed = {});
	~keystream();
	keystream(const keystream &) = delete;
	keystream &operator=(const keystream &) = delete;

	// Returns the size, or for an endless amount the bytes left after the offset.  Throws usage_error if the size
	// passes the keystream's end.
	amount check_end(std::uint64_t offset, const amount &size) const;

	// The bytes from the offset on.  Several threads may call it at once.
	void read(std::uint64_t offset, void *data, std::size_t size) const;

private:
	void open_key(const keystream_options &options, const cprng_engine_info &engine);

	// The stream at its beginning.
	cprng_stream start_;
	std::uint64_t end_;
};

#endif
