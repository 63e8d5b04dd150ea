// SPDX-License-Identifier: BSD-2-Clause
// Passwords and their entropy.
#ifndef CPRNG_CLI_TEXT_PASSWORD_HPP
#define CPRNG_CLI_TEXT_PASSWORD_HPP

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "common/source.hpp"
#include "common/wiped.hpp"

// The characters of a password.
class alphabet {
public:
	// The alphabet of that name.  Throws usage_error.
	static alphabet named(const std::string &name);
	// The text's characters, each once; they must be printable ASCII.  Throws usage_error.
	static alphabet of(std::string_view characters);
	static std::vector<std::string> names();

	const std::string &characters() const noexcept
	{
		return characters_;
	}

	// Permitted first characters: all of them, unless the alphabet excludes characters that begin an option.
	const std::string &first() const noexcept
	{
		return first_;
	}

	// Lower case, upper case, digits and others, as far as the alphabet has them.
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

// Replace the text by a password of that length.  All passwords with a permitted first character, and with each_class a
// character of each class, are equally likely.
void make_password(random_source &source, const alphabet &characters, std::size_t length, bool each_class,
		   secret_text &text);

// The base-2 logarithm of their number.
double password_entropy(const alphabet &characters, std::size_t length, bool each_class);

#endif
