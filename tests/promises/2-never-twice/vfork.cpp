// SPDX-License-Identifier: BSD-2-Clause
// Children that share their parent's memory and whose restartable sequences the kernel does not restart: vfork, and
// clone with CLONE_VM.  They call cprng_vfork_child() first.
#include "../../support/run.hpp"
#include "../../support/fake_os.hpp"
#include "../../support/scenario.hpp"
#include "../../support/internals.hpp"
#include "../../support/machine.hpp"
#include "../../support/repeats.hpp"

#include "os/own_area.h"

#include "cprng/fortuna.h"

#include <atomic>
#include <csignal>
#include <cstring>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

// The child's work; returns the exit status.
using Child = int (*)(void *arg);

// Calls vfork and contains no other code, so that no variable can be clobbered.
__attribute__((noinline)) pid_t by_vfork(Child work, void *arg)
{
	const pid_t pid = vfork();

	if (pid == 0)
		_exit(work(arg));
	return pid;
}

// One stack for all, since the parent waits.  Each level of nested children uses the next half.
pid_t by_clone(Child work, void *arg, int flags)
{
	static unsigned char stacks[2][262144] __attribute__((aligned(64)));
	static int depth;
	const int level = depth++ % 2;
	const pid_t pid =
		clone(work, stacks[level] + sizeof(stacks[level]), CLONE_VM | CLONE_VFORK | SIGCHLD | flags, arg);

	depth--;
	return pid;
}

using Way = pid_t (*)(Child work, void *arg);

struct NamedWay {
	const char *name;
	Way make;
};

const NamedWay ways[] = {
	{ "vfork", by_vfork },
	{ "clone with CLONE_VM", [](Child work, void *arg) { return by_clone(work, arg, 0); } },
	{ "clone with CLONE_VM into a PID namespace",
	  [](Child work, void *arg) { return by_clone(work, arg, CLONE_NEWPID); } },
};

// One thread's or child's values.
struct Drawn {
	std::vector<std::uint64_t> values;
	std::size_t count = 0;

	explicit Drawn(std::size_t most) : values(most)
	{
	}

	bool full() const
	{
		return count == values.size();
	}

	// Inlined draws of one width, draws copied from the buffer, and draws from one-time keys.
	void draw()
	{
		std::uint64_t words[4];
		put(cprng_fast64());
		cprng_fast(words, sizeof(words));
		for (std::uint64_t w : words)
			put(w);
		unsigned char many[520];
		cprng_fast(many, sizeof(many));
		put(window_at(many));
	}

	void put(std::uint64_t v)
	{
		if (!full())
			values[count++] = v;
	}
};

struct Scene {
	std::atomic<bool> begun{ false }, ended{ false }, over{ false };
	std::atomic<unsigned int> ready{ 0 };
	Drawn child{ 12000 };
	std::vector<std::unique_ptr<Drawn>> threads;
};

// The parent waits on the first CPU, so the child's restartable-sequences area names that CPU.  The child runs on the last
// CPU, if there is more than one.
int draw_elsewhere(void *arg)
{
	Scene *scene = static_cast<Scene *>(arg);

	cprng_vfork_child();
	machine::pin(0, machine::cpus().back());
	scene->begun = true;
	while (!scene->child.full())
		scene->child.draw();
	scene->ended = true;
	return 0;
}

void draw_meanwhile(Scene *scene, Drawn *drawn, int cpu)
{
	machine::pin(0, cpu);
	scene->ready++;
	while (!scene->begun && !scene->over)
		std::this_thread::yield();
	while (!scene->ended && !scene->over && !drawn->full())
		drawn->draw();
}

bool is_open()
{
	const struct cprng_process *p = cprng_process();

	return p->buffers_disabled == 0 && all_open(p);
}

// Counts values that are repeated or zero.
std::size_t spoiled(const std::vector<const Drawn *> &all)
{
	std::size_t total = 0;

	for (const Drawn *d : all)
		total += d->count;
	Served served(total);
	for (const Drawn *d : all)
		served.add(d->values, d->count);
	return served.bad();
}

} // namespace

