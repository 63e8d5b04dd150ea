// SPDX-License-Identifier: BSD-2-Clause
// Memory bandwidth by the kernels and rules of John McCalpin's STREAM.
#include "impact.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <new>

#include <unistd.h>

#include <fmt/format.h>

#include "../../common/clock.hpp"
#include "../../common/error.hpp"
#include "../../common/machine.hpp"

namespace lab::impact {

namespace {

constexpr double scalar = 3;
constexpr int times = 4; // of each kernel in a repetition; the first is not counted

// Bytes that a kernel moves per element, by STREAM's rules: a write counts once.
constexpr struct {
	const char *name;
	std::size_t bytes;
	void (*run)(double *a, double *b, double *c, std::size_t n);
} kernels[] = {
	{ "copy", 16,
	  [](double *__restrict a, double *, double *__restrict c, std::size_t n) {
		  for (std::size_t i = 0; i < n; i++)
			  c[i] = a[i];
	  } },
	{ "scale", 16,
	  [](double *, double *__restrict b, double *__restrict c, std::size_t n) {
		  for (std::size_t i = 0; i < n; i++)
			  b[i] = scalar * c[i];
	  } },
	{ "add", 24,
	  [](double *__restrict a, double *__restrict b, double *__restrict c, std::size_t n) {
		  for (std::size_t i = 0; i < n; i++)
			  c[i] = a[i] + b[i];
	  } },
	{ "triad", 24,
	  [](double *__restrict a, double *__restrict b, double *__restrict c, std::size_t n) {
		  for (std::size_t i = 0; i < n; i++)
			  a[i] = b[i] + scalar * c[i];
	  } },
};

// Each array is four times the last-level cache.  It is at most 256 MiB, since a virtual machine may report a cache that it
// shares with many others, and at most a sixteenth of the memory, since there are three arrays.
std::size_t elements(bool quick)
{
	constexpr std::size_t least = std::size_t{ 1 } << 20;
	const std::size_t memory = static_cast<std::size_t>(std::max(sysconf(_SC_PHYS_PAGES), 0L)) *
				   static_cast<std::size_t>(std::max(sysconf(_SC_PAGESIZE), 0L));
	const std::size_t most = std::max(std::min(std::size_t{ 256 } << 20, memory / 16), 4 * least);
	const std::size_t last = std::max({ cache_size(1), cache_size(2), cache_size(3), least });
	return (quick ? 4 * least : std::min(4 * last, most)) / sizeof(double);
}

struct release {
	void operator()(double *p) const
	{
		::operator delete[](p, std::align_val_t(64));
	}
};

// Not initialised, so that each thread's first access places its part in nearby memory.
using array = std::unique_ptr<double[], release>;

array allocate(std::size_t n)
{
	return array(static_cast<double *>(::operator new[](n * sizeof(double), std::align_val_t(64))));
}

struct row {
	unsigned int ways;
	std::vector<double> rates[std::size(kernels)]; // MB/s, the best of the times in a repetition
};

class bandwidth : public section {
public:
	explicit bandwidth(const run_options &chosen)
	    : n_(elements(chosen.quick)), a_(allocate(n_)), b_(allocate(n_)), c_(allocate(n_))
	{
		for (unsigned int ways = 1; ways < cpus(); ways *= 2)
			rows_.push_back({ ways, {} });
		rows_.push_back({ cpus(), {} });
		for_all(cpus(), [this](std::size_t begin, std::size_t n) {
			std::fill_n(&a_[begin], n, 1.0);
			std::fill_n(&b_[begin], n, 2.0);
			std::fill_n(&c_[begin], n, 0.0);
		});
	}

	void plan(schedule &all) override
	{
		// Assumes 5 GB/s on every machine.
		const double seconds = static_cast<double>(n_) * 80 * times / 5e9;
		for (row &r : rows_)
			all.add_kept(seconds, [this, &r] { run(r); });
	}

