// SPDX-License-Identifier: BSD-2-Clause
// A signal handler forks during a draw, and both processes continue that draw.
//
// Later draws of the two must have nothing in common.  The interrupted draw may be the same in both if it already had
// its bytes and was about to return, as with any variable that a fork copies.  So:
// - if the signal cut a restartable sequence, the draw was incomplete: the two must differ;
// - if the cipher, the vDSO or the kernel was working, the two must differ.  A signal does not report its place, so
// there the cipher, the vDSO or the system call itself forks, at each of its calls in a draw.
// - if signals are blocked (Fortuna; without buffers if the PID reveals forks), the handler runs when the bytes are complete and
// the call is not: the two must differ.
// How often a signal comes in the last instructions depends on other load, and is only reported: the explorer counts them.
#include "../../support/run.hpp"
#include "../../support/faults.hpp"
#include "../../support/scenario.hpp"
#include "../../support/internals.hpp"
#include "../../support/machine.hpp"
#include "../../support/script.hpp"
#include "../../support/frequent_signals.hpp"
#include "../../support/fork_calls.hpp"
#include "../../support/repeats.hpp"

#include <algorithm>
#include <csignal>
#include <string>

#include <sched.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <unistd.h>

namespace {

constexpr std::size_t in_flight_max = 65536;

struct Side {
	std::uint64_t in_flight_len, later_len;
	unsigned char in_flight[in_flight_max];
	unsigned char in_handler[96];
	unsigned char later[4096];
};

struct Pair {
	Side parent, child;
};

Pair *pair;
volatile std::sig_atomic_t forked, was_cut, is_child;
volatile pid_t child_pid;
bool draw_in_handler;
fork_calls::Fork make_process;

void on_signal(bool cut)
{
	if (forked)
		return;
	const pid_t pid = make_process();
	if (pid < 0)
		return;
	is_child = pid == 0;
	child_pid = pid;
	was_cut = cut;
	// So that the interrupted draw finds the child's buffer wiped in some runs, filled again in others.
	if (draw_in_handler) {
		Side *side = is_child ? &pair->child : &pair->parent;
		cprng_fast(side->in_handler, sizeof(side->in_handler));
	}
	forked = 1;
}

struct Counts {
	std::size_t forks = 0, cuts = 0, same = 0, same_though_cut = 0, repeats = 0, zeros = 0, crashes = 0;
};

// All but the last, which forks into a PID namespace.
constexpr std::size_t usual_ways = sizeof(fork_calls::all) / sizeof(fork_calls::all[0]) - 1;

// Draws with f(buf), which returns the length, until a handler has forked; then continues in both processes.  The usual
// kinds of fork alternate, unless one is given.
template <typename Draw> Counts fork_often(std::size_t times, Draw f, const fork_calls::Call *way = nullptr)
{
	Counts counts;
	run::Random random("fork in handler");
	frequent_signals::Timer timer;

	pair = static_cast<Pair *>(machine::shared_memory(sizeof(Pair)));
	frequent_signals::set_handler(on_signal);
	for (std::size_t i = 0; i < times; i++) {
		static unsigned char buf[in_flight_max];
		std::size_t len = 0;
		draw_in_handler = random.coin();
		std::memset(&pair->child.in_handler, 0, sizeof(pair->child.in_handler));
		std::memset(&pair->parent.in_handler, 0, sizeof(pair->parent.in_handler));
		forked = 0;
		make_process = way != nullptr ? way->make : fork_calls::all[i % usual_ways].make;
		timer.once(static_cast<long>(20000 + random.below(20000)));
		// Far longer than any signal takes to arrive.
		for (std::size_t n = 0; !forked && n < 1000000000; n++)
			len = f(buf);
		if (!forked)
			break; // signals do not arrive

		Side *side = is_child ? &pair->child : &pair->parent;
		std::memcpy(side->in_flight, buf, len);
		side->in_flight_len = len;
		std::size_t used = 0;
		for (; used < 64; used += 8) {
			const std::uint64_t v = cprng_fast64();
			std::memcpy(side->later + used, &v, sizeof(v));
		}
		for (std::size_t n : { 32, 512, 512, 512, 1000, 512, 256 }) {
			cprng_fast(side->later + used, n);
			used += n;
		}
		side->later_len = used;
		if (is_child)
			_exit(0);

		counts.forks++;
		if (machine::status_of(child_pid) != 0) {
			counts.crashes++;
			continue;
		}
		const bool same = len == pair->child.in_flight_len &&
				  std::memcmp(pair->parent.in_flight, pair->child.in_flight, len) == 0;
		counts.cuts += was_cut;
		counts.same += same;
		counts.same_though_cut += same && was_cut;
		// Two different results of one draw have no window in common either.  At most 140,000 windows: 5 * 10^-10.
		Windows windows(2 * (len + side->later_len + sizeof(side->in_handler)));
		for (const Side *s : { &pair->parent, &pair->child }) {
			counts.zeros += has_zero_window(s->later, s->later_len) || has_zero_window(s->in_flight, len);
			counts.repeats += windows.add(s->later, s->later_len);
			if (s == &pair->parent || !same)
				counts.repeats += windows.add(s->in_flight, len);
			if (draw_in_handler)
				counts.repeats += windows.add(s->in_handler, sizeof(s->in_handler));
		}
	}
	timer.stop();
	frequent_signals::set_handler(nullptr);
	munmap(pair, sizeof(Pair));
	return counts;
}

void judge(const Counts &c, std::size_t wanted, const char *what)
{
	MESSAGE(std::string(what) << ": " << c.forks << " forks, " << c.cuts
				  << " of them in a sequence, in-flight draw the same in " << c.same);
	CHECK(c.forks == wanted);
	CHECK(c.crashes == 0);
	CHECK(c.repeats == 0);
	CHECK(c.zeros == 0);
	CHECK(c.same_though_cut == 0);
}

std::size_t times()
{
	return machine::slow() ? 10 : run::volume(60, 400);
}

} // namespace

