// SPDX-License-Identifier: BSD-2-Clause
// The common part of passwords and phrases: options, and the entropy shown.
#ifndef CPRNG_CLI_TEXT_SECRETS_HPP
#define CPRNG_CLI_TEXT_SECRETS_HPP

#include <functional>
#include <optional>
#include <string>

#include "common/wiped.hpp"
#include "shell/command_line.hpp"

struct secrets_arguments {
	std::string count = "1";
	std::optional<std::string> bits;
	bool verbose = false;
	bool json = false;
};

void add_secrets_arguments(command &command, secrets_arguments &arguments, const std::string &noun);

// The value of --bits.
double parse_bits(const std::string &text);

// Prints the secrets that make() appends to an empty text, one per line; with --json make() supplies the inside of a JSON
// string.  The entropy is printed to standard error with -v or if that is a terminal, and is in the object with --json.
// what: "20 characters of 62"; json: further members of the object.
int print_secrets(const secrets_arguments &arguments, const std::string &noun, const std::string &what,
		  const std::string &json, double entropy, const std::function<void(secret_text &)> &make);

#endif
