// SPDX-License-Identifier: BSD-2-Clause
// erasure [--leaks] [--backend=NAME] [options of support/main.cpp]
//
// Searches memory for served bytes and keys.  With --leaks the library erases nothing, and the tests pass if they detect
// that.  With --backend, the tests run only each engine's backend of that name, if it has one; --backend=chosen: only the one that
// this process has chosen.
#include "doctest/doctest.h"

#include "examiner.hpp"
#include "requests.h"
#include "subject.hpp"

#include "../../../support/internals.hpp"
#include "../../../support/own_stack.hpp"
#include "../../../support/program.hpp"
#include "../../../support/registers.hpp"
#include "../../../support/skips.hpp"

#include <algorithm>
#include <csignal>
#include <vector>

#include <sys/wait.h>

namespace {

bool leaks;       // whether the library erases nothing
std::string only; // the name of a backend, or empty

std::string describe(const Examiner::Options &options)
{
	return std::string(options.engine) + "/" + options.backend + (options.slots ? ", slots" : "") +
	       (options.unbuffered ? ", unbuffered" : "");
}

std::string describe(const Find &find)
{
	char address[24];

	std::snprintf(address, sizeof(address), "%llx", static_cast<unsigned long long>(find.address));
	return std::string(address) + " " + find.mapping + ": " + find.secret;
}

// Makes all examinations of a subject, then examines its core file.  Returns the number of secrets in forbidden places.
std::size_t examine(const Examiner::Options &options, bool *available)
{
	Examiner examiner(options);
	std::size_t found = 0, looks = 0;
	Coverage coverage;
	std::string why_not;
	const std::string what = describe(options);
	const auto report = [&](const std::string &when, const std::vector<Find> &finds) {
		found += finds.size();
		for (const Find &find : finds) {
			if (!leaks)
				MESSAGE(what << ", after " << when << ", " << describe(find));
		}
	};

	*available = true;
	while (examiner.next()) {
		looks++;
		report(examiner.reported().doing, examiner.look(&coverage));
		if (std::strcmp(examiner.reported().doing, "invalidate, 32 bytes, strong") != 0)
			continue;
		const std::string core = examiner.dump_core(&why_not);
		if (core.empty())
			SKIPPED("no core file to look at: " + why_not);
		else
			report("all of it, in the core file", examiner.look_at_core(core));
		break;
	}
	if (WIFEXITED(examiner.status()) && WEXITSTATUS(examiner.status()) == subject::not_available) {
		*available = false;
		return 0;
	}
	INFO(what);
	CHECK(looks == 36);
	CHECK(coverage.stack);
	CHECK(coverage.heap);
	CHECK(coverage.secret_pages == !options.unbuffered);
	MESSAGE(what << ": " << looks << " examinations of " << coverage.bytes / 1000000
		     << " MB; secrets left: " << found);
	return found;
}

void check(const Examiner::Options &options)
{
	bool available = false;
	const std::size_t found = examine(options, &available);

	if (!available) {
		SKIPPED(describe(options) + ": not available on this processor");
		return;
	}
	INFO(describe(options));
	if (leaks)
		CHECK(found != 0);
	else
		CHECK(found == 0);
}

Examiner::Options of_default_engine()
{
	const struct cprng_process *p = cprng_process();

	return { p->engine->name, p->backend->name };
}

} // namespace

// An examination compares about 5 * 10^5 windows of secrets with 3 * 10^6 places, and there are 300: the probability of
// a false alarm is 3 * 10^-5.
// Catches a served byte or a key that any backend leaves anywhere.
TEST_CASE("whole memory: nothing is left, with every backend")
{
	const struct cprng_backend *chosen = cprng_process()->backend;

	for (const char *name : { "aes256-ctr", "chacha20" }) {
		const struct cprng_engine *engine = cprng_engine_find(name);
		for (const struct cprng_backend *b = engine->family->backends; b->name != nullptr; b++) {
			if (only.empty() || only == b->name || (only == "chosen" && b == chosen))
				check({ engine->name, b->name });
		}
	}
}

// Catches a served byte or a key that another placement leaves anywhere.
TEST_CASE("whole memory: nothing is left, with slots, and without buffers")
{
	Examiner::Options options = of_default_engine();

	options.slots = true;
	check(options);
	options.slots = false;
	options.unbuffered = true;
	// Unbuffered draws use no cipher and keep nothing.
	if (!leaks)
		check(options);
}

// Catches an examiner that finds nothing.
TEST_CASE("whole memory: what a caller keeps is found, in memory and in the core file")
{
	using channel::Kept;
	const struct {
		Kept kept;
		const char *mapping;
	} places[] = { { Kept::stack, "[stack]" },
		       { Kept::heap, "[heap]" },
		       { Kept::data, nullptr },
		       { Kept::thread_local_data, nullptr },
		       { Kept::thread_stack, nullptr } };

	for (const auto &place : places) {
		Examiner::Options options = of_default_engine();
		options.kept = place.kept;
		Examiner examiner(options);
		Coverage coverage;
		std::string why_not;
		INFO(static_cast<int>(place.kept));
		REQUIRE(examiner.next());
		bool there = false;
		for (const Find &find : examiner.look(&coverage))
			there |= find.secret.rfind("served", 0) == 0 &&
				 (place.mapping == nullptr || find.mapping == place.mapping);
		CHECK(there);
		const std::string core = examiner.dump_core(&why_not);
		if (core.empty())
			SKIPPED("no core file to look at: " + why_not);
		else
			CHECK(!examiner.look_at_core(core).empty());
	}
}

namespace {

unsigned char requested[64];
std::size_t wanted;

} // namespace

// Catches bytes that a request of a size known to the compiler leaves on its caller's stack.
TEST_CASE("whole memory: requests of each constant size, on the stack")
{
	OwnStack stack;

	for (wanted = 1; wanted <= sizeof(requested); wanted++) {
		CAPTURE(wanted);
		CHECK(!stack.always_holds(
			[] {
				cprng_test_request(wanted, requested);
				registers::clear_numbers();
			},
			requested, wanted));
		// Bytes that a caller keeps must be found.
		CHECK(stack.always_holds(
			[] {
				unsigned char kept[sizeof(requested)];
				cprng_test_request(wanted, kept);
				std::copy_n(kept, wanted, requested);
			},
			requested, wanted));
	}
}

// Catches a mapping without MADV_DONTDUMP or MADV_WIPEONFORK.
TEST_CASE("whole memory: the pages with secrets are marked for no core file and no child")
{
	Examiner examiner(of_default_engine());

	REQUIRE(examiner.next());
	const channel::Shared &reported = examiner.reported();
	REQUIRE(reported.secret.begin != 0);
	for (std::uint64_t page :
	     { reported.secret.begin, reported.buffers, reported.secret.end - 1, reported.vdso_states.begin }) {
		if (page == 0)
			continue; // no vDSO
		const std::string flags = examiner.flags_at(page);
		INFO(flags);
		CHECK(flags.find(" dd ") != std::string::npos);
		CHECK(flags.find(" wf ") != std::string::npos);
	}
}

namespace {

int be_subject(int argc, char **argv)
{
	return argc > 1 && std::strcmp(argv[1], subject::argument) == 0 ? subject::main(argc, argv) : -1;
}

bool takes(const std::string &argument)
{
	if (argument == "--leaks")
		leaks = true;
	return argument == "--leaks" || program::has_value(argument, "--backend=", &only);
}

const bool added = program::add({ be_subject, takes, nullptr, nullptr });

} // namespace