// Catches an interrupted draw that both processes complete with the same bytes.
TEST_CASE("fork in a handler: draws of 64 bits")
{
	const frequent_signals::Timer probe;
	SKIP_IF(!probe.works(), "no timers for threads");
	const Counts c = fork_often(times(), [](unsigned char *buf) {
		const std::uint64_t v = cprng_fast64();
		std::memcpy(buf, &v, sizeof(v));
		return sizeof(v);
	});
	judge(c, times(), "64 bits");
}

// Catches an interrupted copy from the buffer that both processes complete alike.
TEST_CASE("fork in a handler: draws of 16 to 512 bytes")
{
	const frequent_signals::Timer probe;
	SKIP_IF(!probe.works(), "no timers for threads");
	static run::Random random("lengths");
	const std::size_t wanted = machine::slow() ? 10 : run::volume(100, 1000);
	const Counts c = fork_often(wanted, [](unsigned char *buf) {
		const std::size_t len = 16 + random.below(497);
		cprng_fast(buf, len);
		return len;
	});
	judge(c, wanted, "16 to 512 bytes");
}

// Catches a refill that pushes bytes made before the fork in both processes.
TEST_CASE("fork in a handler: refills")
{
	const frequent_signals::Timer probe;
	SKIP_IF(!probe.works(), "no timers for threads");
	// Unbuffered, the draw is a system call, which may have been complete.
	SKIP_IF(!machine::buffered(), "there are no refills");
	const Counts c = fork_often(times(), [](unsigned char *buf) {
		cprng_draw_by_refill(cprng_process(), buf, 64);
		return std::size_t{ 64 };
	});
	judge(c, times(), "refills");
}

// Catches shared output after a long request.
TEST_CASE("fork in a handler: one-time keys")
{
	const frequent_signals::Timer probe;
	SKIP_IF(!probe.works(), "no timers for threads");
	const Counts c = fork_often(times(), [](unsigned char *buf) {
		cprng_fast(buf, 65536);
		return std::size_t{ 65536 };
	});
	judge(c, times(), "64 KiB");
}

