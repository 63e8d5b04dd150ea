// SPDX-License-Identifier: BSD-2-Clause
// The cost of a short read in a single thread: a plain loop, by CPU time.
#include "fortuna.hpp"

#include <algorithm>
#include <deque>
#include <functional>

#include <cprng/cprng.h>

#include "../../common/clock.hpp"

namespace lab::fortuna {

namespace {

constexpr std::size_t short_read = 32;
constexpr int batch = 64; // calls between two clock readings

struct short_reads_row {
	std::string what, engine, mode;
	std::function<void(unsigned char *buf)> call;
	std::vector<double> ns; // of each repetition
};

class short_reads : public section {
public:
	explicit short_reads(const options &chosen) : seconds_(chosen.seconds)
	{
		for (const char *engine : engines)
			for (const mode m : modes) {
				objects_.emplace_back(engine, m);
				rows_.push_back(
					{ "cprng_fortuna_read",
					  engine,
					  name_of(m),
					  [f = &objects_.back()](unsigned char *buf) { f->read(buf, short_read); },
					  {} });
			}
		rows_.push_back(
			{ "cprng_strong", "-", "-", [](unsigned char *buf) { cprng_strong(buf, short_read); }, {} });
		rows_.push_back(
			{ "cprng_fast", "-", "-", [](unsigned char *buf) { cprng_fast(buf, short_read); }, {} });
	}

	void plan(schedule &all) override
	{
		for (short_reads_row &r : rows_)
			all.add(seconds_, [this, &r] { return run(r); });
	}

	void report_to(report &to) const override
	{
		table t("short_reads", "A read of 32 bytes, by one thread, with the library's locks",
			{ { "call", "call" },
			  { "engine", "engine" },
			  { "mode", "mode" },
			  { "ns", "ns" },
			  { "least", "least" },
			  { "most", "most" } });
		nlohmann::ordered_json raw = nlohmann::ordered_json::array();
		for (const short_reads_row &r : rows_) {
			const spread s = spread_of(r.ns);
			t.add({ word(r.what), word(r.engine), word(r.mode), measured(s), figure(s, &spread::least),
				figure(s, &spread::most) });
			raw.push_back(
				{ { "call", r.what }, { "engine", r.engine }, { "mode", r.mode }, { "ns", r.ns } });
		}
		t.note("CPU time of a call, with a call of a function pointer.  cprng_strong is the process's own Fortuna; "
		       "cprng_fast, the\nbuffered generator, is there for scale.");
		t.draw({ plot::axis::categories, "", { "ns" }, "ns a read of 32 bytes" });
		to.add(t, raw);
	}

private:
	std::function<void()> run(short_reads_row &r) const
	{
		unsigned char buf[short_read];
		r.call(buf); // warm up
		std::uint64_t calls = 0;
		const double begin = cpu_seconds();
		double took;
		do {
			for (int i = 0; i < batch; i++)
				r.call(buf);
			calls += batch;
			took = cpu_seconds() - begin;
		} while (took < seconds_ && !interrupted());
		if (interrupted())
			return {};
		return [&r, ns = took * 1e9 / static_cast<double>(calls)] { r.ns.push_back(ns); };
	}

	double seconds_;
	std::deque<object> objects_;
	std::deque<short_reads_row> rows_;
};

} // namespace

std::unique_ptr<section> make_short_reads(const options &chosen)
{
	return std::make_unique<short_reads>(chosen);
}

} // namespace lab::fortuna
