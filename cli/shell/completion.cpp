// SPDX-License-Identifier: BSD-2-Clause
// cprng completion: shell completions, made from the same table as the help.
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "common/suggest.hpp"
#include "output/output.hpp"
#include "shell/commands.hpp"

namespace {

using descriptions = std::vector<command_description>;

const std::vector<std::string> shells = { "bash", "zsh", "fish" };

std::string head(const std::string &shell)
{
	return fmt::format("# SPDX-License-Identifier: BSD-2-Clause\n# Made by `cprng completion {}`.\n", shell);
}

std::vector<std::string> names_of(const argument_description &option)
{
	std::vector<std::string> names;
	for (const std::string &name : { option.short_name, option.long_name })
		if (!name.empty())
			names.push_back(name);
	return names;
}

// Escape each of the characters with a backslash.
std::string escape(const std::string &text, const std::string &characters)
{
	std::string result;
	for (char c : text) {
		if (characters.find(c) != std::string::npos)
			result += '\\';
		result += c;
	}
	return result;
}

// The text in single quotes of zsh.
std::string quoted(const std::string &text)
{
	std::string result = "'";
	for (char c : text)
		result += c == '\'' ? "'\\''" : std::string(1, c);
	return result + "'";
}

// ----------------------------------------------------------------------------------------------------------------- bash

constexpr char bash_begin[] = R"(
_cprng() {
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} command='' words='' files='' program='' i
	# --engine=NAME is three words.
	if [[ $cur == = ]]; then
		cur=''
	elif [[ $prev == = ]]; then
		prev=${COMP_WORDS[COMP_CWORD - 2]}
	fi
	for ((i = 1; i < COMP_CWORD; i++)); do
		if [[ ${COMP_WORDS[i]} != -* ]]; then
			command=${COMP_WORDS[i]}
			break
		fi
	done
	case $command:$prev in
)";

constexpr char bash_end[] = R"(	esac
	# The program begins at the first word that is no option; its arguments are completed as without cprng.
	if [[ -n $program ]]; then
		for ((i++; i < COMP_CWORD; i++)); do
			[[ ${COMP_WORDS[i]} == -* ]] || break
		done
		if ((i < COMP_CWORD)); then
			for program in _comp_command_offset _command_offset; do
				if declare -F $program >/dev/null; then
					$program "$i"
					return
				fi
			done
			words='' files=1
		elif [[ $cur != -* ]]; then
			compopt -o filenames 2>/dev/null
			mapfile -t COMPREPLY < <(compgen -c -- "$cur")
			return
		fi
	fi
	if [[ -n $files ]]; then
		compopt -o filenames 2>/dev/null
		mapfile -t COMPREPLY < <(compgen -f -- "$cur"; [[ $cur == -* ]] && compgen -W "$words" -- "$cur")
	else
		mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")
	fi
}
complete -F _cprng cprng
)";

std::string bash_values(const argument_description &argument)
{
	return argument.is_file() ? "files=1" : fmt::format("words='{}'", fmt::join(argument.choices, " "));
}

std::string for_bash(const descriptions &all)
{
	std::string text = head("bash") + bash_begin;
	std::string names;
	for (const command_description &command : all) {
		names += command.name + " ";
		std::string words;
		for (const argument_description &option : command.options) {
			words += (option.long_name.empty() ? option.short_name : option.long_name) + " ";
			if (option.placeholder.empty())
				continue;
			std::vector<std::string> patterns;
			for (const std::string &name : names_of(option))
				patterns.push_back(command.name + ":" + name);
			text += fmt::format("\t{}) {} ;;\n", fmt::join(patterns, " | "), bash_values(option));
		}
		bool files = false;
		for (const argument_description &positional : command.positionals) {
			files = files || positional.is_file();
			words += fmt::format("{}{}", fmt::join(positional.choices, " "),
					     positional.choices.empty() ? "" : " ");
		}
		words.pop_back();
		text += fmt::format("\t{}:*) words='{}'{}{} ;;\n", command.name, words, files ? " files=1" : "",
				    command.has_program() ? " program=1" : "");
	}
	text += fmt::format("\t:*) words='{}--help --version' ;;\n", names);
	return text + bash_end;
}

// ------------------------------------------------------------------------------------------------------------------ zsh

std::string zsh_values(const argument_description &argument)
{
	if (argument.is_file())
		return ":FILE:_files";
	if (!argument.choices.empty())
		return fmt::format(":{}:({})", argument.placeholder, fmt::join(argument.choices, " "));
	return fmt::format(":{}: ", argument.placeholder);
}

std::string zsh_option(const argument_description &option)
{
	const std::string rest = fmt::format("[{}]{}", escape(option.description, "[]:\\"),
					     option.placeholder.empty() ? "" : zsh_values(option));
	const std::vector<std::string> names = names_of(option);
	// Complete --engine=NAME as well as --engine NAME.
	const char *equals = option.placeholder.empty() ? "" : "=";
	if (names.size() == 1)
		return quoted(names[0] + equals + rest);
	return fmt::format("'({0} {1})'{{{0},{1}{2}}}{3}", names[0], names[1], equals, quoted(rest));
}

