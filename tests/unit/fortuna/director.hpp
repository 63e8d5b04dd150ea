// SPDX-License-Identifier: BSD-2-Clause
// A Fortuna whose threads stop before they take the generator's lock and after they release it.  The test lets them continue
// one at a time.
#ifndef CPRNG_TESTS_FORTUNA_DIRECTOR_HPP
#define CPRNG_TESTS_FORTUNA_DIRECTOR_HPP

#include "fixture.hpp"

#include <condition_variable>
#include <deque>
#include <functional>
#include <thread>

class Directed : public Fortuna {
public:
	enum Stop { start, before, after, finished };

	// A thread that held the lock, and the generator's state when it released the lock.
	struct Turn {
		std::size_t thread;
		std::uint8_t key[CPRNG_GENERATOR_KEY_SIZE];
		cprng_uint128 counter;
	};

	Directed(const cprng_engine *engine, bool locked) : Fortuna(engine, CPRNG_POOL_MIN_LEAST, locked)
	{
	}

	~Directed() override
	{
		leave();
	}

	// Adds a thread, which begins at the test's first go().
	void enter(std::function<void()> act)
	{
		const std::size_t i = actors.size();

		actors.emplace_back();
		actors[i].thread = std::thread([this, i, act = std::move(act)] {
			self = static_cast<int>(i);
			stop_at(start);
			act();
			std::lock_guard<std::mutex> guard(m);
			actors[i].stop = finished;
			actors[i].running = false;
			changed.notify_all();
		});
		std::unique_lock<std::mutex> guard(m);
		changed.wait(guard, [&] { return !actors[i].running; });
	}

	// Lets the thread continue to its next stop.
	Stop go(std::size_t i)
	{
		std::unique_lock<std::mutex> guard(m);

		actors[i].running = true;
		changed.notify_all();
		changed.wait(guard, [&] { return !actors[i].running; });
		return actors[i].stop;
	}

	// Lets all threads run to their ends.
	void leave()
	{
		for (std::size_t i = 0; i < actors.size(); i++) {
			while (actors[i].thread.joinable() && stop_of(i) != finished)
				go(i);
			if (actors[i].thread.joinable())
				actors[i].thread.join();
		}
	}

	// The turns in lock order, without the director's own locks.
	const std::vector<Turn> &turns() const
	{
		return history;
	}

protected:
	void before_lock(cprng_fortuna_lock which) override
	{
		if (which == CPRNG_LOCK_GENERATOR)
			stop_at(before);
	}

	void before_unlock(cprng_fortuna_lock which) override
	{
		if (which != CPRNG_LOCK_GENERATOR || self < 0)
			return;
		Turn turn;
		turn.thread = static_cast<std::size_t>(self);
		std::copy(std::begin(generator().key), std::end(generator().key), turn.key);
		turn.counter = generator().counter;
		history.push_back(turn); // the lock is held here
	}

	void after_unlock(cprng_fortuna_lock which) override
	{
		if (which == CPRNG_LOCK_GENERATOR)
			stop_at(after);
	}

private:
	struct Actor {
		std::thread thread;
		Stop stop = start;
		bool running = true;
	};

	Stop stop_of(std::size_t i)
	{
		std::lock_guard<std::mutex> guard(m);
		return actors[i].stop;
	}

	void stop_at(Stop where)
	{
		if (self < 0)
			return;
		std::unique_lock<std::mutex> guard(m);
		Actor &actor = actors[static_cast<std::size_t>(self)];
		actor.stop = where;
		actor.running = false;
		changed.notify_all();
		changed.wait(guard, [&] { return actor.running; });
	}

	static inline thread_local int self = -1;

	std::deque<Actor> actors; // never moved
	std::vector<Turn> history;
	std::mutex m;
	std::condition_variable changed;
};

#endif
