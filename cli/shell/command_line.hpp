// SPDX-License-Identifier: BSD-2-Clause
// The command line: commands with options, flags and operands, in any order.  Commands parse their values from text.
#ifndef CPRNG_CLI_SHELL_COMMAND_LINE_HPP
#define CPRNG_CLI_SHELL_COMMAND_LINE_HPP

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

// An argument as shell completion sees it.
struct argument_description {
	// "-o", "--output"; empty for a positional argument.
	std::string short_name;
	std::string long_name;
	// "FILE"; empty for a flag.
	std::string placeholder;
	std::string description;
	// The permitted values, if they are listed.
	std::vector<std::string> choices;

	// The argument is another program's command line.
	bool is_program = false;

	// "-o,--output", "LO"
	std::string names() const;

	bool is_file() const
	{
		return placeholder == "FILE";
	}
};

struct command_description {
	std::string name;
	std::string description;
	std::vector<argument_description> options;
	std::vector<argument_description> positionals;

	bool has_program() const
	{
		return !positionals.empty() && positionals.back().is_program;
	}
};

class command {
public:
	// Names are "-o,--output" or "--force".
	command &flag(const std::string &names, bool &value, const std::string &description);
	command &option(const std::string &names, std::string &value, const std::string &placeholder,
			const std::string &description, std::vector<std::string> choices = {});
	command &option(const std::string &names, std::optional<std::string> &value, const std::string &placeholder,
			const std::string &description, std::vector<std::string> choices = {});
	command &positional(const std::string &name, std::string &value, const std::string &description,
			    std::vector<std::string> choices = {});
	command &positional(const std::string &name, std::optional<std::string> &value, const std::string &description,
			    std::vector<std::string> choices = {});
	command &positional(const std::string &name, std::vector<std::string> &values, const std::string &description);
	// Another program's command line, which begins with the first word that is no option; the options before it are
	// flags.
	command &program(const std::string &name, std::vector<std::string> &line, const std::string &description);

	// Help text after the options: notes, then examples.
	command &note(const std::string &text);
	command &example(const std::string &line, const std::string &meaning);

private:
	friend class command_line;

	struct argument : argument_description {
		std::function<void(const std::string &)> set;
		bool is_required = false;
		// Takes all operands.
		bool is_many = false;
		bool is_given = false;
	};

	argument &add(const std::string &names, const std::string &placeholder, const std::string &description,
		      std::vector<std::string> choices, std::function<void(const std::string &)> set);
	argument *find_option(const std::string &name);
	std::vector<std::string> long_options() const;
	std::string help() const;
	std::string footer() const;

	std::string group_;
	std::string name_;
	std::string text_;
	std::vector<argument> options_;
	std::vector<argument> positionals_;
	bool has_program_ = false;
	bool wants_help_ = false;
	std::string note_;
	std::vector<std::pair<std::string, std::string>> examples_;
	std::function<int()> work_;
};

class command_line {
public:
	command_line() = default;
	command_line(const command_line &) = delete;
	command_line &operator=(const command_line &) = delete;

	// Sets the command's function; it runs after parsing and returns the exit status.
	command &add(const std::string &group, const std::string &name, const std::string &description,
		     std::function<int()> work);

	std::vector<command_description> descriptions() const;
	std::vector<std::string> names() const;

	// Describe all commands, or one.  Throws usage_error.
	std::string help() const;
	std::string help(const std::string &command) const;

	// Parse, and run the chosen command.  Throws failure or closed_pipe.
	int run(int argc, char **argv);

private:
	command *find(const std::string &name) const;
	void parse(command &chosen, std::vector<std::string> words) const;
	void refuse_one_hyphen(const command &chosen, const std::string &typed) const;
	void take_operand(command &chosen, const std::string &word) const;
	[[noreturn]] void refuse(const command *chosen, const std::string &text) const;
	[[noreturn]] void refuse_option(const command *chosen, const std::string &typed) const;
	std::string unknown_command(const std::string &typed) const;

	std::vector<std::unique_ptr<command>> commands_;
};

#endif
