// SPDX-License-Identifier: BSD-2-Clause
// How long threads hold the locks and wait for them, measured with the lab's mutexes in place of the library's.
#include "fortuna.hpp"

#include <algorithm>
#include <deque>
#include <functional>

#include <pthread.h>

#include "../../common/bare_loop.hpp"
#include "../../common/clock.hpp"

namespace lab::fortuna {

namespace {

// Roughly the number of 32-byte reads that a thread makes in half a second.
constexpr std::size_t many = std::size_t{ 1 } << 20;
// Reseeds come ten times a second, drains a thousand times.
constexpr std::size_t few = std::size_t{ 1 } << 14;

// One thread's records.
struct lock_notes {
	void clear()
	{
		for (samples *s : { &read_held, &read_waited, &reseed_held, &pools_held })
			s->clear();
	}

	samples read_held{ many }; // the generator's lock, by a reader
	samples read_waited{ many };
	samples reseed_held{ few }; // the same lock, by a reseed, which also holds the pools' lock
	samples pools_held{ few };
};

thread_local struct {
	lock_notes *notes;
	bool has_pools;
	std::uint64_t waited;
} self;

// Lock hooks (cprng/fortuna.h) for a Fortuna object: the C library's mutexes, with records of waiting and holding times.  Must
// outlive the object.
class watched_locks {
public:
	enum { pools, generator };

	watched_locks()
	{
		for (pthread_mutex_t &m : mutex_)
			pthread_mutex_init(&m, nullptr);
	}

	watched_locks(const watched_locks &) = delete;
	watched_locks &operator=(const watched_locks &) = delete;

	cprng_fortuna_hooks hooks()
	{
		cprng_fortuna_hooks h = {};
		h.lock = [](void *arg, int which, std::uint64_t *token) {
			static_cast<watched_locks *>(arg)->lock(which, token);
		};
		h.try_lock = [](void *arg, int which, std::uint64_t *token) {
			return static_cast<int>(static_cast<watched_locks *>(arg)->try_lock(which, token));
		};
		h.unlock = [](void *arg, int which, const std::uint64_t *token) {
			static_cast<watched_locks *>(arg)->unlock(which, token);
		};
		h.now = [](void *) { return monotonic_ns(); };
		h.arg = this;
		return h;
	}

	// The calling thread's record; nullptr: none.
	static void note_in(lock_notes *notes)
	{
		self.notes = notes;
	}

	// The token holds the thread's previous count of context switches and the time when the lock was acquired.  The count
	// is read outside the lock: that is a system call, and would extend the lock's hold.  The time
	// that releasing the mutex takes is not counted.
	void lock(int which, std::uint64_t *token)
	{
		token[1] = involuntary_switches();
		const std::uint64_t begin = ticks();
		pthread_mutex_lock(&mutex_[which]);
		token[0] = ticks();
		if (which == generator)
			self.waited = token[0] - begin;
		else
			self.has_pools = true;
	}

	bool try_lock(int which, std::uint64_t *token)
	{
		token[1] = involuntary_switches();
		if (pthread_mutex_trylock(&mutex_[which]) != 0)
			return false;
		token[0] = ticks();
		if (which == generator)
			self.waited = 0;
		else
			self.has_pools = true;
		return true;
	}

