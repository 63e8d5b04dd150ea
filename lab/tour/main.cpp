// SPDX-License-Identifier: BSD-2-Clause
// cprng-tour: shows what the library does, and measures it beside others in one run.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <map>
#include <string>
#include <vector>

#include <getopt.h>

#include <benchmark/benchmark.h>
#include <cprng/cprng.h>

#include "measure.hpp"
#include "numbers.hpp"

namespace {

constexpr char usage[] =
	"Usage: cprng-tour [OPTION]...\n"
	"Draw numbers of each kind, tell what serves them, and measure the library beside the other\n"
	"generators of this machine.  lab/tour/show.py runs this program and makes tables of it.\n"
	"\n"
	"  --json=FILE          write every repetition to FILE, in the form of Google Benchmark\n"
	"  --repetitions=N      measure each thing N times, in random order (20)\n"
	"  --milliseconds=N     each time for N milliseconds (20)\n"
	"  --only=TEXT          measure only what has TEXT in its name, such as \"cprng/\" or \"/64KiB\"\n"
	"  --no-measurements    only show numbers and choices\n"
	"  --no-numbers         only measure\n"
	"  --progress-fd=N      write lines \"DONE TOTAL\" to descriptor N, and no results to standard output\n"
	"  --help               print this help and exit\n";

struct options {
	measurements all;
	std::string json;
	bool show = true, measure = true;
};

[[noreturn]] void refuse(const std::string &why)
{
	std::fprintf(stderr, "cprng-tour: %s (see cprng-tour --help)\n", why.c_str());
	std::exit(2);
}

int parse_number(const char *name, const char *text, int least, int most)
{
	char *end;
	const long value = std::strtol(text, &end, 10);
	if (end == text || *end != '\0' || value < least || value > most)
		refuse(std::string(name) + ": a number from " + std::to_string(least) + " to " + std::to_string(most) +
		       " is needed");
	return static_cast<int>(value);
}

void parse(int argc, char **argv, options &chosen)
{
	static const option known[] = {
		{ "json", required_argument, nullptr, 'j' },
		{ "repetitions", required_argument, nullptr, 'r' },
		{ "milliseconds", required_argument, nullptr, 'm' },
		{ "only", required_argument, nullptr, 'o' },
		{ "no-measurements", no_argument, nullptr, 'n' },
		{ "no-numbers", no_argument, nullptr, 'q' },
		{ "progress-fd", required_argument, nullptr, 'p' },
		{ "help", no_argument, nullptr, 'h' },
		{ nullptr, 0, nullptr, 0 },
	};
	int found;
	opterr = 0;
	while ((found = getopt_long(argc, argv, "h", known, nullptr)) != -1) {
		switch (found) {
		case 'j':
			chosen.json = optarg;
			break;
		case 'r':
			chosen.all.repetitions = parse_number("--repetitions", optarg, 1, 10000);
			break;
		case 'm':
			chosen.all.seconds = parse_number("--milliseconds", optarg, 1, 10000) * 1e-3;
			break;
		case 'o':
			chosen.all.only = optarg;
			break;
		case 'n':
			chosen.measure = false;
			break;
		case 'q':
			chosen.show = false;
			break;
		case 'p':
			chosen.all.progress = parse_number("--progress-fd", optarg, 0, 1 << 20);
			break;
		case 'h':
			std::fputs(usage, stdout);
			std::exit(0);
		default:
			refuse(std::string("cannot make sense of ") + argv[optind - 1]);
		}
	}
	if (optind != argc)
		refuse(std::string("cannot make sense of ") + argv[optind]);
}

// What was measured is kept with what it was measured on.
void add_context(const measurements &all)
{
	cprng_info info;
	cprng_get_info(&info, sizeof(info));
#ifdef __clang__
	benchmark::AddCustomContext("compiler", "clang " __clang_version__);
#else
	benchmark::AddCustomContext("compiler", "gcc " __VERSION__);
#endif
	benchmark::AddCustomContext("cprng", cprng_version());
	benchmark::AddCustomContext("engine", info.engine);
	benchmark::AddCustomContext("backend", info.backend);
	benchmark::AddCustomContext("placement", info.placement);
	benchmark::AddCustomContext("entropy", info.entropy);
	benchmark::AddCustomContext("state_bytes", std::to_string(info.state_bytes));
	benchmark::AddCustomContext("repetitions", std::to_string(all.repetitions));
	benchmark::AddCustomContext("seconds", std::to_string(all.seconds));
}

// A line for each thing measured: the median and the extremes.  Printed at the end, in the order of registration:
// things are finished in a random one.
class line_reporter : public benchmark::BenchmarkReporter {
public:
	explicit line_reporter(bool silent) : silent_(silent)
	{
	}

