// SPDX-License-Identifier: BSD-2-Clause
#include "shell/command_line.hpp"

#include <algorithm>
#include <utility>

#include <getopt.h>

#include <fmt/format.h>

#include <cprng/cprng.h>

#include "common/error.hpp"
#include "common/suggest.hpp"
#include "output/output.hpp"
#include "shell/habits.hpp"
#include "system/system.hpp"

namespace {

// Whether a word is an option, or letters of some; "-" and negative numbers are not.
bool is_option(const std::string &word)
{
	return word.size() > 1 && word[0] == '-' && (word[1] < '0' || word[1] > '9');
}

// The printable part of an unknown option: only its name, because a key may follow.  For "-kKEY" that is the letter;
// for "--keyKEY", or a long name after one hyphen, the lower-case letters and hyphens.
std::string shown_name(const std::string &name, bool is_long)
{
	const std::size_t first = name.find_first_not_of('-');
	if (first == std::string::npos)
		return name;
	std::size_t end = first + 1;
	if (is_long || first > 1)
		end = std::max(end, name.find_first_not_of("abcdefghijklmnopqrstuvwxyz-", first));
	// Complete a UTF-8 character.
	while (end < name.size() && (static_cast<unsigned char>(name[end]) & 0xc0) == 0x80)
		end++;
	return end < name.size() ? name.substr(0, end) + "..." : name;
}

// A line of a help: a name and what it means.
std::string help_line(const std::string &name, const std::string &meaning)
{
	return fmt::format("  {:<27} {}\n", name, meaning);
}

} // namespace

std::string argument_description::names() const
{
	if (short_name.empty())
		return long_name.empty() ? placeholder : long_name;
	return long_name.empty() ? short_name : short_name + "," + long_name;
}

// --------------------------------------------------------------------------------------------------------- a command

command::argument &command::add(const std::string &names, const std::string &placeholder,
				const std::string &description, std::vector<std::string> choices,
				std::function<void(const std::string &)> set)
{
	argument added;
	added.placeholder = placeholder;
	added.description = description;
	added.choices = std::move(choices);
	added.set = std::move(set);
	if (names[0] != '-') {
		added.placeholder = names;
		positionals_.push_back(std::move(added));
		return positionals_.back();
	}
	const std::size_t comma = names.find(',');
	added.long_name = comma == std::string::npos ? names : names.substr(comma + 1);
	added.short_name = comma == std::string::npos ? "" : names.substr(0, comma);
	if (added.long_name[1] != '-')
		added.short_name.swap(added.long_name);
	options_.push_back(std::move(added));
	return options_.back();
}

command &command::flag(const std::string &names, bool &value, const std::string &description)
{
	add(names, "", description, {}, [&value](const std::string &) { value = true; });
	return *this;
}

command &command::option(const std::string &names, std::string &value, const std::string &placeholder,
			 const std::string &description, std::vector<std::string> choices)
{
	add(names, placeholder, description, std::move(choices), [&value](const std::string &text) { value = text; });
	return *this;
}

command &command::option(const std::string &names, std::optional<std::string> &value, const std::string &placeholder,
			 const std::string &description, std::vector<std::string> choices)
{
	add(names, placeholder, description, std::move(choices), [&value](const std::string &text) { value = text; });
	return *this;
}

command &command::positional(const std::string &name, std::string &value, const std::string &description,
			     std::vector<std::string> choices)
{
	add(name, "", description, std::move(choices), [&value](const std::string &text) {
		value = text;
	}).is_required = true;
	return *this;
}

command &command::positional(const std::string &name, std::optional<std::string> &value, const std::string &description,
			     std::vector<std::string> choices)
{
	add(name, "", description, std::move(choices), [&value](const std::string &text) { value = text; });
	return *this;
}

command &command::positional(const std::string &name, std::vector<std::string> &values, const std::string &description)
{
	add(name, "", description, {}, [&values](const std::string &text) { values.push_back(text); }).is_many = true;
	return *this;
}

