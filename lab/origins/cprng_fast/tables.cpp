// SPDX-License-Identifier: BSD-2-Clause
// The tables, with the table of 2014 for comparison.
#include <algorithm>

#include <fmt/format.h>

#include "../../common/clock.hpp"
#include "../../common/machine.hpp"
#include "../placements/generators.hpp"
#include "cprng_fast.hpp"

namespace lab::cprng_fast_table {

namespace {

// If the maximum is this many times the minimum, the range is printed with the median.
constexpr double range_from = 1.5;

// The median of these keys in each repetition.
spread draws_of(const row &r, form how, std::size_t from, std::size_t to)
{
	return spread_of(values_of(r.draws[how], [from, to](const repetition &one) {
		std::vector<double> of_keys;
		for (std::size_t key = from; key < to; key++)
			of_keys.push_back(ticks_after_key(one, key));
		return spread_of(of_keys).median;
	}));
}

// The same of each run, in any repetition.
spread runs_of(const row &r)
{
	std::vector<double> values;
	for (const repetition &one : r.draws[r.only_inlined ? inlined : called])
		for (const run_of_keys &run : one)
			values.push_back(spread_of({ run.ticks.begin() + 1, run.ticks.end() }).median);
	return spread_of(values);
}

// Extrapolated to the whole volume.
spread seconds_of(const options &chosen, const row &r, kind k, std::size_t which)
{
	return spread_of(
		values_of(r.ways[k][which], [&](const ways_repetition &one) { return one.seconds / chosen.scale; }));
}

// The CPU time of all processes, which excludes other programs.
spread cpu_seconds_of(const options &chosen, const row &r, std::size_t which)
{
	return spread_of(values_of(r.ways[processes][which],
				   [&](const ways_repetition &one) { return one.cpu_seconds / chosen.scale; }));
}

spread rate_of(const options &chosen, const row &r, std::size_t which, unsigned int ways)
{
	return spread_of(values_of(r.ways[threads][which], [&](const ways_repetition &one) {
		return bytes_each_way * chosen.scale * ways / one.seconds / 1e6;
	}));
}

// The time of one way, relative to that of several with as much work each; from pairs measured one after the other.
spread factor_of(const row &r, kind k, std::size_t which)
{
	return spread_of(quotients(values_of(r.ways[k][0], &ways_repetition::seconds),
				   values_of(r.ways[k][which], &ways_repetition::seconds)));
}

std::size_t index_of_main_ways(kind k)
{
	const std::vector<unsigned int> ways = ways_of_this_machine(k);
	return static_cast<std::size_t>(std::find(ways.begin(), ways.end(), main_ways) - ways.begin());
}

void keep_draws(const row &r, nlohmann::ordered_json &all)
{
	for (const form how : { called, inlined })
		for (const repetition &one : r.draws[how])
			for (const run_of_keys &run : one)
				all.push_back({ { "row", r.name },
						{ "form", forms[how] },
						{ "ticks_per_byte_of_keys", run.ticks },
						{ "keys_made", run.keys_made },
						{ "layout", run.layout } });
}

void keep_ways(const options &chosen, const row &r, kind k, nlohmann::ordered_json &all)
{
	const std::vector<unsigned int> ways = ways_of_this_machine(k);
	for (std::size_t i = 0; i < r.ways[k].size(); i++)
		for (const ways_repetition &one : r.ways[k][i])
			all.push_back({ { "row", r.name },
					{ "ways", ways[i] },
					{ "bytes_each", bytes_each_way * chosen.scale },
					{ "seconds", one.seconds },
					{ "seconds_of_runs", one.runs },
					{ "cpu_seconds", one.cpu_seconds },
					{ "processes", one.processes } });
}

void report_keys(const std::deque<row> &rows, report &to)
{
	std::vector<table::column> columns = { { "row", "row" } };
	for (std::size_t key = 1; key <= keys; key++)
		columns.push_back({ fmt::format("key_{}", key), fmt::format("draws after key number\n{}", key) });
	table t("cprng_fast_keys", fmt::format("After each keying: {} a byte for requests of 32 bits", cycles_unit()),
		columns);
	for (const row &r : rows) {
		if (r.ways[threads].empty())
			continue;
		std::vector<cell> cells = { word(r.name) };
		for (std::size_t key = 0; key < keys; key++)
			cells.push_back(measured(draws_of(r, r.only_inlined ? inlined : called, key, key + 1)));
		t.add(std::move(cells));
	}
	t.note(fmt::format(
		"Key number 1 is the first, and the others are those of a volume of 4 GB.  Draws are called, and those of\n"
		"hc128-inline inlined.  Times are in {}.",
		cycles_name()));
	t.draw({ plot::axis::categories, "row", { "key_1", "key_2" }, fmt::format("{} a byte", cycles_unit()) });
	to.add(t, nullptr);
}

table main_table()
{
	const std::string per_byte = ticks_are_cycles() ? "cpb (32 bit)" : "ns a byte";
	table t("cprng_fast",
		fmt::format("cprng_fast: {} a byte for requests of 32 bits, seconds for requests of 256 bytes",
			    cycles_unit()),
		{ { "row", "row" },
		  { "placement", "placement" },
		  { "cpb_first", per_byte + "\nfirst key" },
		  { "cpb_rekeyed", per_byte + "\nrekeyed" },
		  { "cpb_least", per_byte + "\nleast" },
		  { "cpb_most", per_byte + "\nmost" },
		  { "inline_first", "inlined\nfirst key" },
		  { "inline_rekeyed", "inlined\nrekeyed" },
		  { "seconds_1_way", "4 GB\n1 way" },
		  { "seconds_4_ways", "16 GB\n4 ways" },
		  { "seconds_4_least", "16 GB\nleast" },
		  { "seconds_4_most", "16 GB\nmost" },
		  { "factor", "scaling\nfactor" } });
	t.draw({ plot::axis::categories,
		 "row",
		 { "cpb_first", "cpb_rekeyed", "inline_first", "inline_rekeyed" },
		 fmt::format("{} a byte, 32 bits at a time", cycles_unit()) });
	t.draw({ plot::axis::categories, "row", { "seconds_1_way", "seconds_4_ways" }, "seconds" });
	return t;
}

// Adds the rows; returns a note on those whose repetitions differ too much for a figure.
std::string add_rows(const options &chosen, const std::deque<row> &rows, table &t, nlohmann::ordered_json &raw)
{
	const std::size_t four = index_of_main_ways(threads);
	std::string ranges;
	for (const row &r : rows) {
		if (r.ways[threads].empty())
			continue;
		keep_draws(r, raw);
		keep_ways(chosen, r, threads, raw);
		const spread one = seconds_of(chosen, r, threads, 0), shared = seconds_of(chosen, r, threads, four),
			     factor = factor_of(r, threads, four);
		const spread runs = runs_of(r);
		t.add({ word(r.name), word(find_generator(r.name).placement), measured(draws_of(r, called, 0, 1)),
			measured(draws_of(r, called, 1, keys)), figure(runs, &spread::least), figure(runs, &spread::most),
			measured(draws_of(r, inlined, 0, 1)),
			measured(draws_of(r, inlined, 1, keys)), measured(one), measured(shared),
			figure(shared, &spread::least), figure(shared, &spread::most), measured(factor) });
		if (shared.count > 1 && shared.most > range_from * shared.least)
			ranges += fmt::format(
				"\n{}: 4 ways took {} to {} s, and the factor is {} to {}: a range, and no figure.",
				r.name, three_digits(shared.least), three_digits(shared.most),
				three_digits(factor.least), three_digits(factor.most));
		if (runs.count > 1 && runs.most > range_from * runs.least)
			ranges += fmt::format("\n{}: draws took {} to {} {} a byte: a range, and no figure.", r.name,
					      three_digits(runs.least), three_digits(runs.most), cycles_unit());
	}
	return ranges;
}

void add_notes(const options &chosen, const std::string &ranges, table &t)
{
	t.note(fmt::format(
		"Times of a byte are in {}.  Seconds were measured with {:g} of the volume, and scaled to all of it.  A state is\n"
		"rekeyed after {:.0f} MB; rekeyed is the median of the draws after each of {} more keys.  Draws and one way are medians of {}\n"
		"runs in each repetition.  The factor is the time one way over that of four ways with as much each: 1 is the\n"
		"best that four CPUs can give, and {:.2f} what {} can.",
		cycles_name(), chosen.scale, static_cast<double>(limit_of(chosen)) * 1e-6, keys - 1, chosen.runs,
		std::min(1.0, static_cast<double>(cpus()) / main_ways), cpus()));
	t.note("Draws are measured as calls of a function in another file, like the requests, and inlined into the loop.\n"
	       "Each run is a process of a program whose code has other addresses than that of the run before; least and most are over\n"
	       "all runs after rekeying.  The addresses decide whether a CPU lets RC4's reads pass its stores.\n"
	       "hc128-inline is inlined in all its columns, as it was in 2014." +
	       ranges);
	t.note("arc4-nomtx is wrong on purpose: threads step one state in plain memory at once, and can get the same bytes.\n"
	       "arc4-mtx is a mutex of the C library, which sleeps; arc4-spin a spin lock, as the kernel's was.  The "
	       "block ciphers\nhave one block of buffer, and plain loops for a core; cprng has the library's vector code, and "
	       "replaces its key at\neach refill: rekeyed is after a reseed.");
}

void report_ways(const options &chosen, const std::deque<row> &rows, report &to)
{
	const std::vector<unsigned int> ways = ways_of_this_machine(threads);
	table w("cprng_fast_ways",
		"The same requests of 256 bytes in so many threads: MB/s in total, and the scaling factor",
		{ { "row", "row" }, { "ways", "ways" }, { "rate", "MB/s" }, { "factor", "factor" } });
	for (const row &r : rows)
		for (std::size_t i = 0; i < r.ways[threads].size(); i++)
			w.add({ word(r.name), whole(ways[i]), measured(rate_of(chosen, r, i, ways[i])),
				measured(factor_of(r, threads, i)) });
	w.draw({ plot::axis::threads, "ways", { "rate" }, "MB/s in total" });
	to.add(w, nullptr);
}

} // namespace

void report_draws_and_ways(const options &chosen, const std::deque<row> &rows, report &to)
{
	nlohmann::ordered_json raw = nlohmann::ordered_json::array();
	table t = main_table();
	const std::string ranges = add_rows(chosen, rows, t, raw);
	add_notes(chosen, ranges, t);
	to.add(t, raw);
	report_keys(rows, to);
	report_ways(chosen, rows, to);
}

void report_processes(const options &chosen, const std::deque<row> &rows, report &to)
{
	const std::size_t four = index_of_main_ways(processes);
	table t("cprng_fast_processes", "The same requests in processes, each of them a system call: seconds",
		{ { "row", "row" },
		  { "placement", "placement" },
		  { "seconds_1_way", "4 GB\n1 process" },
		  { "seconds_4_ways", "16 GB\n4 processes" },
		  { "seconds_4_least", "16 GB\nleast" },
		  { "seconds_4_most", "16 GB\nmost" },
		  { "cpu_4_ways", "CPU time for 16 GB,\n4 processes" },
		  { "factor", "scaling\nfactor" } });
	nlohmann::ordered_json raw = nlohmann::ordered_json::array();
	for (const row &r : rows) {
		if (r.ways[processes].empty())
			continue;
		const spread shared = seconds_of(chosen, r, processes, four);
		t.add({ word(r.name), word(find_generator(r.name).placement),
			measured(seconds_of(chosen, r, processes, 0)), measured(shared), figure(shared, &spread::least),
			figure(shared, &spread::most), measured(cpu_seconds_of(chosen, r, four)),
			measured(factor_of(r, processes, four)) });
		keep_ways(chosen, r, processes, raw);
	}
	t.note("A request enters the kernel once and copies its 256 bytes from there.  getrandom is the kernel's own generator, by its\n"
	       "own system call.  The other rows stand for a kernel that has their generator: its states are in memory that\n"
	       "the processes share, it writes to a page of a file in memory, and pread(2) copies from there.  They generate\n"
	       "before they enter the kernel, and can be preempted then.  nothing is only that system call; cprng is the\n"
	       "library, with states of each process.");
	t.draw({ plot::axis::categories, "row", { "seconds_1_way", "seconds_4_ways" }, "seconds" });
	to.add(t, raw);
}

// Thor Lancelot Simon, "cprng_fast implementation benchmarks", NetBSD's tech-crypto, April 2014.
void report_origin(report &to)
{
	static constexpr struct {
		const char *row;
		unsigned int cpb;
		double one_way, four_ways, factor;
	} rows[] = {
		{ "arc4-mtx", 35, 42.58, 398.83, 0.106 },    { "arc4-nomtx", 24, 42.12, 2338.92, 0.018 },
		{ "arc4-percpu", 27, 33.63, 41.59, 0.808 },  { "hc128-percpu", 21, 23.75, 34.90, 0.680 },
		{ "hc128-inline", 19, 22.66, 31.75, 0.713 },
	};
	table t("cprng_fast_2014",
		"The figures of April 2014: four dual-core Opteron 880, 32 GB of DDR400 (Supermicro H8QC8+), NetBSD",
		{ { "row", "row" },
		  { "cpb", "cpb (32 bit)" },
		  { "seconds_1_way", "4 GB\n1 way" },
		  { "seconds_4_ways", "16 GB\n4 ways" },
		  { "factor", "scaling\nfactor" } });
	for (const auto &r : rows)
		t.add({ word(r.row),
			whole(r.cpb),
			{ fmt::format("{:.2f}", r.one_way), r.one_way },
			{ fmt::format("{:.2f}", r.four_ways), r.four_ways },
			number(r.factor) });
	t.draw({ plot::axis::categories, "row", { "seconds_1_way", "seconds_4_ways" }, "seconds" });
	t.note("Not measured here: \"cprng_fast implementation benchmarks\", tech-crypto.  In a GENERIC kernel; 256 bytes at a "
	       "time\nby a system call, in four processes, on eight cores.");
	to.add(t, nullptr);
}

} // namespace lab::cprng_fast_table
