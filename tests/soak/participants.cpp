// SPDX-License-Identifier: BSD-2-Clause
#include "participants.hpp"

#include "draws.hpp"
#include "children.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include <cprng/cprng.h>

#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace soak {

namespace {

volatile std::sig_atomic_t got_interrupt;

extern "C" void note_interrupt(int)
{
	got_interrupt = 1;
}

bool is_over()
{
	return logs.shared->over.load(std::memory_order_relaxed) != 0;
}

// --------------------------------------------------------------------------------------------- threads that draw

void draw_on(Actor *actor)
{
	sigjmp_buf back;

	if (sigsetjmp(back, 1) != 0)
		actor->landed();
	else
		actor->start_signals(&back);
	while (actor->draw(2000))
		await_children(actor);
	actor->stop_signals();
	await_children(actor);
}

// ------------------------------------------------------------------------------------------ short-lived threads

pthread_key_t late;

// Runs at the end of the thread, after the destructors of its thread_local objects.
struct LateDraws {
	Round round;
	Choices choices;
};

void draw_late(void *argument)
{
	const std::unique_ptr<LateDraws> late_draws(static_cast<LateDraws *>(argument));
	Log log;

	log.open(Kind::destructor, 4096);
	(void)draw_many(late_draws->round.mix, &log, &late_draws->choices, 16);
	log.count(destructors);
	log.close();
}

void live_shortly(const Round &round, std::uint64_t number)
{
	Actor actor(round, Kind::short_thread, number);
	sigjmp_buf back;

	if (actor.choices().one_in(4))
		pthread_setspecific(late, new LateDraws{ round, Choices(actor.choices().word()) });
	if (sigsetjmp(back, 1) != 0) {
		actor.landed();
	} else {
		actor.log().count(births);
		if (actor.choices().one_in(2))
			actor.start_signals(&back);
		(void)actor.draw(1 + actor.choices().below(3000));
	}
	actor.stop_signals();
	await_children(&actor);
}

void give_birth(Actor *actor)
{
	std::uint64_t number = 0;

	while (!is_over()) {
		std::vector<std::thread> threads;
		for (std::uint32_t n = 1 + actor->choices().below(6); n != 0; n--)
			threads.emplace_back(live_shortly, actor->round, actor->choices().word() + number++);
		for (std::thread &t : threads)
			t.join();
		(void)actor->draw(200);
	}
}

// ------------------------------------------------------------------------------------------------- disturbances

std::vector<int> cpus()
{
	std::vector<int> all;
	cpu_set_t set;

	if (sched_getaffinity(0, sizeof(set), &set) == 0) {
		for (int i = 0; i < CPU_SETSIZE; i++) {
			if (CPU_ISSET(i, &set))
				all.push_back(i);
		}
	}
	return all;
}

constexpr std::size_t movable_max = 64;
std::atomic<pid_t> movable[movable_max];

void disturb(Actor *actor, const std::vector<int> &all_cpus)
{
	while (!is_over()) {
		Choices &choices = actor->choices();
		const pid_t thread = movable[choices.below(movable_max)];
		if (thread != 0 && all_cpus.size() > 1) {
			cpu_set_t set;
			CPU_ZERO(&set);
			CPU_SET(all_cpus[choices.below(static_cast<std::uint32_t>(all_cpus.size()))], &set);
			if (sched_setaffinity(thread, sizeof(set), &set) == 0)
				actor->log().count(migrations);
		}
		if (choices.one_in(8)) {
			if (choices.one_in(16)) {
				actor->log().count(invalidations, cprng_reseed() == 0);
			} else {
				cprng_invalidate();
				actor->log().count(invalidations);
			}
		}
		(void)actor->draw(8);
		draw_strong(&actor->log(), &choices);
		std::this_thread::sleep_for(std::chrono::microseconds(20));
	}
}

#ifdef CPRNG_SOAK_PLUGIN

void load_and_unload(Actor *actor)
{
	static constexpr unsigned int lengths[] = { 4, 8, 16, 8 };
	const unsigned int len = lengths[static_cast<std::size_t>(actor->round.mix)];
	Log log;

	log.open(Kind::plugin, 8192);
	while (!is_over()) {
		void *plugin = dlopen(CPRNG_SOAK_PLUGIN, RTLD_NOW | RTLD_LOCAL);
		if (plugin == nullptr)
			break;
		const auto draw =
			reinterpret_cast<void (*)(unsigned int, unsigned char *)>(dlsym(plugin, "soak_plugin_draw"));
		for (std::uint32_t n = 1 + actor->choices().below(300); draw != nullptr && n != 0; n--) {
			unsigned char *low = log.reserve(len);
			if (low == nullptr)
				break;
			draw(len, low);
			log.commit(len);
		}
		dlclose(plugin);
		log.count(loads);
		// Gets preempted and interrupted, without a draw that would replace the old descriptor.
		for (int i = 0; i < 8; i++)
			sched_yield();
	}
	log.close();
}

#endif

} // namespace

