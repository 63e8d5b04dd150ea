// SPDX-License-Identifier: BSD-2-Clause
// cprng-ct: does timing depend on a secret?  Tests one engine on one backend; tests/promises/7-no-timing/run tests them all.
//
//   cprng-ct list                                               kind, engine, backend, usable or not, bytes of state
//   cprng-ct compiler                                           its compiler
//   cprng-ct memory ENGINE BACKEND                              under valgrind
//   cprng-ct timing ENGINE BACKEND key|keystream|cold SECONDS   |t|, difference in ns, measurements, which test
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "../../../lab/common/error.hpp"
#include "ct.hpp"

namespace {

using namespace lab::ct;

constexpr int status_unavailable = 3; // no instruction to flush caches

constexpr std::string_view works[] = { "key", "keystream", "cold" }; // in the order of enum work

void list()
{
	for (const entry &e : list_subjects())
		std::printf("%s %s %s %s %zu\n", e.kind.c_str(), e.engine.c_str(), e.backend.c_str(),
			    e.usable ? "usable" : "unusable", e.state_size);
}

int run(const std::vector<std::string> &arguments)
{
	const std::string command = arguments.empty() ? "" : arguments[0];
	if (command == "list" && arguments.size() == 1) {
		list();
		return 0;
	}
	if (command == "compiler" && arguments.size() == 1) {
#ifdef __clang__
		std::puts(__VERSION__);
#else
		std::puts("gcc " __VERSION__);
#endif
		return 0;
	}
	if (!(command == "memory" && arguments.size() == 3) && !(command == "timing" && arguments.size() == 5))
		throw lab::usage_error(
			"list | compiler | memory ENGINE BACKEND | timing ENGINE BACKEND key|keystream|cold SECONDS");
	const std::unique_ptr<subject> of = make_subject(arguments[1], arguments[2]);
	if (of == nullptr)
		throw lab::usage_error(arguments[1] + " " + arguments[2] + ": unknown, or not available on this CPU");
	if (command == "memory") {
		examine_memory(*of);
		return 0;
	}
	const double seconds = std::atof(arguments[4].c_str());
	const auto what = std::find(std::begin(works), std::end(works), arguments[3]);
	if (what == std::end(works) || !(seconds > 0 && seconds <= 3600))
		throw lab::usage_error("timing: key, keystream or cold, and seconds up to 3600");
	if (static_cast<work>(what - std::begin(works)) == work::cold && !can_flush())
		return status_unavailable;
	const timing t = examine_time(*of, static_cast<work>(what - std::begin(works)), seconds);
	std::printf("%.2f %.4f %llu %s\n", t.t, t.difference, static_cast<unsigned long long>(t.count), t.test.c_str());
	return 0;
}

} // namespace

int main(int argc, char **argv)
{
	try {
		const int status = run({ argv + 1, argv + argc });
		return std::fflush(stdout) == 0 ? status : 1;
	} catch (const lab::usage_error &error) {
		std::fprintf(stderr, "cprng-ct: %s\n", error.what());
		return 2;
	} catch (const std::exception &error) {
		std::fprintf(stderr, "cprng-ct: %s\n", error.what());
		return 1;
	}
}
