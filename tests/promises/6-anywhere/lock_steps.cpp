// SPDX-License-Identifier: BSD-2-Clause
// A handler reads at every instruction of a read.  The process's Fortuna takes and releases its locks there, and SIGTRAP is
// never blocked.  No read may wait, since only the interrupted code can hold the lock.  x86-64's trap flag single-steps.
#include "../../support/fake_os.hpp"
#include "../../support/filters.hpp"
#include "../../support/scenario.hpp"
#include "../../support/internals.hpp"
#include "../../support/machine.hpp"
#include "../../support/repeats.hpp"
#include "../../support/steps.hpp"
#include "../../support/replace.hpp"

#include <csignal>
#include <cstdio>

#include <sys/syscall.h>
#include <unistd.h>

namespace {

// The handler ignores an instruction after this many visits, because loops over bytes are long.
constexpr unsigned char visits_max = 3;
unsigned char visits[1 << 16];
// Nine of ten steps would be in SHA-256.  After this many calls each of its instructions has had all its visits, and later
// calls run at full speed.
constexpr unsigned int hashes_max = 12;
unsigned int hashes[3];

unsigned char drawn[1 << 20];
std::size_t drawn_len;
// How often the handler found its own thread holding the lock of the generation, of the sources, of the pools and the key.
unsigned long steps, found_generation, found_sources, found_pools, found_key;
struct cprng_process *p;

void read_in_handler()
{
	found_generation += cprng_lock_is_mine(&p->fork_state->lock);
	found_sources += cprng_lock_is_mine(&p->strong->poll_lock);
	found_pools += cprng_lock_is_mine(&p->strong->lock[CPRNG_LOCK_POOLS]);
	found_key += cprng_lock_is_mine(&p->strong->lock[CPRNG_LOCK_GENERATOR]);
	if (drawn_len + 16 > sizeof(drawn))
		return;
	cprng_strong(drawn + drawn_len, 16);
	drawn_len += 16;
}

bool is_free(const struct cprng_lock &lock)
{
	const struct cprng_lock none = {};

	return std::memcmp(&lock, &none, sizeof(lock)) == 0;
}

bool all_free()
{
	return is_free(p->fork_state->lock) && is_free(p->strong->poll_lock) &&
	       is_free(p->strong->lock[CPRNG_LOCK_POOLS]) && is_free(p->strong->lock[CPRNG_LOCK_GENERATOR]);
}

bool by_another_signal, everywhere;

void on_step(int, siginfo_t *, void *context)
{
	const greg_t pc = static_cast<ucontext_t *>(context)->uc_mcontext.gregs[REG_RIP];
	unsigned char *const visit = &visits[static_cast<std::size_t>(pc) % sizeof(visits)];

	steps++;
	if (*visit == visits_max || (!everywhere && all_free()))
		return;
	++*visit;
	if (by_another_signal)
		syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), SIGUSR1);
	else
		read_in_handler();
}

void step_through_read()
{
	unsigned char bytes[16];

	std::memset(visits, 0, sizeof(visits));
	std::memset(hashes, 0, sizeof(hashes));
	steps::begin();
	cprng_strong(bytes, sizeof(bytes));
	steps::end();
}

template <typename Function, typename... Arguments>
void hash(unsigned int &count, Function function, Arguments... arguments)
{
	// Skip calls from the handler, which is not single-stepped.
	const bool is_seen = steps::are_on() && (everywhere || !all_free()) && ++count > hashes_max;

	if (is_seen)
		steps::skip(function, arguments...);
	else
		function(arguments...);
}

void begin()
{
	(void)cprng_fast64();
	p = cprng_process();
	fake_os.wait = [](auto...) {
		scenario::require(false, "a read waits for the code that its handler has interrupted");
	};
	steps::handle(on_step);
}

// Reads in a child, which has no generation yet.  Its lock is also taken if something must be repaired.
void read_step_by_step()
{
	const pid_t pid = machine::raw_fork();

	REQUIRE_IN_CHILD(pid >= 0);
	if (pid != 0) {
		REQUIRE_IN_CHILD(machine::status_of(pid) == 0);
		return;
	}
	// Pretend that another thread of the parent was in an invalidation or in a draw from a slot.
	if (p->placement->restartable)
		p->draw.cpus = 0;
	else
		p->slot_claim[0].claim.taken = cprng_claim_owner() + 64;
	// The handler reads only while a lock is held: otherwise its read at the first instruction would already do the work.
	step_through_read();
	cprng_invalidate();
	step_through_read();
	everywhere = true;
	step_through_read();
	dprintf(STDOUT_FILENO, "%lu steps, %zu reads; locks held: %lu of the generation, %lu, %lu, %lu", steps,
		drawn_len / 16, found_generation, found_sources, found_pools, found_key);
	REQUIRE_IN_CHILD(found_generation > 0 && found_sources > 0 && found_pools > 0 && found_key > 0);
	// False alarms: (10^6)^2 / 2^65.
	Windows windows(sizeof(drawn));
	std::size_t repeats = 0;
	for (std::size_t i = 0; i < drawn_len; i += 16)
		repeats += windows.add(drawn + i, 16);
	REQUIRE_IN_CHILD(repeats == 0);
	REQUIRE_IN_CHILD(!has_zero_window(drawn, drawn_len));
	_exit(0);
}

const scenario::Scenario by_trap("lock steps: SIGTRAP", [] {
	begin();
	read_step_by_step();
});

// No signal is blocked here, so a timer's signal may arrive between any two instructions.
const scenario::Scenario unblocked("lock steps: sigprocmask refused", [] {
	begin();
	by_another_signal = true;
	std::signal(SIGUSR1, [](int) { read_in_handler(); });
	filters::refuse(SYS_rt_sigprocmask, EPERM);
	read_step_by_step();
});

} // namespace

REPLACE(void, cprng_sha256_update, (struct cprng_sha256 * h, const void *data, std::size_t len))
{
	hash(hashes[0], __real_cprng_sha256_update, h, data, len);
}

REPLACE(void, cprng_sha256d_init, (struct cprng_sha256 * h))
{
	hash(hashes[1], __real_cprng_sha256d_init, h);
}

REPLACE(void, cprng_sha256d_final, (struct cprng_sha256 * h, std::uint8_t digest[CPRNG_SHA256_SIZE]))
{
	hash(hashes[2], __real_cprng_sha256d_final, h, digest);
}

// Catches an instruction of a read at which a handler of the same thread waits for the read's lock.
TEST_CASE("lock steps: a handler reads at every instruction of a read, and never waits")
{
	SKIP_IF(!machine::buffered(), "there are no locks");
	SKIP_IF(machine::slow(), "the sanitizer's code would be stepped through, or there are no steps");
	scenario::check(by_trap);
}

// Catches the same where blocked signals do not keep handlers out and only the lock does.
TEST_CASE("lock steps: the same where a sandbox refuses to block signals")
{
	SKIP_IF(!machine::buffered(), "there are no locks");
	SKIP_IF(machine::slow(), "the sanitizer's code would be stepped through, or there are no steps");
	scenario::check(unblocked);
}
