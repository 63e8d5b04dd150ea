// SPDX-License-Identifier: BSD-2-Clause
#include "stepper.hpp"

#include "../support/splitmix64.hpp"
#include "events.hpp"
#include "kernel.hpp"
#include "../support/descriptors.hpp"
#include "state.hpp"

#include <cerrno>
#include <csetjmp>
#include <csignal>
#include <cstring>

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

using namespace explore;

// A number for a pair of boundaries, the same in each run with this seed.
std::uint64_t hash(std::uint64_t seed, std::uint64_t a, std::uint64_t b)
{
	std::uint64_t x = seed + a * splitmix64::step + b * UINT64_C(0xd1b54a32d192ed03);

	splitmix64::mix(x);
	return x;
}

bool is_near()
{
	return state.step - state.near_from <= near;
}

bool by_share(std::uint32_t at, std::uint32_t then)
{
	const Plan &plan = shared->plan;
	const std::uint64_t share = then == 0 ? plan.share : is_near() ? plan.share_near : plan.share_far;

	return (hash(plan.seed, at, then) >> 32) < share;
}

// Counts how often this address has been a boundary in this walk.
std::uint32_t visit(std::uintptr_t pc)
{
	constexpr std::size_t mask = sizeof(shared->visits) / sizeof(shared->visits[0]) - 1;
	const std::uint32_t walk = state.level == Level::second ? state.first_at : 0;
	std::size_t i = (pc + walk) * UINT64_C(0x9e3779b97f4a7c15) >> 48;

	for (std::size_t tries = 0; tries < mask; tries++, i++) {
		Shared::Visits &place = shared->visits[i & mask];
		// This count is from an earlier walk from another boundary.
		if (place.pc == 0 || (place.walk != walk && place.walk != 0)) {
			place = { pc, walk, 0 };
			shared->addresses += state.level == Level::first;
		}
		if (place.pc == pc && place.walk == walk)
			return ++place.number;
	}
	return 1;
}

void note(const Verdict &verdict, Event first, Event second, std::uintptr_t pc)
{
	Cell &cell = shared->cell[static_cast<std::size_t>(first)][static_cast<std::size_t>(second)];

	cell.experiments++;
	cell.whole += verdict.whole ? 1 + cell.waiting : 0;
	cell.waiting = 0;
	shared->progress++;
	if (verdict.flaw == Flaw::none)
		return;
	Finding &finding = cell.first[static_cast<std::size_t>(verdict.flaw)];
	if (cell.failed[static_cast<std::size_t>(verdict.flaw)]++ != 0)
		return;
	finding.verdict = verdict;
	finding.at = shared->now_at;
	finding.then = shared->now_then;
	finding.pc_at = state.pc_first;
	finding.pc_then = second != Event::none ? pc : 0;
	const std::uint32_t entries[] = { verdict.first, verdict.second };
	for (int i = 0; i < 2; i++) {
		const Entry &e = shared->log.entry[entries[i]];
		finding.process[i] = e.process;
		finding.kind[i] = e.kind;
		finding.len[i] = e.len;
	}
}

// Returns true in the experiment's process, and false in this process after the experiment was judged.
bool make_experiment(Event first, Event second, std::uintptr_t pc)
{
	const Mark mark = mark_of(shared->log);
	const std::uint32_t processes = shared->log.processes;
	int status = 0;

	std::memset(shared->turn, 0, sizeof(shared->turn));
	const pid_t pid = kernel::copy_process();
	if (pid == 0) {
		(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
		state.children = 0;
		return true;
	}
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR) {
	}
	// At depth two, the effects of the first event are not judged: depth one has done that.
	if (second != Event::none || shared->plan.seconds == 0) {
		Verdict verdict = judge(shared->log, shared->table);
		if (pid < 0 || !WIFEXITED(status) || WEXITSTATUS(status) != 0)
			verdict = { Flaw::died };
		note(verdict, first, second, pc);
		if (shared->plan.verbose)
			print_log(verdict, status);
	} else if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
		note({ Flaw::died }, first, Event::none, pc);
	}
	go_back(shared->log, mark);
	shared->log.processes = processes;
	return false;
}

bool is_blocked(const ucontext_t *c, Event event, bool second)
{
	switch (event) {
	case Event::invalidate:
	case Event::migrate:
		return false;
	case Event::cancel:
		return is_member(c, signal_cancel);
	default:
		return is_member(c, second ? signal_second : signal_first);
	}
}

void set_pc(ucontext_t *c, std::uintptr_t pc)
{
	c->uc_mcontext.gregs[REG_RIP] = static_cast<greg_t>(pc);
}

// Makes the event happen at this boundary in this process.  Continues to step if another event may follow.
void inject(ucontext_t *c, Event event, bool second, const sequence::Descriptor *inside, bool walk_on)
{
	// Does what the kernel does when a signal, a migration or a preemption aborts a sequence.
	if (inside != nullptr)
		set_pc(c, inside->abort);
	if (!walk_on)
		steps::end_in(c);
	state.level = walk_on ? Level::second : Level::free;
	state.event = event;
	state.is_second = second;
	state.walks_on = walk_on;
	state.near_from = state.step;
	state.steps_draws = false;
	state.happened = false;
	shared->walks += walk_on;
	if (!happen(event, second)) {
		// Retry at the next boundary.
		state.waits = true;
		steps::begin_in(c);
	}
}

