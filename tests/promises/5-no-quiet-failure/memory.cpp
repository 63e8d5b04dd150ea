// SPDX-License-Identifier: BSD-2-Clause
// The system refuses memory, its protection, or the system calls of the per-CPU placement.
#include "../../support/fake_os.hpp"
#include "../../support/scenario.hpp"
#include "../../support/internals.hpp"
#include "../../support/machine.hpp"
#include "../../support/repeats.hpp"

#include <cerrno>
#include <cstdio>
#include <thread>
#include <vector>

#include <linux/membarrier.h>
#include <semaphore.h>
#include <sys/mman.h>
#include <unistd.h>

namespace {

void check_info(const char *placement, const char *guard)
{
	cprng_info info;

	cprng_get_info(&info, sizeof(info));
	dprintf(STDERR_FILENO, "placement %s, guard %s, entropy %s, lock %s, %u states\n", info.placement,
		info.fork_guard, info.entropy, info.memory_lock, info.buffers);
	if (placement != nullptr)
		REQUIRE_IN_CHILD(std::strcmp(info.placement, placement) == 0);
	REQUIRE_IN_CHILD(std::strcmp(info.fork_guard, guard) == 0);
}

// Parent and child share nothing; the probability of a false alarm is (2 * 2500)^2 / 2^65.
void check_draws_and_fork()
{
	unsigned char *shared = static_cast<unsigned char *>(machine::shared_memory(8192));
	Windows windows(8192);
	const auto fill = [](unsigned char *p) {
		for (int i = 0; i < 64; i++) {
			const std::uint64_t v = cprng_fast64();
			std::memcpy(p + 8 * i, &v, sizeof(v));
		}
		cprng_fast(p + 512, 500);
		cprng_fast(p + 1012, 1500);
	};
	(void)cprng_fast32();
	const pid_t pid = fork();
	REQUIRE_IN_CHILD(pid >= 0);
	if (pid == 0) {
		fill(shared);
		_exit(0);
	}
	fill(shared + 4096);
	REQUIRE_IN_CHILD(machine::status_of(pid) == 0);
	for (const unsigned char *p : { shared, shared + 4096 }) {
		REQUIRE_IN_CHILD(!has_zero_window(p, 2512));
		REQUIRE_IN_CHILD(windows.add(p, 2512) == 0);
	}
	munmap(shared, 8192);
}

// Enough threads that slots collide.
void check_threads()
{
	std::vector<std::vector<std::uint64_t>> drawn(8);
	std::vector<std::thread> threads;
	Seen seen(8 * 20000);

	for (auto &v : drawn) {
		threads.emplace_back([&v] {
			for (int i = 0; i < 20000; i++)
				v.push_back(cprng_fast64());
		});
	}
	for (std::thread &t : threads)
		t.join();
	for (const auto &v : drawn) {
		// By chance: (1.6 * 10^5)^2 / 2^65 = 7 * 10^-10.
		for (std::uint64_t word : v)
			REQUIRE_IN_CHILD(word != 0 && seen.insert(word));
	}
}

const scenario::Scenario first_mmap("the first mmap fails", [] {
	fake_os.mmap.fail(1, -ENOMEM);
	check_info("unbuffered", "unbuffered");
	check_draws_and_fork();
});

const scenario::Scenario every_mmap("every mmap fails", [] {
	fake_os.mmap.answer = -ENOMEM;
	std::printf("%x\n", cprng_fast32());
	std::fflush(stdout);
});

// Memory needed in addition to the buffers: the vDSO's states.
const scenario::Scenario second_mmap("the second mmap fails", [] {
	cprng_info info;
	fake_os.mmap.fail(2, -ENOMEM);
	cprng_get_info(&info, sizeof(info));
	REQUIRE_IN_CHILD(std::strcmp(info.entropy, "getrandom") == 0);
	REQUIRE_IN_CHILD(std::strcmp(info.fork_guard, "wipe-on-fork") == 0);
	check_draws_and_fork();
});

const scenario::Scenario madvise_refused("madvise refused", [] {
	fake_os.madvise.answer = -EINVAL;
	check_info("unbuffered", "unbuffered");
	check_draws_and_fork();
	check_threads();
});

const scenario::Scenario madvise_pretends("madvise pretends", [] {
	fake_os.madvise.instead = [](auto...) { return 0L; };
	check_info("unbuffered", "unbuffered");
	check_draws_and_fork();
});

const scenario::Scenario mlock_refused("mlock refused", [] {
	cprng_info info;
	fake_os.mlock.answer = -EPERM;
	errno = 99;
	(void)cprng_fast32();
	REQUIRE_IN_CHILD(errno == 99);
	cprng_get_info(&info, sizeof(info));
	REQUIRE_IN_CHILD(std::strcmp(info.memory_lock, machine::buffered() ? "refused" : "none") == 0);
	check_draws_and_fork();
});

const scenario::Scenario membarrier_missing("membarrier missing", [] {
	fake_os.membarrier.answer = -ENOSYS;
	check_info(machine::emulated() ? "unbuffered" : "slots", machine::emulated() ? "unbuffered" : "wipe-on-fork");
	check_draws_and_fork();
	check_threads();
	cprng_invalidate();
	check_threads();
});

const scenario::Scenario membarrier_fails("membarrier fails when it is needed", [] {
	fake_os.membarrier.before = [](int command) {
		fake_os.membarrier.answer = command == MEMBARRIER_CMD_QUERY ? 0 : -EPERM;
	};
	check_draws_and_fork();
	(void)cprng_fast64();
	cprng_invalidate();
	dprintf(STDOUT_FILENO, "%s", machine::per_cpu() ? "" : "not needed");
	if (machine::per_cpu())
		_exit(1);
});

const scenario::Scenario mask_missing("sched_getaffinity missing", [] {
	fake_os.cpu_mask_size.answer = -ENOSYS;
	check_draws_and_fork();
	check_threads();
});

const scenario::Scenario mask_huge("sched_getaffinity says 64 KiB", [] {
	cprng_info info;
	fake_os.cpu_mask_size.answer = 65536;
	check_draws_and_fork();
	check_threads();
	cprng_get_info(&info, sizeof(info));
	REQUIRE_IN_CHILD(info.buffers <= 8192);
});

// Semaphores of two threads that both make their first draw.
sem_t stopped, go, published;

// Another thread stops in its first draw after its n-th mmap.  From then on mmap fails.  This thread makes its own first draw,
// whose first sleep lets the other thread continue.
void check_beside_another(unsigned long n)
{
	static unsigned long stop_at;
	static std::thread::id other;

	stop_at = n;
	REQUIRE_IN_CHILD(sem_init(&stopped, 0, 0) == 0 && sem_init(&go, 0, 0) == 0 && sem_init(&published, 0, 0) == 0);
	fake_os.mmap.after = [](auto...) {
		if (std::this_thread::get_id() != other || fake_os.mmap.calls != stop_at)
			return;
		fake_os.mmap.only = 0;
		fake_os.mmap.answer = -ENOMEM;
		sem_post(&stopped);
		sem_wait(&go);
	};
	fake_os.sleep.instead = [](auto...) {
		sem_post(&go);
		sem_wait(&published);
		sem_post(&published);
		return 0L;
	};
	std::thread thread([] {
		other = std::this_thread::get_id();
		(void)cprng_fast64();
		sem_post(&published);
	});
	sem_wait(&stopped);
	(void)cprng_fast64();
	REQUIRE_IN_CHILD(fake_os.sleep.calls == 1);
	thread.join();
}

const scenario::Scenario beside_a_mapping("mmap fails beside another thread's first draw", [] {
	check_beside_another(1);
	check_info(nullptr, machine::emulated() ? "unbuffered" : "wipe-on-fork");
});

const scenario::Scenario beside_a_page("mmap fails beside another thread that has a page", [] {
	fake_os.mmap.fail(1, -ENOMEM);
	check_beside_another(2);
	check_info("unbuffered", "unbuffered");
});

// A handler draws in the middle of its thread's first draw, also in a child that it forks there: the set-up that it waits
// for makes no progress.
const scenario::Scenario in_a_handler("mmap fails in a handler within a first draw", [] {
	fake_os.mmap.after = [](auto...) {
		if (fake_os.mmap.calls != 1)
			return;
		fake_os.mmap.fail(1, -ENOMEM);
		check_draws_and_fork();
	};
	fake_os.sleep.before = [](auto...) { REQUIRE_IN_CHILD(fake_os.sleep.calls <= 1000); };
	fake_os.sleep.instead = [](auto...) { return 0L; };
	check_info("unbuffered", "unbuffered");
	REQUIRE_IN_CHILD(fake_os.sleep.calls == 1000);
	check_draws_and_fork();
});

} // namespace

