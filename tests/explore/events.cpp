// SPDX-License-Identifier: BSD-2-Clause
#include "events.hpp"

#include "../support/internals.hpp"
#include "kernel.hpp"
#include "state.hpp"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <string>

#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

const int explore::signal_first = SIGUSR1, explore::signal_second = SIGUSR2;
// The cancellation signal, one of those that the C library reserves.
#ifdef __GLIBC__
const int explore::signal_cancel = 32;
#else
const int explore::signal_cancel = 33; // musl
#endif

namespace {

using namespace explore;

int usual_cpu, other_cpu;

void pin(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	(void)sched_setaffinity(0, sizeof(set), &set);
}

void wait_for_turn(std::uint32_t *turn)
{
	while (__atomic_load_n(turn, __ATOMIC_ACQUIRE) == 0)
		(void)syscall(SYS_futex, turn, FUTEX_WAIT, 0, nullptr, nullptr, 0);
}

void give_turn(std::uint32_t *turn)
{
	__atomic_store_n(turn, 1, __ATOMIC_RELEASE);
	(void)syscall(SYS_futex, turn, FUTEX_WAKE, 1, nullptr, nullptr, 0);
}

int ended_badly;

void wait_for(pid_t pid)
{
	int status = 0;

	while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
	}
	ended_badly |= !WIFEXITED(status) || WEXITSTATUS(status) != 0;
}

void draw_stepped()
{
	state.steps_draws = state.walks_on && !shared->plan.near_only;
	draw_in_handler(*state.operation);
	state.steps_draws = false;
}

[[noreturn]] void start_program(std::uint16_t number)
{
	const std::string file = std::to_string(shared_file), process = std::to_string(number);

	execl("/proc/self/exe", "explore", "--started", file.c_str(), process.c_str(),
	      kernel::madvise_refused ? "unbuffered" : "", nullptr);
	_exit(127);
}

// The process in which the second event does not happen runs first, to its end.
void fork_here(Event event, void *context)
{
	const std::uint16_t number = static_cast<std::uint16_t>(shared->log.processes++);
	const bool walks_on = state.walks_on, child_walks = walks_on && event != Event::fork_parent;
	const pid_t pid = kernel::fork_alone();

	if (pid < 0)
		_exit(126);
	if (pid == 0) {
		(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
		state.process = number;
		state.children = 0;
		kernel::process_id = 1000 + number;
		if (child_walks)
			wait_for_turn(&shared->turn[number % 64]);
		if (event == Event::exec)
			start_program(number);
	} else if (child_walks) {
		state.waits_for_me = number;
		state.child[state.children++] = pid;
	} else {
		wait_for(pid);
	}
	if (walks_on && (pid == 0) != child_walks) {
		state.level = Level::free;
		state.walks_on = false;
		steps::end_in(context);
	}
	if (event == Event::fork_draw)
		draw_stepped();
}

void on_event(int, siginfo_t *, void *context)
{
	const int saved_errno = errno;
	const Event event = state.event;
	const bool was_in_library = state.in_library;

	state.happened = true;
	state.in_library = false;
	switch (event) {
	case Event::draw:
		draw_stepped();
		break;
	case Event::fork:
	case Event::fork_parent:
	case Event::fork_draw:
	case Event::exec:
		fork_here(event, context);
		break;
	case Event::jump:
		leave_operation();
	default:
		break;
	}
	state.near_from = state.step;
	state.in_library = was_in_library;
	errno = saved_errno;
}

// A new thread at the interruption: it cancels the operation's thread, and continues in its place.
struct Canceller {
	pthread_t target;
	std::uint32_t asked;
} canceller;

void *cancel_target(void *)
{
	(void)pthread_cancel(canceller.target);
	give_turn(&canceller.asked);
	(void)pthread_join(canceller.target, nullptr);
	end_process();
}

void cancel()
{
	pthread_t thread;

	canceller.target = pthread_self();
	canceller.asked = 0;
	if (pthread_create(&thread, nullptr, cancel_target, nullptr) != 0)
		_exit(125);
	wait_for_turn(&canceller.asked);
}

bool is_process_lock_held()
{
	for (std::size_t i = 0;; i++) {
		const cprng_fork_state *w = static_cast<const cprng_fork_state *>(kernel::wiped_page(i));
		static const decltype(w->lock) free = {};
		if (w == nullptr)
			return false;
		if (std::memcmp(&w->lock, &free, sizeof(free)) != 0)
			return true;
	}
}

void *sleep_until_cancelled(void *)
{
	for (;;)
		pause();
}

// At the first cancellation the C library loads its unwinder.
void cancel_a_thread()
{
	pthread_t thread;

	if (pthread_create(&thread, nullptr, sleep_until_cancelled, nullptr) == 0) {
		(void)pthread_cancel(thread);
		(void)pthread_join(thread, nullptr);
	}
}

void warm(const Operation &operation)
{
	unsigned char bytes[CPRNG_SHORT_MAX];
	// The bytes that a large refill leaves after the key's line and the request.
	std::size_t left = CPRNG_REFILL_CHUNKS * CPRNG_REFILL_CHUNK - 64 - 64;

	// So a child's first refill leaves fewer bytes than its parent has, on every CPU.
	cprng_process()->small_refill = 1;
	cprng_invalidate();
	cprng_draw_by_refill(cprng_process(), bytes, 64);
	for (std::size_t n; left > operation.left; left -= n) {
		n = left - operation.left;
		n = n % 320 != 0 ? n % 320 : 320;
		cprng_fast(bytes, n);
	}
	// The last of them would be the first to be served again.
	shared->log.add(Kind::served, state.process, shared->log.instances++, bytes, 320);
	if (operation.strong) {
		cprng_strong(bytes, 32);
		shared->log.add(Kind::served, state.process, shared->log.instances++, bytes, 32);
	}
}

} // namespace

