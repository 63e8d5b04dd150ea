// SPDX-License-Identifier: BSD-2-Clause
// How readers delay the threads that add entropy, with the library's own locks.
#include "fortuna.hpp"

#include <algorithm>
#include <deque>
#include <functional>

#include <fmt/format.h>

#include "../../common/clock.hpp"
#include "../../common/error.hpp"

namespace lab::fortuna {

namespace {

// Long, because delays are rare and a producer adds only a thousand events a second.
constexpr double longer = 4;

// Large, so that a lock held during the whole read would be held for half a millisecond or more.
constexpr std::size_t long_read = std::size_t{ 16 } << 20;

constexpr std::uint64_t drain_period_ns = 10000000;
constexpr std::size_t capacity = std::size_t{ 1 } << 17; // two minutes of events

struct response_repetition {
	distribution add, drain;
	std::uint64_t reseeds, events, dropped;
	double seconds, read_bytes;
};

struct response_row {
	const char *engine;
	mode m;
	unsigned int readers;
	const object *f;
	// Over all repetitions: a thousand events are too few for a 99.9th percentile.
	std::deque<samples> adds, drains;
	std::vector<response_repetition> results;
};

// The time of a call, and whether the thread was preempted during it.
template <typename Work> void time_call(samples &to, const Work &work)
{
	const std::uint64_t switches = involuntary_switches(), begin = ticks();
	work();
	const std::uint64_t took = ticks() - begin;
	to.add(took, involuntary_switches() != switches);
}

class response : public section {
public:
	explicit response(const options &chosen)
	    : seconds_(chosen.seconds * longer),
	      buffers_(*std::max_element(chosen.readers.begin(), chosen.readers.end()), long_read)
	{
		std::vector<unsigned int> counts = { 0 };
		counts.insert(counts.end(), chosen.readers.begin(), chosen.readers.end());
		for (const char *engine : engines)
			for (const mode m : modes) {
				objects_.emplace_back(engine, m);
				for (const unsigned int readers : counts)
					rows_.push_back({ engine, m, readers, &objects_.back(), {}, {}, {} });
			}
	}

	void plan(schedule &all) override
	{
		for (response_row &r : rows_)
			all.add(seconds_, [this, &r] { return run(r); });
	}

	void report_to(report &to) const override;

private:
	std::function<void()> run(response_row &r)
	{
		samples adds(capacity), drains(capacity);
		std::size_t idle = 0; // drains that moved no event
		std::atomic<std::uint64_t> bytes{ 0 };
		std::vector<std::function<void(const stop_flag &)>> jobs;
		for (unsigned int i = 0; i < r.readers; i++)
			jobs.emplace_back([this, &r, &bytes, i](const stop_flag &stop) {
				std::uint64_t count = 0;
				do {
					r.f->read(buffers_.of(i), long_read);
					count += long_read;
				} while (!stop.load(std::memory_order_relaxed));
				bytes += count;
			});
		jobs.emplace_back([&r, &adds](const stop_flag &stop) {
			periodically(event_period_ns, stop, [&] { time_call(adds, [&] { add_event(*r.f); }); });
		});
		jobs.emplace_back([&r, &drains, &idle](const stop_flag &stop) {
			periodically(drain_period_ns, stop, [&] {
				add_event(*r.f);
				time_call(drains, [&] { idle += cprng_fortuna_drain(r.f->get()) == 0; });
			});
		});
		const cprng_fortuna_info before = r.f->info();
		const double begin = wall_seconds();
		if (!run_together(seconds_, jobs))
			return {};
		// Where no reader drains too, only an event of the other thread that is not complete stops a drain.
		if (r.readers == 0 && idle > 1)
			throw failure(fmt::format("fortuna, drain: {} drains moved no event", idle));
		const double seconds = wall_seconds() - begin;
		const cprng_fortuna_info after = r.f->info();
		const response_repetition done = { samples::summarize({ &adds }),    samples::summarize({ &drains }),
						   after.reseeds - before.reseeds,   after.events - before.events,
						   after.dropped - before.dropped,   seconds,
						   static_cast<double>(bytes.load()) };
		return [&r, done, a = adds.thinned(capacity), d = drains.thinned(capacity)] {
			r.results.push_back(done);
			r.adds.push_back(a);
			r.drains.push_back(d);
		};
	}

	double seconds_;
	buffers buffers_;
	std::deque<object> objects_;
	std::deque<response_row> rows_;
};

void response::report_to(report &to) const
{
	table t("response", "Response in microseconds of threads that add entropy, while others read 16 MiB at a time",
		{ { "engine", "engine" },
		  { "mode", "mode" },
		  { "readers", "readers" },
		  { "add_p50", "add\np50" },
		  { "add_p99", "add\np99" },
		  { "add_p99.9", "add\np99.9" },
		  { "add_max_undisturbed", "add, max\nundisturbed" },
		  { "add_max", "add\nmax" },
		  { "drain_p50", "drain\np50" },
		  { "drain_p99", "drain\np99" },
		  { "drain_max", "drain\nmax" },
		  { "events", "events\ndealt" },
		  { "dropped", "events\ndropped" },
		  { "reseeds", "reseeds\na second" },
		  { "read", "read\nMB/s" } });
	nlohmann::ordered_json raw = nlohmann::ordered_json::array();
	for (const response_row &r : rows_) {
		const distribution add = samples::summarize(r.adds), drain = samples::summarize(r.drains);
		std::uint64_t events = 0, dropped = 0;
		double seconds = 0, reseeds = 0;
		std::vector<double> rates;
		for (const response_repetition &one : r.results) {
			events += one.events;
			dropped += one.dropped;
			seconds += one.seconds;
			reseeds += static_cast<double>(one.reseeds);
			rates.push_back(one.read_bytes / one.seconds * 1e-6);
			raw.push_back({ { "engine", r.engine },
					{ "mode", name_of(r.m) },
					{ "readers", r.readers },
					{ "seconds", one.seconds },
					{ "add", to_json(one.add) },
					{ "drain", to_json(one.drain) },
					{ "reseeds", one.reseeds },
					{ "events", one.events },
					{ "dropped", one.dropped },
					{ "read_bytes", one.read_bytes } });
		}
		const bool some = !r.results.empty();
		t.add({ word(r.engine), word(name_of(r.m)), whole(r.readers), median_us(add), p99_us(add), p999_us(add),
			undisturbed_most_us(add), most_us(add), median_us(drain), p99_us(drain), most_us(drain),
			whole(events), whole(dropped), some ? number(reseeds / seconds) : nothing(),
			some && r.readers != 0 ? number(spread_of(rates).median) : nothing() });
	}
	t.note("One thread adds 1000 events a second, of 32 bytes and full credit; another adds one and drains 100 times a second,\n"
	       "and readers drain too.  Percentiles and extremes are of all repetitions together.  A drain that finds another at it\n"
	       "returns at once.");
	t.draw({ plot::axis::threads, "readers", { "add_p99" }, "add, 99th percentile, in us" });
	t.draw({ plot::axis::threads, "readers", { "drain_p99" }, "drain, 99th percentile, in us" });
	t.draw({ plot::axis::threads, "readers", { "reseeds" }, "reseeds a second" });
	to.add(t, raw);
}

} // namespace

std::unique_ptr<section> make_response(const options &chosen)
{
	return std::make_unique<response>(chosen);
}

} // namespace lab::fortuna