	void unlock(int which, const std::uint64_t *token)
	{
		const std::uint64_t end = ticks();
		pthread_mutex_unlock(&mutex_[which]);
		const bool reseeding = which == generator && self.has_pools;
		if (which == pools)
			self.has_pools = false;
		if (self.notes == nullptr)
			return;
		const bool disturbed = involuntary_switches() != token[1];
		const std::uint64_t held = end - token[0];
		if (which == pools) {
			self.notes->pools_held.add(held, disturbed);
		} else if (reseeding) {
			self.notes->reseed_held.add(held, disturbed);
		} else {
			self.notes->read_held.add(held, disturbed);
			self.notes->read_waited.add(self.waited, disturbed);
		}
	}

private:
	pthread_mutex_t mutex_[2];
};

// From a key's size to more than any cache: the time under the lock should not depend on the length.
constexpr std::uint64_t sizes[] = { 32, 4096, std::uint64_t{ 1 } << 20, std::uint64_t{ 64 } << 20 };

constexpr std::uint64_t sizes_most = sizes[std::size(sizes) - 1];

// How long the control waits in place of the generator: about as long as a step.
constexpr double control_ns = 100;

struct repetition {
	std::uint64_t reads;
	distribution held, waited, reseed_held, pools_held;
	std::uint64_t reseeds, events, dropped; // in this repetition
};

struct locks_row {
	const char *engine; // nullptr: the control
	mode m;
	std::uint64_t size;
	unsigned int readers;
	// Between two reads the thread fills the longest read's memory with the bare cipher, to affect the caches like a
	// long read.
	bool cold;
	const object *f;
	std::vector<repetition> results;
	std::deque<samples> held, waited; // of all repetitions; a sample if there are very many
};

// The records of each thread in each repetition.
constexpr std::size_t kept = std::size_t{ 1 } << 14;

class locks : public section {
public:
	explicit locks(const options &chosen) : seconds_(chosen.seconds)
	{
		const unsigned int most = *std::max_element(chosen.readers.begin(), chosen.readers.end());
		for (const unsigned int readers : { 1u, 2u })
			if (readers <= most)
				readers_.push_back(readers);
		buffers_ = std::make_unique<buffers>(readers_.back(), sizes_most);
		notes_.resize(readers_.back() + 1); // and the producer
		const cprng_fortuna_hooks hooks = locks_.hooks();
		for (const char *engine : engines)
			for (const mode m : modes) {
				const object &f = objects_.emplace_back(engine, m, &hooks);
				for (const std::uint64_t size : sizes)
					add_rows(engine, m, size, false, &f);
				if (m == mode::concurrent)
					add_rows(engine, m, sizes[0], true, &f);
			}
		add_rows(nullptr, mode::concurrent, 0, false, nullptr);
	}

	void plan(schedule &all) override
	{
		for (locks_row &r : rows_)
			all.add(seconds_, [this, &r] { return run(r); });
	}

	void report_to(report &to) const override
	{
		report_readers(to);
		report_others(to);
	}

	void judge(table &targets) const override;

private:
	void add_rows(const char *engine, mode m, std::uint64_t size, bool cold, const object *f)
	{
		for (const unsigned int readers : readers_)
			rows_.push_back({ engine, m, size, readers, cold, f, {}, {}, {} });
	}

	std::function<void()> run(locks_row &r)
	{
		for (lock_notes &notes : notes_)
			notes.clear();
		std::atomic<std::uint64_t> reads{ 0 };
		std::vector<std::function<void(const stop_flag &)>> jobs;
		for (unsigned int i = 0; i < r.readers; i++)
			jobs.emplace_back([this, &r, &reads, i](const stop_flag &stop) {
				watched_locks::note_in(&notes_[i]);
				bare_loop loop(r.engine != nullptr ? r.engine : engines[0]);
				std::uint64_t count = 0;
				do {
					if (r.cold)
						loop(buffers_->of(i), sizes_most, CPRNG_STREAMING);
					if (r.f != nullptr)
						r.f->read(buffers_->of(i), r.size);
					else
						hold_for_nothing();
					count++;
				} while (!stop.load(std::memory_order_relaxed));
				reads += count;
			});
		cprng_fortuna_info before = {}, after = {};
		if (r.f != nullptr) {
			before = r.f->info();
			jobs.emplace_back([this, &r](const stop_flag &stop) {
				watched_locks::note_in(&notes_.back());
				periodically(event_period_ns, stop, [&r] { add_event(*r.f); });
			});
		}
		if (!run_together(seconds_, jobs))
			return {};
		if (r.f != nullptr)
			after = r.f->info();
		const repetition done = { reads.load(),
					  summarize(&lock_notes::read_held),
					  summarize(&lock_notes::read_waited),
					  summarize(&lock_notes::reseed_held),
					  summarize(&lock_notes::pools_held),
					  after.reseeds - before.reseeds,
					  after.events - before.events,
					  after.dropped - before.dropped };
		// The notes remain unchanged until the next repetition.
		return [this, &r, done] {
			r.results.push_back(done);
			for (unsigned int i = 0; i < r.readers; i++) {
				r.held.push_back(notes_[i].read_held.thinned(kept));
				r.waited.push_back(notes_[i].read_waited.thinned(kept));
			}
		};
	}