bool explore::is_member(const ucontext_t *c, int signal)
{
	std::uint64_t mask;

	// sigismember ignores the C library's own signals.
	std::memcpy(&mask, &c->uc_sigmask, sizeof(mask));
	return (mask >> (signal - 1) & 1) != 0;
}

bool explore::happen(Event event, bool second)
{
	switch (event) {
	case Event::invalidate:
		if (is_process_lock_held())
			return false;
		// The thread is idle in the meantime, so it does not matter which thread makes the call.
		log_buffers(true);
		cprng_invalidate();
		state.happened = true;
		return true;
	case Event::migrate:
		pin(other_cpu);
		state.happened = true;
		return true;
	case Event::cancel:
		cancel();
		return true;
	default:
		(void)syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), second ? signal_second : signal_first);
		return true;
	}
}

void explore::set_up_stepper(int cpu, int other)
{
	usual_cpu = cpu;
	other_cpu = other;
}

void explore::get_ready(const Operation &operation)
{
	struct sigaction action = {};

	state.operation = &operation;
	pin(usual_cpu);
	catch_traps();
	action.sa_sigaction = on_event;
	action.sa_flags = SA_SIGINFO;
	sigemptyset(&action.sa_mask);
	sigaction(signal_first, &action, nullptr);
	sigaction(signal_second, &action, nullptr);
	shared->log.processes = 1;
	if ((shared->plan.firsts | shared->plan.seconds) & bit(Event::cancel)) {
		cancel_a_thread();
		(void)pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, nullptr);
	}
	if (operation.state != State::pristine)
		warm(operation);
	if (operation.state == State::child) {
		const pid_t pid = kernel::fork_alone();
		if (pid != 0) {
			wait_for(pid);
			_exit(ended_badly);
		}
		(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
		state.process = static_cast<std::uint16_t>(shared->log.processes++);
		kernel::process_id = 1000 + state.process;
	}
}

void explore::end_process()
{
	(void)pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, nullptr);
	state.steps_draws = false;
	draw_afterwards(*state.operation);
	log_buffers(false);
	drain();
	if (state.waits_for_me != 0)
		give_turn(&shared->turn[state.waits_for_me % 64]);
	for (std::uint32_t i = 0; i < state.children; i++)
		wait_for(state.child[i]);
	_exit(ended_badly);
}
