// SPDX-License-Identifier: BSD-2-Clause
#include "actor.hpp"

#include "../../lab/common/thread_signal.hpp"
#include "../support/sequences.hpp"
#include "draws.hpp"
#include "children.hpp"

#include <cprng/cprng.h>

#include <cerrno>
#include <ctime>

#include <sys/syscall.h>
#include <unistd.h>

namespace soak {

namespace {

thread_local Actor *volatile current;

constexpr int often_signal = SIGUSR1, seldom_signal = SIGUSR2;

void block(int how)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, often_signal);
	sigaddset(&set, seldom_signal);
	pthread_sigmask(how, &set, nullptr);
}

} // namespace

void on_signal(int, siginfo_t *, void *context)
{
	const int saved_errno = errno;

	if (current != nullptr)
		current->handle(context);
	errno = saved_errno;
}

void install_handlers()
{
	struct sigaction action = {};

	action.sa_sigaction = on_signal;
	action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART;
	sigemptyset(&action.sa_mask);
	for (int signal_number : { often_signal, seldom_signal })
		sigaction(signal_number, &action, nullptr);
}

Timer::~Timer()
{
	if (timer_ >= 0)
		syscall(SYS_timer_delete, timer_);
}

void Timer::start(int signal_number, long nanoseconds)
{
	struct sigevent event = lab::signal_to_this_thread(signal_number);
	const struct itimerspec every = { { 0, nanoseconds }, { 0, nanoseconds } };

	if (syscall(SYS_timer_create, CLOCK_MONOTONIC, &event, &timer_) != 0)
		timer_ = -1;
	else
		syscall(SYS_timer_settime, timer_, 0, &every, nullptr);
}

Actor::Actor(const Round &its_round, Kind kind, std::uint64_t number) : round(its_round)
{
	Choices first(round.seed ^ number << 32);

	for (Choices &d : dice_)
		d = Choices(first.word());
	stack_.reset(new unsigned char[stack_size]);
	open_logs(kind);
}

Actor::~Actor()
{
	stop_signals();
	close_logs();
}

void Actor::close_logs()
{
	for (Log &log : logs_)
		log.close();
}

void Actor::open_logs(Kind kind)
{
	constexpr std::size_t of_threads = std::size_t{ 32 } << 10, of_handlers = std::size_t{ 8 } << 10;

	logs_[0].open(kind, kind == Kind::thread || kind == Kind::forking_thread ? of_threads : of_handlers);
	logs_[1].open(Kind::handler, of_handlers);
	logs_[2].open(Kind::nested_handler, of_handlers);
}

void Actor::start_signals(sigjmp_buf *back)
{
	stack_t stack = {};

	stack.ss_sp = stack_.get();
	stack.ss_size = stack_size;
	sigaltstack(&stack, nullptr);
	back_ = back;
	current = this;
	block(SIG_UNBLOCK);
	// The second kind interrupts the first's handlers.
	often_.start(often_signal, round.signal_interval);
	seldom_.start(seldom_signal, 7 * round.signal_interval + 1000);
}

void Actor::stop_signals()
{
	stack_t none = {};

	block(SIG_BLOCK);
	current = nullptr;
	back_ = nullptr;
	none.ss_flags = SS_DISABLE;
	sigaltstack(&none, nullptr);
}

void Actor::landed()
{
	level_ = 0;
	forget_draws();
}

void Actor::become_child(Kind kind)
{
	current = nullptr;
	is_child = 1;
	back_ = nullptr;
	returns_allowed_ = false;
	children_made_ = children_taken_ = 0;
	forget_draws();
	level_ = 0;
	for (Choices &d : dice_)
		d = Choices(d.word() ^ static_cast<std::uint64_t>(syscall(SYS_gettid)));
	open_logs(kind);
}

bool Actor::draw(unsigned long n)
{
	jumps_allowed_ = true;
	const bool more = draw_many(round.mix, &logs_[0], &dice_[0], n);
	jumps_allowed_ = false;
	return more;
}

pid_t Actor::take_child()
{
	if (children_taken_ == children_made_)
		return 0;
	const pid_t child = children_[static_cast<std::size_t>(children_taken_) % children_max];
	children_taken_ = children_taken_ + 1;
	return child;
}

// The child either draws here and ends, or returns to the interrupted draw.
void Actor::fork_here(int level)
{
	if (is_child || static_cast<std::size_t>(children_made_ - children_taken_) >= children_max)
		return;
	const bool comes_back = returns_allowed_ && level == 1 && dice_[level].one_in(2);
	logs_[level].count(forks_in_handlers);
	if (comes_back)
		logs_[level].count(returns_of_children);
	const pid_t child = fork_raw();
	if (child == 0) {
		become_child(Kind::child_of_handler);
		if (!comes_back) {
			(void)draw(64);
			end_of_child(this, 0);
		}
	}
	if (comes_back)
		forked = forked + 1;
	if (child > 0) {
		children_[static_cast<std::size_t>(children_made_) % children_max] = child;
		children_made_ = children_made_ + 1;
	}
}

void Actor::handle(const void *context)
{
	const int before = level_, level = before + 1;
	const std::sig_atomic_t interrupted = busy, was_child = is_child;

	if (level >= levels)
		return;
	Log &log = logs_[level];
	Choices &choices = dice_[level];
	const bool cut = sequences::was_cut(context);
	static constexpr Count cut_of[] = { counts, cut_refills, cut_short, cut_long, cut_strong };

	level_ = level;
	log.count(signals);
	if (cut)
		log.count(cut_sequences);
	if (interrupted != not_busy)
		log.count(cut_of[interrupted]);
	const std::uint32_t what = choices.below(4096);
	(void)draw_many(round.mix, &log, &choices, 1 + what % 4);
	if (what >= 4080 && cprng_add_entropy(what & 15, &context, sizeof(context), 0) == CPRNG_OK)
		log.count(entropy_events);
	// Handlers of a thread that forks anyway fork more often, usually during a draw, to which the child returns.
	if (returns_allowed_ && interrupted != not_busy ? what < 1024 : what < 2)
		fork_here(level);
	// A child that returns has no handlers, and this thread's draw is not its own.
	if (was_child != is_child)
		return;
	busy = interrupted;
	level_ = before;
	if (what >= 2048 && what < 2048 + round.jumps && back_ != nullptr && jumps_allowed_) {
		jumps_allowed_ = false;
		log.count(jumps);
		if (interrupted != not_busy || cut)
			log.count(jumps_out_of_draws);
		siglongjmp(*back_, 1);
	}
}

} // namespace soak