// Catches a failed mmap whose result is used as an address.
TEST_CASE("memory: without mmap there are no buffers, and without any page no library")
{
	scenario::check(first_mmap);
	const scenario::Result r = every_mmap.run();
	INFO(r.describe());
	CHECK(r.aborted_saying("cprng: no memory"));
}

// Catches a thread that gives up the buffers, or aborts, although another thread has already mapped the memory.
TEST_CASE("memory: what another thread sets up is enough")
{
	scenario::check(beside_a_mapping);
	scenario::check(beside_a_page);
}

// Catches an unbounded wait for a thread that cannot continue.
TEST_CASE("memory: a set-up that stands still is waited for a while")
{
	scenario::check(in_a_handler);
}

// Catches a failed mmap of the vDSO's states whose result is used, or that is fatal.
TEST_CASE("memory: without memory for the vDSO's states the entropy comes by system call")
{
	cprng_info info;
	cprng_get_info(&info, sizeof(info));
	SKIP_IF(std::strcmp(info.entropy, "vdso-getrandom") != 0, "no getrandom in the vDSO, or no buffers");
	scenario::check(second_mmap);
}

// Catches buffers that a fork copies because the kernel refuses or ignores MADV_WIPEONFORK.
TEST_CASE("memory: pages that cannot be wiped in a child hold nothing")
{
	scenario::check(madvise_refused);
	scenario::check(madvise_pretends);
}

// Catches a refused mlock that is fatal, unreported, or visible in errno.
TEST_CASE("memory: a refused mlock is reported and does no harm")
{
	scenario::check(mlock_refused);
}

// Catches per-CPU buffers that an invalidation cannot reach.
TEST_CASE("memory: without membarrier there are slots")
{
	scenario::check(membarrier_missing);
}

// Catches an invalidation that fails silently.
TEST_CASE("memory: buffers that cannot be invalidated are no reason to go on")
{
	const scenario::Result r = membarrier_fails.run();
	INFO(r.describe());
	// The result depends on that process's placement, which may differ from this one's.
	if (r.output != "not needed")
		CHECK(r.aborted_saying("cprng: buffers cannot be invalidated: membarrier: error 1"));
	else
		CHECK(r.ended_well());
}

// Catches an unchecked CPU mask size.
TEST_CASE("memory: sizes of CPU masks that are not to be believed")
{
	scenario::check(mask_missing);
	scenario::check(mask_huge);
}
