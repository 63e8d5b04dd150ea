// SPDX-License-Identifier: BSD-2-Clause
// cprng-lab streams: numbers of reproducible streams, compared with simulation generators.
#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <cprng/cprng.h>

#include "../commands.hpp"
#include "../common/bare_loop.hpp"
#include "../common/child.hpp"
#include "../common/clock.hpp"
#include "../common/error.hpp"
#include "../peers/contenders/source.hpp"

namespace lab {

namespace {

constexpr std::size_t array_bytes = std::size_t{ 1 } << 20;

// Forces memory accesses to complete: a generator's state is loaded and stored for each number, as in code where the
// compiler cannot keep it in registers.
void in_memory()
{
	__asm__ volatile("" : : : "memory");
}

template <typename Number> void use(Number number)
{
	__asm__ volatile("" : : "m"(number));
}

// A seeded stream of an engine.
class stream {
public:
	explicit stream(const char *engine)
	{
		check(cprng_stream_seed_integer(&s_, engine, 1));
	}

	cprng_stream *get()
	{
		return &s_;
	}

	std::uint64_t u64()
	{
		return cprng_stream_u64(&s_);
	}

	std::uint32_t below(std::uint32_t bound)
	{
		return cprng_stream_uniform32(&s_, bound);
	}

	double real()
	{
		return cprng_stream_double(&s_);
	}

	double normal()
	{
		return cprng_stream_normal(&s_, 0, 1);
	}

	void bytes(void *out)
	{
		check(cprng_stream_read(&s_, out, array_bytes));
	}

	void reals(double *out, std::size_t n)
	{
		check(cprng_stream_fill_double(&s_, out, n));
	}

	void normals(double *out, std::size_t n)
	{
		check(cprng_stream_fill_normal(&s_, out, n, 0, 1));
	}

private:
	static void check(int error)
	{
		if (error != 0)
			throw failure(cprng_strerror(error));
	}

	cprng_stream s_;
};

// The other generators have no array functions, so they use loops.
template <typename Derived> class with_loops {
public:
	std::uint32_t below(std::uint32_t bound)
	{
		return below_by_multiplication([this] { return static_cast<std::uint32_t>(self().u64() >> 32); },
					       bound);
	}

	double real()
	{
		return static_cast<double>(self().u64() >> 11) * 0x1p-53;
	}

	void bytes(void *out)
	{
		auto *p = static_cast<std::uint64_t *>(out);
		for (std::size_t i = 0; i < array_bytes / 8; i++)
			p[i] = self().u64();
	}

	void reals(double *out, std::size_t n)
	{
		for (std::size_t i = 0; i < n; i++)
			out[i] = real();
	}

	void normals(double *out, std::size_t n)
	{
		for (std::size_t i = 0; i < n; i++)
			out[i] = self().normal();
	}

private:
	Derived &self()
	{
		return static_cast<Derived &>(*this);
	}
};

class mersenne : public with_loops<mersenne> {
public:
	std::uint64_t u64()
	{
		return engine_();
	}

	double normal()
	{
		return normal_(engine_);
	}

private:
	std::mt19937_64 engine_{ 1 }; // NOLINT: a fixed seed
	std::normal_distribution<> normal_;
};

// PCG64 DXSM, NumPy's future default: M. E. O'Neill's generator with the output function of 2019.
class pcg64_dxsm : public with_loops<pcg64_dxsm> {
public:
	using result_type = std::uint64_t;

	static constexpr result_type min()
	{
		return 0;
	}

	static constexpr result_type max()
	{
		return UINT64_MAX;
	}

	result_type operator()()
	{
		return u64();
	}

	std::uint64_t u64()
	{
		constexpr std::uint64_t multiplier = 0xda942042e4dd58b5;
		auto high = static_cast<std::uint64_t>(state_ >> 64);
		const std::uint64_t low = static_cast<std::uint64_t>(state_) | 1;
		high ^= high >> 32;
		high *= multiplier;
		high ^= high >> 48;
		high *= low;
		state_ = state_ * multiplier + 0x5851f42d4c957f2d;
		return high;
	}

