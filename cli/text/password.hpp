// SPDX-License-Identifier: BSD-2-Clause
// Passwords and their entropy.
#ifndef CPRNG_CLI_TEXT_PASSWORD_HPP
#define CPRNG_CLI_TEXT_PASSWORD_HPP

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "common/source.hpp"
#include "common/wiped.hpp"

// Small letters, capitals, digits and others.
constexpr std::size_t class_count = 4;

// The least numbers of characters of each class.
using class_counts = std::array<std::size_t, class_count>;

// The characters of a password.
class alphabet {
public:
	// The alphabet of that name.  Throws usage_error.
	static alphabet named(const std::string &name);
	// The text's characters, each once; they are visible code points in UTF-8 that NFC does not change.  Throws usage_error.
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

	// The number of characters; each is one byte if it is that of characters().
	std::size_t size() const noexcept
	{
		return symbols_.size();
	}

	// How many of them, or of first(), each class has.
	const class_counts &classes() const noexcept
	{
		return classes_;
	}
	class_counts first_classes() const noexcept;

	// One of each class that the alphabet has.
	class_counts each_class() const noexcept;

	// Replace the text by that many characters.
	void draw(random_source &source, std::size_t length, secret_text &text) const;

private:
	alphabet(std::vector<std::string> symbols, bool may_look_like_an_option);

	std::vector<std::string> symbols_;
	std::string characters_;
	std::string first_;
	class_counts classes_{};
};

// Replace the text by a password of that length.  All passwords with a permitted first character and at least so many of each
// class are equally likely.
void make_password(random_source &source, const alphabet &characters, std::size_t length, const class_counts &least,
		   secret_text &text);

// The probability that passwords of growing lengths have the least numbers of each class.
class class_share {
public:
	class_share(const alphabet &characters, const class_counts &least);

	// Append a character, and return the probability.
	double grow();

private:
	const alphabet &characters_;
	class_counts least_;
	bool is_first_ = true;
	// By the numbers of characters so far, each up to the least one.
	std::vector<double> states_;
};

// The base-2 logarithm of the number of passwords of that length, of which the classes leave that share.
double password_entropy(const alphabet &characters, std::size_t length, double share = 1);

#endif
