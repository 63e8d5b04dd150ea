// SPDX-License-Identifier: BSD-2-Clause
// The sub-commands.  Each takes its arguments as they were typed and returns the exit status, or throws failure or
// closed_pipe.  Everything typed is checked before the first byte of output.
#ifndef CPRNG_CLI_COMMANDS_HPP
#define CPRNG_CLI_COMMANDS_HPP

#include <optional>
#include <string>

struct bytes_arguments {
	std::string size;
	std::optional<std::string> file;
	bool force = false;
	bool strong = false;
};

struct numbers_arguments {
	std::string count = "1";
	std::optional<std::string> below;
};

struct stream_arguments {
	std::string engine;
	std::string key;
	std::optional<std::string> nonce;
	std::string offset = "0";
	std::string size;
	bool force = false;
};

struct seed_file_arguments {
	std::string file;
	bool kernel = true;
};

struct query_arguments {
	bool json = false;
};

int run_bytes(const bytes_arguments &arguments);
int run_u32(const numbers_arguments &arguments);
int run_u64(const numbers_arguments &arguments);
int run_stream(const stream_arguments &arguments);
int run_seed_file(const seed_file_arguments &arguments);
int run_info(const query_arguments &arguments);
int run_selftest(const query_arguments &arguments);

// "chacha20 chacha12 ...", for messages and help.
std::string engine_names();

#endif
