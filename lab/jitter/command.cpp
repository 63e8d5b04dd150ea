// SPDX-License-Identifier: BSD-2-Clause
// cprng-lab jitter: the variation of the timings that the library's last entropy source samples.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <thread>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "../commands.hpp"
#include "../common/clock.hpp"
#include "../common/error.hpp"
#include "../common/machine.hpp"
#include "estimates.hpp"
#include "noise.h"

namespace lab {

namespace jitter {

namespace {

// The sampling rate, for repetitions of 0.25 seconds.
constexpr double samples_a_second = 4e6;
// The library takes this many samples for an event, and waits a tenth of a second between events, which is too long here.
constexpr std::size_t at_once = 32;
constexpr std::chrono::microseconds pause{ 50 };
// The measurement of restarts makes one restart for this many samples of the other measurements.
constexpr std::size_t samples_per_restart = 10;

using collect = bool (*)(struct cprng_jitter *j, std::uint8_t *samples, std::size_t count);
enum class load { none, copying, spinning };

struct condition {
	const char *flushes, *label;
	collect how;
	bool with_pauses;
	load beside;
};

constexpr condition conditions[] = {
	{ "yes", "idle, in one go", cprng_jitter_collect, false, load::none },
	{ "yes", "idle, 32 at a time, with sleeps between", cprng_jitter_collect, true, load::none },
	{ "yes", "copying memory, in one go", cprng_jitter_collect, false, load::copying },
	{ "yes", "copying memory, 32 at a time", cprng_jitter_collect, true, load::copying },
	{ "yes", "spinning, in one go", cprng_jitter_collect, false, load::spinning },
	{ "no", "idle, in one go", lab_jitter_collect_without_flushes, false, load::none },
	{ "no", "idle, 32 at a time, with sleeps between", lab_jitter_collect_without_flushes, true, load::none },
	{ "no", "copying memory, in one go", lab_jitter_collect_without_flushes, false, load::copying },
};

// Runs it in a thread on each CPU during the object's lifetime.
class busy {
public:
	explicit busy(load what)
	{
		for (unsigned int i = 0; what != load::none && i < cpus(); i++)
			threads_.emplace_back([this, what, i] {
				go_to_cpu(i);
				what == load::copying ? copy() : spin();
			});
	}

	~busy()
	{
		stop_ = true;
		for (std::thread &t : threads_)
			t.join();
	}

	busy(const busy &) = delete;
	busy &operator=(const busy &) = delete;

private:
	void copy() const
	{
		constexpr std::size_t size = std::size_t{ 1 } << 25;
		std::vector<unsigned char> from(size, 1), to(size);
		while (!stop_) {
			std::memcpy(to.data(), from.data(), size);
			__asm__ volatile("" : : "r"(to.data()) : "memory");
		}
	}

	void spin() const
	{
		while (!stop_)
			for (int i = 0; i < 1000; i++)
				__asm__ volatile("");
	}

