// SPDX-License-Identifier: BSD-2-Clause
// Compares the library with this machine's other generators, and with its targets.
#include "tour.hpp"

#include <algorithm>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include <unistd.h>

#include <fmt/format.h>

#include <cprng/cprng.h>

#include "../common/buffers.hpp"
#include "../peers/contenders/bare.hpp"
#include "../peers/contenders/sodium.hpp"
#include "../peers/contenders/timing.hpp"

namespace lab::tour {

namespace {

constexpr std::uint32_t bound = 1000000;
constexpr std::size_t small_request = 256, large_request = 65536;
constexpr std::size_t huge_request = std::size_t{ 256 } << 20; // larger than the caches

// All generators write here, so that all have the same alignment and cache lines.
alignas(4096) unsigned char buffer[large_request];

const work u32 = { work::bits32 };
const work below = { work::below, nullptr, 0, &bound, 1 };
const work small = { work::fill, buffer, small_request };
const work large = { work::fill, buffer, large_request };

// Whether twice as much memory is free.
bool has_room_for_huge_requests()
{
	const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
	return static_cast<std::size_t>(sysconf(_SC_AVPHYS_PAGES)) >= 2 * huge_request / page;
}

struct measurement {
	std::string generator;
	contender *source;
	work what;
	std::uint64_t calls;
	std::vector<double> ns;
};

// A generator of the table, by its name among the lab's contenders.
struct row {
	const char *name, *label;
	bool only_for_targets;
};

constexpr const char *bare_name = "bare";
constexpr row rows[] = {
	{ "cprng", "cprng", false },
	{ bare_name, "its cipher, no generator", true },
	{ "vdso", "getrandom, vDSO", false },
	{ "getrandom", "getrandom, system call", false },
	{ "openssl-rand", "OpenSSL RAND_bytes", false },
	{ "xoshiro256pp", "xoshiro256++ [1]", false },
};

// A target of the project: a ratio of times or speeds.
struct target {
	const char *what, *ours, *theirs;
	const work *of;
	double wanted;
	bool of_speeds;
};

constexpr std::uint32_t state_bytes_most = 8192;

class speeds {
public:
	explicit speeds(const options &chosen) : chosen_(chosen)
	{
		cprng_get_info(&info_, sizeof(info_));
		for (const auto add : { add_library, add_kernel, add_openssl, add_standard })
			add(known_);
		for (const row &r : rows)
			if (!r.only_for_targets || chosen.targets)
				add_row(r);
		if (chosen.targets)
			add_for_targets();
	}

	void measure()
	{
		schedule all;
		for (measurement &m : measurements_)
			all.add_kept(chosen_.seconds, [this, &m] { run(m); });
		if (isatty(STDERR_FILENO) == 0)
			fmt::print(stderr, "measuring for about {:.0f} seconds\n",
				   1 + all.seconds() * chosen_.repetitions);
		all.run(chosen_.repetitions);
	}

	void report_to(report &to) const
	{
		to.settings()["engine"] = info_.engine;
		to.settings()["backend"] = info_.backend;
		to.settings()["placement"] = info_.placement;
		to.settings()["bound"] = bound;
		report_speeds(to);
		if (chosen_.targets)
			report_targets(to);
	}

private:
	void add_row(const row &r)
	{
		if (r.name == std::string(bare_name)) {
			contender *source = keep(std::make_unique<contender_of<bare_source>>(info_.engine));
			add(bare_name, source, small);
			add(bare_name, source, large);
			return;
		}
		const contender_info &info = find(r.name);
		if (!info.absent.empty()) {
			absent_ += fmt::format("\n{}: not here, {}", r.label, info.absent);
			return;
		}
		contender *source = keep(info.make());
		for (const work *w : { &u32, &below, &small, &large })
			add(r.name, source, *w);
	}

	void add_for_targets()
	{
		for (const char *engine : { "chacha20", "salsa20" })
			add(engine, keep(std::make_unique<contender_of<bare_source>>(engine)), large);
		if (const contender_info &info = find("openssl-chacha20"); info.absent.empty())
			add(info.name, keep(info.make()), large);
#ifdef LAB_SODIUM
		add("libsodium-salsa20", keep(std::make_unique<contender_of<sodium_salsa20>>()), large);
#endif
		if (!has_room_for_huge_requests())
			return;
		huge_ = { work::fill, huge_buffer_.emplace(1, huge_request).of(0), huge_request };
		add("cprng", keep(find("cprng").make()), huge_);
		add(bare_name, keep(std::make_unique<contender_of<bare_source>>(info_.engine, CPRNG_STREAMING)), huge_);
	}

	const contender_info &find(const std::string &name) const
	{
		return *std::find_if(known_.begin(), known_.end(), [&](const auto &info) { return info.name == name; });
	}

	contender *keep(std::unique_ptr<contender> source)
	{
		sources_.push_back(std::move(source));
		return sources_.back().get();
	}

	void add(const std::string &generator, contender *source, const work &what)
	{
		measurements_.push_back({ generator, source, what, 0, {} });
	}