// At most 12,000 + 3 * 60,000 values in each of 60 rounds: false alarms 6 * 10^-8.
// Catches a sequence of the child that the kernel does not restart, and bytes served twice.
TEST_CASE("vfork: the child draws, and other threads of the parent too")
{
	SKIP_IF(machine::emulated(), "no such children");
	for (const NamedWay &way : ways) {
		INFO(std::string(way.name));
		for (int round = 0; round < (machine::slow() ? 2 : run::volume(5, 20)); round++) {
			Scene scene;
			std::vector<std::thread> threads;
			const int first = machine::cpus().front(), last = machine::cpus().back();
			for (int cpu : { first, first, last }) {
				scene.threads.push_back(std::make_unique<Drawn>(60000));
				threads.emplace_back(draw_meanwhile, &scene, scene.threads.back().get(), cpu);
			}
			machine::pin(0, first);
			while (scene.ready != threads.size())
				std::this_thread::yield();
			const pid_t pid = way.make(draw_elsewhere, &scene);
			scene.over = true;
			for (std::thread &t : threads)
				t.join();
			machine::unpin();
			if (pid < 0) {
				SKIPPED(std::string(way.name) + " is not permitted here");
				break;
			}
			CHECK(machine::ended_well(pid));
			REQUIRE(scene.child.full());
			std::vector<const Drawn *> all{ &scene.child };
			for (const auto &d : scene.threads)
				all.push_back(d.get());
			CHECK(spoiled(all) == 0);
			(void)cprng_fast64();
			(void)cprng_fast64();
			if (machine::per_cpu())
				CHECK(is_open());
		}
	}
}

// ------------------------------------------------------------------------------- opened again, however the child ends

namespace {

// Called in the child; the parent's draws check its effect.
bool closed_in_child;

int close_and_end(void *)
{
	cprng_vfork_child();
	cprng_vfork_child(); // a second call is harmless
	closed_in_child = all_closed(cprng_process()) && cprng_fast64() != cprng_fast64();
	cprng_invalidate();
	closed_in_child = closed_in_child && all_closed(cprng_process());
	return 0;
}

int close_and_be_killed(void *)
{
	(void)close_and_end(nullptr);
	kill(getpid(), SIGKILL);
	return 1;
}

// A program that runs until its standard input ends.
int close_and_exec(void *arg)
{
	const int *ends = static_cast<const int *>(arg);

	(void)close_and_end(nullptr);
	dup2(ends[0], STDIN_FILENO);
	close(ends[1]);
	char *argv[] = { const_cast<char *>("cat"), nullptr };
	execv("/bin/cat", argv);
	return 1;
}

int have_a_child(void *)
{
	(void)close_and_end(nullptr);
	const pid_t pid = by_vfork(close_and_be_killed, nullptr);
	(void)cprng_fast64();
	// The grandchild has ended, but this child has not.
	closed_in_child = closed_in_child && all_closed(cprng_process());
	return WIFSIGNALED(machine::status_of(pid)) ? 0 : 1;
}

void check_reopened(const char *how, Child work, void *arg, bool killed = false)
{
	INFO(std::string(how));
	closed_in_child = false;
	(void)cprng_fast64();
	const pid_t pid = by_vfork(work, arg);
	REQUIRE(pid > 0);
	CHECK(closed_in_child);
	(void)cprng_fast64();
	CHECK(is_open());
	if (arg != nullptr)
		close(static_cast<int *>(arg)[1]);
	const int status = machine::status_of(pid);
	CHECK(WIFSIGNALED(status) == killed);
	if (!killed)
		CHECK(WEXITSTATUS(status) == 0);
}

} // namespace

// Catches buffers that stay disabled after an exit, a kill or an exec, or are enabled too early.
TEST_CASE("vfork: the buffers are closed while the child is there, and no longer")
{
	SKIP_IF(!machine::per_cpu(), "no restartable sequences");
	int ends[2];

	// More children in succession than the library has words for.
	for (int i = 0; i < 100; i++) {
		check_reopened("exit", close_and_end, nullptr);
		check_reopened("kill", close_and_be_killed, nullptr, true);
	}
	REQUIRE(pipe(ends) == 0);
	check_reopened("exec", close_and_exec, ends);
	close(ends[0]);
	check_reopened("a child of the child", have_a_child, nullptr);
}

