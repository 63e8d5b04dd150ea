// SPDX-License-Identifier: BSD-2-Clause
// Readers' throughput with the library's own locks, compared with the bare cipher in as many threads.
#include "fortuna.hpp"

#include <algorithm>
#include <array>
#include <functional>

#include <fmt/format.h>

#include "../../common/bare_loop.hpp"
#include "../../common/clock.hpp"
#include "../../common/machine.hpp"

namespace lab::fortuna {

namespace {

struct thread_result {
	std::uint64_t bytes = 0;
	double begin = 0, end = 0, cpu_seconds = 0;
};

using thread_results = std::vector<thread_result>; // one per thread

constexpr double mega = 1e6;

double rate(const thread_result &t)
{
	return static_cast<double>(t.bytes) / (t.end - t.begin) / mega;
}

// From the first start to the last end: with more threads than CPUs, threads run at different times.
double total(const thread_results &r)
{
	double bytes = 0, begin = r[0].begin, end = r[0].end;
	for (const thread_result &t : r) {
		bytes += static_cast<double>(t.bytes);
		begin = std::min(begin, t.begin);
		end = std::max(end, t.end);
	}
	return bytes / (end - begin) / mega;
}

double per_thread(const thread_results &r)
{
	return total(r) / static_cast<double>(r.size());
}

// Per second of CPU time, which excludes other programs.
double per_cpu_second(const thread_results &r)
{
	double bytes = 0, seconds = 0;
	for (const thread_result &t : r) {
		bytes += static_cast<double>(t.bytes);
		seconds += t.cpu_seconds;
	}
	return bytes / seconds / mega;
}

// The slowest thread relative to the fastest.
double evenness(const thread_results &r)
{
	const auto [least, most] =
		std::minmax_element(r.begin(), r.end(),
				    [](const thread_result &a, const thread_result &b) { return rate(a) < rate(b); });
	return rate(*least) / rate(*most);
}

using measure = double (*)(const thread_results &r);

// Pairs repetitions that were made one after the other.
spread ratio_of(const std::vector<thread_results> &over, const std::vector<thread_results> &under, measure what)
{
	return spread_of(quotients(values_of(over, what), values_of(under, what)));
}

constexpr const char *variants[] = { "bare", "locked", "concurrent" };
enum { bare, locked, concurrent };

struct throughput_row {
	const char *engine;
	std::uint64_t size;
	unsigned int readers;
	std::vector<thread_results> results[std::size(variants)];
};

class throughput : public section {
public:
	explicit throughput(const options &chosen)
	    : seconds_(chosen.seconds), buffers_(*std::max_element(chosen.readers.begin(), chosen.readers.end()),
						 *std::max_element(chosen.sizes.begin(), chosen.sizes.end()))
	{
		for (const char *engine : engines) {
			for (const mode m : modes)
				objects_.emplace_back(engine, m);
			for (const std::uint64_t size : chosen.sizes)
				for (const unsigned int readers : chosen.readers)
					rows_.push_back({ engine, size, readers, {} });
		}
	}

	// The three rows are repeated together, so that the machine's state is the same for all.
	void plan(schedule &all) override
	{
		for (throughput_row &r : rows_)
			all.add(seconds_ * std::size(variants), [this, &r] { return run_all(r); });
	}

	void report_to(report &to) const override;
	void judge(table &targets) const override;

private:
	const object &object_of(const char *engine, int variant) const
	{
		return objects_[(engine == engines[0] ? 0 : std::size(modes)) + (variant == locked ? 0 : 1)];
	}

	std::function<void()> run_all(throughput_row &r)
	{
		std::array<thread_results, std::size(variants)> done;
		if (!in_turn(std::size(variants), ++turn_,
			     [&](std::size_t variant) { run(r, static_cast<int>(variant), done[variant]); }))
			return {};
		return [&r, done] {
			for (std::size_t i = 0; i < std::size(variants); i++)
				r.results[i].push_back(done[i]);
		};
	}

	void run(const throughput_row &r, int variant, thread_results &result) const
	{
		result.resize(r.readers);
		std::vector<std::function<void(const stop_flag &)>> jobs;
		for (unsigned int i = 0; i < r.readers; i++)
			jobs.emplace_back([this, &r, variant, &result, i](const stop_flag &stop) {
				unsigned char *const buf = buffers_.of(i);
				if (variant == bare) {
					bare_loop loop(r.engine);
					const unsigned int flags = r.size >= CPRNG_STREAMING_MIN ? CPRNG_STREAMING : 0;
					result[i] = repeat(stop, r.size, [&] { loop(buf, r.size, flags); });
				} else {
					const object &f = object_of(r.engine, variant);
					result[i] = repeat(stop, r.size, [&] { f.read(buf, r.size); });
				}
			});
		run_together(seconds_, jobs);
	}