	distribution summarize(samples lock_notes::*which) const
	{
		std::vector<const samples *> parts;
		for (const lock_notes &notes : notes_)
			parts.push_back(&(notes.*which));
		return samples::summarize(parts);
	}

	// The same lock around a short wait, to show this machine's effect on any lock that is held that long.
	void hold_for_nothing()
	{
		std::uint64_t token[2];
		locks_.lock(watched_locks::generator, token);
		const auto length = static_cast<std::uint64_t>(control_ns / ns_per_tick());
		const std::uint64_t begin = ticks();
		while (ticks() - begin < length)
			continue;
		locks_.unlock(watched_locks::generator, token);
	}

	void report_readers(report &to) const;
	void report_others(report &to) const;

	double seconds_;
	watched_locks locks_; // shared by all objects, one at a time
	std::vector<unsigned int> readers_;
	std::unique_ptr<buffers> buffers_;
	std::deque<lock_notes> notes_;
	std::deque<object> objects_;
	std::vector<locks_row> rows_;
};

// Combines the repetitions: the median of the medians, and the extreme of the extremes.
cell median_of(const locks_row &r, distribution repetition::*which, double distribution::*what)
{
	const spread s = spread_of(values_of(r.results, [=](const repetition &one) { return (one.*which).*what; }));
	return s.count != 0 ? microseconds(s.median) : nothing();
}

cell most_of(const locks_row &r, distribution repetition::*which, double distribution::*what)
{
	const double most =
		spread_of(values_of(r.results, [=](const repetition &one) { return (one.*which).*what; })).most;
	return most == 0 ? nothing() : microseconds(most);
}

std::uint64_t sum_of(const locks_row &r, std::uint64_t repetition::*what)
{
	std::uint64_t sum = 0;
	for (const repetition &one : r.results)
		sum += one.*what;
	return sum;
}

cell long_ones_per_million(const locks_row &r)
{
	double all = 0, longer = 0;
	for (const repetition &one : r.results) {
		all += static_cast<double>(one.held.undisturbed);
		longer += static_cast<double>(one.held.undisturbed_over_1us);
	}
	return all == 0 ? nothing() : number(1e6 * longer / all);
}

void locks::report_readers(report &to) const
{
	table t("lock",
		"Time in microseconds that readers hold the generator's lock, and wait for it (the lab's mutex)",
		{ { "engine", "engine" },
		  { "mode", "mode" },
		  { "read", "read" },
		  { "readers", "readers" },
		  { "reads", "reads" },
		  { "held_p50", "held\np50" },
		  { "held_p99", "held\np99" },
		  { "held_p99.9", "held\np99.9" },
		  { "held_max_undisturbed", "held, max\nundisturbed" },
		  { "held_max", "held\nmax" },
		  { "over_1us", "held > 1 us,\na million" },
		  { "waited_p50", "waited\np50" },
		  { "waited_p99", "waited\np99" },
		  { "waited_max", "waited\nmax" } });
	nlohmann::ordered_json raw = nlohmann::ordered_json::array();
	for (const locks_row &r : rows_) {
		const char *engine = r.engine != nullptr ? r.engine : "none";
		const char *name = r.engine != nullptr ? name_of(r.m) : "control";
		const distribution held = samples::summarize(r.held), waited = samples::summarize(r.waited);
		t.add({ word(engine), word(name),
			r.engine != nullptr ? word(size_name(r.size) + (r.cold ? ", cold" : "")) : nothing(),
			whole(r.readers), whole(sum_of(r, &repetition::reads)), median_us(held), p99_us(held),
			p999_us(held), most_of(r, &repetition::held, &distribution::undisturbed_most),
			most_of(r, &repetition::held, &distribution::most), long_ones_per_million(r), median_us(waited),
			p99_us(waited), most_of(r, &repetition::waited, &distribution::most) });
		for (const repetition &one : r.results)
			raw.push_back({ { "engine", engine },
					{ "mode", name },
					{ "read_bytes", r.size },
					{ "readers", r.readers },
					{ "cold", r.cold },
					{ "reads", one.reads },
					{ "reader_held", to_json(one.held) },
					{ "reader_waited", to_json(one.waited) },
					{ "reseed_held", to_json(one.reseed_held) },
					{ "pools_held", to_json(one.pools_held) },
					{ "reseeds", one.reseeds },
					{ "events", one.events },
					{ "dropped", one.dropped } });
	}
	t.note("A producer adds 1000 events a second meanwhile.  Percentiles and max: of all repetitions together.  "
	       "Undisturbed: the\nthread's count of involuntary context switches was the same before and after; "
	       "interrupts, and what a hypervisor does, are\nstill in there.  Control: the same mutex around a loop of "
	       "0.1 us, without a generator: what the machine does to any lock.\n"
	       "Cold: before each read the thread fills 64 MiB by the bare cipher, which leaves the caches as a long read "
	       "does.");
	t.draw({ plot::axis::request_size, "read", { "held_p50" }, "lock held, median, in us" });
	to.add(t, raw);
}

void locks::judge(table &targets) const
{
	constexpr double wanted_us = 1;
	for (const char *engine : engines) {
		double p99 = 0, p999 = 0;
		for (const locks_row &r : rows_) {
			if (r.engine != engine || r.m != mode::concurrent || r.cold || r.results.empty())
				continue;
			const distribution held = samples::summarize(r.held);
			if (held.count >= 100)
				p99 = std::max(p99, held.p99 * 1e-3);
			if (held.count >= 1000)
				p999 = std::max(p999, held.p999 * 1e-3);
		}
		// Only the lengths with enough reads for a percentile.
		const std::string what = std::string(engine) + ", concurrent reads of 32 B to 64 MiB: us under lock, ";
		if (p99 != 0)
			targets.add_target(what + "worst p99", p99, false, wanted_us);
		if (p999 != 0)
			targets.add_target(what + "worst p99.9", p999, false, wanted_us);
	}
}

// Combines all repetitions of an engine and mode, since these events are rare.
void locks::report_others(report &to) const
{
	table t("lock_others", "Time in microseconds under lock for what is not a read, and what came of it",
		{ { "engine", "engine" },
		  { "mode", "mode" },
		  { "reseeds", "reseeds" },
		  { "reseed_p50", "held for a reseed\np50" },
		  { "reseed_max_undisturbed", "reseed, max\nundisturbed" },
		  { "pools_p50", "pools held\np50" },
		  { "pools_max_undisturbed", "pools, max\nundisturbed" },
		  { "events", "events\ndealt" },
		  { "dropped", "events\ndropped" } });
	for (const object &f : objects_) {
		locks_row all = {};
		for (const locks_row &r : rows_)
			if (r.f == &f)
				all.results.insert(all.results.end(), r.results.begin(), r.results.end());
		const locks_row &first =
			*std::find_if(rows_.begin(), rows_.end(), [&f](const locks_row &r) { return r.f == &f; });
		// A repetition without a reseed contributes no median.
		locks_row with_reseeds = {};
		std::copy_if(all.results.begin(), all.results.end(), std::back_inserter(with_reseeds.results),
			     [](const repetition &one) { return one.reseed_held.count != 0; });
		t.add({ word(first.engine), word(name_of(first.m)), whole(sum_of(all, &repetition::reseeds)),
			median_of(with_reseeds, &repetition::reseed_held, &distribution::p50),
			most_of(with_reseeds, &repetition::reseed_held, &distribution::undisturbed_most),
			median_of(all, &repetition::pools_held, &distribution::p50),
			most_of(all, &repetition::pools_held, &distribution::undisturbed_most),
			whole(sum_of(all, &repetition::events)), whole(sum_of(all, &repetition::dropped)) });
	}
	t.note("Over all sizes and numbers of readers of the table above.  A thread that finds the generator's lock taken "
	       "leaves a reseed\nto the next one: so there are fewer where readers hold it.");
	t.draw({ plot::axis::categories, "", { "reseed_p50", "pools_p50" }, "lock held, median, in us" });
	to.add(t, nullptr);
}

} // namespace

std::unique_ptr<section> make_locks(const options &chosen)
{
	return std::make_unique<locks>(chosen);
}

} // namespace lab::fortuna