// ------------------------------------------------------------------------------------------------- forks of the child

namespace {

int fork_and_draw(void *)
{
	cprng_vfork_child();
	(void)cprng_fast64();
	const pid_t pid = fork();
	if (pid == 0) {
		(void)cprng_fast64();
		_exit(!machine::buffered() || machine::placement() == machine::Placement::slots ? 0 : 1);
	}
	return pid > 0 && machine::status_of(pid) == 0 ? 0 : 1;
}

} // namespace

// Catches a process that inherits the child's sequences, which the kernel does not restart.
TEST_CASE("vfork: what the child forks has slots")
{
	SKIP_IF(machine::emulated(), "no such children");
	CHECK(machine::ended_well(by_vfork(fork_and_draw, nullptr)));
}

namespace {

// Another thread forks between the call's two stores: the copy is marked, but its buffers are still enabled.
const scenario::Scenario forked_between("vfork: a fork in the middle of the call", [] {
	struct cprng_process *p = cprng_process();

	(void)cprng_fast64();
	REQUIRE_IN_CHILD(all_open(p));
	p->buffers_disabled = 1;
	const pid_t pid = machine::raw_fork();
	if (pid == 0) {
		(void)cprng_fast64();
		_exit(all_closed(p) && p->placement == &cprng_placement_slots ? 0 : 1);
	}
	REQUIRE_IN_CHILD(pid > 0 && machine::status_of(pid) == 0);
});

} // namespace

// Catches a copy whose buffers are enabled although its sequences are not restarted.
TEST_CASE("vfork: a fork in the middle of the call")
{
	SKIP_IF(!machine::per_cpu(), "no restartable sequences");
	scenario::check(forked_between);
}

// ---------------------------------------------------------------------------------- an end that the library will not see

namespace {

// The C library may wait on the same word of the thread.
const scenario::Scenario called_by_thread("vfork: called by a thread", [] {
	(void)cprng_fast64();
	std::thread thread([] { cprng_vfork_child(); });
	thread.join();
	REQUIRE_IN_CHILD(!machine::per_cpu() || all_closed(cprng_process()));
	REQUIRE_IN_CHILD(cprng_fast64() != cprng_fast64());
	// Draw in a later thread; the calling thread has already ended.
	std::thread([] { REQUIRE_IN_CHILD(cprng_fast64() != 0); }).join();
	REQUIRE_IN_CHILD(!machine::per_cpu() || all_closed(cprng_process()));
});

const scenario::Scenario called_by_forked("vfork: called by a forked child", [] {
	(void)cprng_fast64();
	const pid_t pid = fork();
	if (pid == 0) {
		cprng_vfork_child();
		_exit(cprng_fast64() != cprng_fast64() ? 0 : 1);
	}
	REQUIRE_IN_CHILD(machine::status_of(pid) == 0);
	REQUIRE_IN_CHILD(!machine::per_cpu() || is_open());
});

void check_closed_for_good()
{
	(void)cprng_fast64();
	const pid_t pid = by_vfork(close_and_end, nullptr);
	REQUIRE_IN_CHILD(pid > 0 && machine::status_of(pid) == 0);
	REQUIRE_IN_CHILD(cprng_fast64() != cprng_fast64());
	REQUIRE_IN_CHILD(!machine::per_cpu() || (closed_in_child && all_closed(cprng_process())));
	cprng_invalidate();
	REQUIRE_IN_CHILD(!machine::per_cpu() || all_closed(cprng_process()));
}

const scenario::Scenario hidden("vfork: PR_GET_TID_ADDRESS refused", [] {
	fake_os.tid_address.answer = -EINVAL;
	check_closed_for_good();
});

const scenario::Scenario fixed("vfork: set_tid_address refused", [] {
	fake_os.set_tid_address.answer = -EPERM;
	check_closed_for_good();
});

// Nested; each has its own stack, since its parent waits with it.
std::size_t levels;

int nest(void *)
{
	static unsigned char stacks[70][65536] __attribute__((aligned(64)));

	cprng_vfork_child();
	if (cprng_fast64() == 0 || !all_closed(cprng_process()))
		return 1;
	if (levels == 70)
		return 0;
	unsigned char *stack = stacks[levels++];
	const pid_t pid = clone(nest, stack + sizeof(stacks[0]), CLONE_VM | CLONE_VFORK | SIGCHLD, nullptr);
	return pid > 0 && machine::status_of(pid) == 0 ? 0 : 1;
}

const scenario::Scenario too_many("vfork: more children than words", [] {
	(void)cprng_fast64();
	if (!machine::per_cpu())
		_exit(scenario::unavailable);
	const pid_t pid = by_vfork(nest, nullptr);
	REQUIRE_IN_CHILD(pid > 0 && machine::status_of(pid) == 0);
	REQUIRE_IN_CHILD(cprng_fast64() != cprng_fast64());
	REQUIRE_IN_CHILD(all_closed(cprng_process()));
	// Processes that are forked now have buffers again.
	const pid_t forked = fork();
	if (forked == 0)
		_exit(cprng_fast64() != 0 && machine::placement() == machine::Placement::slots ? 0 : 1);
	REQUIRE_IN_CHILD(machine::status_of(forked) == 0);
});

// The child draws first and sets up the state with which the parent continues.
const scenario::Scenario first_in_child("vfork: the first draw", [] {
	const pid_t pid = by_vfork(close_and_end, nullptr);
	REQUIRE_IN_CHILD(pid > 0 && machine::status_of(pid) == 0);
	// The child has not registered this thread's area: the kernel would not restart its sequences.
	REQUIRE_IN_CHILD(!cprng_os_has_joined());
	REQUIRE_IN_CHILD(cprng_fast64() != cprng_fast64());
	REQUIRE_IN_CHILD(!machine::per_cpu() || (closed_in_child && is_open()));
});

} // namespace

