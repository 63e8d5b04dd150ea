// SPDX-License-Identifier: BSD-2-Clause
// What is locked into memory: exactly the pages that hold a key.  (promises/5-no-quiet-failure/memory.cpp tests a refused lock.)
#include "../../support/fake_os.hpp"
#include "../../support/scenario.hpp"
#include "../../support/internals.hpp"
#include "../../support/machine.hpp"
#include "../../support/script.hpp"

#include <unistd.h>

namespace {

// RLIMIT_MEMLOCK belongs to the application.  So only the buffers of CPUs that draw are locked, and the pools once they are
// used.
const scenario::Scenario mlock_least("memory lock: of what is used", [] {
	const std::size_t page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
	unsigned char bytes[700];
	std::size_t most = 0; // most bytes locked by one call

	fake_os.mlock.before = [&](void *, std::size_t len) { most = std::max(most, len); };
	(void)cprng_fast64();
	cprng_fast(bytes, sizeof(bytes));
	dprintf(STDERR_FILENO, "%zu bytes locked at once, ", most);
	// A buffer spans two pages unless it begins at a page border.
	const bool reaches = reinterpret_cast<std::uintptr_t>(cprng_process()->buffers) % page + 4096 > page;
	REQUIRE_IN_CHILD(most == (reaches ? 2 : 1) * page);
	cprng_strong(bytes, sizeof(bytes));
	dprintf(STDERR_FILENO, "then %zu", most);
	REQUIRE_IN_CHILD(most <= sizeof(struct cprng_process_fortuna) + 2 * page);
	// Locked memory must not be locked again, not even after it was erased.
	const unsigned long calls = fake_os.mlock.calls;
	machine::pin(0, machine::cpus().front());
	(void)cprng_fast64();
	for (int i = 0; i < 10; i++) {
		cprng_invalidate();
		(void)cprng_fast64();
	}
	REQUIRE_IN_CHILD(fake_os.mlock.calls <= calls + 1);
});

bool is_locked(const struct cprng_process *p, std::uint32_t index)
{
	return (p->fork_state->buffer_locked[index / 32] >> index % 32 & 1) != 0;
}

int other_cpu;

// A thread that changes its CPU during a refill takes the key of one buffer and fills another.  The second buffer must be
// locked, too: otherwise its page may be swapped out.
const scenario::Scenario between_keys("memory lock: between two keys", [] {
	struct cprng_process *const p = cprng_process();
	unsigned char bytes[16];

	if (p->placement != &cprng_placement_percpu || machine::cpus().size() < 2)
		_exit(scenario::unavailable);
	const auto here = static_cast<std::uint32_t>(machine::cpus().front());
	const auto there = static_cast<std::uint32_t>(machine::cpus()[1]);
	REQUIRE_IN_CHILD(machine::pin(0, machine::cpus().front()));
	(void)cprng_fast64();
	REQUIRE_IN_CHILD(!is_locked(p, here));
	(void)cprng_fast64();
	REQUIRE_IN_CHILD(is_locked(p, here) && !is_locked(p, there));
	script::watch_cipher();
	other_cpu = static_cast<int>(there);
	// Between taking the key and storing the next one.
	script::cipher.before_key = [] { REQUIRE_IN_CHILD(machine::pin(0, other_cpu)); };
	const unsigned long calls = fake_os.mlock.calls;
	// A preemption aborts the sequence that stores a key, which does not retry.
	for (int tries = 0; tries < 1000 && p->buffers[there].key_tag == 0; tries++) {
		REQUIRE_IN_CHILD(machine::pin(0, static_cast<int>(here)));
		cprng_draw_by_refill(p, bytes, sizeof(bytes));
	}
	REQUIRE_IN_CHILD(p->buffers[there].key_tag != 0);
	REQUIRE_IN_CHILD(is_locked(p, there));
	REQUIRE_IN_CHILD(fake_os.mlock.calls == calls + 1);
});

} // namespace

// Catches the locking of all buffers at once, or of buffers again at each draw, which exhausts RLIMIT_MEMLOCK.
TEST_CASE("memory lock: no more is locked than is used")
{
	SKIP_IF(!machine::buffered() || machine::emulated(), "no buffers");
	scenario::check(mlock_least);
}

// Catches an unlocked page with a key.
TEST_CASE("memory lock: the buffer that a key is put into is locked, also where the key came from another CPU's")
{
	SKIP_IF(!machine::per_cpu(), "no per-CPU buffers");
	scenario::check(between_keys);
}
