// SPDX-License-Identifier: BSD-2-Clause
// cprng phrase: passphrases of random words.
#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "common/error.hpp"
#include "common/input.hpp"
#include "common/json.hpp"
#include "common/quantity.hpp"
#include "common/source.hpp"
#include "shell/commands.hpp"
#include "text/secrets.hpp"
#include "text/words.hpp"

namespace {

constexpr std::uint64_t usual_words = 6;
constexpr std::uint64_t words_max = 256;
// A list's size limit: more than any language needs, and little memory.
constexpr std::size_t list_max = std::size_t{ 16 } * 1024 * 1024;

struct phrase_arguments {
	secrets_arguments secrets;
	std::optional<std::string> length;
	std::string list{ builtin_words[0].name };
	std::string separator = " ";
	bool capitals = false;
};

std::vector<std::string> read_words(const std::string &file)
{
	for (const word_list &list : builtin_words)
		if (list.name == file)
			return parse_words(file, list.words);
	const input from = input::file(file);
	return parse_words(from.name(), as_view(from.read_whole(list_max, "a list of words")));
}

std::vector<std::string> chosen_words(const phrase_arguments &arguments)
{
	std::vector<std::string> words = read_words(arguments.list);
	if (arguments.capitals)
		for (std::string &word : words)
			if (word[0] >= 'a' && word[0] <= 'z')
				word[0] = static_cast<char>(word[0] - 'a' + 'A');
	if (const std::string twice = repeated_word(words); !twice.empty())
		throw usage_error(
			fmt::format("--capitals: {} would be repeated: the list also has it with a small letter",
				    quote(twice)));
	if (words.size() == 1)
		throw usage_error("--list: a list of one word has no entropy");
	if (!are_distinct_phrases(words, arguments.separator))
		throw usage_error(fmt::format(
			"--separator: with {} between them, different words give the same phrase; choose another",
			quote(arguments.separator)));
	return words;
}

std::uint64_t chosen_length(const phrase_arguments &arguments, double bits_of_word)
{
	if (arguments.length && arguments.secrets.bits)
		throw usage_error("WORDS and --bits exclude each other");
	if (arguments.secrets.bits) {
		const double bits = parse_bits(*arguments.secrets.bits);
		return static_cast<std::uint64_t>(std::ceil(bits / bits_of_word));
	}
	if (!arguments.length)
		return usual_words;
	const std::uint64_t length = parse_number("WORDS", *arguments.length);
	if (length == 0 || length > words_max)
		throw usage_error(fmt::format("WORDS: {} is not between 1 and {}", length, words_max));
	return length;
}

int run_phrase(const phrase_arguments &arguments)
{
	std::vector<std::string> words = chosen_words(arguments);
	const double bits_of_word = std::log2(static_cast<double>(words.size()));
	const std::uint64_t length = chosen_length(arguments, bits_of_word);
	random_source &source = system_source();
	const std::string what = fmt::format("{} words of {}", length, words.size());
	const std::string json = fmt::format("\"words\": {}, \"list\": {}", length, words.size());
	std::string separator = arguments.separator;
	if (arguments.secrets.json) {
		for (std::string &word : words)
			word = json_part("--list", word);
		separator = json_part("--separator", separator);
	}
	const std::size_t longest =
		std::max_element(words.begin(), words.end(), [](const std::string &a, const std::string &b) {
			return a.size() < b.size();
		})->size();
	return print_secrets(arguments.secrets, "phrases", what, json, bits_of_word * static_cast<double>(length),
			     [&](secret_text &text) {
				     text.reserve(static_cast<std::size_t>(length) * (longest + separator.size()));
				     for (std::uint64_t i = 0; i < length; i++) {
					     if (i > 0)
						     text.insert(text.end(), separator.begin(), separator.end());
					     const std::string &word =
						     words[static_cast<std::size_t>(source.below(words.size()))];
					     text.insert(text.end(), word.begin(), word.end());
				     }
			     });
}

} // namespace

void add_phrase(command_line &line)
{
	auto arguments = std::make_shared<phrase_arguments>();
	command &command = line.add("Text", "phrase", "passphrases of random words",
				    [arguments] { return run_phrase(*arguments); });
	command.positional("WORDS", arguments->length, fmt::format("how many words ({})", usual_words));
	command.option("--separator", arguments->separator, "TEXT", "text between words (a blank)");
	command.flag("--capitals", arguments->capitals, "begin each word with a capital");
	command.option("--list", arguments->list, "FILE",
		       "words of a file, one a line; or the list eff-long, eff-short or eff-prefix");
	add_secrets_arguments(command, arguments->secrets, "phrases");
	command.note(
		"The lists are EFF's (Electronic Frontier Foundation, CC BY 3.0 US, https://www.eff.org/dice): eff-long,\n"
		"the usual one, has 7775 words of 12.9 bits each; eff-short 1295 short ones of 10.3 bits; eff-prefix\n"
		"1296 that differ in their first three letters.  The first two are without yo-yo, as they have yoyo.");
	command.example("cprng phrase", "of six words: 77.5 bits");
	command.example("cprng phrase --bits 128 --separator .", "for the key of a disk");
	command.example("cprng phrase 8 --list eff-short", "of eight short words: 82.7 bits");
}
