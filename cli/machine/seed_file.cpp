// SPDX-License-Identifier: BSD-2-Clause
// cprng seed-file: carry entropy over a restart, into the process and into the kernel.
#include <cerrno>
#include <memory>
#include <string>

#include <fmt/format.h>

#include <cprng/cprng.h>

#include "common/error.hpp"
#include "common/source.hpp"
#include "common/wiped.hpp"
#include "shell/commands.hpp"
#include "system/system.hpp"

namespace {

struct seed_file_arguments {
	std::string file;
	bool spare_kernel = false;
};

struct remark {
	int bit;
	const char *text;
};

constexpr remark remarks[] = {
	{ CPRNG_SEED_MISSING, "there was no seed file; a new one was made" },
	{ CPRNG_SEED_SHORT, "the old content had less than 64 bytes and is not reliable" },
	{ CPRNG_SEED_EXPOSED, "other users could read or write the file, so the old content is not reliable" },
	{ CPRNG_SEED_LOCKED, "another process held the lock of the file, so the old content was not mixed in" },
};

void warn(const std::string &name, const std::string &text)
{
	report(fmt::format("warning: {}: {}", name, text));
}

[[noreturn]] void fail(const std::string &name, int error, int system_error)
{
	switch (error) {
	case CPRNG_ERR_ARGUMENT:
		throw runtime_failure("the name of the seed file is empty");
	case CPRNG_ERR_SYSTEM:
		throw runtime_failure(fmt::format("{}: {}", name, system_message(system_error)));
	default:
		throw runtime_failure(fmt::format("{}: {}", name, cprng_strerror(error)));
	}
}

int give_seed_to_kernel()
{
	wiped_array<char, 64> seed;
	cprng_strong(seed.data(), seed.size());
	return give_to_kernel(seed.data(), seed.size());
}

int run_seed_file(const seed_file_arguments &arguments)
{
	require_entropy();
	std::string name = quote(arguments.file);
	int result = cprng_seed_file(arguments.file.c_str());
	if (result < 0)
		fail(name, result, errno);
	for (const remark &r : remarks)
		if ((result & r.bit) != 0)
			warn(name, r.text);
	if (arguments.spare_kernel || *kernel_pool == '\0')
		return 0;
	int error = give_seed_to_kernel();
	if (error != 0)
		warn(kernel_pool, fmt::format("the kernel took nothing: {}", system_message(error)));
	return 0;
}

} // namespace

void add_seed_file(command_line &line)
{
	auto arguments = std::make_shared<seed_file_arguments>();
	command &command = line.add("Machine", "seed-file", "carry entropy over a restart",
				    [arguments] { return run_seed_file(*arguments); });
	command.positional("FILE", arguments->file, "64 bytes, replaced at each use; created if missing");
	command.flag("--no-kernel", arguments->spare_kernel, "leave the kernel's generator as it is");
	command.note(
		"Run it when the machine starts, and again before it stops; cprng-seed.service does so under systemd.");
	command.example("cprng seed-file /var/lib/cprng/seed", "");
}
