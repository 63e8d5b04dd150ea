// SPDX-License-Identifier: BSD-2-Clause
// cprng: random numbers from the command line.  This file knows the command line; the work is in commands.hpp.
#include <algorithm>
#include <exception>
#include <functional>
#include <new>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <cprng/cprng.h>

#include "commands.hpp"
#include "error.hpp"
#include "output.hpp"

namespace {

constexpr char size_help[] = "SIZE is a whole number of bytes, with a unit if you like: B, kB (or KB), MB, GB, TB,\n"
			     "PB, EB for powers of 1000; KiB, MiB, GiB, TiB, PiB, EiB for powers of 1024.";

// Every value is taken as text and parsed by its command, for the sake of the messages.
class command_line {
public:
	command_line() : app_("Cryptographic random numbers", "cprng")
	{
		app_.require_subcommand(1);
		app_.set_help_flag("-h,--help", "print this help and exit");
		app_.set_version_flag("--version", fmt::format("cprng {}", cprng_version()),
				      "print the version and exit");
		app_.get_formatter()->label("SUBCOMMAND", "COMMAND");
		add_bytes();
		add_numbers("u32", "print random numbers of 32 bits", u32_, run_u32);
		add_numbers("u64", "print random numbers of 64 bits", u64_, run_u64);
		add_stream();
		add_seed_file();
		add_query("info", "print what serves the draws", info_, run_info);
		add_query("selftest", "run the known answers of every engine on every backend", selftest_,
			  run_selftest);
		// Last, because commands inherit it at their creation.
		app_.footer("'cprng COMMAND --help' describes a command; cprng(1) describes all of them.");
	}

	int run(int argc, char **argv)
	{
		try {
			app_.parse(argc, argv);
		} catch (const CLI::CallForHelp &) {
			return print(app_.help());
		} catch (const CLI::CallForVersion &version) {
			return print(std::string(version.what()) + "\n");
		} catch (const CLI::ParseError &error) {
			throw usage_error(explain(error));
		}
		for (const auto &[command, work] : commands_)
			if (command->parsed())
				return work();
		throw usage_error("a command is missing (see cprng --help)");
	}

private:
	using job = std::function<int()>;

	CLI::App *add_command(const std::string &name, const std::string &description, job work)
	{
		CLI::App *command = app_.add_subcommand(name, description);
		command->group("Commands");
		commands_.emplace_back(command, std::move(work));
		return command;
	}

	static void add_flag(CLI::App *command, const std::string &name, bool &flag, const std::string &description)
	{
		command->add_flag(name, flag, description)->disable_flag_override();
	}

	// Not bound to the std::optional itself: newer versions of CLI11 take an empty argument for none.
	static void add_optional(CLI::App *command, const std::string &name, std::optional<std::string> &value,
				 const std::string &description, const std::string &placeholder)
	{
		command->add_option_function<std::string>(
			       name, [&value](const std::string &text) { value = text; }, description)
			->option_text(placeholder);
	}

	static void add_size(CLI::App *command, std::string &size)
	{
		command->add_option("SIZE", size, "how many bytes")->option_text(" ")->required();
		command->footer(size_help);
	}

	void add_bytes()
	{
		CLI::App *command = add_command("bytes", "write random bytes", [this] { return run_bytes(bytes_); });
		add_size(command, bytes_.size);
		add_optional(command, "-o,--output", bytes_.file, "write to FILE instead of standard output", "FILE");
		add_flag(command, "--strong", bytes_.strong, "from Fortuna: for keys that live long");
		add_flag(command, "--force", bytes_.force, "write to a terminal too");
	}

	void add_numbers(const std::string &name, const std::string &description, numbers_arguments &arguments,
			 int (*work)(const numbers_arguments &))
	{
		CLI::App *command = add_command(name, description, [&arguments, work] { return work(arguments); });
		command->add_option("-n,--count", arguments.count, "how many numbers, one a line (1)")
			->option_text("COUNT");
		add_optional(command, "--below", arguments.below, "only numbers below N, all equally likely", "N");
	}

