// SPDX-License-Identifier: BSD-2-Clause
#include "shell/command_line.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <cprng/cprng.h>

#include "common/error.hpp"
#include "common/suggest.hpp"
#include "output/output.hpp"
#include "shell/habits.hpp"
#include "system/system.hpp"

namespace {

// CLI11 gives some words a meaning that depends on its version: "[a,b]" is two values, "[]" and "{}" none, "%%" and "++"
// separators, "[[aabb]]" is "[ab]", and an empty value is absent.  So it gets these characters behind a mark, and an
// empty value as the mark only.  The mark is a byte that may begin an option's name.
constexpr char mark = '\x7f';

std::string marked(const std::string &word)
{
	std::string text;
	for (const char c : word) {
		if (c == mark || c == '[' || c == '{' || c == '%' || c == '+')
			text += mark;
		text += c;
	}
	// "" and "--seed="
	if (text.empty() || (text.compare(0, 2, "--") == 0 && text.find('=') == text.size() - 1))
		text += mark;
	return text;
}

std::string unmarked(const std::string &text)
{
	std::string word;
	for (std::size_t i = 0; i < text.size(); i++) {
		if (text[i] == mark && ++i == text.size())
			break;
		word += text[i];
	}
	return word;
}

std::vector<std::string> unmarked(std::vector<std::string> texts)
{
	for (std::string &text : texts)
		text = unmarked(text);
	return texts;
}

std::vector<std::string> options_of(const CLI::App &app)
{
	std::vector<std::string> names;
	for (const CLI::Option *option : app.get_options())
		for (const std::string &name : option->get_lnames())
			names.push_back("--" + name);
	return names;
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

// CLI11 may consume an option's beginning: it reports "-ex" for "-hex" if -h exists.  Returns the whole word.
std::string whole_option(const std::string &extra, const std::vector<std::string> &words)
{
	for (const std::string &word : words)
		if (extra[1] != '-' && word.size() > extra.size() && word[0] == '-' && word[1] != '-' &&
		    word.compare(word.size() - extra.size() + 1, std::string::npos, extra, 1) == 0)
			return word;
	return extra;
}

// The words that no argument took, without a leading "--".
std::vector<std::string> extra_of(const CLI::App &app)
{
	std::vector<std::string> extra = unmarked(app.remaining(true));
	if (extra.size() > 1 && extra[0] == "--")
		extra.erase(extra.begin());
	return extra;
}

// CLI11 reads "-output FILE" as -o with the rest as its value; report it as a misspelt long option.
void refuse_one_hyphen(const CLI::App &app, const std::vector<std::string> &words)
{
	constexpr std::size_t least = 4;
	for (const CLI::Option *option : app.get_options())
		for (const std::string &letter : option->get_snames())
			for (const std::string &value : unmarked(option->results())) {
				const std::string typed = fmt::format("-{}{}", letter, value);
				const std::string name = typed.substr(0, typed.find('='));
				if (name.size() < least || std::find(words.begin(), words.end(), typed) == words.end())
					continue;
				for (const std::string &known : options_of(app))
					if (known.compare(1, name.size(), name) == 0)
						throw usage_error(fmt::format("unknown option {}; did you mean {}?",
									      quote(name), quote(known)));
			}
}

// Explain too many or too few values.  CLI11's wording changes between versions, its collected values do not.
std::string explain_mismatch(const CLI::App &chosen, const std::string &text)
{
	for (const CLI::Option *option : chosen.get_options())
		if (option->count() > 1 && option->get_expected_max() == 1)
			return fmt::format("{} is given more than once", option->get_name(false, true));
	// The text begins with the option: "--count: 1 required ... missing", "force was given a ... override".
	std::string name = text.substr(0, text.find_first_of(": "));
	const CLI::Option *option = chosen.get_option_no_throw(name[0] == '-' ? name : "--" + name);
	if (option == nullptr)
		return text;
	return fmt::format("{} {}", option->get_name(false, true),
			   option->get_items_expected_max() == 0 ? "takes no value" : "needs a value");
}

} // namespace

// --------------------------------------------------------------------------------------------------------- a command

void command::describe(const std::string &names, const std::string &placeholder, const std::string &description,
		       std::vector<std::string> choices)
{
	argument_description argument;
	argument.placeholder = placeholder;
	argument.description = description;
	argument.choices = std::move(choices);
	if (names[0] != '-') {
		argument.placeholder = names;
		description_.positionals.push_back(std::move(argument));
		return;
	}
	const std::size_t comma = names.find(',');
	argument.long_name = comma == std::string::npos ? names : names.substr(comma + 1);
	argument.short_name = comma == std::string::npos ? "" : names.substr(0, comma);
	if (argument.long_name[1] != '-')
		argument.short_name.swap(argument.long_name);
	description_.options.push_back(std::move(argument));
}

command &command::flag(const std::string &names, bool &value, const std::string &description)
{
	describe(names, "", description, {});
	app_->add_flag(names, value, description)->disable_flag_override();
	return *this;
}

command &command::option(const std::string &names, std::string &value, const std::string &placeholder,
			 const std::string &description, std::vector<std::string> choices)
{
	describe(names, placeholder, description, std::move(choices));
	app_->add_option_function<std::string>(
		    names, [&value](const std::string &text) { value = unmarked(text); }, description)
		->option_text(placeholder);
	return *this;
}

command &command::option(const std::string &names, std::optional<std::string> &value, const std::string &placeholder,
			 const std::string &description, std::vector<std::string> choices)
{
	describe(names, placeholder, description, std::move(choices));
	app_->add_option_function<std::string>(
		    names, [&value](const std::string &text) { value = unmarked(text); }, description)
		->option_text(placeholder);
	return *this;
}

command &command::positional(const std::string &name, std::string &value, const std::string &description,
			     std::vector<std::string> choices)
{
	describe(name, "", description, std::move(choices));
	app_->add_option_function<std::string>(
		    name, [&value](const std::string &text) { value = unmarked(text); }, description)
		->option_text(" ")
		->required();
	return *this;
}

command &command::positional(const std::string &name, std::optional<std::string> &value, const std::string &description,
			     std::vector<std::string> choices)
{
	describe(name, "", description, std::move(choices));
	app_->add_option_function<std::string>(
		    name, [&value](const std::string &text) { value = unmarked(text); }, description)
		->option_text(" ");
	return *this;
}

command &command::positional(const std::string &name, std::vector<std::string> &values, const std::string &description)
{
	describe(name, "", description, {});
	app_->add_option_function<std::vector<std::string>>(
		    name, [&values](const std::vector<std::string> &texts) { values = unmarked(texts); }, description)
		->option_text(" ");
	return *this;
}

command &command::program(const std::string &name, std::vector<std::string> &line, const std::string &description)
{
	positional(name, line, description);
	description_.positionals.back().is_program = true;
	program_ = &line;
	return *this;
}

command &command::note(const std::string &text)
{
	note_ = text;
	set_footer();
	return *this;
}

command &command::example(const std::string &line, const std::string &meaning)
{
	examples_.emplace_back(line, meaning);
	set_footer();
	return *this;
}

void command::set_footer()
{
	std::string text = note_;
	if (!examples_.empty()) {
		std::size_t width = 0;
		for (const auto &[line, meaning] : examples_)
			width = std::max(width, line.size());
		if (!text.empty())
			text += "\n\n";
		text += "Examples:";
		for (const auto &[line, meaning] : examples_)
			text += meaning.empty() ? fmt::format("\n  {}", line) :
						  fmt::format("\n  {:<{}}   {}", line, width, meaning);
	}
	app_->footer(text);
}

// -------------------------------------------------------------------------------------------------- the command line

command_line::command_line() : app_(std::make_unique<CLI::App>("Cryptographic random numbers", "cprng"))
{
	// CLI11 would take /tmp for an option on Windows.
	app_->allow_windows_style_options(false);
	app_->require_subcommand(1);
	app_->set_help_flag("-h,--help", "print this help and exit");
	app_->set_version_flag("-V,--version", fmt::format("cprng {}", cprng_version()), "print the version and exit");
	app_->get_formatter()->label("SUBCOMMAND", "COMMAND");
}

command_line::~command_line() = default;

command &command_line::add(const std::string &group, const std::string &name, const std::string &description,
			   std::function<int()> work)
{
	CLI::App *app = app_->add_subcommand(name, description);
	app->group(group);
	app->footer("");
	commands_.emplace_back(new command(app));
	command &added = *commands_.back();
	added.work_ = std::move(work);
	added.description_.name = name;
	added.description_.description = description;
	return added;
}

// Take the program of `cprng run` from the words, so that users need not type "--", as with env(1), nice(1) and timeout(1).
void command_line::take_program(std::vector<std::string> &words) const
{
	for (const auto &one : commands_)
		if (!words.empty() && one->program_ != nullptr && one->description_.name == words[0]) {
			auto first = std::find_if(words.begin() + 1, words.end(), [](const std::string &word) {
				return word == "--" || word.empty() || word[0] != '-';
			});
			const auto end = first;
			if (first != words.end() && *first == "--")
				++first;
			one->program_->assign(first, words.end());
			words.erase(end, words.end());
		}
}

std::vector<command_description> command_line::descriptions() const
{
	std::vector<command_description> all;
	for (const auto &one : commands_) {
		all.push_back(one->description_);
		all.back().options.push_back({ "-h", "--help", "", "print this help and exit", {} });
	}
	return all;
}

std::vector<std::string> command_line::names() const
{
	std::vector<std::string> all;
	for (const auto &one : commands_)
		all.push_back(one->description_.name);
	return all;
}

std::string command_line::help() const
{
	return app_->get_formatter()->make_help(app_.get(), app_->get_name(), CLI::AppFormatMode::Normal);
}

std::string command_line::help(const std::string &command) const
{
	for (const auto &one : commands_)
		if (one->description_.name == command)
			return one->app_->help(app_->get_name());
	throw usage_error(unknown_command(command) + " (see cprng --help)");
}

int command_line::run(int argc, char **argv)
{
	app_->footer("Examples:\n"
		     "  cprng hex 16              a key of 128 bits as text\n"
		     "  cprng bytes 1M -o FILE    a file of random bytes\n"
		     "  cprng password            a password for a login\n"
		     "  cprng int 1 6             a throw of a die\n\n"
		     "'cprng COMMAND --help' describes a command; cprng(1) describes all of them.");
	std::vector<std::string> words(argv + std::min(argc, 1), argv + argc);
	if (words.empty()) {
		print(app_->help());
		return 0;
	}
	take_program(words);
	try {
		// CLI11 takes the last word first.
		std::vector<std::string> reversed;
		std::transform(words.rbegin(), words.rend(), std::back_inserter(reversed), marked);
		app_->parse(std::move(reversed));
	} catch (const CLI::CallForHelp &) {
		// Check first: a script that wanted a key would take the help for the key.
		refuse_extra(words);
		refuse_bundle(words, "-h", "--help");
		print(app_->help());
		return 0;
	} catch (const CLI::CallForVersion &version) {
		refuse_extra(words);
		refuse_bundle(words, "-V", "--version");
		print(std::string(version.what()) + "\n");
		return 0;
	} catch (const CLI::ParseError &error) {
		for (const CLI::App *chosen : app_->get_subcommands())
			refuse_one_hyphen(*chosen, words);
		throw usage_error(explain(error, words));
	}
	for (const auto &one : commands_)
		if (one->app_->parsed()) {
			refuse_one_hyphen(*one->app_, words);
			return one->work_();
		}
	throw usage_error("a command is missing (see cprng --help)");
}

std::string command_line::with_help(const std::string &text) const
{
	const std::vector<CLI::App *> chosen = app_->get_subcommands();
	return fmt::format("{} (see cprng {}--help)", text, chosen.empty() ? "" : chosen[0]->get_name() + " ");
}

// --help and --version still refuse unknown words.
void command_line::refuse_extra(const std::vector<std::string> &words) const
{
	const std::vector<std::string> extra = extra_of(*app_);
	if (!extra.empty())
		throw usage_error(with_help(explain_extra(extra[0], words)));
}

// -h and -V must stand alone: "-hex" is no request for help.
void command_line::refuse_bundle(const std::vector<std::string> &words, const std::string &flag,
				 const std::string &name) const
{
	for (const std::string &word : words)
		if (word == flag || word == name)
			return;
	for (const std::string &word : words)
		if (word.size() > 2 && word[0] == '-' && word[1] != '-' && word.find(flag[1]) != std::string::npos)
			throw usage_error(
				with_help(fmt::format("{}: {} stands alone", quote(shown_name(word, false)), flag)));
}

std::string command_line::unknown_command(const std::string &typed) const
{
	const char *reason = why_absent(typed);
	std::string hint = reason != nullptr ? fmt::format("; {}", reason) : habit_of_command(typed);
	if (hint.empty())
		hint = did_you_mean(typed, names());
	return fmt::format("unknown command {}{}", quote(typed), hint);
}

// The message for a word that no argument took.
std::string command_line::explain_extra(const std::string &extra, const std::vector<std::string> &words) const
{
	const std::vector<CLI::App *> chosen = app_->get_subcommands();
	if (extra.size() < 2 || extra[0] != '-') {
		if (chosen.empty())
			return unknown_command(extra);
		return fmt::format("unexpected argument {}{}", quote(extra),
				   habit_of_argument(chosen[0]->get_name(), extra));
	}
	const std::vector<std::string> known = options_of(chosen.empty() ? *app_ : *chosen[0]);
	const std::string whole = whole_option(extra, words);
	for (const std::string &typed : { whole, extra }) {
		const std::string name = typed.substr(0, typed.find('='));
		// "cprng -hex 16"
		const std::string word = name.substr(std::min(name.find_first_not_of('-'), name.size()));
		const std::vector<std::string> all = chosen.empty() ? names() : std::vector<std::string>();
		std::string hint = std::find(all.begin(), all.end(), word) != all.end() ?
					   fmt::format("; write cprng {}", word) :
					   habit_of_option((chosen.empty() ? app_.get() : chosen[0])->get_name(), name);
		// The name of a known word is no key, so it may be shown.
		if (!hint.empty())
			return fmt::format("unknown option {}{}", quote(name), hint);
		hint = did_you_mean(name, known);
		if (!hint.empty() || typed == extra)
			return fmt::format("unknown option {}{}", quote(shown_name(name, !hint.empty())), hint);
	}
	return {};
}

// A one-line message that names the wrong word.  CLI11 reports missing arguments first; a word that no argument took
// explains more.
std::string command_line::explain(const CLI::ParseError &error, const std::vector<std::string> &words) const
{
	const std::vector<CLI::App *> chosen = app_->get_subcommands();
	const std::vector<std::string> extra = extra_of(*app_);
	std::string text = unmarked(error.what());
	std::replace(text.begin(), text.end(), '\n', ' ');
	if (!extra.empty())
		text = explain_extra(extra[0], words);
	else if (chosen.empty() && error.get_name() == "RequiredError")
		text = "a command is missing";
	else if (error.get_name() == "ArgumentMismatch" && !chosen.empty())
		text = explain_mismatch(*chosen[0], text);
	return with_help(text);
}