	void report_to(report &to) const override;

private:
	bool for_all(unsigned int ways, const std::function<void(std::size_t begin, std::size_t n)> &work) const
	{
		std::vector<std::function<void()>> jobs;
		for (unsigned int i = 0; i < ways; i++) {
			const std::size_t begin = n_ * i / ways, end = n_ * (i + 1) / ways;
			jobs.emplace_back([&work, begin, end] { work(begin, end - begin); });
		}
		return run_together(jobs);
	}

	// The values have a closed form: each round of the four kernels multiplies a by 15.
	void check() const
	{
		for (std::size_t i = 0; i < n_; i += n_ / 16 + 1)
			if (std::abs(b_[i] - scalar * a_before_) > 1e-8 * a_before_ ||
			    std::abs(a_[i] - 15 * a_before_) > 1e-8 * a_before_)
				throw failure("STREAM: wrong values in memory");
	}

	void run(row &r)
	{
		double best[std::size(kernels)] = {};
		for (int i = 0; i < times; i++) {
			for (std::size_t k = 0; k < std::size(kernels); k++) {
				// Threads start before the timed work.
				std::vector<double> begins(r.ways), ends(r.ways);
				std::atomic<unsigned int> number{ 0 };
				const bool whole = for_all(r.ways, [&](std::size_t begin, std::size_t n) {
					const unsigned int own = number++;
					begins[own] = wall_seconds();
					kernels[k].run(&a_[begin], &b_[begin], &c_[begin], n);
					ends[own] = wall_seconds();
				});
				if (!whole)
					return;
				const double took = *std::max_element(ends.begin(), ends.end()) -
						    *std::min_element(begins.begin(), begins.end());
				if (i != 0)
					best[k] = std::max(best[k],
							   static_cast<double>(n_ * kernels[k].bytes) / took / 1e6);
			}
			check();
			a_before_ = 15 * a_before_;
			if (a_before_ > 1e100)
				begin_anew();
		}
		for (std::size_t k = 0; k < std::size(kernels); k++)
			r.rates[k].push_back(best[k]);
	}

	void begin_anew()
	{
		std::fill_n(a_.get(), n_, 1.0);
		a_before_ = 1;
	}

	std::size_t n_;
	array a_, b_, c_;
	double a_before_ = 1;
	std::vector<row> rows_;
};

void bandwidth::report_to(report &to) const
{
	table t("bandwidth", "Memory bandwidth in MB/s, by the kernels of STREAM",
		{ { "ways", "threads" },
		  { "copy", "copy" },
		  { "scale", "scale" },
		  { "add", "add" },
		  { "triad", "triad" },
		  { "best_copy", "best\ncopy" },
		  { "best_triad", "best\ntriad" } });
	nlohmann::ordered_json raw = nlohmann::ordered_json::array();
	for (const row &r : rows_) {
		std::vector<cell> cells = { whole(r.ways) };
		for (const std::vector<double> &rates : r.rates)
			cells.push_back(measured(rates));
		for (const std::size_t k : { std::size_t{ 0 }, std::size(kernels) - 1 }) {
			const spread s = spread_of(r.rates[k]);
			cells.push_back(figure(s, &spread::most));
		}
		t.add(std::move(cells));
		for (std::size_t k = 0; k < std::size(kernels); k++)
			raw.push_back({ { "ways", r.ways }, { "kernel", kernels[k].name }, { "rates", r.rates[k] } });
	}
	t.note(fmt::format(
		"Arrays of {} doubles ({} MB each); of each repetition the best of {} passes, as STREAM has it.", n_,
		n_ * sizeof(double) / 1000000, times - 1));
	t.draw({ plot::axis::threads, "ways", { "copy", "scale", "add", "triad" }, "MB/s" });
	to.add(t, raw);

	table o("bandwidth_2014",
		"The figure of April 2014: four dual-core Opteron 880, 32 GB of DDR400 (Supermicro H8QC8+)",
		{ { "what", "" }, { "rate", "MB/s" } });
	o.add({ word("STREAM, kernel and threads not given"), whole(7732) });
	to.add(o, nullptr);
}

} // namespace

std::unique_ptr<section> make_bandwidth(const run_options &chosen)
{
	return std::make_unique<bandwidth>(chosen);
}

} // namespace lab::impact
