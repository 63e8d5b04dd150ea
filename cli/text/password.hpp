// SPDX-License-Identifier: BSD-2-Clause
// Passwords and what they are worth.
#ifndef CPRNG_CLI_TEXT_PASSWORD_HPP
#define CPRNG_CLI_TEXT_PASSWORD_HPP

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "common/source.hpp"
#include "common/wiped.hpp"

// Characters to choose from.
class alphabet {
public:
	// One of the known names.  Throws usage_error.
	static alphabet named(const std::string &name);
	// The characters of the text, each once: ASCII, printable.  Throws usage_error.
	static alphabet of(std::string_view characters);
	static std::vector<std::string> names();

	const std::string &characters() const noexcept
	{
		return characters_;
	}

	// What may come first: all of them, but in an alphabet whose passwords no program takes for an option.
	const std::string &first() const noexcept
	{
		return first_;
	}

	// Small letters, capitals, digits and others, as far as the alphabet has them.
	const std::vector<std::string> &classes() const noexcept
	{
		return classes_;
	}

private:
	alphabet(std::string characters, bool may_look_like_an_option);

	std::string characters_;
	std::string first_;
	std::vector<std::string> classes_;
};

// All passwords of that length whose first character may come first are equally likely; with each_class, all of them that have a
// character of each class.  The text is replaced.
void make_password(random_source &source, const alphabet &characters, std::size_t length, bool each_class,
		   secret_text &text);

// The logarithm to base 2 of their number.
double password_entropy(const alphabet &characters, std::size_t length, bool each_class);

#endif