// Parent and child are number 1 of two namespaces, so their PIDs do not distinguish them.
// Catches fork detection by PID alone, where there are buffers.
TEST_CASE("fork in a handler: of the same PID")
{
	const frequent_signals::Timer probe;
	SKIP_IF(!probe.works(), "no timers for threads");
	const std::size_t many = run::large() ? times() / 2 : times(), fewer = (many + 3) / 4;
	Counts *c = static_cast<Counts *>(machine::shared_memory(3 * sizeof(Counts)));
	const pid_t first = machine::raw_fork(CLONE_NEWPID);
	if (first == 0) {
		const fork_calls::Call *same = &fork_calls::all[usual_ways];
		// Without buffers, each draw makes many requests to the kernel, with handlers between them.
		faults.getrandom = Faults::Getrandom::one_byte;
		c[0] = fork_often(
			many,
			[](unsigned char *buf) {
				cprng_fast(buf, 512);
				return std::size_t{ 512 };
			},
			same);
		faults.getrandom = Faults::Getrandom::works;
		c[1] = fork_often(
			fewer,
			[](unsigned char *buf) {
				cprng_fast(buf, 65536);
				return std::size_t{ 65536 };
			},
			same);
		c[2] = fork_often(
			fewer,
			[](unsigned char *buf) {
				cprng_strong(buf, 65536);
				return std::size_t{ 65536 };
			},
			same);
		_exit(0);
	}
	SKIP_IF(first < 0, "no PID namespaces");
	CHECK(machine::ended_well(first));
	judge(c[0], many, "512 bytes");
	judge(c[1], fewer, "64 KiB");
	judge(c[2], fewer, "64 KiB of Fortuna");
	munmap(c, 3 * sizeof(Counts));
}

// The vDSO's generator has its own state, and the library a claim on it; both are wiped in the child.
// Catches a vDSO state that both processes continue.
TEST_CASE("fork in a handler: bytes of the kernel by the vDSO")
{
	const frequent_signals::Timer probe;
	SKIP_IF(!probe.works(), "no timers for threads");
	SKIP_IF(cprng_process()->user_entropy.generate == nullptr, "no getrandom in the vDSO");
	const Counts c = fork_often(times(), [](unsigned char *buf) {
		cprng_kernel_bytes_by_vdso(cprng_process(), buf, 256);
		return std::size_t{ 256 };
	});
	judge(c, times(), "vDSO");
}

// --------------------------------------------------------------------------------------- at a place that is known

