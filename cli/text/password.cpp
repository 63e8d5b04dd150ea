// SPDX-License-Identifier: BSD-2-Clause
// cprng password: passwords of random characters.
#include "text/password.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>

#include <fmt/format.h>

#include "common/error.hpp"
#include "common/json.hpp"
#include "common/quantity.hpp"
#include "common/suggest.hpp"
#include "shell/commands.hpp"
#include "text/secrets.hpp"

namespace {

constexpr char small_letters[] = "abcdefghijklmnopqrstuvwxyz";
constexpr char capitals[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
constexpr char digits[] = "0123456789";
constexpr char others[] = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~";

struct named_alphabet {
	const char *name;
	std::string characters;
	bool may_look_like_an_option = true;
};

const std::vector<named_alphabet> &known_alphabets()
{
	static const std::vector<named_alphabet> known = {
		{ "alnum", fmt::format("{}{}{}", capitals, small_letters, digits) },
		{ "alpha", fmt::format("{}{}", capitals, small_letters) },
		{ "lower", small_letters },
		{ "upper", capitals },
		{ "digits", digits },
		{ "hex", "0123456789abcdef" },
		{ "graph", fmt::format("{}{}{}{}", capitals, small_letters, digits, others) },
		// Without similar characters: 0 O o, 1 l I, 2 Z, 5 S, 8 B.
		{ "clear", "ACDEFGHJKLMNPQRTUVWXYabcdefghijkmnpqrstuvwxyz34679" },
		// Needs no quotes in a shell, URL or configuration file, and cannot look like an option.
		{ "safe", fmt::format("{}{}{}-_.", capitals, small_letters, digits), false },
	};
	return known;
}

struct password_arguments {
	secrets_arguments secrets;
	std::optional<std::string> length;
	std::optional<std::string> length_option;
	std::optional<std::string> alphabet;
	std::optional<std::string> characters;
	bool each_class = false;
};

// No program takes a longer password.
constexpr std::uint64_t length_max = 4096;
constexpr std::size_t usual_length = 20;

bool has_one_of(std::string_view text, const std::string &set)
{
	return text.find_first_of(set) != std::string_view::npos;
}

std::size_t chosen_length(const password_arguments &arguments, const alphabet &characters)
{
	if (arguments.length && arguments.secrets.bits)
		throw usage_error("LENGTH and --bits exclude each other");
	if (arguments.secrets.bits) {
		const double bits = parse_bits(*arguments.secrets.bits);
		// With --each, a shorter password cannot contain all classes.
		std::size_t length = arguments.each_class ? characters.classes().size() : 1;
		while (password_entropy(characters, length, arguments.each_class) < bits)
			length++;
		return length;
	}
	if (!arguments.length)
		return usual_length;
	const std::uint64_t length = parse_number("LENGTH", *arguments.length);
	if (length == 0 || length > length_max)
		throw usage_error(fmt::format("LENGTH: {} is not between 1 and {}", length, length_max));
	if (arguments.each_class && length < characters.classes().size())
		throw usage_error(fmt::format("LENGTH: {} characters cannot have all {} classes (--each)", length,
					      characters.classes().size()));
	return static_cast<std::size_t>(length);
}

// JSON escapes two characters of printable ASCII.
void escape_for_json(secret_text &text)
{
	for (std::size_t i = 0; i < text.size(); i++)
		if (text[i] == '"' || text[i] == '\\')
			text.insert(text.begin() + static_cast<std::ptrdiff_t>(i++), '\\');
}

int run_password(password_arguments arguments)
{
	if (arguments.length && arguments.length_option)
		throw usage_error("LENGTH and --length exclude each other");
	if (arguments.length_option)
		arguments.length = arguments.length_option;
	if (arguments.alphabet && arguments.characters)
		throw usage_error("--alphabet and --characters exclude each other");
	const alphabet characters = arguments.characters ? alphabet::of(*arguments.characters) :
							   alphabet::named(arguments.alphabet.value_or("alnum"));
	if (characters.characters().size() < 2)
		throw usage_error("--characters: an alphabet of one character has no entropy");
	const std::size_t length = chosen_length(arguments, characters);
	const double entropy = password_entropy(characters, length, arguments.each_class);
	const std::string what = fmt::format("{} characters of {}", length, characters.characters().size());
	const std::string json = fmt::format("\"length\": {}, \"alphabet\": {}", length,
					     json_string("--characters", characters.characters()));
	random_source &source = system_source();
	return print_secrets(arguments.secrets, "passwords", what, json, entropy, [&](secret_text &text) {
		make_password(source, characters, length, arguments.each_class, text);
		if (arguments.secrets.json)
			escape_for_json(text);
	});
}

} // namespace

alphabet::alphabet(std::string characters, bool may_look_like_an_option)
    : characters_(std::move(characters)), first_(characters_)
{
	if (!may_look_like_an_option)
		first_.erase(std::remove(first_.begin(), first_.end(), '-'), first_.end());
	for (const char *set : { small_letters, capitals, digits, others }) {
		std::string found;
		for (char c : characters_)
			if (std::string_view(set).find(c) != std::string_view::npos)
				found += c;
		if (!found.empty())
			classes_.push_back(std::move(found));
	}
}

alphabet alphabet::named(const std::string &name)
{
	for (const named_alphabet &known : known_alphabets())
		if (name == known.name)
			return { known.characters, known.may_look_like_an_option };
	refuse_unknown("--alphabet", name, names());
}

alphabet alphabet::of(std::string_view characters)
{
	if (characters.empty())
		throw usage_error("--characters: there is none");
	std::string found;
	for (char c : characters) {
		if (c < ' ' || c > '~')
			throw usage_error(
				fmt::format("--characters: {} has one that is not printable ASCII", quote(characters)));
		if (found.find(c) != std::string::npos)
			throw usage_error(fmt::format("--characters: {} has '{}' twice", quote(characters), c));
		found += c;
	}
	return { found, true };
}

std::vector<std::string> alphabet::names()
{
	std::vector<std::string> all;
	for (const named_alphabet &known : known_alphabets())
		all.emplace_back(known.name);
	return all;
}

void make_password(random_source &source, const alphabet &characters, std::size_t length, bool each_class,
		   secret_text &text)
{
	const bool first_is_any = characters.first().size() == characters.characters().size();
	for (;;) {
		// The zero byte behind the text, too.
		text.resize(length + 1);
		if (first_is_any) {
			source.text(text.data(), length, characters.characters());
		} else {
			source.text(text.data(), 1, characters.first());
			source.text(text.data() + 1, length - 1, characters.characters());
		}
		text.pop_back();
		// Redraw the whole text, so that the remaining texts are equally likely.
		if (!each_class || std::all_of(characters.classes().begin(), characters.classes().end(),
					       [&](const std::string &set) { return has_one_of(as_view(text), set); }))
			return;
	}
}

// length >= 1.
double password_entropy(const alphabet &characters, std::size_t length, bool each_class)
{
	const auto size = static_cast<double>(characters.characters().size());
	const auto first_size = static_cast<double>(characters.first().size());
	double share = 1;
	if (each_class) {
		// Inclusion and exclusion over the missing classes.
		const std::size_t count = characters.classes().size();
		share = 0;
		for (unsigned int missing = 0; missing < 1U << count; missing++) {
			double left = size;
			double first_left = first_size;
			int sign = 1;
			for (std::size_t i = 0; i < count; i++)
				if ((missing >> i & 1) != 0) {
					const std::string &set = characters.classes()[i];
					left -= static_cast<double>(set.size());
					first_left -=
						static_cast<double>(std::count_if(set.begin(), set.end(), [&](char c) {
							return characters.first().find(c) != std::string::npos;
						}));
					sign = -sign;
				}
			share +=
				sign * first_left / first_size * std::pow(left / size, static_cast<double>(length - 1));
		}
	}
	return std::log2(first_size) + static_cast<double>(length - 1) * std::log2(size) + std::log2(share);
}

void add_password(command_line &line)
{
	auto arguments = std::make_shared<password_arguments>();
	command &command = line.add("Text", "password", "passwords of random characters",
				    [arguments] { return run_password(*arguments); });
	command.positional("LENGTH", arguments->length, fmt::format("how many characters ({})", usual_length));
	command.option("-l,--length", arguments->length_option, "LENGTH", "the same");
	command.option("--alphabet", arguments->alphabet, "NAME",
		       fmt::format("characters to choose from: {} (alnum)", fmt::join(alphabet::names(), " ")),
		       alphabet::names());
	command.option("--characters", arguments->characters, "TEXT", "the characters of TEXT to choose from");
	command.flag("--each", arguments->each_class, "at least one character of each class in the alphabet");
	add_secrets_arguments(command, arguments->secrets, "passwords");
	command.note(
		"All passwords that the options allow are equally likely.  Alphabets: \"clear\" has no characters that look\n"
		"alike; \"safe\" has letters, digits and _ . -, without - at the start; \"graph\" has all printable characters\n"
		"but the blank.  The classes of --each are small letters, capitals, digits and others.");
	command.example("cprng password", "of 20 letters and digits: 119 bits");
	command.example("cprng password 16 --alphabet graph --each", "for sites with rules");
	command.example("cprng password 6 --alphabet digits", "a PIN");
	command.example("cprng password --bits 128 --alphabet clear -v", "the length for 128 bits");
}
