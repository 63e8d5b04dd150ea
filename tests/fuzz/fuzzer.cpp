// SPDX-License-Identifier: BSD-2-Clause
// libFuzzer's entry point.  The environment variable FUZZ_TARGET names the target.
#include "fuzz.hpp"

#include <cstdlib>
#include <iterator>

namespace {

const struct Target {
	const char *name;
	void (*run)(fuzz::Input);
} targets[] = {
	{ "streams", fuzz::streams }, { "backends", fuzz::backends },           { "fortunas", fuzz::fortunas },
	{ "parsers", fuzz::parsers }, { "command_lines", fuzz::command_lines },
};

void (*chosen)(fuzz::Input);

} // namespace

extern "C" int LLVMFuzzerInitialize(int *argc, char ***argv);
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size);

extern "C" int LLVMFuzzerInitialize(int * /*argc*/, char *** /*argv*/)
{
	const char *wanted = std::getenv("FUZZ_TARGET");

	for (const Target &target : targets) {
		if (wanted != nullptr && target.name == std::string(wanted))
			chosen = target.run;
	}
	if (chosen == nullptr)
		throw std::runtime_error("FUZZ_TARGET is no target");
	return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
	chosen(fuzz::Input(data, size));
	return 0;
}
