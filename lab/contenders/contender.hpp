// SPDX-License-Identifier: BSD-2-Clause
// Generators to compare with, the library among them, behind one interface.  The loops are on the far side of it, so that
// a virtual call is paid for by many draws.
#ifndef CPRNG_LAB_CONTENDERS_CONTENDER_HPP
#define CPRNG_LAB_CONTENDERS_CONTENDER_HPP

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lab {

// What is done again and again.
struct work {
	enum kind { bits8, bits16, bits32, bits64, below, fill } what;
	unsigned char *out = nullptr; // of a fill
	std::size_t len = 0;
	const std::uint32_t *bounds = nullptr; // taken in turn; a power of two of them
	std::size_t bound_count = 0;
};

struct threads_total {
	double calls, seconds; // from the first beginning to the last end
};

// As one thread has it: what a generator keeps for each thread, the object keeps.
class contender {
public:
	virtual ~contender() = default;

	// CPU seconds of so many calls in this thread.
	virtual double run(const work &w, std::uint64_t count) = 0;

	// What one call of `run` makes, without a loop around it: the bytes of a fill, and any other number.
	virtual void fill(unsigned char *out, std::size_t len) = 0;
	virtual std::uint64_t number(const work &w) = 0;

	// In threads of its own, by a contender that runs in another program.
	virtual std::optional<threads_total> run_in_threads(const work &, unsigned int, double)
	{
		return std::nullopt;
	}
};

struct contender_info {
	std::string name, description;
	bool cryptographic;
	std::string absent; // why it is not here; empty when it is
	std::function<std::unique_ptr<contender>()> make;
	std::string version = {}; // of the library or compiler that it comes from
	// A contender that runs in a program of its own (program.hpp): the command, the contender's name there, and whether
	// that program is this one, run again, which measures threads there as well.
	std::vector<std::string> program = {};
	std::string there = {};
	bool runs_again = false;
	std::function<std::unique_ptr<contender>()> make_there = {};
	bool part = false; // of the library's draw: left out unless it is named

	// In this program when it is run again, where `make` would run it once more.
	std::unique_ptr<contender> made_there() const
	{
		return make_there ? make_there() : make();
	}

	bool in_this_program() const
	{
		return program.empty();
	}

	// The program with a verb and what follows the name.
	std::vector<std::string> command(const std::string &verb, const std::vector<std::string> &more = {}) const
	{
		std::vector<std::string> words = program;
		words.insert(words.end(), { verb, there });
		words.insert(words.end(), more.begin(), more.end());
		return words;
	}
};

// All contenders, in the order of the tables, also the ones that are not here.
const std::vector<contender_info> &contenders();

// Throws a lab::usage_error when there is none of that name.
const contender_info &find_contender(std::string_view name);

// Each family adds its own.
using contender_list = std::vector<contender_info>;
void add_library(contender_list &all);
void add_parts(contender_list &all);
void add_kernel(contender_list &all);
void add_c_library(contender_list &all);
void add_newer_c_library(contender_list &all);
void add_cpu(contender_list &all);
void add_sodium(contender_list &all);
void add_sodium_internal(contender_list &all);
void add_openssl(contender_list &all);
void add_languages(contender_list &all);
void add_randp(contender_list &all);
void add_randp_library(contender_list &all);
void add_standard(contender_list &all);

// Throws a lab::failure: the figure would be that of the failure.
[[noreturn, gnu::cold]] void has_failed(const char *name);

inline void check(bool good, const char *name)
{
	if (__builtin_expect(!good, 0))
		has_failed(name);
}

// A file that was built beside this program.
std::string beside_this_program(const std::string &name);

} // namespace lab

#endif