bool is_taken(std::uint32_t visits)
{
	const Plan &plan = shared->plan;

	if (state.level == Level::first && plan.at != 0)
		return state.step == plan.at;
	if (state.level == Level::first && state.step < plan.from)
		return false;
	if (state.level == Level::second && plan.then != 0)
		return state.step == plan.then;
	return visits <= plan.visits && by_share(state.first_at, state.level == Level::second ? state.step : 0);
}

void take_boundary(ucontext_t *c, std::uintptr_t pc, const sequence::Descriptor *inside)
{
	const bool second = state.level == Level::second;
	const std::uint32_t wanted = second ? shared->plan.seconds : shared->plan.firsts;

	for (std::size_t i = 1; i < events; i++) {
		const Event event = static_cast<Event>(i);
		const Event before = second ? state.first : event, after = second ? event : Event::none;
		if (!(wanted & bit(event)) ||
		    (event == Event::exec && state.step % exec_every != 0 && shared->plan.at == 0))
			continue;
		if (is_blocked(c, event, second)) {
			Cell &cell = shared->cell[static_cast<std::size_t>(before)][static_cast<std::size_t>(after)];
			cell.blocked++;
			cell.waiting++;
			continue;
		}
		(second ? shared->now_then : shared->now_at) = state.step;
		if (!second) {
			shared->now_then = 0;
			state.first = event;
			state.first_at = state.step;
			state.pc_first = pc;
		}
		shared->now_event = static_cast<std::uint32_t>(event);
		if (make_experiment(before, after, pc)) {
			inject(c, event, second, inside, !second && shared->plan.seconds != 0);
			return;
		}
	}
}

void on_trap(int, siginfo_t *, void *context)
{
	ucontext_t *c = static_cast<ucontext_t *>(context);
	const int saved_errno = errno;
	std::uintptr_t pc = static_cast<std::uintptr_t>(c->uc_mcontext.gregs[REG_RIP]);

	// This step has begun a sequence, which its signal has aborted.  The kernel has cleared the descriptor with that,
	// so the thread, alone on this CPU, can step through the sequence.  An event in it sees the same state as
	// without the signal.  A sequence that refuses jumps to the same address, but from inside.
	const sequence::Descriptor *const d = sequence::of_abort(pc);
	if (d != nullptr && d != state.inside) {
		pc = d->start;
		set_pc(c, pc);
	}
	const sequence::Descriptor *inside = sequence::of_inside(pc);
	state.inside = inside;
	state.step++;
	if (state.level == Level::free && !state.waits) {
		// The second event interrupted the handler of the first; report where the first interrupted the operation.
		steps::end_in(context);
	} else if (state.waits) {
		if (happen(state.event, state.is_second)) {
			state.waits = false;
			if (inside != nullptr)
				set_pc(c, inside->abort);
			if (!state.walks_on)
				steps::end_in(c);
		}
	} else if (!state.in_library) {
		// Entering or leaving the library.
	} else if (state.level == Level::first && state.step > shared->plan.last) {
		steps::end_in(context);
	} else if (state.level == Level::first) {
		shared->steps = state.step;
		shared->boundaries++;
		shared->interior += inside != nullptr;
		state.first_at = state.step;
		if (is_taken(visit(pc)))
			take_boundary(c, pc, inside);
	} else if (state.happened && shared->plan.near_only && !is_near()) {
		state.level = Level::free;
		steps::end_in(context);
	} else if (state.level == Level::second && state.happened) {
		(is_near() ? shared->second_near : shared->second_far)++;
		if (is_taken(visit(pc)))
			take_boundary(c, pc, inside);
	}
	errno = saved_errno;
}

sigjmp_buf begin_again;

// Runs the operation once, or twice if a handler abandoned the first run.
void run_operation()
{
	const Operation &operation = *shared->plan.operation;
	static Output output;

	const bool again = sigsetjmp(begin_again, 1) != 0;
	// A jump has abandoned the operation, so it is restarted.
	if (again && !state.walks_on)
		return;
	if (again && state.is_second)
		return;
	if (operation.prepare != nullptr)
		operation.prepare();
	output.len = 0;
	const std::uint32_t instance = shared->log.instances++;
	steps::begin();
	state.in_library = true;
	operation.run(output);
	state.in_library = false;
	steps::end();
	if (output.len != 0)
		shared->log.add(Kind::served, state.process, instance, output.bytes, output.len);
}

} // namespace

explore::Shared *explore::shared;
int explore::shared_file = -1;
explore::ProcessState explore::state;

std::uint32_t explore::last_taken(const Plan &plan, std::uint32_t steps)
{
	// Walks may differ in length.
	std::uint32_t at = plan.at != 0 ? plan.at : steps + near;

	while (plan.at == 0 && at != 0 && hash(plan.seed, at, 0) >> 32 >= plan.share)
		at--;
	return at;
}

std::uint16_t explore::process_number()
{
	return state.process;
}

void explore::leave_operation()
{
	siglongjmp(begin_again, 1);
}

void explore::catch_traps()
{
	// All signals, including the C library's own, which sigfillset leaves out.
	sigset_t all;
	std::memset(&all, 0xff, sizeof(all));
	steps::handle(on_trap, all);
}

void explore::walk()
{
	const Operation &operation = *shared->plan.operation;

	get_ready(operation);
	state.level = Level::first;
	run_operation();
	// The stepping process has recorded everything; its children must still report their draws.
	if (state.level == Level::first)
		_exit(0);
	end_process();
}
