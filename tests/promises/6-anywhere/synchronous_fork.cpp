// SPDX-License-Identifier: BSD-2-Clause
// Handlers of synchronous signals fork while the library blocks signals.  One handler maps a page where the library reads or
// writes the program's memory, and one emulates a system call.  Each test chooses the instruction or call at which the
// fork happens.  Parent and child both continue the call, and must share nothing afterwards.
#include "../../support/fake_os.hpp"
#include "../../support/scenario.hpp"
#include "../../support/internals.hpp"
#include "../../support/late_pages.hpp"
#include "../../support/machine.hpp"
#include "../../support/script.hpp"
#include "../../support/repeats.hpp"

#include "cprng/fortuna.h"

#include <algorithm>

#include <sys/syscall.h>
#include <unistd.h>

namespace {

using late_pages::memory;

// 0 before the fork; then the child's PID in the parent, and -1 in the child.
volatile pid_t forked;

void fork_once()
{
	if (forked != 0)
		return;
	const pid_t pid = machine::raw_fork();
	REQUIRE_IN_CHILD(pid >= 0);
	forked = pid == 0 ? -1 : pid;
}

// The draws of the two sides.
struct Sides {
	unsigned char parent[1 << 20], child[1 << 20];
};

Sides *sides()
{
	return static_cast<Sides *>(machine::shared_memory(sizeof(Sides)));
}

// Last step of both processes: the child sends its bytes, and the parent compares.  False alarms: (2^21)^2 / 2^65.
void compare(Sides *s, const unsigned char *drawn, std::size_t len)
{
	REQUIRE_IN_CHILD(forked != 0);
	REQUIRE_IN_CHILD(!has_zero_window(drawn, len));
	std::copy_n(drawn, len, forked == -1 ? s->child : s->parent);
	if (forked == -1)
		_exit(0);
	REQUIRE_IN_CHILD(machine::status_of(forked) == 0);
	Windows windows(2 * len);
	REQUIRE_IN_CHILD(windows.add(s->parent, len) + windows.add(s->child, len) == 0);
}

// ------------------------------------------------------------------------------------------------- a read by cprng_strong

bool first_again;

// The library touches all pages before it has a key.  When it touches the last one, the test unmaps the first again.  So the
// library faults once more when it fills that page with the key in hand, and there the handler forks.
void fork_at_first_page(std::size_t offset)
{
	static unsigned char bytes[600];

	if (offset == 0 && first_again)
		fork_once();
	first_again = first_again || offset == 0;
	(void)cprng_fast64();
	cprng_fast(bytes, sizeof(bytes));
	cprng_strong(bytes, sizeof(bytes));
}

void read_strong(bool locked)
{
	Sides *const s = sides();
	const std::size_t len = sizeof(s->parent);

	late_pages::begin(len);
	(void)cprng_fast64();
	cprng_strong_set_locked_reads(locked);
	late_pages::take_away_first = true;
	late_pages::in_handler = fork_at_first_page;
	cprng_strong(memory, len);
	compare(s, memory, len);
}

const scenario::Scenario strong_concurrent("fork in a fault: concurrent", [] { read_strong(false); });
const scenario::Scenario strong_locked("fork in a fault: locked", [] { read_strong(true); });
// No wiped page reveals the fork, but the PID does.
const scenario::Scenario strong_unbuffered("fork in a fault: unbuffered", [] {
	fake_os.madvise.answer = -EINVAL;
	read_strong(false);
	REQUIRE_IN_CHILD(!machine::buffered());
});

// ------------------------------------------------------------------------------------------------------------- objects

cprng_fortuna *object;

void make_object(bool locked)
{
	static const unsigned char seed[32] = { 1 };
	cprng_fortuna_options options = {};

	options.engine = "aes256-ctr"; // in pieces of 1 MiB
	options.locked_reads = locked;
	REQUIRE_IN_CHILD(cprng_fortuna_new(&object, &options, sizeof(options)) == 0);
	REQUIRE_IN_CHILD(cprng_fortuna_seed(object, seed, sizeof(seed)) == 0);
}

// In the child the object is unseeded, and the handler's call makes it ready for a new seed.
void fork_and_look(std::size_t)
{
	unsigned char byte;

	std::fill_n(memory, late_pages::page, static_cast<unsigned char>(0x5e));
	fork_once();
	if (forked == -1)
		REQUIRE_IN_CHILD(cprng_fortuna_read(object, &byte, 1) == CPRNG_ERR_UNSEEDED);
}

// At this point, with the key in hand, both processes would derive the next key from it.
void seed_object(bool locked)
{
	Sides *const s = sides();
	constexpr std::size_t len = 4096;
	static unsigned char bytes[len];

	make_object(locked);
	late_pages::begin(32);
	late_pages::in_handler = fork_and_look;
	REQUIRE_IN_CHILD(cprng_fortuna_seed(object, memory, 32) == 0);
	REQUIRE_IN_CHILD(cprng_fortuna_read(object, bytes, len) == 0);
	compare(s, bytes, len);
}

const scenario::Scenario seed_concurrent("fork in a fault: seed", [] { seed_object(false); });
const scenario::Scenario seed_locked("fork in a fault: seed, locked", [] { seed_object(true); });

constexpr std::size_t piece = std::size_t{ 1 } << 20;

void fork_in_second_piece(std::size_t offset)
{
	if (offset >= piece + piece / 2)
		fork_once();
}

// The child has no key for the third piece.  The parent also has the first two pieces, so they must be erased.
void cut_object(bool locked)
{
	make_object(locked);
	late_pages::begin(3 * piece);
	late_pages::in_handler = fork_in_second_piece;
	const int status = cprng_fortuna_read(object, memory, 3 * piece);
	REQUIRE_IN_CHILD(forked != 0);
	if (forked == -1) {
		REQUIRE_IN_CHILD(status == CPRNG_ERR_UNSEEDED);
		REQUIRE_IN_CHILD(std::all_of(memory, memory + 3 * piece, [](unsigned char byte) { return byte == 0; }));
		_exit(0);
	}
	REQUIRE_IN_CHILD(status == 0);
	REQUIRE_IN_CHILD(!has_zero_window(memory, 3 * piece));
	REQUIRE_IN_CHILD(machine::status_of(forked) == 0);
}

const scenario::Scenario cut_concurrent("fork in a fault: object", [] { cut_object(false); });
const scenario::Scenario cut_locked("fork in a fault: object, locked", [] { cut_object(true); });

// ------------------------------------------------------------------------------------------------ getrandom, emulated

// The call at which to fork, and whether it has already returned its bytes.
int fork_at, calls;
bool bytes_first;

long emulated_getrandom(void *buf, std::size_t len)
{
	const bool now = calls++ == fork_at;

	if (now && !bytes_first)
		fork_once();
	const long n = syscall(SYS_getrandom, buf, len, 0);
	if (now && bytes_first)
		fork_once();
	return n;
}

constexpr std::size_t each_len = 64;

struct Work {
	const char *what;
	void (*before)();
	void (*draw)(unsigned char *out);
	int least_calls;
};

void strong(unsigned char *out)
{
	cprng_strong(out, each_len);
}

constexpr std::uint64_t minute = UINT64_C(60000000000);

const Work works[] = {
	// Three calls: the kernel's bytes for the generation, and two rounds of the sources.
	{ "a read that begins a generation", [] { cprng_invalidate(); }, strong, 3 },
	{ "a read that polls", [] { fake_os.nanoseconds += minute; }, strong, 2 },
	{ "a refill that polls", [] { fake_os.nanoseconds += minute; },
	  [](unsigned char *out) { cprng_draw_by_refill(cprng_process(), out, each_len); }, 3 },
};

// Runs in a separate process.  Returns true while such a call exists.
bool fork_in_call(const Work &work, int at, bool first)
{
	Sides *const s = sides();
	const pid_t pid = machine::raw_fork();

	REQUIRE_IN_CHILD(pid >= 0);
	if (pid == 0) {
		unsigned char bytes[each_len] = {};
		fork_at = -1;
		// Stay on one CPU: the first refill of another CPU's buffer makes a different number of calls.
		REQUIRE_IN_CHILD(machine::pin(0, machine::cpus().front()));
		cprng_strong(bytes, sizeof(bytes));
		cprng_fast(bytes, sizeof(bytes));
		work.before();
		fork_at = at;
		bytes_first = first;
		calls = 0;
		work.draw(bytes);
		if (forked == 0)
			_exit(scenario::unavailable);
		compare(s, bytes, sizeof(bytes));
		_exit(0);
	}
	const int status = machine::status_of(pid);
	if (status == scenario::unavailable << 8)
		return false;
	if (status != 0)
		dprintf(STDERR_FILENO, "%s, call %d, %s the bytes: %s\n", work.what, at, first ? "after" : "before",
			machine::describe_status(status).c_str());
	REQUIRE_IN_CHILD(status == 0);
	return true;
}

// Catches kernel bytes from which both processes derive a key.
CHILD_TEST_CASE("synchronous: a handler that emulates getrandom, and forks", scenario::check_buffered)
{
	fake_os.vdso_missing = true;
	script::begin(false);
	fake_os.getrandom.instead = emulated_getrandom;
	for (const Work &work : works) {
		for (const bool first : { false, true }) {
			int at = 0;
			// A preempted refill takes the kernel's bytes instead of its key, in fewer calls: such a run is repeated.
			for (int misses = 0; misses < 20 && (misses == 0 || at < work.least_calls);) {
				if (fork_in_call(work, at, first))
					at++;
				else
					misses++;
			}
			if (at < work.least_calls)
				dprintf(STDERR_FILENO, "%s: %d calls\n", work.what, at);
			REQUIRE_IN_CHILD(at >= work.least_calls);
		}
	}
}

void check_faults(const scenario::Scenario &scenario)
{
	SKIP_IF(CPRNG_TESTS_SANITIZED, "the sanitizer has the handler");
	scenario::check(scenario);
}

} // namespace

// Catches a lease that parent and child both expand.
TEST_CASE("synchronous: a handler that maps a page of a read by cprng_strong, and forks")
{
	SKIP_IF(!machine::buffered(), "no pools");
	check_faults(strong_concurrent);
	check_faults(strong_locked);
}

// Catches a child that keeps the bytes of its parent's read.
TEST_CASE("synchronous: a handler that maps a page of an unbuffered read, and forks")
{
	check_faults(strong_unbuffered);
}

// Catches a seed that is half copied when a fork interrupts, and a key that both processes have.
TEST_CASE("synchronous: a handler that maps the page of a seed, and forks")
{
	SKIP_IF(!machine::buffered(), "no objects");
	check_faults(seed_concurrent);
	check_faults(seed_locked);
}

// Catches a child that keeps part of the output of its parent's object.
TEST_CASE("synchronous: a read of an object that a fork cuts leaves no output")
{
	SKIP_IF(!machine::buffered(), "no objects");
	check_faults(cut_concurrent);
	check_faults(cut_locked);
}