command &command::program(const std::string &name, std::vector<std::string> &line, const std::string &description)
{
	positional(name, line, description);
	positionals_.back().is_program = has_program_ = true;
	return *this;
}

command &command::note(const std::string &text)
{
	note_ = text;
	return *this;
}

command &command::example(const std::string &line, const std::string &meaning)
{
	examples_.emplace_back(line, meaning);
	return *this;
}

command::argument *command::find_option(const std::string &name)
{
	for (argument &one : options_)
		if (name == one.short_name || name == one.long_name)
			return &one;
	return nullptr;
}

std::vector<std::string> command::long_options() const
{
	std::vector<std::string> names;
	for (const argument &one : options_)
		if (!one.long_name.empty())
			names.push_back(one.long_name);
	return names;
}

std::string command::help() const
{
	std::string text = fmt::format("{}\nUsage: cprng {} [OPTIONS]", text_, name_);
	std::string operands, options;
	for (const argument &one : positionals_) {
		const std::string name = one.placeholder + (one.is_many ? "..." : "");
		text += fmt::format(one.is_required ? " {}" : " [{}]", name);
		operands += help_line(one.placeholder, one.description);
	}
	for (const argument &one : options_)
		options += help_line(one.names() + (one.placeholder.empty() ? "" : " " + one.placeholder),
				     one.description);
	if (!operands.empty())
		text += "\n\nPositionals:\n" + operands.substr(0, operands.size() - 1);
	return text + "\n\nOptions:\n" + options + footer();
}

// Notes, then examples.
std::string command::footer() const
{
	std::string text = note_.empty() ? "" : "\n" + note_ + "\n";
	std::size_t width = 0;
	for (const auto &[line, meaning] : examples_)
		width = std::max(width, line.size());
	if (!examples_.empty())
		text += "\nExamples:\n";
	for (const auto &[line, meaning] : examples_)
		text += meaning.empty() ? fmt::format("  {}\n", line) :
					  fmt::format("  {:<{}}   {}\n", line, width, meaning);
	return text;
}

// -------------------------------------------------------------------------------------------------- the command line

command &command_line::add(const std::string &group, const std::string &name, const std::string &description,
			   std::function<int()> work)
{
	commands_.push_back(std::make_unique<command>());
	command &added = *commands_.back();
	added.group_ = group;
	added.name_ = name;
	added.text_ = description;
	added.work_ = std::move(work);
	added.flag("-h,--help", added.wants_help_, "print this help and exit");
	return added;
}

std::vector<command_description> command_line::descriptions() const
{
	std::vector<command_description> all;
	for (const auto &one : commands_) {
		all.push_back({ one->name_,
				one->text_,
				{ one->options_.begin() + 1, one->options_.end() },
				{ one->positionals_.begin(), one->positionals_.end() } });
		all.back().options.push_back(one->options_[0]);
	}
	return all;
}

std::vector<std::string> command_line::names() const
{
	std::vector<std::string> all;
	for (const auto &one : commands_)
		all.push_back(one->name_);
	return all;
}

command *command_line::find(const std::string &name) const
{
	for (const auto &one : commands_)
		if (one->name_ == name)
			return one.get();
	return nullptr;
}

std::string command_line::help() const
{
	std::string text = "Cryptographic random numbers\nUsage: cprng [OPTIONS] COMMAND\n\nOptions:\n" +
			   help_line("-h,--help", "print this help and exit") +
			   help_line("-V,--version", "print the version and exit");
	std::string group;
	for (const auto &one : commands_) {
		if (one->group_ != group)
			text += fmt::format("\n{}:\n", one->group_);
		group = one->group_;
		text += help_line(one->name_, one->text_);
	}
	return text + "\nExamples:\n"
		      "  cprng hex 16              a key of 128 bits as text\n"
		      "  cprng bytes 1M -o FILE    a file of random bytes\n"
		      "  cprng password            a password for a login\n"
		      "  cprng int 1 6             a throw of a die\n\n"
		      "'cprng COMMAND --help' describes a command; cprng(1) describes all of them.\n";
}

