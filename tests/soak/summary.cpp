// SPDX-License-Identifier: BSD-2-Clause
#include "summary.hpp"

#include <cmath>
#include <cstdio>
#include <fstream>
#include <set>
#include <stdexcept>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cprng/cprng.h>

#include "../../lab/common/machine.hpp"

namespace soak {

namespace {

// Each statistic gives a false alarm in fewer than one of this many runs.
constexpr double level = 1e-9;

// P(a Poisson number is k or more), for k above its mean.
double at_least(std::uint64_t k, double mean)
{
	const double n = static_cast<double>(k);
	double above = 0;

	if (k == 0 || mean <= 0)
		return k == 0;
	// Sums from k on, so that a small result is not a difference of large numbers; below the mean precision does not matter.
	if (n <= mean)
		return 1;
	double term = std::exp(-mean + n * std::log(mean) - std::lgamma(n + 1));
	for (double i = n + 1; term > above * 1e-17; i++) {
		above += term;
		term *= mean / i;
	}
	return above;
}

constexpr Count draw_counts[] = { draws_narrow, draws_32, draws_64, draws_short, draws_long, draws_strong };

const char *const columns = "{:>5} {:<10} {:>13} {:>9} {:>8} {:>7} {:>6} {:>6} {:>8} {:>7} {:>7}\n";

} // namespace

Summary::Summary(const Options &options, std::string evidence_file)
    : options_(options), evidence_file_(std::move(evidence_file))
{
}

std::uint64_t Summary::draws() const
{
	std::uint64_t n = 0;

	for (Count c : draw_counts)
		n += counts_[c];
	return n;
}

void Summary::fail(const std::string &what)
{
	failures_.push_back(what);
	fmt::print("FAILED: {}\n", what);
}

void Summary::judge(Mix mix, const Finding &finding)
{
	std::uint64_t certain = 0;

	if (finding.zeros != 0)
		fail(fmt::format("{} times 8 bytes of zeros: an erased buffer was served", finding.zeros));
	for (const Repeat &r : finding.repeats) {
		certain += r.certain;
		// Some of the other repeats are expected; a single 64-bit draw is worth reporting.
		if (evidence_kept_ < 100 && (r.certain || mix == Mix::bits64)) {
			std::ofstream(evidence_file_, evidence_kept_ == 0 ? std::ios::trunc : std::ios::app)
				<< evidence(r);
			fmt::print("{}\n", describe(r));
			evidence_kept_++;
		}
	}
	alone_ += finding.repeats.size() - certain;
	if (certain != 0)
		fail(fmt::format("{} repeats ({} windows); the evidence is in {}", certain, finding.repeated,
				 evidence_file_));
	// Compares with the expected number of chance repeats.
	if (certain == 0 && alone_ != 0 && at_least(alone_, all_.by_chance) < level)
		fail(fmt::format("{} windows are repeated, where {:.3g} are expected by chance", alone_,
				 all_.by_chance));
	if (at_least(all_.words_repeated, all_.words_repeated_by_chance) < level)
		fail(fmt::format("{} draws of 32 bits are repeated, where {:.0f} are expected by chance",
				 all_.words_repeated, all_.words_repeated_by_chance));
	const double zeros_by_chance = static_cast<double>(all_.words) * 0x1p-32;
	if (at_least(all_.words_zero, zeros_by_chance) < level)
		fail(fmt::format("{} draws of 32 bits are 0, where {:.3g} are expected by chance", all_.words_zero,
				 zeros_by_chance));
}

void Summary::add(const Round &round, const Finding &finding, double seconds_drawn, double seconds_checked)
{
	static constexpr std::size_t widths[] = { 4, 8, 16 };
	static constexpr Count of_width[] = { draws_32, draws_64, draws_short };
	const std::uint32_t cast = std::min(logs.shared->participants_used.load(), Logs::participants_max);
	std::uint64_t now_counted[counts] = {}, bytes = 0;
	std::set<pid_t> processes;

	logs.for_segments([&bytes](std::uint32_t, const Segment &s) { bytes += s.high - s.at; });
	for (std::uint32_t i = 0; i < cast; i++) {
		processes.insert(logs.participants[i].process);
		for (int c = 0; c < counts; c++)
			now_counted[c] += logs.participants[i].count[c];
	}
	if (round.mix != Mix::any)
		now_counted[of_width[static_cast<std::size_t>(round.mix)]] +=
			bytes / widths[static_cast<std::size_t>(round.mix)];

	std::uint64_t number = 1, drawn = 0;
	for (std::uint64_t n : rounds_)
		number += n;
	for (Count c : draw_counts)
		drawn += now_counted[c];
	rounds_[static_cast<std::size_t>(round.mix)]++;
	for (int c = 0; c < counts; c++)
		counts_[c] += now_counted[c];
	bytes_ += bytes;
	participants_ += cast;
	processes_ += processes.size();
	drawn_ += seconds_drawn;
	checked_ += seconds_checked;
	all_.windows += finding.windows;
	all_.repeated += finding.repeated;
	all_.zeros += finding.zeros;
	all_.by_chance += finding.by_chance;
	all_.certain_by_chance += finding.certain_by_chance;
	all_.words += finding.words;
	all_.words_repeated += finding.words_repeated;
	all_.words_zero += finding.words_zero;
	all_.words_repeated_by_chance += finding.words_repeated_by_chance;
	const double outputs = static_cast<double>(bytes / 16);
	outputs_by_chance_ += outputs * outputs * 0x1p-129;

	if (number == 1)
		fmt::print(columns, "round", "of", "draws", "signals", "cuts", "jumps", "forks", "births", "drops",
			   "draw s", "check s");
	fmt::print(columns, number, name_of(round.mix), drawn, now_counted[signals], now_counted[cut_sequences],
		   now_counted[jumps], now_counted[forks] + now_counted[forks_in_handlers] + now_counted[programs],
		   now_counted[births], now_counted[invalidations], fmt::format("{:.2f}", seconds_drawn),
		   fmt::format("{:.2f}", seconds_checked));
	if (cast == Logs::participants_max)
		fmt::print("the table of participants is full: some have drawn nothing\n");
	judge(round.mix, finding);
	std::fflush(stdout);
}

void Summary::print(bool interrupted) const
{
	fmt::print("\n{} draws, {} bytes, {} outputs of 128 bits; {} participants in {} processes\n", draws(), bytes_,
		   bytes_ / 16, participants_, processes_);
	for (int c = 0; c < counts; c++) {
		if (counts_[c] != 0)
			fmt::print("{:>16} {}\n", counts_[c], name_of(static_cast<Count>(c)));
	}
	fmt::print("{:.0f} s drawing, {:.0f} s checking; rounds:", drawn_, checked_);
	for (unsigned int m = 0; m < mixes; m++)
		fmt::print("{} {} of {}", m == 0 ? "" : ",", rounds_[m], name_of(static_cast<Mix>(m)));
	fmt::print("\n{} windows of 64 bits compared, {} repeated ({:.3g} expected by chance), {} zero\n", all_.windows,
		   all_.repeated, all_.by_chance, all_.zeros);
	if (all_.words != 0)
		fmt::print(
			"{} draws of 32 bits compared with their neighbours, {} repeated ({:.0f} expected by chance)\n",
			all_.words, all_.words_repeated, all_.words_repeated_by_chance);
	fmt::print("odds of a false alarm in this run: {:.2g} ({:.2g} for a repeat of 128 bits)\n",
		   all_.certain_by_chance + 3 * level, outputs_by_chance_);
	if (interrupted)
		fmt::print("interrupted\n");
	for (const std::string &f : failures_)
		fmt::print("FAILED: {}\n", f);
	fmt::print("{}\n", failed() ? fmt::format("repeat with --seed={}", options_.seed) : "nothing was repeated");
}

void Summary::write_json(const std::string &file, bool interrupted) const
{
	cprng_info info;
	nlohmann::ordered_json j;

	cprng_get_info(&info, sizeof(info));
	j["version"] = cprng_version();
	j["machine"] = lab::describe_machine();
	j["placement"] = info.placement;
	j["engine"] = info.engine;
	j["backend"] = info.backend;
	j["entropy"] = info.entropy;
	j["seed"] = options_.seed;
	j["interrupted"] = interrupted;
	j["seconds"] = { { "drawing", drawn_ }, { "checking", checked_ } };
	for (unsigned int m = 0; m < mixes; m++)
		j["rounds"][name_of(static_cast<Mix>(m))] = rounds_[m];
	j["draws"] = draws();
	j["bytes"] = bytes_;
	j["outputs of 128 bits"] = bytes_ / 16;
	j["participants"] = participants_;
	j["processes"] = processes_;
	for (int c = 0; c < counts; c++)
		j["counts"][name_of(static_cast<Count>(c))] = counts_[c];
	j["windows"] = { { "compared", all_.windows },
			 { "repeated", all_.repeated },
			 { "zero", all_.zeros },
			 { "repeated by chance", all_.by_chance } };
	j["draws of 32 bits"] = { { "compared", all_.words },
				  { "repeated", all_.words_repeated },
				  { "zero", all_.words_zero },
				  { "repeated by chance", all_.words_repeated_by_chance } };
	j["odds of a false alarm"] = all_.certain_by_chance + 3 * level;
	j["odds of a repeat of 128 bits by chance"] = outputs_by_chance_;
	j["failures"] = failures_;
	std::ofstream out(file);
	out << j.dump(2) << '\n';
	if (!out.flush())
		throw std::runtime_error(fmt::format("cannot write {}", file));
}

} // namespace soak