	template <typename Work>
	static thread_result repeat(const stop_flag &stop, std::uint64_t size, const Work &work)
	{
		thread_result t;
		t.begin = wall_seconds();
		const double cpu_begin = cpu_seconds();
		do {
			work();
			t.bytes += size;
		} while (!stop.load(std::memory_order_relaxed));
		t.end = wall_seconds();
		t.cpu_seconds = cpu_seconds() - cpu_begin;
		return t;
	}

	double seconds_;
	std::size_t turn_ = 0;
	buffers buffers_;
	std::vector<object> objects_; // one per engine and mode
	std::vector<throughput_row> rows_;
};

nlohmann::ordered_json repetitions_of(const throughput_row &r)
{
	nlohmann::ordered_json all = nlohmann::ordered_json::array();
	for (std::size_t i = 0; i < std::size(variants); i++) {
		for (const thread_results &result : r.results[i]) {
			nlohmann::ordered_json threads = nlohmann::ordered_json::array();
			for (const thread_result &t : result)
				threads.push_back({ { "bytes", t.bytes },
						    { "begin", t.begin - result[0].begin },
						    { "end", t.end - result[0].begin },
						    { "cpu_seconds", t.cpu_seconds } });
			all.push_back({ { "engine", r.engine },
					{ "variant", variants[i] },
					{ "read_bytes", r.size },
					{ "readers", r.readers },
					{ "threads", std::move(threads) } });
		}
	}
	return all;
}

// By CPU time, with at most as many readers as CPUs.
void throughput::judge(table &targets) const
{
	constexpr double wanted = 0.9;
	unsigned int readers = 1;
	for (const throughput_row &r : rows_)
		if (r.readers <= cpus())
			readers = std::max(readers, r.readers);
	for (const throughput_row &r : rows_) {
		const spread s = ratio_of(r.results[concurrent], r.results[bare], per_cpu_second);
		if (r.readers == readers && s.count != 0)
			targets.add_target(fmt::format("{}, {} readers of {}: concurrent / bare, by CPU time", r.engine,
						       readers, size_name(r.size)),
					   s.median, true, wanted);
	}
}

void throughput::report_to(report &to) const
{
	table t("throughput", "Throughput in MB/s: the bare cipher and Fortuna's readers, with the library's locks",
		{ { "engine", "engine" },
		  { "read", "read" },
		  { "readers", "readers" },
		  { "bare", "bare\na thread" },
		  { "locked", "locked\na thread" },
		  { "concurrent", "concurrent\na thread" },
		  { "concurrent_total", "concurrent\ntotal" },
		  { "over_locked", "conc. /\nlocked" },
		  { "over_bare", "conc. /\nbare" },
		  { "over_bare_cpu", "conc. / bare\nby CPU time" },
		  { "locked_evenness", "locked\neven" },
		  { "concurrent_evenness", "concurrent\neven" } });
	nlohmann::ordered_json raw = nlohmann::ordered_json::array();
	for (const throughput_row &r : rows_) {
		t.add({ word(r.engine), word(size_name(r.size)), whole(r.readers),
			measured(values_of(r.results[bare], per_thread)),
			measured(values_of(r.results[locked], per_thread)),
			measured(values_of(r.results[concurrent], per_thread)),
			measured(values_of(r.results[concurrent], total)),
			measured(ratio_of(r.results[concurrent], r.results[locked], total)),
			measured(ratio_of(r.results[concurrent], r.results[bare], total)),
			measured(ratio_of(r.results[concurrent], r.results[bare], per_cpu_second)),
			measured(values_of(r.results[locked], evenness)),
			measured(values_of(r.results[concurrent], evenness)) });
		for (const auto &one : repetitions_of(r))
			raw.push_back(one);
	}
	t.note("Medians of the repetitions, ± the median absolute deviation; ratios are of repetitions made one after the "
	       "other.\nBy CPU time: bytes for each second of CPU, so that what other programs take is left out.  Bare: the "
	       "engine's\nkeystream loop under one key, into the same memory, with streaming stores where Fortuna has them.\n"
	       "Even: the slowest thread in parts of the fastest.");
	t.draw({ plot::axis::threads, "readers", { "bare", "locked", "concurrent" }, "MB/s a thread" });
	to.add(t, raw);
}

} // namespace

std::unique_ptr<section> make_throughput(const options &chosen)
{
	return std::make_unique<throughput>(chosen);
}

} // namespace lab::fortuna