std::string command_line::help(const std::string &command) const
{
	if (const auto *found = find(command))
		return found->help();
	refuse(nullptr, unknown_command(command));
}

int command_line::run(int argc, char **argv)
{
	const std::vector<std::string> words(argv + std::min(argc, 1), argv + argc);
	bool wants_help = words.empty(), wants_version = false;
	auto word = words.begin();
	for (; word != words.end() && is_option(*word); ++word) {
		const bool is_help = *word == "-h" || *word == "--help";
		if (word->find_first_not_of("hV", 1) == std::string::npos && word->size() > 2)
			refuse(nullptr, fmt::format("{}: {} stands alone", quote(*word), word->substr(0, 2)));
		if (word->rfind("--help=", 0) == 0 || word->rfind("--version=", 0) == 0)
			refuse(nullptr, fmt::format("{} takes no value", word->substr(0, word->find('='))));
		if (!is_help && *word != "-V" && *word != "--version")
			refuse_option(nullptr, *word, 0);
		(is_help ? wants_help : wants_version) = true;
	}
	// Check the words behind: a script that wanted a key would take the help for the key.
	command *chosen = nullptr;
	if (word != words.end()) {
		chosen = find(*word);
		if (chosen == nullptr)
			refuse(nullptr, unknown_command(*word));
		parse(*chosen, { word, words.end() });
	}
	if (wants_help || (chosen != nullptr && chosen->wants_help_)) {
		print(chosen != nullptr ? chosen->help() : help());
		return 0;
	}
	if (wants_version) {
		print(fmt::format("cprng {}\n", cprng_version()));
		return 0;
	}
	for (const command::argument &one : chosen->positionals_)
		if (one.is_required && !one.is_given)
			refuse(chosen, fmt::format("{} is required", one.placeholder));
	return chosen->work_();
}

// The words after the command's name, by getopt_long(3).
void command_line::parse(command &chosen, std::vector<std::string> words) const
{
	std::vector<char *> argv;
	for (std::string &word : words)
		argv.push_back(word.data());
	argv.push_back(nullptr);
	const int argc = static_cast<int>(words.size());
	// Stop at operands ("+"), and tell a missing value from an unknown option (":").
	std::string letters = "+:";
	std::vector<option> names;
	for (command::argument &one : chosen.options_) {
		const bool takes_value = !one.placeholder.empty();
		if (!one.short_name.empty())
			letters += one.short_name.substr(1) + (takes_value ? ":" : "");
		if (!one.long_name.empty())
			names.push_back({ one.long_name.c_str() + 2, takes_value ? required_argument : no_argument,
					  nullptr, 0 });
	}
	names.push_back({ nullptr, 0, nullptr, 0 });
	// Begin a new command line: no words, and 0 for the next one.
	opterr = optind = 0;
	getopt_long(1, argv.data(), letters.c_str(), names.data(), nullptr);
	int word = 0;
	while (optind < argc) {
		const std::string &typed = words[optind];
		// The index stays while the letters of a word are read.
		if (word != optind) {
			word = optind;
			if (typed == "--" || (chosen.has_program_ && !is_option(typed))) {
				// The program's own options are not the command's, so users need not type "--", as with env(1) and nice(1).
				for (word += typed == "--"; word < argc; word++)
					take_operand(chosen, words[word]);
				return;
			}
			// A digit is an option if there is such a one.
			if (!is_option(typed) && (typed.size() < 2 || typed[0] != '-' ||
						  chosen.find_option(typed.substr(0, 2)) == nullptr)) {
				take_operand(chosen, typed);
				optind++;
				continue;
			}
			refuse_one_hyphen(chosen, typed);
		}
		const int letter = getopt_long(argc, argv.data(), letters.c_str(), names.data(), nullptr);
		const bool is_long = typed[1] == '-';
		const int read = letter == '?' || letter == ':' ? optopt : letter;
		// BSD's getopt_long takes a hyphen after letters for the end (-1) or for that of a long option (0).
		const std::string name =
			is_long ? typed.substr(0, typed.find('=')) :
				  std::string{ '-', letter == -1 || read == 0 ? '-' : static_cast<char>(read) };
		command::argument *found = chosen.find_option(name);
		// Also an abbreviation, to which a later option might give another meaning.
		if (found == nullptr)
			refuse_option(&chosen, typed, is_long ? 0 : typed.find(name[1], 1));
		// BSD's getopt_long returns ':' for "--flag=value", too.
		if (letter == '?' || letter == ':')
			refuse(&chosen, fmt::format("{} {}", found->names(),
						    found->placeholder.empty() ? "takes no value" : "needs a value"));
		if (found->is_given && !found->placeholder.empty())
			refuse(&chosen, fmt::format("{} is given more than once", found->names()));
		found->is_given = true;
		found->set(found->placeholder.empty() ? "" : optarg);
		// "-hex" is no request for help.
		if (chosen.wants_help_ && !is_long && typed != "-h")
			refuse(&chosen, fmt::format("{}: -h stands alone", quote(shown_name(typed, false))));
	}
}

