// SPDX-License-Identifier: BSD-2-Clause
// A signal handler forks during a draw, and both processes continue that draw.  (tests/explore forks at every instruction.)
//
// Later draws of the two must have nothing in common.  The interrupted draw may be the same in both if it already had
// its bytes and was about to return, as with any variable that a fork copies.  So:
// - If the cipher, the vDSO or the kernel was at work, the two must differ.  A signal does not report where it hit, so
//   the test forks in the cipher, the vDSO function or the system call itself, at each of their calls in a draw.
// - If signals are blocked (Fortuna; unbuffered draws where the PID reveals forks), the handler runs when the bytes are
//   complete but the call has not returned: the two must differ.
#include "../../support/fake_os.hpp"
#include "../../support/scenario.hpp"
#include "../../support/internals.hpp"
#include "../../support/machine.hpp"
#include "../../support/script.hpp"
#include "../../support/fork_calls.hpp"
#include "../../support/repeats.hpp"

#include <algorithm>
#include <csignal>
#include <string>

#include <sys/mman.h>
#include <sys/random.h>
#include <unistd.h>

namespace {

fork_calls::Fork make_process;
volatile std::sig_atomic_t forked, is_child;
volatile pid_t child_pid;

// Every way except the last, which forks into a PID namespace.
constexpr std::size_t usual_ways = sizeof(fork_calls::all) / sizeof(fork_calls::all[0]) - 1;

// Calls left until the fork; the cipher, the vDSO and the kernel count down.
volatile int turns_left = -1;

// The signal's handler forks; while the signal is blocked, it stays pending.
bool by_signal;
cprng_fortuna *object;
bool read_in_child; // the child re-initialises the object before the interrupted read ends

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

// An array of numbers, of which src/numbers/arrays.c takes 128 KiB at a time.
constexpr std::size_t three_pieces = 3 * 131072;

// Each process's result of the draw in progress, and of its next draws.
struct Sides {
	unsigned char parent[three_pieces + 64], child[three_pieces + 64];
};

// Draws with f and forks during the draw at call 0, 1, ... until no calls are left; returns their number.  The two processes
// must share nothing.  False alarms: 8 * 10^5 windows, 2 * 10^-8 for each call.
template <typename Draw> int fork_at_each_turn(const fork_calls::Call &way, std::size_t len, Draw f)
{
	auto *sides = static_cast<Sides *>(machine::shared_memory(sizeof(Sides)));
	alignas(std::uint64_t) static unsigned char buf[three_pieces + 64];
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

// Made of several pieces of keystream, as all arrays of numbers; nearly any 64 bits.
void numbers(unsigned char *buf, std::size_t len)
{
	auto *out = reinterpret_cast<std::uint64_t *>(buf);
	REQUIRE_IN_CHILD(cprng_fill_uniform64(out, len / sizeof(*out), UINT64_MAX) == CPRNG_OK);
}

// An alphabet that rejects half of the bytes, so that a text takes several draws.  The first one leaves nothing in the buffer, and
// the second one refills it: on one CPU, because another CPU has another buffer.
void text(unsigned char *buf, std::size_t len)
{
	static char symbols[129];
	struct cprng_process *p = cprng_process();

	(void)machine::pin(0, machine::cpus().front());
	for (std::size_t i = 0; i < sizeof(symbols); i++)
		symbols[i] = static_cast<char>(i + 1);
	for (std::uint32_t i = 0; p->fork_state != nullptr && i < p->buffer_count; i++) {
		cprng_buffer &b = p->buffers[i];
		if (b.left > len) {
			std::memset(b.out + len, 0, b.left - len);
			b.left = static_cast<std::uint32_t>(len);
		}
	}
	REQUIRE_IN_CHILD(cprng_text(reinterpret_cast<char *>(buf), len, symbols, sizeof(symbols)) == CPRNG_OK);
}

// With the process's buffers and without.  Without buffers the PID reveals the fork, except in a PID namespace.
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
			REQUIRE_IN_CHILD(fork_at_each_turn(way, 64, text) >= 2);
		}
		REQUIRE_IN_CHILD(fork_at_each_turn(way, 1000, fast) >= 2);
		REQUIRE_IN_CHILD(fork_at_each_turn(way, most_in_flight, fast) >= 2);
		REQUIRE_IN_CHILD(fork_at_each_turn(way, three_pieces, numbers) >= 6);
	}
	REQUIRE_IN_CHILD(permitted > 0);
}

const scenario::Scenario in_cipher("fork in the cipher", [] { fork_in_cipher(true); });
const scenario::Scenario in_cipher_unbuffered("fork in the cipher, unbuffered", [] {
	fake_os.madvise.answer = -EINVAL;
	fork_in_cipher(false);
});

void draw_strong(unsigned char *buf, std::size_t len)
{
	cprng_strong(buf, len);
}

// The child finds the object unseeded, and gets none of the parent's bytes.
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
	fake_os.getrandom.instead = [](void *buf, std::size_t len) {
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
		REQUIRE_IN_CHILD(fork_at_each_turn(way, 32, draw_strong) >= 1);
		REQUIRE_IN_CHILD(fork_at_each_turn(way, most_in_flight, draw_strong) >= 1);
		if (!buffered) {
			REQUIRE_IN_CHILD(fork_at_each_turn(way, 64, text) >= 2);
			continue;
		}
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
	fake_os.madvise.answer = -EINVAL;
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

// Catches the use of bytes from the vDSO although a fork happened during its call.
CHILD_TEST_CASE("fork in a handler: in the vDSO", scenario::check_buffered)
{
	struct cprng_process *p = cprng_process();
	(void)cprng_fast64();
	if (p->vdso.generate == nullptr)
		_exit(scenario::unavailable);
	real_vdso = p->vdso.generate;
	p->vdso.generate = forking_vdso;
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

// Catches a refill, a one-time key, an array or a short text that serves bytes from before a fork in both processes.
TEST_CASE("fork in a handler: at each turn of the cipher")
{
	if (machine::buffered())
		scenario::check(in_cipher);
	scenario::check(in_cipher_unbuffered);
}

// Catches a read of Fortuna, or a short text without buffers, that does not check for a fork after its blocked signals have been
// delivered.
TEST_CASE("fork in a handler: of a signal that was blocked during a read")
{
	if (machine::buffered())
		scenario::check(after_reads);
	scenario::check(after_reads_unbuffered);
}
