// SPDX-License-Identifier: BSD-2-Clause
// cprng password: passwords of random characters.
#include "text/password.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <numeric>
#include <optional>

#include <fmt/format.h>

#include "common/error.hpp"
#include "common/json.hpp"
#include "common/quantity.hpp"
#include "common/suggest.hpp"
#include "shell/commands.hpp"
#include "text/secrets.hpp"
#include "text/words.hpp"

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

std::vector<std::string> symbols_of(std::string_view text)
{
	std::vector<std::string> symbols;
	while (!text.empty()) {
		const std::string_view before = text;
		take_character(text);
		symbols.emplace_back(before.substr(0, before.size() - text.size()));
	}
	return symbols;
}

struct password_arguments {
	secrets_arguments secrets;
	std::optional<std::string> length;
	std::optional<std::string> length_option;
	std::optional<std::string> alphabet;
	std::optional<std::string> characters;
	std::optional<std::string> at_least;
	bool each_class = false;
};

// No program takes a longer password.
constexpr std::uint64_t length_max = 4096;
constexpr std::size_t usual_length = 20;

// The share of passwords that is left for --each and --at-least, so that a password is found in some million tries.
constexpr double least_share = 1.0 / (1 << 20);
// No site's rule asks for more of a class, and class_share's states stay few.
constexpr std::uint64_t of_class_max = 9;

const std::vector<std::string> class_names = { "lower", "upper", "digits", "others" };

std::size_t class_of(char c)
{
	return c >= 'a' && c <= 'z' ? 0 : c >= 'A' && c <= 'Z' ? 1 : c >= '0' && c <= '9' ? 2 : 3;
}

class_counts count_classes(std::string_view text)
{
	class_counts counts{};
	for (char c : text)
		// Not the other bytes of a character.
		if ((static_cast<unsigned char>(c) & 0xc0) != 0x80)
			counts[class_of(c)]++;
	return counts;
}

std::size_t sum(const class_counts &counts)
{
	return std::accumulate(counts.begin(), counts.end(), std::size_t{ 0 });
}

bool are_enough(const class_counts &counts, const class_counts &least)
{
	return std::equal(counts.begin(), counts.end(), least.begin(), std::greater_equal<>());
}

// The value of --at-least: "digits=2,upper=1".
void parse_at_least(std::string_view text, const alphabet &characters, class_counts &least)
{
	class_counts seen{};
	for (bool more = true; more;) {
		const std::string_view one = text.substr(0, text.find(','));
		more = one.size() < text.size();
		text.remove_prefix(std::min(text.size(), one.size() + 1));
		const std::size_t equals = one.find('=');
		if (equals == std::string_view::npos)
			throw usage_error(fmt::format("--at-least: {} is not like digits=2", quote(one)));
		const std::string name(one.substr(0, equals));
		const auto found = std::find(class_names.begin(), class_names.end(), name);
		if (found == class_names.end())
			refuse_unknown("--at-least", name, class_names);
		const auto i = static_cast<std::size_t>(found - class_names.begin());
		const std::uint64_t count = parse_number("--at-least", one.substr(equals + 1));
		if (count == 0 || count > of_class_max)
			throw usage_error(fmt::format("--at-least: {} is not between 1 and {}", count, of_class_max));
		if (seen[i]++ > 0)
			throw usage_error(fmt::format("--at-least: {} comes twice", name));
		if (characters.classes()[i] == 0)
			throw usage_error(fmt::format("--at-least: the alphabet has none of {}", name));
		least[i] = static_cast<std::size_t>(count);
	}
}

// The length, and the share of passwords that --each and --at-least leave.
std::size_t chosen_length(const password_arguments &arguments, const alphabet &characters, const class_counts &least,
			  double &share)
{
	if (arguments.length && arguments.secrets.bits)
		throw usage_error("LENGTH and --bits exclude each other");
	class_share shares(characters, least);
	std::size_t length = 0;
	if (arguments.secrets.bits) {
		const double bits = parse_bits(*arguments.secrets.bits);
		do {
			share = shares.grow();
			length++;
		} while (length < length_max &&
			 (share < least_share || password_entropy(characters, length, share) < bits));
	} else {
		const std::uint64_t wanted = arguments.length ? parse_number("LENGTH", *arguments.length) :
								usual_length;
		if (wanted == 0 || wanted > length_max)
			throw usage_error(fmt::format("LENGTH: {} is not between 1 and {}", wanted, length_max));
		if (wanted < sum(least))
			throw usage_error(
				arguments.at_least ?
					fmt::format("LENGTH: {} characters cannot have {} (--at-least)", wanted,
						    sum(least)) :
					fmt::format("LENGTH: {} characters cannot have all {} classes (--each)", wanted,
						    sum(least)));
		for (; length < wanted; length++)
			share = shares.grow();
	}
	if (share < least_share)
		throw usage_error(fmt::format(
			"{}: fewer than one of 2^20 passwords of {} characters keep the rule; choose more characters or "
			"another --alphabet",
			arguments.at_least ? "--at-least" : "--each", length));
	return length;
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
	if (characters.size() < 2)
		throw usage_error("--characters: an alphabet of one character has no entropy");
	class_counts least = arguments.each_class ? characters.each_class() : class_counts{};
	if (arguments.at_least)
		parse_at_least(*arguments.at_least, characters, least);
	double share = 1;
	const std::size_t length = chosen_length(arguments, characters, least, share);
	const double entropy = password_entropy(characters, length, share);
	const std::string what = fmt::format("{} characters of {}", length, characters.size());
	const std::string json = fmt::format("\"length\": {}, \"alphabet\": {}", length,
					     json_string("--characters", characters.characters()));
	random_source &source = system_source();
	return print_secrets(arguments.secrets, "passwords", what, json, entropy, [&](secret_text &text) {
		make_password(source, characters, length, least, text);
		if (arguments.secrets.json)
			escape_for_json(text);
	});
}

} // namespace

