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

// --engine, --key, --key-file and --nonce.  An engine that is set already is the default; without one keystream()
// demands it.
void add_keystream_options(command &command, keystream_options &options);

class keystream {
public:
	// Throws usage_error, or runtime_failure where the file of the key cannot be read.
	// A seed takes the place of the key, and an engine need not be named with it.
	explicit keystream(const keystream_options &options, const seed_options &seed = {});
	~keystream();
	keystream(const keystream &) = delete;
	keystream &operator=(const keystream &) = delete;

	// Throws usage_error if so many bytes from the offset on would pass the end.  Returns the size; of an endless amount,
	// how much there is.
	amount check_end(std::uint64_t offset, const amount &size) const;

	// The bytes from the offset on.  Several threads may call it at a time.
	void read(std::uint64_t offset, void *data, std::size_t size) const;

private:
	void open_key(const keystream_options &options, const cprng_engine_info &engine);

	// At its beginning.
	cprng_stream start_;
	std::uint64_t end_;
};

#endif
