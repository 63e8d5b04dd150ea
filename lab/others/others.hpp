// SPDX-License-Identifier: BSD-2-Clause
// The library beside others: what the measurements have in common, and what they are.
#ifndef CPRNG_LAB_OTHERS_OTHERS_HPP
#define CPRNG_LAB_OTHERS_OTHERS_HPP

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "../common/report.hpp"
#include "../common/run.hpp"
#include "../contenders/contender.hpp"

namespace lab::others {

struct options : run_options {
	std::vector<std::string> only;
	std::uint64_t largest = std::uint64_t{ 4 } << 30;
	unsigned int threads = 10000;

	void be_quick()
	{
		run_options::be_quick();
		largest = std::uint64_t{ 1 } << 20;
		threads = 200;
	}

	// In the order of contenders(); all but parts unless some were named.
	std::vector<const contender_info *> chosen() const;
};

// What a row says of it.
std::string here(const contender_info &info);

// The bounds of draws: one, and as many as in the document of randp's, from 1 to 2^20.
constexpr std::uint32_t one_bound = 1000000;
const std::vector<std::uint32_t> &many_bounds();

// One kind of measurement: plans its runs, and reports on them when they are done.
class section {
public:
	virtual ~section() = default;
	virtual void plan(schedule &all) = 0;
	virtual void tell(report &to) const = 0;
	// The values of a contender's figure, by the key of its column, where this section has such.
	virtual std::vector<double> ns(const std::string &contender, const std::string &key) const
	{
		static_cast<void>(contender);
		static_cast<void>(key);
		return {};
	}
};

std::unique_ptr<section> make_numbers(const options &chosen);
std::unique_ptr<section> make_threads(const options &chosen);
std::unique_ptr<section> make_start(const options &chosen);
std::unique_ptr<section> make_memory(const options &chosen);

// Those of up to 1 MiB, and the larger ones, which are run in a schedule of their own, a few times.
class fills {
public:
	explicit fills(const options &chosen);
	~fills();
	void plan_small(schedule &all);
	void plan_large(schedule &all);
	void tell(report &to) const;
	// Of requests of that size.
	std::vector<double> ns(const std::string &contender, std::uint64_t size) const;

private:
	class all_of_them;
	std::unique_ptr<all_of_them> self_;
};

// Of requests above 1 MiB; fewer of those of which these take too long, but two.
constexpr int large_repetitions = 5, large_repetitions_least = 2;
constexpr double large_seconds = 12; // for the repetitions of one size

// The figures of randp's document, beside these.
void tell_randp(const options &chosen, const section &numbers, const fills &requests, report &to);

// What this program does as a process of its own.  `nothing` draws from no contender.
void tell_first_byte(const std::string &name);
void tell_thread_bytes(const std::string &name);
void tell_thread_memory(const std::string &name, unsigned int threads);
constexpr const char *nothing_name = "nothing";
std::vector<std::string> own_command(const std::vector<std::string> &words);

} // namespace lab::others

#endif
