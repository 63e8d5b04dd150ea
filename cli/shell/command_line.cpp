// SPDX-License-Identifier: BSD-2-Clause
#include "shell/command_line.hpp"

#include <algorithm>
#include <utility>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <cprng/cprng.h>

#include "common/error.hpp"
#include "common/suggest.hpp"
#include "output/output.hpp"

namespace {

std::vector<std::string> options_of(const CLI::App &app)
{
	std::vector<std::string> names;
	for (const CLI::Option *option : app.get_options())
		for (const std::string &name : option->get_lnames())
			names.push_back("--" + name);
	return names;
}

// What may be shown of an unknown option: its name alone, because what is behind it may be a key.  Of "-kKEY" that is the
// letter; of "--keyKEY", and of a long name with one hyphen, the letters and hyphens that such names consist of.
std::string shown_name(const std::string &name, bool is_long)
{
	const std::size_t first = name.find_first_not_of('-');
	if (first == std::string::npos)
		return name;
	std::size_t end = first + 1;
	if (is_long || first > 1)
		end = std::max(end, name.find_first_not_of("abcdefghijklmnopqrstuvwxyz-", first));
	// The rest of a character of UTF-8.
	while (end < name.size() && (static_cast<unsigned char>(name[end]) & 0xc0) == 0x80)
		end++;
	return end < name.size() ? name.substr(0, end) + "..." : name;
}

// Too many or too few values.  CLI11's own words change with its versions; what it has collected does not.
std::string explain_mismatch(const CLI::App &chosen, const std::string &text)
{
	for (const CLI::Option *option : chosen.get_options())
		if (option->count() > 1 && option->get_expected_max() == 1)
			return fmt::format("{} is given more than once", option->get_name(false, true));
	// The option is named first in the text: "--count: 1 required ... missing", "force was given a ... override".
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
	app_->add_option(names, value, description)->option_text(placeholder);
	return *this;
}

// Not bound to the std::optional itself: newer versions of CLI11 take an empty argument for none.
command &command::option(const std::string &names, std::optional<std::string> &value, const std::string &placeholder,
			 const std::string &description, std::vector<std::string> choices)
{
	describe(names, placeholder, description, std::move(choices));
	app_->add_option_function<std::string>(
		    names, [&value](const std::string &text) { value = text; }, description)
		->option_text(placeholder);
	return *this;
}

command &command::positional(const std::string &name, std::string &value, const std::string &description,
			     std::vector<std::string> choices)
{
	describe(name, "", description, std::move(choices));
	app_->add_option(name, value, description)->option_text(" ")->required();
	return *this;
}

command &command::positional(const std::string &name, std::optional<std::string> &value, const std::string &description,
			     std::vector<std::string> choices)
{
	describe(name, "", description, std::move(choices));
	app_->add_option_function<std::string>(
		    name, [&value](const std::string &text) { value = text; }, description)
		->option_text(" ");
	return *this;
}

command &command::positional(const std::string &name, std::vector<std::string> &values, const std::string &description)
{
	describe(name, "", description, {});
	app_->add_option(name, values, description)->option_text(" ");
	return *this;
}

command &command::program(const std::string &name, std::vector<std::string> &line, const std::string &description)
{
	positional(name, line, description);
	description_.positionals.back().is_program = true;
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
	app_->require_subcommand(1);
	app_->set_help_flag("-h,--help", "print this help and exit");
	app_->set_version_flag("--version", fmt::format("cprng {}", cprng_version()), "print the version and exit");
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

// With "--" in front of the program of a command that takes one, as env(1), nice(1) and timeout(1) need none.
std::vector<const char *> command_line::with_program(int argc, char **argv) const
{
	std::vector<const char *> words(argv, argv + argc);
	const auto is_option = [](const char *word) { return word[0] == '-'; };
	if (argc < 2)
		return words;
	for (const auto &one : commands_)
		if (one->description_.name == words[1] && one->description_.has_program()) {
			const auto first = std::find_if_not(words.begin() + 2, words.end(), is_option);
			if (std::none_of(words.begin() + 2, first,
					 [](const char *word) { return std::string(word) == "--"; }))
				words.insert(first, "--");
		}
	return words;
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

int command_line::run(int argc, char **argv)
{
	app_->footer("Examples:\n"
		     "  cprng hex 16              a key of 128 bits as text\n"
		     "  cprng bytes 1M -o FILE    a file of random bytes\n"
		     "  cprng password            a password for a login\n"
		     "  cprng int 1 6             a throw of a die\n\n"
		     "'cprng COMMAND --help' describes a command; cprng(1) describes all of them.");
	try {
		const std::vector<const char *> line = with_program(argc, argv);
		app_->parse(static_cast<int>(line.size()), line.data());
	} catch (const CLI::CallForHelp &) {
		print(app_->help());
		return 0;
	} catch (const CLI::CallForVersion &version) {
		print(std::string(version.what()) + "\n");
		return 0;
	} catch (const CLI::ParseError &error) {
		throw usage_error(explain(error));
	}
	for (const auto &one : commands_)
		if (one->app_->parsed())
			return one->work_();
	throw usage_error("a command is missing (see cprng --help)");
}

// One line that names the culprit.  CLI11 looks for missing arguments first; what was typed in vain says more.
std::string command_line::explain(const CLI::ParseError &error) const
{
	const std::vector<CLI::App *> chosen = app_->get_subcommands();
	std::string help = chosen.empty() ? "cprng --help" : fmt::format("cprng {} --help", chosen[0]->get_name());
	const std::vector<std::string> extra = app_->remaining(true);
	std::string text = error.what();
	std::replace(text.begin(), text.end(), '\n', ' ');
	if (!extra.empty()) {
		const std::string &typed = extra[0];
		if (typed.size() > 1 && typed[0] == '-') {
			const std::string name = typed.substr(0, typed.find('='));
			const std::string hint = did_you_mean(name, options_of(chosen.empty() ? *app_ : *chosen[0]));
			text = fmt::format("unknown option {}{}", quote(shown_name(name, !hint.empty())), hint);
		} else if (chosen.empty()) {
			std::vector<std::string> names;
			for (const auto &one : commands_)
				names.push_back(one->description_.name);
			text = fmt::format("unknown command {}{}", quote(typed), did_you_mean(typed, names));
		} else {
			text = fmt::format("unexpected argument {}", quote(typed));
		}
	} else if (chosen.empty() && error.get_name() == "RequiredError") {
		text = "a command is missing";
	} else if (error.get_name() == "ArgumentMismatch" && !chosen.empty()) {
		text = explain_mismatch(*chosen[0], text);
	}
	return fmt::format("{} (see {})", text, help);
}