	void add_stream()
	{
		CLI::App *command = add_command("stream", "write the keystream of an engine; not for secrets",
						[this] { return run_stream(stream_); });
		command->add_option("--engine", stream_.engine, "one of " + engine_names())
			->option_text("NAME")
			->required();
		command->add_option("--key", stream_.key, "key in hexadecimal; other users can see it")
			->option_text("HEX")
			->required();
		add_optional(command, "--nonce", stream_.nonce, "nonce in hexadecimal (zeros)", "HEX");
		command->add_option("--offset", stream_.offset, "leave out so many bytes at the start (0)")
			->option_text("SIZE");
		add_size(command, stream_.size);
		add_flag(command, "--force", stream_.force, "write to a terminal too");
	}

	void add_seed_file()
	{
		CLI::App *command = add_command("seed-file", "carry entropy over a restart",
						[this] { return run_seed_file(seed_file_); });
		command->add_option("FILE", seed_file_.file, "64 bytes, replaced at each use; made if there is none")
			->option_text(" ")
			->required();
		command->add_flag_callback(
			       "--no-kernel", [this] { seed_file_.kernel = false; },
			       "leave the kernel's generator as it is")
			->disable_flag_override();
		command->footer("Run it when the machine starts, and again before it stops.");
	}

	void add_query(const std::string &name, const std::string &description, query_arguments &arguments,
		       int (*work)(const query_arguments &))
	{
		CLI::App *command = add_command(name, description, [&arguments, work] { return work(arguments); });
		add_flag(command, "--json", arguments.json, "print a JSON object");
	}

	static int print(const std::string &text)
	{
		output out;
		out.write(text);
		out.finish();
		return 0;
	}

	// One line that names the culprit.  CLI11 looks for missing arguments first; what was typed in vain says more.
	std::string explain(const CLI::ParseError &error) const
	{
		const std::vector<CLI::App *> chosen = app_.get_subcommands();
		std::string help = chosen.empty() ? "cprng --help" :
						    fmt::format("cprng {} --help", chosen[0]->get_name());
		const std::vector<std::string> extra = app_.remaining(true);
		std::string text = error.what();
		std::replace(text.begin(), text.end(), '\n', ' ');
		if (!extra.empty()) {
			bool option = extra[0].size() > 1 && extra[0][0] == '-';
			const char *kind = option         ? "unknown option" :
					   chosen.empty() ? "unknown command" :
							    "unexpected argument";
			text = fmt::format("{} {}", kind, quote(extra[0]));
		} else if (chosen.empty() && error.get_name() == "RequiredError") {
			text = "a command is missing";
		} else if (error.get_name() == "ArgumentMismatch") {
			text = explain_mismatch(chosen, text);
		}
		return fmt::format("{} (see {})", text, help);
	}

	// Too many or too few values.  CLI11's own words change with its versions; what it has collected does not.
	static std::string explain_mismatch(const std::vector<CLI::App *> &chosen, const std::string &text)
	{
		if (chosen.empty())
			return text;
		for (const CLI::Option *option : chosen[0]->get_options())
			if (option->count() > 1 && option->get_expected_max() == 1)
				return fmt::format("{} is given more than once", option->get_name(false, true));
		// The option is named first in the text: "--count: 1 required ... missing", "force was given a ... override".
		std::string name = text.substr(0, text.find_first_of(": "));
		const CLI::Option *option = chosen[0]->get_option_no_throw(name[0] == '-' ? name : "--" + name);
		if (option == nullptr)
			return text;
		return fmt::format("{} {}", option->get_name(false, true),
				   option->get_items_expected_max() == 0 ? "takes no value" : "needs a value");
	}

	CLI::App app_;
	std::vector<std::pair<CLI::App *, job>> commands_;
	bytes_arguments bytes_;
	numbers_arguments u32_;
	numbers_arguments u64_;
	stream_arguments stream_;
	seed_file_arguments seed_file_;
	query_arguments info_;
	query_arguments selftest_;
};

} // namespace

int main(int argc, char **argv)
{
	prepare_descriptors();
	try {
		return command_line().run(argc, argv);
	} catch (const closed_pipe &) {
		return 0;
	} catch (const failure &error) {
		report(error.what());
		return error.status();
	} catch (const std::bad_alloc &) {
		report("out of memory");
	} catch (const std::exception &error) {
		report(error.what());
	}
	return status_runtime;
}