alphabet::alphabet(std::vector<std::string> symbols, bool may_look_like_an_option)
    : symbols_(std::move(symbols)), characters_(fmt::format("{}", fmt::join(symbols_, ""))), first_(characters_),
      classes_(count_classes(characters_))
{
	if (!may_look_like_an_option)
		first_.erase(std::remove(first_.begin(), first_.end(), '-'), first_.end());
}

class_counts alphabet::first_classes() const noexcept
{
	return count_classes(first_);
}

class_counts alphabet::each_class() const noexcept
{
	class_counts one{};
	for (std::size_t i = 0; i < class_count; i++)
		one[i] = classes_[i] > 0;
	return one;
}

void alphabet::draw(random_source &source, std::size_t length, secret_text &text) const
{
	if (symbols_.size() < characters_.size()) {
		text.clear();
		constexpr std::size_t longest = 4;
		text.reserve(longest * length);
		for (std::size_t i = 0; i < length; i++) {
			const std::string &symbol = symbols_[static_cast<std::size_t>(source.below(symbols_.size()))];
			text.insert(text.end(), symbol.begin(), symbol.end());
		}
		return;
	}
	// The zero byte behind the text, too.
	text.resize(length + 1);
	if (first_.size() == characters_.size()) {
		source.text(text.data(), length, characters_);
	} else {
		source.text(text.data(), 1, first_);
		source.text(text.data() + 1, length - 1, characters_);
	}
	text.pop_back();
}

alphabet alphabet::named(const std::string &name)
{
	for (const named_alphabet &known : known_alphabets())
		if (name == known.name)
			return { symbols_of(known.characters), known.may_look_like_an_option };
	refuse_unknown("--alphabet", name, names());
}

alphabet alphabet::of(std::string_view characters)
{
	if (characters.empty())
		throw usage_error("--characters: there is none");
	std::vector<std::string> found = symbols_of(characters);
	for (const std::string &symbol : found) {
		std::string_view text = symbol;
		const std::uint32_t c = take_character(text);
		// A byte that is not UTF-8 is a symbol of its own.
		if (symbol.size() == 1 && static_cast<unsigned char>(symbol[0]) >= 0x80)
			throw usage_error("--characters: not UTF-8");
		if (is_invisible(c))
			throw usage_error(fmt::format("--characters: U+{:04X} is invisible", c));
		if (has_other_form(c))
			throw usage_error(fmt::format(
				"--characters: U+{:04X} has another form, or gives one to the character before it", c));
		if (std::count(found.begin(), found.end(), symbol) > 1)
			throw usage_error(fmt::format("--characters: {} has '{}' twice", quote(characters), symbol));
	}
	return { std::move(found), true };
}

std::vector<std::string> alphabet::names()
{
	std::vector<std::string> all;
	for (const named_alphabet &known : known_alphabets())
		all.emplace_back(known.name);
	return all;
}

void make_password(random_source &source, const alphabet &characters, std::size_t length, const class_counts &least,
		   secret_text &text)
{
	// Redraw the whole text, so that the remaining texts are equally likely.
	do
		characters.draw(source, length, text);
	while (sum(least) > 0 && !are_enough(count_classes(as_view(text)), least));
}

class_share::class_share(const alphabet &characters, const class_counts &least)
    : characters_(characters), least_(least), states_(1, 1)
{
	for (std::size_t count : least_)
		states_.resize(states_.size() * (count + 1));
}

double class_share::grow()
{
	const class_counts classes = is_first_ ? characters_.first_classes() : characters_.classes();
	is_first_ = false;
	std::vector<double> next(states_.size());
	for (std::size_t state = 0; state < states_.size(); state++)
		for (std::size_t i = 0, place = 1; i < class_count; place *= least_[i++] + 1) {
			const bool is_full = state / place % (least_[i] + 1) == least_[i];
			next[is_full ? state : state + place] +=
				states_[state] * static_cast<double>(classes[i]) / static_cast<double>(sum(classes));
		}
	states_.swap(next);
	return states_.back();
}

// length >= 1.
double password_entropy(const alphabet &characters, std::size_t length, double share)
{
	return std::log2(static_cast<double>(sum(characters.first_classes()))) +
	       static_cast<double>(length - 1) * std::log2(static_cast<double>(characters.size())) + std::log2(share);
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
	command.option("--at-least", arguments->at_least, "CLASS=N,...",
		       fmt::format("at least N characters of a class, up to {}", of_class_max));
	add_secrets_arguments(command, arguments->secrets, "passwords");
	command.note(
		"All passwords that the options allow are equally likely.  Alphabets: \"clear\" has no characters that look\n"
		"alike; \"safe\" has letters, digits and _ . -, without - at the start; \"graph\" has all printable characters\n"
		"but the blank.  The classes are lower, upper, digits and others; letters beyond ASCII are others.");
	command.example("cprng password", "of 20 letters and digits: 119 bits");
	command.example("cprng password 16 --alphabet graph --each", "for sites with rules");
	command.example("cprng password 16 --at-least upper=1,digits=2", "two digits or more");
	command.example("cprng password 6 --alphabet digits", "a PIN");
	command.example("cprng password --bits 128 --alphabet clear -v", "the length for 128 bits");
}