	double normal()
	{
		return normal_(*this);
	}

private:
	__extension__ unsigned __int128 state_ = static_cast<unsigned __int128>(0x9e3779b97f4a7c15) << 64 | 1;
	std::normal_distribution<> normal_;
};

struct row {
	std::string name;
	// ns a number, or GB/s; empty: not measured
	std::vector<double> u64, below, real, normal, bytes, reals, normals;
};

// NumPy in a child process, from the distribution's Python if there is one.
class numpy {
public:
	// Empty without NumPy.
	const std::string &version() const
	{
		return version_;
	}

	void measure(row &r, const char *generator, double seconds)
	{
		r.reals.push_back(speed(generator, "doubles", seconds / 2));
		r.normals.push_back(speed(generator, "normals", seconds / 2));
	}

private:
	std::string first_answer()
	{
		try {
			return python_.answer();
		} catch (const failure &) { // no Python
			return "";
		}
	}

	double speed(const char *generator, const char *work, double seconds)
	{
		return std::stod(python_.asked(fmt::format("{} {} {}", generator, work, seconds))) / 1e9;
	}

	child python_{ python(LAB_STREAMS_NUMPY) };
	std::string version_ = first_answer();
};

// Nanoseconds per item, for `work` that does `count` items.
double timed(double seconds, std::uint64_t count, const std::function<void(std::uint64_t)> &work)
{
	double took = 0;
	std::uint64_t done = 0;
	work(count / 8 + 1);
	const double begin = wall_seconds();
	do {
		work(count);
		done += count;
		took = wall_seconds() - begin;
	} while (took < seconds && !interrupted());
	return took / static_cast<double>(done) * 1e9;
}

// The engine's loop without a stream: the reference for arrays.
void measure_keystream(row &r, const char *engine, double seconds)
{
	bare_loop keystream(engine);
	std::vector<unsigned char> array(array_bytes);
	r.bytes.push_back(array_bytes / timed(seconds, 1, [&](std::uint64_t n) {
				  for (; n > 0; n--) {
					  keystream(array.data(), array.size());
					  in_memory();
				  }
			  }));
}

template <typename Generator> void measure(row &r, Generator &g, double seconds)
{
	constexpr std::uint64_t many = 20000;
	constexpr std::size_t numbers = array_bytes / sizeof(double);
	std::vector<double> array(numbers);
	const double each = seconds / 7;

	auto singles = [each](auto draw) {
		return timed(each, many, [&draw](std::uint64_t n) {
			for (; n > 0; n--) {
				use(draw());
				in_memory();
			}
		});
	};
	auto arrays = [each](auto fill) {
		return array_bytes / timed(each, 1, [&fill](std::uint64_t n) {
			       for (; n > 0; n--) {
				       fill();
				       in_memory();
			       }
		       });
	};
	r.u64.push_back(singles([&g] { return g.u64(); }));
	r.below.push_back(singles([&g] { return g.below(1000000); }));
	r.real.push_back(singles([&g] { return g.real(); }));
	r.normal.push_back(singles([&g] { return g.normal(); }));
	r.bytes.push_back(arrays([&] { g.bytes(array.data()); }));
	r.reals.push_back(arrays([&] { g.reals(array.data(), numbers); }));
	r.normals.push_back(arrays([&] { g.normals(array.data(), numbers); }));
}

template <typename Generator, typename... Arguments>
std::function<void(row &, double)> measuring(Arguments... arguments)
{
	return [arguments...](row &r, double seconds) {
		Generator g(arguments...);
		measure(r, g, seconds);
	};
}

constexpr const char *engines[] = { "chacha8", "chacha20", "aes256-ctr" };
// The rows: streams of the engines, their keystreams, other generators.
enum { first_keystream = 3, pcg = 6, twister, numpy_pcg64, numpy_pcg64_dxsm, row_count };

// Without NumPy, its rows are missing.
void plan(const run_options &chosen, numpy &arrays, std::vector<row> &rows, schedule &all)
{
	rows.resize(arrays.version().empty() ? numpy_pcg64 : row_count);
	auto add = [&](std::size_t i, const std::string &name, std::function<void(row &, double)> work) {
		rows[i].name = name;
		all.add_kept(chosen.seconds, [&rows, &chosen, i, work] { work(rows[i], chosen.seconds); });
	};

	for (std::size_t i = 0; i < first_keystream; i++) {
		const char *engine = engines[i];
		add(i, fmt::format("cprng-{}", engine), measuring<stream>(engine));
		add(first_keystream + i, fmt::format("bare-{}", engine),
		    [engine](row &r, double seconds) { measure_keystream(r, engine, seconds / 7); });
	}
	add(pcg, "pcg64-dxsm", measuring<pcg64_dxsm>());
	add(twister, "mt19937-64", measuring<mersenne>());
	if (arrays.version().empty())
		return;
	add(numpy_pcg64, "numpy-pcg64", [&arrays](row &r, double seconds) { arrays.measure(r, "PCG64", seconds); });
	add(numpy_pcg64_dxsm, "numpy-pcg64-dxsm",
	    [&arrays](row &r, double seconds) { arrays.measure(r, "PCG64DXSM", seconds); });
}

void report_numbers(const std::vector<row> &rows, report &to)
{
	table t("streams", "Numbers of reproducible streams: ns a number, and arrays of 1 MiB in GB/s",
		{ { "generator", "generator" },
		  { "u64", "64 bits" },
		  { "below", "below\n10^6" },
		  { "double", "double" },
		  { "normal", "normal" },
		  { "bytes", "bytes" },
		  { "doubles", "doubles" },
		  { "normals", "normals" } });
	nlohmann::ordered_json raw = nlohmann::ordered_json::array();
	for (const row &r : rows) {
		t.add({ word(r.name), measured(r.u64), measured(r.below), measured(r.real), measured(r.normal),
			measured(r.bytes), measured(r.reals), measured(r.normals) });
		raw.push_back({ { "generator", r.name },
				{ "u64", r.u64 },
				{ "below", r.below },
				{ "double", r.real },
				{ "normal", r.normal },
				{ "bytes", r.bytes },
				{ "doubles", r.reals },
				{ "normals", r.normals } });
	}
	t.note("A generator's state goes to memory and back with each number.  pcg64-dxsm and mt19937-64 have normals of\n"
	       "std::normal_distribution; their arrays are loops.  bare: the engine's own loop.");
	if (rows.size() == numpy_pcg64)
		t.note("Not compared with NumPy: Python has none (python3-numpy).");
	to.add(t, raw);
}

void report_ratios(const std::vector<row> &rows, report &to)
{
	table beside("streams_beside", "Streams compared with the others: one ratio in each repetition",
		     { { "engine", "engine" },
		       { "pcg", "u64: time of\nPCG64 DXSM" },
		       { "twister", "u64: time of\nmt19937_64" },
		       { "keystream", "doubles: speed\nof keystream" },
		       { "doubles", "doubles: speed\nof NumPy's" },
		       { "normals", "normals: speed\nof NumPy's" } });
	nlohmann::ordered_json raw = nlohmann::ordered_json::array();
	for (std::size_t i = 0; i < first_keystream; i++) {
		const row &r = rows[i];
		const row without = {};
		const row &other = rows.size() > numpy_pcg64 ? rows[numpy_pcg64] : without;
		const std::vector<double> values[] = { quotients(r.u64, rows[pcg].u64),
						       quotients(r.u64, rows[twister].u64),
						       quotients(r.reals, rows[first_keystream + i].bytes),
						       quotients(r.reals, other.reals),
						       quotients(r.normals, other.normals) };
		beside.add({ word(engines[i]), measured(values[0]), measured(values[1]), measured(values[2]),
			     measured(values[3]), measured(values[4]) });
		raw.push_back({ { "engine", engines[i] },
				{ "pcg", values[0] },
				{ "twister", values[1] },
				{ "keystream", values[2] },
				{ "doubles", values[3] },
				{ "normals", values[4] } });
	}
	to.add(beside, raw);
}

} // namespace

void measure_streams(const run_options &chosen, report &to)
{
	std::vector<row> rows;
	numpy arrays;
	schedule all;
	plan(chosen, arrays, rows, all);
	all.run(chosen.repetitions);
	to.settings()["numpy"] = arrays.version();
	report_numbers(rows, to);
	report_ratios(rows, to);
	to.add_others(all);
}

} // namespace lab
