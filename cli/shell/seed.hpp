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

// Throws usage_error for --stream without --seed.
bool has_seed(const seed_options &options);

// Open the stream of options that have a seed.  engine: null for the library's default.  Throws usage_error.
cprng_stream open_seed(const seed_options &options, const char *engine);

// The stream's source, or without a seed the system's.  Throws usage_error.
std::shared_ptr<random_source> choose_source(const seed_options &options);

#endif