// Catches buffers that are enabled while such a child may still exist, and a registration that a child made.
TEST_CASE("vfork: children whose end cannot be seen")
{
	SKIP_IF(machine::emulated(), "no such children");
	for (const scenario::Scenario *s :
	     { &called_by_thread, &called_by_forked, &too_many, &first_in_child, &hidden, &fixed })
		scenario::check(*s);
}

// ----------------------------------------------------------------------------------------------------- without buffers

namespace {

struct Strong {
	unsigned char bytes[3][20000];
	cprng_fortuna *object = nullptr;
	std::atomic<bool> begun{ false }, ended{ false };
	bool good = false;
};

// Locks protect Fortuna in all processes that share the memory, so cprng_vfork_child() is not needed here.
int read_strong(void *arg)
{
	Strong *s = static_cast<Strong *>(arg);

	s->begun = true;
	for (std::size_t i = 0; i < sizeof(s->bytes[0]); i += 100)
		cprng_strong(s->bytes[0] + i, 100);
	s->good = s->object == nullptr || cprng_fortuna_read(s->object, s->bytes[1], sizeof(s->bytes[1])) == 0;
	s->ended = true;
	return 0;
}

} // namespace

// 6 * 10^4 windows: 10^-10.
// Catches a lock that parent and child both hold, and output that both receive.
TEST_CASE("vfork: Fortuna")
{
	SKIP_IF(machine::emulated(), "no such children");
	const auto s = std::make_unique<Strong>();
	const unsigned char seed[64] = { 1 };
	// Without wipeable pages there are no objects.
	if (cprng_fortuna_new(&s->object, nullptr, 0) == 0)
		REQUIRE(cprng_fortuna_seed(s->object, seed, sizeof(seed)) == 0);
	std::thread other([&s] {
		while (!s->begun)
			std::this_thread::yield();
		for (std::size_t i = 0; i < sizeof(s->bytes[2]); i += 100)
			cprng_strong(s->bytes[2] + i, 100);
	});
	CHECK(machine::ended_well(by_vfork(read_strong, s.get())));
	other.join();
	CHECK(s->good);
	Windows windows(sizeof(s->bytes));
	for (int i = 0; i < 3; i++) {
		if (i == 1 && s->object == nullptr)
			continue;
		CHECK(!has_zero_window(s->bytes[i], sizeof(s->bytes[i])));
		CHECK(windows.add(s->bytes[i], sizeof(s->bytes[i])) == 0);
	}
	cprng_fortuna_free(s->object);
}
