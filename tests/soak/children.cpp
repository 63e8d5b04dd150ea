// SPDX-License-Identifier: BSD-2-Clause
#include "children.hpp"

#include "participants.hpp"
#include "draws.hpp"

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>

#include <cprng/cprng.h>
#include <fmt/format.h>

#include <sched.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace soak {

const char program_argument[] = "--draw-and-exit";

namespace {

std::atomic<int> first_bad_status{ 0 };

// Only for threads of this process: grandchildren are judged by their parents' status.
bool await(pid_t child)
{
	int status = -1, none = 0;

	while (waitpid(child, &status, 0) < 0) {
		if (errno != EINTR)
			return false;
	}
	// Also called for a program that Ctrl-C has ended.
	if (interrupted() && WIFSIGNALED(status) && (WTERMSIG(status) == SIGINT || WTERMSIG(status) == SIGTERM))
		return true;
	if (status != 0)
		first_bad_status.compare_exchange_strong(none, status);
	return status == 0;
}

pid_t clone_by_system_call(unsigned long flags)
{
#if defined(__s390__)
	return static_cast<pid_t>(syscall(SYS_clone, 0, flags | SIGCHLD, 0, 0, 0));
#else
	return static_cast<pid_t>(syscall(SYS_clone, flags | SIGCHLD, 0, 0, 0, 0));
#endif
}

// Works without a namespace where namespaces are not permitted.
pid_t fork_into_namespace()
{
	const pid_t child = clone_by_system_call(CLONE_NEWPID);

	return child < 0 ? fork_raw() : child;
}

pid_t fork_alone()
{
#if defined(__GLIBC__) && defined(__GLIBC_PREREQ)
#if __GLIBC_PREREQ(2, 34)
	return _Fork();
#endif
#endif
	return fork_raw();
}

// fork itself comes last: it takes malloc's locks, which a child made by another method may have inherited locked.
pid_t (*const ways[])() = { fork_raw, fork_alone, fork_into_namespace, fork };

pid_t fork_by_any_way(Actor *actor)
{
	const pid_t child = ways[actor->choices().below(actor->is_child ? 3 : 4)]();

	if (child > 0)
		actor->log().count(forks);
	return child;
}

// Async-signal-safe, as everything must be in the child of a multithreaded process.
[[noreturn]] void live_as_child(Actor *actor, Kind kind)
{
	bool well = true;

	actor->become_child(kind);
	// Often draws no more than the bytes left in the parent's buffer.
	(void)actor->draw(1 + actor->choices().below(actor->choices().one_in(4) ? 2000 : 64));
	if (kind == Kind::child && actor->choices().one_in(4)) {
		const pid_t second = fork_by_any_way(actor);
		if (second == 0)
			live_as_child(actor, Kind::grandchild);
		(void)actor->draw(32);
		well = second < 0 || await(second);
	}
	if (actor->choices().one_in(4)) {
		actor->start_signals(nullptr);
		(void)actor->draw(500);
		actor->stop_signals();
	}
	if (actor->choices().one_in(8))
		draw_strong(&actor->log(), &actor->choices());
	if (actor->choices().one_in(8)) {
		cprng_invalidate();
		actor->log().count(invalidations);
		(void)actor->draw(32);
	}
	end_of_child(actor, well ? 0 : 1);
}

// Starts another program, by vfork or posix_spawn, which draws into the same logs.
pid_t start_program(Actor *actor)
{
	char self[] = "/proc/self/exe", argument[24], arguments[4][24];
	const std::uint64_t numbers[] = { static_cast<std::uint64_t>(logs.descriptor), logs.capacity,
					  static_cast<std::uint64_t>(actor->round.mix), actor->choices().word() };
	pid_t child = -1;

	std::snprintf(argument, sizeof(argument), "%s", program_argument);
	for (int i = 0; i < 4; i++)
		std::snprintf(arguments[i], sizeof(arguments[i]), "%llu", static_cast<unsigned long long>(numbers[i]));
	char *argv[] = { self, argument, arguments[0], arguments[1], arguments[2], arguments[3], nullptr };
	if (actor->choices().one_in(2)) {
		if (posix_spawn(&child, self, nullptr, nullptr, argv, environ) != 0)
			return -1;
	} else {
		child = vfork();
		if (child == 0) {
			execve(self, argv, environ);
			_exit(9);
		}
	}
	if (child > 0)
		actor->log().count(programs);
	return child;
}

// A draw that had taken its bytes when a handler forked belongs to both processes (cprng.h), so the child discards it.
bool draw_and_look(Actor *actor, unsigned char *bytes, unsigned long n)
{
	for (; n != 0; n--) {
		const std::size_t len = next_length(actor->round.mix, &actor->choices());
		const std::sig_atomic_t before = actor->forked;
		actor->allow_returns(true);
		draw(actor->round.mix, &actor->log(), &actor->choices(), bytes, len);
		actor->allow_returns(false);
		if (actor->is_child) {
			(void)actor->draw(1 + actor->choices().below(200));
			end_of_child(actor, 0);
		}
		if (actor->forked != before)
			continue;
		unsigned char *low = actor->log().reserve(len);
		if (low == nullptr)
			return false;
		std::memcpy(low, bytes, len);
		actor->log().commit(len);
	}
	return true;
}

} // namespace

pid_t fork_raw()
{
	return clone_by_system_call(0);
}

void end_of_child(Actor *actor, int status)
{
	actor->close_logs();
	syscall(SYS_exit_group, status);
	std::abort();
}

void await_children(Actor *actor)
{
	for (pid_t child; (child = actor->take_child()) != 0;)
		await(child);
}

void fork_on(Actor *actor)
{
	const std::unique_ptr<unsigned char[]> bytes(new unsigned char[longest]);

	while (draw_and_look(actor, bytes.get(), 1 + actor->choices().below(600))) {
		const pid_t child = actor->choices().one_in(32) ? start_program(actor) : fork_by_any_way(actor);
		if (child == 0)
			live_as_child(actor, Kind::child);
		(void)draw_and_look(actor, bytes.get(), 16);
		if (child > 0)
			await(child);
		await_children(actor);
	}
	actor->stop_signals();
	await_children(actor);
}

int run_as_program(int argc, char **argv)
{
	std::uint64_t numbers[4];
	Log log;

	if (argc != 6)
		return 2;
	for (int i = 0; i < 4; i++)
		numbers[i] = std::strtoull(argv[2 + i], nullptr, 10);
	if (numbers[2] >= mixes || !logs.map(static_cast<int>(numbers[0]), numbers[1]))
		return 2;
	Choices choices(numbers[3]);
	log.open(Kind::program, std::size_t{ 8 } << 10);
	(void)draw_many(static_cast<Mix>(numbers[2]), &log, &choices, 200);
	log.close();
	return 0;
}

std::string bad_end()
{
	const int status = first_bad_status;

	if (status == 0)
		return "";
	return WIFSIGNALED(status) ? fmt::format("a child was killed by signal {}", WTERMSIG(status)) :
				     fmt::format("a child ended with status {}", WEXITSTATUS(status));
}

} // namespace soak
