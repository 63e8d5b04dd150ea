// SPDX-License-Identifier: BSD-2-Clause
// The library compared with other generators: the measurements, and their common parts.
#ifndef CPRNG_LAB_PEERS_OTHERS_OTHERS_HPP
#define CPRNG_LAB_PEERS_OTHERS_OTHERS_HPP

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "../../commands.hpp"
#include "../contenders/contender.hpp"

namespace lab::others {

struct options : run_options {
	std::vector<std::string> only;
	std::uint64_t largest = std::uint64_t{ 4 } << 30;
	unsigned int threads = 10000;

	void shorten()
	{
		run_options::shorten();
		largest = std::uint64_t{ 1 } << 20;
		threads = 200;
	}

	// In the order of contenders(); all but parts, unless some were named.
	std::vector<const contender_info *> chosen() const;
};

// The common options, --only, and the option of the largest request with its default size.
void add_options(CLI::App &app, options &chosen, const char *only, const char *largest, const char *size);

// The settings of a run with these contenders.
void describe(const options &chosen, report &to);

// A contender's label in a row.
std::string availability(const contender_info &info);

// Warm-up draws, for a process's first draw and its caches: one for so many that are measured.
constexpr std::uint64_t part_before = 16;

// Bounds of draws: one, and as many as in randp's document, from 1 to 2^20.
constexpr std::uint32_t one_bound = 1000000;
const std::vector<std::uint32_t> &many_bounds();

class section : public lab::section {
public:
	// A contender's values of a figure, by its column's key, if this section has that figure.
	virtual std::vector<double> ns(const std::string & /*contender*/, const std::string & /*key*/) const
	{
		return {};
	}
};

std::unique_ptr<section> make_numbers(const options &chosen);
std::unique_ptr<section> make_threads(const options &chosen);
std::unique_ptr<section> make_start(const options &chosen);
std::unique_ptr<section> make_memory(const options &chosen);

// A table of requests.
struct requests {
	const char *table, *title;
	std::vector<std::uint64_t> sizes; // increasing
	work::kind what = work::fill;
	bool processes = false; // sizes up to 1 MiB in new processes, of each layout in turn, as numbers
};

// Sizes up to 1 MiB, and larger ones, which have their own schedule with fewer repetitions.
class fills {
public:
	virtual ~fills() = default;
	virtual void plan(schedule &all, bool large) = 0;
	virtual void report_to(report &to) const = 0;
	// For requests of that size.
	virtual std::vector<double> ns(const std::string &contender, std::uint64_t size) const = 0;
};

std::unique_ptr<fills> make_fills(const options &chosen, requests of);

// Repetitions of requests above 1 MiB; slow ones get fewer, but at least two.
constexpr int large_repetitions = 5, large_repetitions_least = 2;
constexpr double large_seconds = 12; // for the repetitions of one size

// The figures of randp's document, compared with these.
void report_randp(const options &chosen, const section &numbers, const fills &requests, report &to);

// The work of this program as a child process.  `nothing` draws from no contender.
void print_first_byte(const std::string &name);
void print_thread_bytes(const std::string &name);
void print_thread_memory(const std::string &name, unsigned int threads);
constexpr const char *nothing_name = "nothing";
std::vector<std::string> own_command(const std::vector<std::string> &words);

} // namespace lab::others

#endif