namespace {

// The call at which to fork next; the cipher, the vDSO and the kernel count down.
volatile int turns_left = -1;

// The fork comes in the handler of a signal, which waits where it is blocked.
bool by_signal;
cprng_fortuna *object;
bool read_in_child; // so that the child has started the object again when its read ends

void fork_now(int)
{
	const pid_t pid = make_process();
	unsigned char byte;

	is_child = pid == 0;
	child_pid = pid;
	forked = pid >= 0;
	if (is_child && read_in_child)
		REQUIRE_IN_CHILD(cprng_fortuna_read(object, &byte, 1) == CPRNG_ERR_UNSEEDED);
}

void fork_at_turn()
{
	if (turns_left < 0)
		return;
	turns_left = turns_left - 1;
	if (turns_left >= 0)
		return;
	if (by_signal)
		(void)raise(SIGUSR1);
	else
		fork_now(0);
}

constexpr std::size_t most_in_flight = 65536;

// Each process's result of the draw in progress, and of its next draws.
struct Sides {
	unsigned char parent[most_in_flight + 64], child[most_in_flight + 64];
};

// Draws with f, forking during it at call 0, 1, ... until there are no more calls; returns their number.  Nothing of
// the two is the same: 2 * 10^5 windows, 10^-9 for each call.
template <typename Draw> int fork_at_each_turn(const fork_calls::Call &way, std::size_t len, Draw f)
{
	auto *sides = static_cast<Sides *>(machine::shared_memory(sizeof(Sides)));
	alignas(double) static unsigned char buf[most_in_flight + 64];
	int turns = 0;

	make_process = way.make;
	for (; turns < 64; turns++) {
		forked = is_child = 0;
		turns_left = turns;
		f(buf, len);
		turns_left = -1;
		if (!forked)
			break;
		cprng_fast(buf + len, 64);
		std::memcpy(is_child ? sides->child : sides->parent, buf, len + 64);
		if (is_child)
			_exit(0);
		REQUIRE_IN_CHILD(machine::status_of(child_pid) == 0);
		Windows windows(2 * sizeof(buf));
		const bool good = windows.add(sides->parent, len + 64) + windows.add(sides->child, len + 64) == 0 &&
				  !has_zero_window(sides->parent, len + 64) && !has_zero_window(sides->child, len + 64);
		if (!good)
			dprintf(STDERR_FILENO, "%s, %zu bytes, turn %d: ", way.name, len, turns);
		REQUIRE_IN_CHILD(good);
	}
	munmap(sides, sizeof(Sides));
	dprintf(STDOUT_FILENO, "%s, %zu bytes: %d turns; ", way.name, len, turns);
	return turns;
}

void refill(unsigned char *buf, std::size_t len)
{
	cprng_draw_by_refill(cprng_process(), buf, len);
}

void fast(unsigned char *buf, std::size_t len)
{
	cprng_fast(buf, len);
}

// Made of several pieces of keystream.
void doubles(unsigned char *buf, std::size_t len)
{
	REQUIRE_IN_CHILD(cprng_fill_double(reinterpret_cast<double *>(buf), len / sizeof(double)) == CPRNG_OK);
}

// With the process's buffers, and without: then the PID reveals the fork, except in a namespace.
void fork_in_cipher(bool buffered)
{
	(void)cprng_fast64();
	script::watch_cipher();
	script::cipher.before_key = script::cipher.before_keystream = fork_at_turn;
	std::size_t permitted = 0;
	for (std::size_t i = 0; i < usual_ways + (buffered ? 1 : 0); i++) {
		const fork_calls::Call &way = fork_calls::all[i];
		const pid_t probe = way.make();
		if (probe == 0)
			_exit(0);
		if (probe < 0) {
			scenario::skip_part(std::string(way.name) + " is not permitted here");
			continue;
		}
		permitted++;
		REQUIRE_IN_CHILD(machine::status_of(probe) == 0);
		if (buffered) {
			REQUIRE_IN_CHILD(fork_at_each_turn(way, 8, refill) >= 2);
			REQUIRE_IN_CHILD(fork_at_each_turn(way, 512, refill) >= 2);
		}
		REQUIRE_IN_CHILD(fork_at_each_turn(way, 1000, fast) >= 2);
		REQUIRE_IN_CHILD(fork_at_each_turn(way, most_in_flight, fast) >= 2);
		REQUIRE_IN_CHILD(fork_at_each_turn(way, 3 * 8192, doubles) >= 6);
	}
	REQUIRE_IN_CHILD(permitted > 0);
}

const scenario::Scenario in_cipher("fork in the cipher", [] { fork_in_cipher(true); });
const scenario::Scenario in_cipher_unbuffered("fork in the cipher, unbuffered", [] {
	faults.madvise_refused = true;
	fork_in_cipher(false);
});

void strong(unsigned char *buf, std::size_t len)
{
	cprng_strong(buf, len);
}

// A child finds it unseeded, and none of the parent's bytes.
void read_object(unsigned char *buf, std::size_t len)
{
	const int status = cprng_fortuna_read(object, buf, len);

	if (status == CPRNG_OK)
		return;
	REQUIRE_IN_CHILD(is_child != 0 && status == CPRNG_ERR_UNSEEDED);
	REQUIRE_IN_CHILD(std::all_of(buf, buf + len, [](unsigned char byte) { return byte == 0; }));
	cprng_fast(buf, len);
}

void fork_after_reads(bool buffered)
{
	static const unsigned char seed[32] = { 1 };
	struct sigaction action = {};

	action.sa_handler = fork_now;
	REQUIRE_IN_CHILD(sigaction(SIGUSR1, &action, nullptr) == 0);
	by_signal = true;
	script::begin(false);
	script::hooks.getrandom = [](void *buf, std::size_t len) {
		fork_at_turn();
		return static_cast<long>(getrandom(buf, len, 0));
	};
	(void)cprng_fast64();
	script::watch_cipher();
	script::cipher.before_key = script::cipher.before_keystream = fork_at_turn;
	REQUIRE_IN_CHILD(cprng_fortuna_new(&object, nullptr, 0) == (buffered ? CPRNG_OK : CPRNG_ERR_UNSUPPORTED));
	if (buffered)
		object->core.backend = cprng_process()->backend;
	for (std::size_t i = 0; i < usual_ways; i++) {
		const fork_calls::Call &way = fork_calls::all[i];
		REQUIRE_IN_CHILD(fork_at_each_turn(way, 32, strong) >= 1);
		REQUIRE_IN_CHILD(fork_at_each_turn(way, most_in_flight, strong) >= 1);
		if (!buffered)
			continue;
		REQUIRE_IN_CHILD(cprng_fortuna_seed(object, seed, sizeof(seed)) == CPRNG_OK);
		for (const bool locked : { false, true }) {
			cprng_fortuna_set_locked_reads(object, locked);
			for (const bool in_child : { false, true }) {
				read_in_child = in_child;
				REQUIRE_IN_CHILD(fork_at_each_turn(way, 32, read_object) >= 2);
				REQUIRE_IN_CHILD(fork_at_each_turn(way, most_in_flight, read_object) >= 2);
			}
		}
		read_in_child = false;
	}
}

const scenario::Scenario after_reads("fork after a read", [] { fork_after_reads(true); });
const scenario::Scenario after_reads_unbuffered("fork after a read, unbuffered", [] {
	faults.madvise_refused = true;
	fork_after_reads(false);
});

cprng_vgetrandom real_vdso;
bool after_vdso;

long forking_vdso(void *buf, std::size_t len, unsigned int flags, void *state, std::size_t state_size)
{
	if (!after_vdso)
		fork_at_turn();
	const long n = real_vdso(buf, len, flags, state, state_size);
	if (after_vdso)
		fork_at_turn();
	return n;
}

// Catches the use of the vDSO's bytes although a fork came while it worked.
CHILD_TEST_CASE("fork in a handler: in the vDSO", scenario::check_buffered)
{
	struct cprng_process *p = cprng_process();
	(void)cprng_fast64();
	if (p->user_entropy.generate == nullptr)
		_exit(scenario::unavailable);
	real_vdso = p->user_entropy.generate;
	p->user_entropy.generate = forking_vdso;
	for (const bool after : { false, true }) {
		after_vdso = after;
		const auto entropy = [](unsigned char *buf, std::size_t len) {
			cprng_kernel_bytes_by_vdso(cprng_process(), buf, len);
		};
		for (std::size_t i = 0; i < usual_ways; i++)
			REQUIRE_IN_CHILD(fork_at_each_turn(fork_calls::all[i], 256, entropy) == 1);
	}
}

} // namespace

// Catches a refill, a one-time key or an array that serves bytes from before a fork in both processes.
TEST_CASE("fork in a handler: at each turn of the cipher")
{
	if (machine::buffered())
		scenario::check(in_cipher);
	scenario::check(in_cipher_unbuffered);
}

// Catches a read of Fortuna that nothing compares after the signals that it has blocked were delivered.
TEST_CASE("fork in a handler: of a signal that was blocked during a read")
{
	if (machine::buffered())
		scenario::check(after_reads);
	scenario::check(after_reads_unbuffered);
}
