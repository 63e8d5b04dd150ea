// SPDX-License-Identifier: BSD-2-Clause
// Generations separate the time before a fork or an invalidation from the time after it, also for bytes from the vDSO.
#include "../../support/fake_os.hpp"
#include "../../support/scenario.hpp"
#include "../../support/internals.hpp"
#include "../../support/machine.hpp"
#include "../../support/script.hpp"

#include <algorithm>
#include <csignal>

#include <sys/wait.h>
#include <unistd.h>

namespace generation_tests {
namespace {

using script::Bytes;
using script::given;

struct cprng_process *p;

void start(bool with_vdso)
{
	fake_os.vdso_missing = !with_vdso;
	script::begin(with_vdso);
	p = cprng_process();
	REQUIRE_IN_CHILD(p->fork_state != nullptr);
	REQUIRE_IN_CHILD((p->vdso.generate != nullptr) == with_vdso);
}

std::uint64_t generation()
{
	return p->fork_state->generation;
}

// Catches an invalidation that keeps the generation, or makes it 0.
CHILD_TEST_CASE("generations: an invalidation is another one, and never 0", scenario::check_buffered)
{
	start(false);
	REQUIRE_IN_CHILD(cprng_generation(p) != 0);
	for (int i = 0; i < 5; i++) {
		const std::uint64_t before = generation();
		cprng_generation_invalidate(p);
		REQUIRE_IN_CHILD(generation() != before && generation() != 0);
		REQUIRE_IN_CHILD(cprng_generation_changed(p, before));
	}
	// 0 is no generation.
	p->fork_state->generation = UINT64_MAX;
	cprng_generation_invalidate(p);
	REQUIRE_IN_CHILD(generation() != 0);
}

// Catches a child that keeps its parent's generation, or that counts on from it.
CHILD_TEST_CASE("generations: a child's is the kernel's", scenario::check_buffered)
{
	start(false);
	(void)cprng_fast64();
	const std::uint64_t parents = generation();
	const pid_t pid = fork();
	if (pid == 0) {
		given.clear();
		REQUIRE_IN_CHILD(generation() == 0);
		(void)cprng_fast64();
		std::uint64_t random;
		REQUIRE_IN_CHILD(!given.empty() && given[0].bytes.size() == 2 * sizeof(random)); // and the draw's
		std::memcpy(&random, given[0].bytes.data(), sizeof(random));
		REQUIRE_IN_CHILD(generation() == (random | CPRNG_IS_GENERATION) && generation() != parents);
		_exit(0);
	}
	REQUIRE_IN_CHILD(machine::ended_well(pid));
	REQUIRE_IN_CHILD(generation() == parents);
}

unsigned int zeros_given;

// Catches a second request to the kernel, or the generation 0.
CHILD_TEST_CASE("generations: a kernel that gives 0 has given one", scenario::check_buffered)
{
	start(false);
	fake_os.getrandom.after = [](long, void *buf, std::size_t len) {
		if (zeros_given++ == 0)
			std::memset(buf, 0, len);
	};
	REQUIRE_IN_CHILD(cprng_generation(p) != 0);
	REQUIRE_IN_CHILD(generation() != 0);
	REQUIRE_IN_CHILD(zeros_given == 1);
}

bool in_child, has_forked;

// The fork may happen, for example, in a handler that emulates the system call: both processes have the returned number.
// Catches a parent and a child with the same generation.
CHILD_TEST_CASE("generations: a fork in the middle of the first draw", scenario::check_buffered)
{
	start(false);
	fake_os.getrandom.after = [](long, void *, std::size_t len) {
		if (has_forked || len != sizeof(std::uint64_t))
			return;
		has_forked = true;
		const pid_t pid = fork();
		REQUIRE_IN_CHILD(pid >= 0);
		in_child = pid == 0;
		if (!in_child)
			REQUIRE_IN_CHILD(machine::ended_well(pid));
	};
	REQUIRE_IN_CHILD(cprng_generation_wait(p) != 0 && has_forked);
	std::uint64_t both;
	std::memcpy(&both, given[0].bytes.data(), sizeof(both));
	REQUIRE_IN_CHILD((generation() == (both | CPRNG_IS_GENERATION)) != in_child);
}

bool blocked_now()
{
	sigset_t now;

	sigprocmask(SIG_BLOCK, nullptr, &now);
	return sigismember(&now, SIGUSR1) == 1 && sigismember(&now, SIGALRM) == 1;
}

bool were_blocked, were_looked_at;

// A handler that invalidates would wait for the thread that it has interrupted.
// Catches signals that are not blocked while the lock is held.
CHILD_TEST_CASE("generations: all signals are blocked while the buffers are erased", scenario::check_buffered)
{
	start(false);
	fake_os.getrandom.instead = nullptr;
	(void)cprng_fast64();
	if (p->placement != &cprng_placement_percpu)
		_exit(scenario::unavailable);
	static std::uint64_t before;
	before = p->fork_state->generation;
	fake_os.membarrier.before = [](int) {
		were_looked_at = true;
		// Otherwise a push could put older bytes into a buffer that has already been erased.
		REQUIRE_IN_CHILD(p->fork_state->generation == before + 2);
		were_blocked = blocked_now() && p->fork_state->lock.word != 0;
	};
	cprng_generation_invalidate(p);
	REQUIRE_IN_CHILD(were_looked_at && were_blocked);
	REQUIRE_IN_CHILD(!blocked_now() && p->fork_state->lock.word == 0);
}

Bytes entropy()
{
	Bytes bytes(CPRNG_KEY_SIZE);

	cprng_kernel_bytes_by_vdso(p, bytes.data(), bytes.size());
	return bytes;
}

// Whether the library uses the kernel's last bytes, and by which path they came.
bool comes(bool by_vdso)
{
	const Bytes bytes = entropy();

	return bytes == given.back().bytes && given.back().by_vdso == by_vdso;
}

cprng_vgetrandom pretended;
void (*in_vdso)();

long disturbed_vdso(void *buf, std::size_t len, unsigned int flags, void *state, std::size_t state_size)
{
	const long n = pretended(buf, len, flags, state, state_size);

	if (in_vdso != nullptr) {
		void (*const once)() = in_vdso;
		in_vdso = nullptr;
		once();
	}
	return n;
}

void disturb(void (*once)())
{
	pretended = pretended != nullptr ? pretended : p->vdso.generate;
	p->vdso.generate = disturbed_vdso;
	in_vdso = once;
}

// Catches vDSO bytes from before an invalidation that are used after it, and a state with two users.
CHILD_TEST_CASE("generations: what the vDSO gave is not used when it was disturbed", scenario::check_buffered)
{
	start(true);
	(void)cprng_fast64();
	machine::pin(0, machine::cpus().front());
	REQUIRE_IN_CHILD(comes(true));

	// If an invalidation or a fork happens during the call, its bytes are neither used nor kept.
	disturb([] { cprng_generation_invalidate(p); });
	REQUIRE_IN_CHILD(comes(false));
	REQUIRE_IN_CHILD(std::all_of(p->vdso.memory, p->vdso.memory + p->vdso.mapped,
				     [](std::uint8_t byte) { return byte == 0; }));
	// Its state is released.
	REQUIRE_IN_CHILD(comes(true));

	// A handler that runs during the call gets no state.
	disturb([] { REQUIRE_IN_CHILD(comes(false)); });
	const std::size_t before = given.size();
	const Bytes interrupted = entropy();
	REQUIRE_IN_CHILD(given.size() == before + 2 && interrupted == given[before].bytes && given[before].by_vdso);
}

} // namespace
} // namespace generation_tests
