// SPDX-License-Identifier: BSD-2-Clause
// Replays the kept inputs, without clang.  Each line of tests/fuzz/corpus/TARGET.txt is an input in hexadecimal digits.
#include "doctest/doctest.h"

#include <fstream>
#include <string>

#include "fuzz.hpp"

namespace {

void replay(const std::string &name, void (*target)(fuzz::Input))
{
	std::ifstream file(std::string(CPRNG_FUZZ_CORPUS) + "/" + name + ".txt");
	int number = 0;

	for (std::string line; std::getline(file, line); number++) {
		fuzz::Bytes bytes;
		for (std::size_t i = 0; i + 1 < line.size(); i += 2)
			bytes.push_back(static_cast<std::uint8_t>(std::stoul(line.substr(i, 2), nullptr, 16)));
		INFO(name << ".txt, line " << number + 1);
		CHECK_NOTHROW(target(fuzz::Input(bytes.data(), bytes.size())));
	}
	// Otherwise an empty archive would pass.
	CHECK(number >= 10);
}

} // namespace

// Catches a stream whose bytes, offsets, numbers or refusals differ from the page's, on any level of instruction set.
TEST_CASE("fuzz: streams")
{
	replay("streams", fuzz::streams);
}

// Catches a backend of an engine or of number functions that differs from the page for some length, alignment, key or counter.
TEST_CASE("fuzz: backends")
{
	replay("backends", fuzz::backends);
}

// Catches a Fortuna that differs from the book, or whose concurrent reads differ from its locked ones.
TEST_CASE("fuzz: fortunas")
{
	replay("fortunas", fuzz::fortunas);
}

#ifdef CPRNG_FUZZ_COMMAND
// Catches a text that the command's parsers read as a wrong value, or refuse.
TEST_CASE("fuzz: parsers")
{
	replay("parsers", fuzz::parsers);
}

// Catches a command line whose exit differs from the manual's, or whose numbers differ from the page's.
TEST_CASE("fuzz: command_lines")
{
	replay("command_lines", fuzz::command_lines);
}
#endif
