// SPDX-License-Identifier: BSD-2-Clause
// A thread that changes its CPU during a refill: it takes one buffer's key and fills another.
#include "../../support/faults.hpp"
#include "../../support/scenario.hpp"
#include "../../support/internals.hpp"
#include "../../support/machine.hpp"
#include "../../support/script.hpp"

#include <unistd.h>

namespace {

bool is_locked(const struct cprng_process *p, std::uint32_t index)
{
	return (p->fork_state->buffer_locked[index / 32] >> index % 32 & 1) != 0;
}

int other_cpu;

// Its page may be swapped unless it is locked, however the thread reached it.
const scenario::Scenario between_keys("migration: between two keys", [] {
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
	const unsigned long calls = faults.mlock_calls;
	// A preemption aborts the sequence that stores a key, which does not retry.
	for (int tries = 0; tries < 1000 && p->buffers[there].key_tag == 0; tries++) {
		REQUIRE_IN_CHILD(machine::pin(0, static_cast<int>(here)));
		cprng_draw_by_refill(p, bytes, sizeof(bytes));
	}
	REQUIRE_IN_CHILD(p->buffers[there].key_tag != 0);
	REQUIRE_IN_CHILD(is_locked(p, there));
	REQUIRE_IN_CHILD(faults.mlock_calls == calls + 1);
});

} // namespace

// Catches an unlocked page with a key.
TEST_CASE("migration: the buffer that a key is put into is locked, also where the key came from another CPU's")
{
	SKIP_IF(!machine::per_cpu(), "no buffers of CPUs");
	scenario::check(between_keys);
}