// "-output FILE" would be -o with a value; it is a misspelt long option.
void command_line::refuse_one_hyphen(const command &chosen, const std::string &typed) const
{
	constexpr std::size_t least = 4;
	const std::string name = typed.substr(0, typed.find('='));
	for (const std::string &known : chosen.long_options())
		if (name.size() >= least && known.compare(1, name.size(), name) == 0)
			refuse(&chosen, fmt::format("unknown option {}; did you mean {}?", quote(name), quote(known)));
}

void command_line::take_operand(command &chosen, const std::string &word) const
{
	for (command::argument &one : chosen.positionals_)
		if (one.is_many || !one.is_given) {
			one.is_given = true;
			return one.set(word);
		}
	refuse(&chosen, fmt::format("unexpected argument {}{}", quote(word), habit_of_argument(chosen.name_, word)));
}

void command_line::refuse(const command *chosen, const std::string &text) const
{
	throw usage_error(fmt::format("{} (see cprng {}--help)", text, chosen == nullptr ? "" : chosen->name_ + " "));
}

std::string command_line::unknown_command(const std::string &typed) const
{
	const char *reason = why_absent(typed);
	std::string hint = reason != nullptr ? fmt::format("; {}", reason) : habit_of_command(typed);
	if (hint.empty())
		hint = did_you_mean(typed, names());
	return fmt::format("unknown command {}{}", quote(typed), hint);
}

// The index is that of the unknown letter in a word of letters, or 0.
void command_line::refuse_option(const command *chosen, const std::string &typed, std::size_t letter) const
{
	const std::string name = typed.substr(0, typed.find('=', letter + 1));
	// "cprng -hex 16"
	const std::string word = name.substr(std::min(name.find_first_not_of('-'), name.size()));
	std::string hint = chosen == nullptr && find(word) != nullptr ?
				   fmt::format("; write cprng {}", word) :
				   habit_of_option(chosen == nullptr ? "cprng" : chosen->name_, name);
	// The name of a known word is no key, so it may be shown.
	if (!hint.empty())
		refuse(chosen, fmt::format("unknown option {}{}", quote(name), hint));
	hint = did_you_mean(name, chosen == nullptr ? std::vector<std::string>{ "--help", "--version" } :
						      chosen->long_options());
	const bool is_known = !hint.empty();
	refuse(chosen,
	       fmt::format("unknown option {}{}",
			   quote(shown_name(is_known || letter <= 1 ? name : "-" + name.substr(letter), is_known)),
			   hint));
}