	std::atomic<bool> stop_{ false };
	std::vector<std::thread> threads_;
};

struct repetition {
	double ns, mcv, markov, successor, lag, restarts;
	std::size_t run, window;
};

void demand(bool collected)
{
	if (!collected)
		throw failure("no clock for the jitter");
}

sample_list gather(const condition &of, std::size_t count, double &ns)
{
	cprng_jitter state = {};
	if (of.how == cprng_jitter_collect && !cprng_cpu_flush(state.memory))
		throw failure("jitter, flushes: programs cannot flush the caches of this CPU");
	sample_list samples(count);
	const std::size_t step = of.with_pauses ? at_once : count;
	ns = 0;
	for (std::size_t i = 0; i < count && !interrupted(); i += step) {
		if (of.with_pauses)
			std::this_thread::sleep_for(pause);
		const double begin = cpu_seconds();
		demand(of.how(&state, samples.data() + i, std::min(step, count - i)));
		ns += (cpu_seconds() - begin) * 1e9;
	}
	ns /= static_cast<double>(count);
	return samples;
}

// The minimum over the positions of samples after a restart; each position is sampled in many restarts from zero.
double restarts(const condition &of, std::size_t count)
{
	std::vector<sample_list> each(at_once, sample_list(count));
	for (std::size_t i = 0; i < count && !interrupted(); i++) {
		cprng_jitter state = {};
		std::uint8_t first[at_once];
		demand(of.how(&state, first, at_once));
		for (std::size_t n = 0; n < at_once; n++)
			each[n][i] = first[n];
	}
	double least = 8;
	for (const sample_list &one : each)
		least = std::min(least, most_common_value(one));
	return least;
}

repetition measure(const condition &of, std::size_t count)
{
	const busy beside(of.beside);
	repetition r = {};
	const sample_list samples = gather(of, count, r.ns);
	r.restarts = restarts(of, std::max<std::size_t>(count / samples_per_restart, 2));
	r.mcv = most_common_value(samples);
	r.markov = markov(samples);
	r.successor = successor(samples);
	r.lag = best_lag(samples);
	r.run = longest_run(samples);
	r.window = fullest_window(samples);
	return r;
}

cell least(const std::vector<repetition> &all, double repetition::*what)
{
	return number(spread_of(values_of(all, what)).least);
}

cell most(const std::vector<repetition> &all, std::size_t repetition::*what)
{
	std::size_t value = 0;
	for (const repetition &r : all)
		value = std::max(value, r.*what);
	return whole(value);
}

// The data sets of SP 800-90B: consecutive samples (3.1.1), and as many samples after each restart as there are restarts
// (3.1.4.1).  A sample is a byte.
constexpr std::size_t consecutive = 1000000, restarted = 1000;

void write_samples(const std::string &name)
{
	sample_list samples(consecutive), rows(restarted * restarted);
	cprng_jitter state = {};
	demand(cprng_jitter_collect(&state, samples.data(), samples.size()));
	for (std::size_t i = 0; i < restarted; i++) {
		state = {};
		demand(cprng_jitter_collect(&state, rows.data() + i * restarted, restarted));
	}
	const auto write = [](const std::string &file, const sample_list &bytes) {
		write_file(file, { reinterpret_cast<const char *>(bytes.data()), bytes.size() }, "wb");
	};
	write(name, samples);
	write(name + "-restarts", rows);
}

} // namespace

} // namespace jitter

std::function<void()> add_jitter(CLI::App &app)
{
	const auto samples = std::make_shared<std::string>();
	std::function<void()> measuring = add_measuring(app, measure_jitter);
	app.add_option("--samples", *samples,
		       "measure nothing, and write a million raw samples to this file and as many to FILE-restarts, "
		       "a thousand after each restart: what the tools of SP 800-90B read")
		->type_name("FILE")
		->excludes("--json");
	return [samples, measuring] { samples->empty() ? measuring() : jitter::write_samples(*samples); };
}

void measure_jitter(const run_options &chosen, report &to)
{
	using namespace jitter;
	const auto count = static_cast<std::size_t>(samples_a_second * chosen.seconds);
	to.settings()["samples"] = count;
	std::deque<std::vector<repetition>> results(std::size(conditions));
	schedule all;
	for (std::size_t i = 0; i < std::size(conditions); i++)
		all.add_kept(chosen.seconds * 4, [&results, i, count] {
			const repetition r = measure(conditions[i], count);
			if (!interrupted())
				results[i].push_back(r);
		});
	all.run(chosen.repetitions);

	table t("jitter", "Jitter: bits of min-entropy in a sample of eight",
		{ { "flushes", "flushes" },
		  { "condition", "all CPUs" },
		  { "ns", "ns a\nsample" },
		  { "mcv", "MCV" },
		  { "markov", "Markov" },
		  { "successor", "successor" },
		  { "lag", "lag" },
		  { "restarts", "restarts" },
		  { "run", "longest\nrun" },
		  { "window", "fullest\nwindow" } });
	nlohmann::ordered_json raw = nlohmann::ordered_json::array();
	for (std::size_t i = 0; i < std::size(conditions); i++) {
		const std::vector<repetition> &r = results[i];
		t.add({ word(conditions[i].flushes), word(conditions[i].label), measured(values_of(r, &repetition::ns)),
			least(r, &repetition::mcv), least(r, &repetition::markov), least(r, &repetition::successor),
			least(r, &repetition::lag), least(r, &repetition::restarts), most(r, &repetition::run),
			most(r, &repetition::window) });
		for (const repetition &one : r)
			raw.push_back({ { "flushes", conditions[i].flushes },
					{ "condition", conditions[i].label },
					{ "ns", one.ns },
					{ "mcv", one.mcv },
					{ "markov", one.markov },
					{ "successor", one.successor },
					{ "lag", one.lag },
					{ "restarts", one.restarts },
					{ "run", one.run },
					{ "window", one.window } });
	}
	t.note("Idle: this program has no other thread; the CPU time of other programs is counted below.");
	t.note(fmt::format(
		"The library's source as it is, {} samples in each of {} repetitions, of which the lowest estimate counts, the\n"
		"longest run and the fullest window.  MCV and Markov: SP 800-90B, 6.3.1 and 6.3.3 (paths of 128, of 256 values).\n"
		"Successor: guessing the most frequent sample after the last one.  Lag: guessing the sample of 1 to 128 before,\n"
		"the best of them.  Restarts: MCV of the worst of the first {} samples after the state was zeroed, {} times.",
		count, chosen.repetitions, at_once, std::max<std::size_t>(count / samples_per_restart, 2)));
	t.draw({ plot::axis::categories,
		 "condition",
		 { "mcv", "markov", "successor", "lag", "restarts" },
		 "bits a sample" });
	to.add(t, raw);
	to.add_others(all);
}

} // namespace lab
