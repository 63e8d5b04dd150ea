// SPDX-License-Identifier: BSD-2-Clause
// The command's main function, in the unity build's library so that main.cpp need not include the same headers.
#include "shell/command.hpp"

#include <cstdlib>
#include <exception>
#include <new>
#include <string>

#include <fmt/format.h>

#include "common/error.hpp"
#include "common/suggest.hpp"
#include "output/output.hpp"
#include "shell/commands.hpp"
#include "system/system.hpp"

namespace {

// In the order of the help.
constexpr void (*commands[])(command_line &) = {
	add_bytes,     add_encodings,  add_unsigned, add_int,      add_float,   add_normal,     add_exponential,
	add_dice,      add_uuid,       add_password, add_phrase,   add_shuffle, add_pick,       add_stream,
	add_seed_file, add_invalidate, add_info,     add_selftest, add_run,     add_completion, add_help,
};

// The library ignores a value of CPRNG_PLACEMENT that it does not know (cprng(7)).
void check_placement()
{
	const char *value = std::getenv("CPRNG_PLACEMENT");
	const std::string placement = value != nullptr ? value : "";
	if (!placement.empty() && placement != "slots" && placement != "own")
		report(fmt::format("warning: CPRNG_PLACEMENT: {} is ignored{} (known: slots own)", quote(placement),
				   did_you_mean(placement, { "slots", "own" })));
}

} // namespace

int run_command(int argc, char **argv)
{
	prepare_descriptors();
	try {
		check_placement();
		if (!take_arguments(argc, argv))
			throw usage_error("an argument is not UTF-16: it has half of a character");
		command_line line;
		for (auto add : commands)
			add(line);
		return line.run(argc, argv);
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
