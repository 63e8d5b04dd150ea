// SPDX-License-Identifier: BSD-2-Clause
#include "thread_rounds.hpp"

#include "machine.hpp"
#include "frequent_signals.hpp"
#include "repeats.hpp"

#include <atomic>
#include <memory>
#include <thread>

#include <pthread.h>
#include <sched.h>

namespace {

struct Worker {
	thread_rounds::Haul haul;
	pid_t id = 0;
	std::uint64_t signals = 0, cuts = 0;
	void (*draw_in_handler)(thread_rounds::Haul &haul) = nullptr;
};

thread_local Worker *this_worker;

void in_handler(bool cut)
{
	Worker *w = this_worker;

	w->signals++;
	w->cuts += cut;
	w->draw_in_handler(w->haul);
}

} // namespace

thread_rounds::Totals thread_rounds::run(const Plan &plan)
{
	std::vector<std::unique_ptr<Worker>> workers;
	std::vector<std::thread> threads;
	std::vector<pid_t> ids;
	std::atomic<std::size_t> drawing{ 0 };
	pthread_barrier_t barrier;
	Totals totals;

	pthread_barrier_init(&barrier, nullptr, static_cast<unsigned int>(plan.threads) + 1);
	for (std::size_t t = 0; t < plan.threads; t++) {
		workers.push_back(std::make_unique<Worker>());
		Worker *w = workers.back().get();
		w->haul.open.resize(plan.per_round);
		w->haul.handled.resize(most_handled(plan.per_round));
		w->draw_in_handler = plan.draw_in_handler;
		threads.emplace_back([w, &plan, &barrier, &drawing] {
			w->id = machine::thread_id();
			this_worker = w;
			frequent_signals::set_handler(in_handler);
			frequent_signals::Timer timer;
			pthread_barrier_wait(&barrier);
			for (std::size_t round = 0; round < plan.rounds; round++) {
				pthread_barrier_wait(&barrier);
				timer.start(frequent_signals::interval());
				while (w->haul.opened < plan.per_round)
					plan.draw(w->haul);
				timer.stop();
				drawing--;
				pthread_barrier_wait(&barrier);
			}
			frequent_signals::set_handler(nullptr);
		});
	}
	pthread_barrier_wait(&barrier);
	for (const auto &w : workers)
		ids.push_back(w->id);

	for (std::size_t round = 0; round < plan.rounds; round++) {
		drawing = plan.threads;
		pthread_barrier_wait(&barrier);
		{
			const frequent_signals::Migrations migrations(ids);
			do {
				if (plan.meanwhile)
					plan.meanwhile();
			} while (plan.meanwhile && drawing != 0);
			pthread_barrier_wait(&barrier);
		}
		std::vector<Haul> hauls;
		for (const auto &w : workers) {
			totals.values += w->haul.opened + w->haul.taken;
			hauls.push_back(std::move(w->haul));
		}
		plan.judge(hauls);
		for (std::size_t t = 0; t < plan.threads; t++) {
			workers[t]->haul = std::move(hauls[t]);
			workers[t]->haul.opened = workers[t]->haul.taken = 0;
		}
	}
	for (std::thread &t : threads)
		t.join();
	for (const auto &w : workers) {
		totals.signals += w->signals;
		totals.cuts += w->cuts;
	}
	pthread_barrier_destroy(&barrier);
	return totals;
}

thread_rounds::Totals thread_rounds::check_distinct(Plan plan)
{
	Served served(most_of_a_round(plan));

	plan.judge = [&served](std::vector<Haul> &hauls) {
		served.forget();
		for (const Haul &h : hauls) {
			served.add(h.open, h.opened);
			served.add(h.handled, h.taken);
		}
	};
	const Totals totals = run(plan);
	CHECK(served.zeros == 0);
	CHECK(served.repeats == 0);
	return totals;
}