std::string for_zsh(const descriptions &all)
{
	std::string text = "#compdef cprng\n" + head("zsh") + R"(
_cprng() {
	local curcontext=$curcontext state line ret=1
	typeset -A opt_args
	_arguments -C '(- *)'{-h,--help}'[print this help and exit]' '(- *)'{-V,--version}'[print the version and exit]' \
		'1:command:->command' '*::argument:->argument' && ret=0
	case $state in
	command)
		local -a commands=(
)";
	for (const command_description &command : all)
		text += fmt::format("\t\t\t{}\n", quoted(command.name + ":" + escape(command.description, ":\\")));
	text += "\t\t)\n\t\t_describe -t commands command commands && ret=0\n\t\t;;\n\targument)\n\t\tcase $words[1] in\n";
	for (const command_description &command : all) {
		// Options after the program are the program's own.
		text += fmt::format("\t\t{})\n\t\t\t_arguments -s{}", command.name,
				    command.has_program() ? " -A '-*'" : "");
		for (const argument_description &option : command.options)
			text += " \\\n\t\t\t\t" + zsh_option(option);
		for (const argument_description &positional : command.positionals)
			text += positional.is_program ?
					" \\\n\t\t\t\t'(-):COMMAND:_command_names -e' '*::argument:_normal'" :
					fmt::format(" \\\n\t\t\t\t{}",
						    quoted((positional.is_file() ? "*" : "") + zsh_values(positional)));
		text += " && ret=0\n\t\t\t;;\n";
	}
	// Autoloaded, the function is called at once; sourced, it is registered.
	return text + R"(		esac
		;;
	esac
	return ret
}

if [[ $funcstack[1] == _cprng ]]; then
	_cprng "$@"
else
	compdef _cprng cprng
fi
)";
}

// ----------------------------------------------------------------------------------------------------------------- fish

std::string fish_values(const argument_description &argument)
{
	if (argument.is_file())
		return " -r -F";
	return argument.choices.empty() ? " -x" : fmt::format(" -x -a '{}'", fmt::join(argument.choices, " "));
}

std::string for_fish(const descriptions &all)
{
	std::string text = head("fish") + R"(
# Options behind the program that a command starts are the program's own.
function __cprng_before_program
	test (count (string match -v -- '-*' (commandline -opc))) -le 2
end

complete -c cprng -f
complete -c cprng -n __fish_use_subcommand -s h -l help -d 'print this help and exit'
complete -c cprng -n __fish_use_subcommand -s V -l version -d 'print the version and exit'
)";
	for (const command_description &command : all) {
		text += fmt::format("\ncomplete -c cprng -n __fish_use_subcommand -a {} -d '{}'\n", command.name,
				    escape(command.description, "'\\"));
		const std::string begin = fmt::format("complete -c cprng -n '__fish_seen_subcommand_from {}{}'",
						      command.name,
						      command.has_program() ? "; and __cprng_before_program" : "");
		for (const argument_description &option : command.options) {
			text += begin;
			if (!option.short_name.empty())
				text += " -s " + option.short_name.substr(1);
			if (!option.long_name.empty())
				text += " -l " + option.long_name.substr(2);
			if (!option.placeholder.empty())
				text += fish_values(option);
			text += fmt::format(" -d '{}'\n", escape(option.description, "'\\"));
		}
		for (const argument_description &positional : command.positionals) {
			if (positional.is_file())
				text += begin + " -F\n";
			else if (positional.is_program)
				text += fmt::format("complete -c cprng -n '__fish_seen_subcommand_from {}' "
						    "-xa '(__fish_complete_subcommand --fcs-skip=2)'\n",
						    command.name);
			else if (!positional.choices.empty())
				text += fmt::format("{} -a '{}'\n", begin, fmt::join(positional.choices, " "));
		}
	}
	return text;
}

int run_completion(const descriptions &all, const std::string &shell)
{
	std::string text;
	if (shell == "bash")
		text = for_bash(all);
	else if (shell == "zsh")
		text = for_zsh(all);
	else if (shell == "fish")
		text = for_fish(all);
	else
		refuse_unknown("SHELL", shell, shells);
	print(text);
	return 0;
}

} // namespace

void add_completion(command_line &line)
{
	auto shell = std::make_shared<std::string>();
	command &command = line.add("Machine", "completion", "print a shell's completion script",
				    [shell, &line] { return run_completion(line.descriptions(), *shell); });
	command.positional("SHELL", *shell, "bash, zsh or fish", shells);
	command.note("It is installed with the command; this is for other places.");
	command.example("source <(cprng completion bash)", "for this shell");
}