	void run(measurement &m) const
	{
		if (m.calls == 0)
			m.calls = calls_for(*m.source, m.what, chosen_.seconds);
		if (!interrupted())
			m.ns.push_back(m.source->run(m.what, m.calls) / static_cast<double>(m.calls) * 1e9);
	}

	const measurement *find(const std::string &generator, const work &what) const
	{
		for (const measurement &m : measurements_)
			if (m.generator == generator && m.what.what == what.what && m.what.len == what.len &&
			    !m.ns.empty())
				return &m;
		return nullptr;
	}

	// A number's nanoseconds, or a request's GB/s; and its time relative to cprng's.
	void add_cells(const row &r, const work &what, std::vector<cell> &cells) const
	{
		const measurement *m = find(r.name, what), *ours = find("cprng", what);
		if (m == nullptr || ours == nullptr) {
			cells.insert(cells.end(), 2, nothing());
			return;
		}
		std::vector<double> values = m->ns;
		if (what.len != 0)
			for (double &value : values)
				value = static_cast<double>(what.len) / value;
		cells.push_back(measured(values));
		cells.push_back(number(spread_of(m->ns).median / spread_of(ours->ns).median));
	}

	void report_speeds(report &to) const
	{
		table t("tour", "How fast",
			{ { "generator", "generator" },
			  { "bits32", "32 bits\nns" },
			  { "bits32_x", "32 bits\nx" },
			  { "below", "bounded\nns" },
			  { "below_x", "bounded\nx" },
			  { "bytes256", "256 B\nGB/s" },
			  { "bytes256_x", "256 B\nx" },
			  { "bytes65536", "64 KiB\nGB/s" },
			  { "bytes65536_x", "64 KiB\nx" } });
		nlohmann::ordered_json raw = nlohmann::ordered_json::array();
		for (const row &r : rows) {
			if (r.only_for_targets && !chosen_.targets)
				continue;
			std::vector<cell> cells = { word(r.label) };
			for (const work *w : { &u32, &below, &small, &large })
				add_cells(r, *w, cells);
			t.add(std::move(cells));
		}
		for (const measurement &m : measurements_)
			for (const double ns : m.ns)
				raw.push_back({ { "generator", m.generator },
						{ "what", m.what.what == work::bits32 ? "bits32" :
							  m.what.what == work::below  ? "below" :
											"fill" },
						{ "bytes", m.what.len },
						{ "ns", ns } });
		t.note(fmt::format(
			"x: time relative to cprng.  CPU time of one thread, medians of {} repetitions of {:.0f} ms in random order,\n"
			"± the median absolute deviation.  Bounded: below {}.\n"
			"[1] Not cryptographic; for comparison.{}",
			chosen_.repetitions, chosen_.seconds * 1e3, bound, absent_));
		t.note("Compare ratios within one run only: the machine differs from run to run.");
		t.draw({ plot::axis::categories, "generator", { "bits32", "below" }, "ns a number" });
		t.draw({ plot::axis::categories, "generator", { "bytes256", "bytes65536" }, "GB/s" });
		to.add(t, raw);
	}

	void report_targets(report &to) const
	{
		const target targets[] = {
			{ "32 bits: time / xoshiro256++ in memory", "cprng", "xoshiro256pp", &u32, 1, false },
			{ "32 bits: time / getrandom of the vDSO", "cprng", "vdso", &u32, 1.0 / 30, false },
			{ "64 KiB: speed / its bare cipher", "cprng", bare_name, &large, 0.95, true },
			{ "64 KiB: speed / OpenSSL RAND_bytes", "cprng", "openssl-rand", &large, 4, true },
			{ "256 MiB: speed / its bare cipher, streaming", "cprng", bare_name, &huge_, 0.9, true },
			{ "ChaCha20: speed / OpenSSL's", "chacha20", "openssl-chacha20", &large, 1.5, true },
			{ "Salsa20: speed / libsodium's", "salsa20", "libsodium-salsa20", &large, 4, true },
		};
		table t = target_table("tour_targets");
		for (const target &wanted : targets) {
			const measurement *ours = find(wanted.ours, *wanted.of),
					  *theirs = find(wanted.theirs, *wanted.of);
			std::optional<double> ratio;
			if (ours != nullptr && theirs != nullptr)
				ratio = spread_of(ours->ns).median / spread_of(theirs->ns).median;
			if (ratio && wanted.of_speeds)
				ratio = 1 / *ratio;
			t.add_target(wanted.what, ratio, wanted.of_speeds, wanted.wanted);
		}
		t.add({ word("memory of a CPU that drew, bytes"), whole(info_.state_bytes),
			word(fmt::format("<= {}", state_bytes_most)),
			word(info_.state_bytes <= state_bytes_most ? "met" : "missed") });
		to.add(t, nullptr);
	}

	const options chosen_;
	cprng_info info_;
	contender_list known_;
	std::string absent_;
	std::vector<std::unique_ptr<contender>> sources_;
	std::deque<measurement> measurements_;
	std::optional<buffers> huge_buffer_;
	work huge_ = { work::fill };
};

} // namespace

void show_speeds(const options &chosen, report &to)
{
	speeds speeds(chosen);
	speeds.measure();
	speeds.report_to(to);
}

} // namespace lab::tour
