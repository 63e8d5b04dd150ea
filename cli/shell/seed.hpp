// SPDX-License-Identifier: BSD-2-Clause
// Reproducible values: --seed and --stream.
#ifndef CPRNG_CLI_SHELL_SEED_HPP
#define CPRNG_CLI_SHELL_SEED_HPP

#include <memory>
#include <optional>
#include <string>

#include <cprng/cprng.h>

#include "common/source.hpp"
#include "shell/command_line.hpp"

struct seed_options {
	std::optional<std::string> seed;
	std::optional<std::string> stream;
};

void add_seed_options(command &command, seed_options &options);

// --stream without --seed is a usage_error, which this throws.
bool has_seed(const seed_options &options);

// The stream that the options name, which have a seed.  engine: null for the library's choice.  Throws usage_error.
cprng_stream open_seed(const seed_options &options, const char *engine);

// Of the stream, or without a seed the system's.  Throws usage_error.
std::shared_ptr<random_source> choose_source(const seed_options &options);

#endif
