// SPDX-License-Identifier: BSD-2-Clause
// cprng-tour: `cprng-lab tour` as a program, which `make run` builds without the rest of the lab and without its
// command line library.
#include <exception>

#include <getopt.h>

#include <fmt/format.h>

#include "tour.hpp"

namespace {

void print_help()
{
	fmt::print("Usage: cprng-tour [--json FILE] [--quick] [--targets | --no-measurements]\n"
		   "Draws numbers of each kind, and compares the library with other generators of this machine.\n\n"
		   "  --json FILE        keep every repetition in FILE\n"
		   "  --quick            a trial, too short for figures\n"
		   "  --targets          {}\n"
		   "  --no-measurements  {}\n",
		   lab::tour::about_targets, lab::tour::about_no_measurements);
}

int run(int argc, char **argv)
{
	static const option known[] = {
		{ "json", required_argument, nullptr, 'j' }, { "quick", no_argument, nullptr, 'q' },
		{ "targets", no_argument, nullptr, 't' },    { "no-measurements", no_argument, nullptr, 'n' },
		{ "help", no_argument, nullptr, 'h' },       { nullptr, 0, nullptr, 0 },
	};
	lab::tour::options chosen;
	for (int found; (found = getopt_long(argc, argv, "h", known, nullptr)) != -1;) {
		switch (found) {
		case 'j':
			chosen.json = optarg;
			break;
		case 'q':
			chosen.quick = true;
			break;
		case 't':
			chosen.targets = true;
			break;
		case 'n':
			chosen.no_measurements = true;
			break;
		case 'h':
			print_help();
			return 0;
		default:
			return 2; // getopt_long has named the option
		}
	}
	if (optind != argc || (chosen.targets && chosen.no_measurements)) {
		fmt::print(stderr, "cprng-tour: these arguments exclude each other (see --help)\n");
		return 2;
	}
	lab::catch_interrupts();
	lab::tour::run(chosen);
	return lab::interrupted() ? 130 : 0;
}

} // namespace

int main(int argc, char **argv)
{
	try {
		return run(argc, argv);
	} catch (const std::exception &error) {
		fmt::print(stderr, "cprng-tour: {}\n", error.what());
		return 1;
	}
}