	bool ReportContext(const Context &) override
	{
		return true;
	}

	void ReportRuns(const std::vector<Run> &runs) override
	{
		std::vector<double> times;
		for (const Run &run : runs)
			if (run.run_type == Run::RT_Iteration)
				times.push_back(run.GetAdjustedCPUTime());
		if (times.empty())
			return;
		std::sort(times.begin(), times.end());
		const std::size_t half = times.size() / 2;
		const double median = times.size() % 2 != 0 ? times[half] : (times[half - 1] + times[half]) / 2;
		char line[128];
		std::snprintf(line, sizeof(line), "%-28s%14.2f%14.2f%14.2f%s\n", runs[0].run_name.function_name.c_str(),
			      median, times.front(), times.back(), rate(runs[0], median).c_str());
		lines_[runs[0].family_index] = line;
	}

	void Finalize() override
	{
		if (silent_)
			return;
		std::printf("\n%-28s%14s%14s%14s%10s\n", "ns of CPU time", "median", "least", "most", "GB/s");
		for (const auto &[index, line] : lines_)
			std::fputs(line.c_str(), stdout);
	}

private:
	static std::string rate(const Run &run, double median)
	{
		const auto bytes = run.counters.find("bytes_per_second");
		if (bytes == run.counters.end())
			return "";
		char text[32];
		std::snprintf(text, sizeof(text), "%10.2f",
			      bytes->second.value * run.GetAdjustedCPUTime() / median * 1e-9);
		return text;
	}

	bool silent_;
	std::map<std::int64_t, std::string> lines_;
};

// Its flags are its only way to be told these.
void initialise_benchmark(const options &chosen)
{
	std::vector<std::string> words = { "cprng-tour", "--benchmark_enable_random_interleaving=true" };
	if (!chosen.json.empty())
		words.insert(words.end(), { "--benchmark_out_format=json", "--benchmark_out=" + chosen.json });
	std::vector<char *> argv;
	argv.reserve(words.size() + 1);
	for (std::string &word : words)
		argv.push_back(word.data());
	argv.push_back(nullptr);
	int argc = static_cast<int>(words.size());
	benchmark::Initialize(&argc, argv.data());
}

void measure(options &chosen)
{
	initialise_benchmark(chosen);
	add_context(chosen.all);
	add_generators(chosen.all);
	add_bare_loops(chosen.all);
	if (chosen.all.total() == 0)
		refuse("--only: nothing has that in its name");
	chosen.all.report_progress();
	line_reporter reporter(chosen.all.progress >= 0);
	if (chosen.json.empty())
		benchmark::RunSpecifiedBenchmarks(&reporter);
	else
		benchmark::RunSpecifiedBenchmarks(&reporter, nullptr);
	benchmark::Shutdown();
}

} // namespace

int main(int argc, char **argv)
{
	static options chosen; // the registered measurements refer to it
	parse(argc, argv, chosen);
	bool right = true;
	if (chosen.show) {
		right = show_numbers();
		show_choices();
		std::fflush(stdout); // before somebody draws a progress bar below
	}
	try {
		if (chosen.measure)
			measure(chosen);
	} catch (const std::exception &error) {
		std::fprintf(stderr, "cprng-tour: %s\n", error.what());
		return 1;
	}
	if (std::fflush(stdout) != 0 || std::ferror(stdout)) {
		std::fputs("cprng-tour: cannot write to standard output\n", stderr);
		return 1;
	}
	return right ? 0 : 1;
}