void catch_interrupts()
{
	struct sigaction action = {};

	action.sa_handler = note_interrupt;
	action.sa_flags = static_cast<int>(SA_RESETHAND | SA_RESTART);
	sigaction(SIGINT, &action, nullptr);
	sigaction(SIGTERM, &action, nullptr);
}

bool interrupted()
{
	return got_interrupt != 0;
}

namespace {

// The participating threads, and a wait for the last one to leave.
class Stage {
public:
	template <typename Act> void add(const Round &round, Kind kind, Act act)
	{
		const std::size_t number = threads_.size();
		{
			const std::lock_guard<std::mutex> lock(mutex_);
			on_stage_++;
		}
		threads_.emplace_back([this, round, kind, act, number] {
			{
				Actor actor(round, kind, number);
				if (number < movable_max)
					movable[number] = static_cast<pid_t>(syscall(SYS_gettid));
				act(&actor);
				if (number < movable_max)
					movable[number] = 0;
			}
			const std::lock_guard<std::mutex> lock(mutex_);
			on_stage_--;
			changed_.notify_all();
		});
	}

	// Waits for all threads; returns false if one has not left `patience` seconds after the round.
	bool wait(double round_seconds, double patience)
	{
		using seconds = std::chrono::duration<double>;
		const auto begin = std::chrono::steady_clock::now();
		std::unique_lock<std::mutex> lock(mutex_);
		while (on_stage_ != 0) {
			const seconds passed = std::chrono::steady_clock::now() - begin;
			if (passed > seconds(round_seconds) || interrupted())
				logs.shared->over = 1;
			if (passed > seconds(round_seconds + patience))
				return false;
			changed_.wait_for(lock, std::chrono::milliseconds(20));
		}
		lock.unlock();
		for (std::thread &t : threads_)
			t.join();
		return true;
	}

private:
	std::mutex mutex_;
	std::condition_variable changed_;
	std::size_t on_stage_ = 0;
	std::deque<std::thread> threads_;
};

} // namespace

bool play(const Round &round, const Options &options)
{
	static const int made = pthread_key_create(&late, draw_late);
	const std::vector<int> all_cpus = cpus();
	// In seconds; far more than a thread needs on a busy machine.
	constexpr double patience = 120;
	auto stage = std::make_unique<Stage>();
	(void)made;

	for (unsigned int i = 0; i < options.threads; i++) {
		// At the highest possible signal rate, a thread draws little more than its handlers.
		static constexpr long rarer[] = { 1, 4, 2, 8 };
		Round its = round;
		its.signal_interval *= rarer[i % 4];
		stage->add(its, Kind::thread, draw_on);
	}
	for (unsigned int i = 0; i < std::max(1u, options.threads / 4); i++) {
		stage->add(round, Kind::forking_thread, [](Actor *actor) {
			actor->start_signals(nullptr);
			fork_on(actor);
		});
		stage->add(round, Kind::thread, give_birth);
	}
	stage->add(round, Kind::thread, [all_cpus](Actor *actor) { disturb(actor, all_cpus); });
#ifdef CPRNG_SOAK_PLUGIN
	stage->add(round, Kind::thread, [](Actor *actor) {
		actor->start_signals(nullptr);
		load_and_unload(actor);
		actor->stop_signals();
		await_children(actor);
	});
#endif
	if (stage->wait(options.round_seconds, patience))
		return true;
	// The hanging threads still use this object.
	(void)stage.release();
	return false;
}

} // namespace soak
