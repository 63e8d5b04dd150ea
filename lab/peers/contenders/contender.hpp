// SPDX-License-Identifier: BSD-2-Clause
// The generators to compare, including the library, behind one interface.  Loops run inside the contender, so that many
// draws share one virtual call.
#ifndef CPRNG_LAB_PEERS_CONTENDERS_CONTENDER_HPP
#define CPRNG_LAB_PEERS_CONTENDERS_CONTENDER_HPP

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lab {

// The operation that is repeated.
struct work {
	// fixed: a fill whose length the compiler knows
	enum kind { bits8, bits16, bits32, bits64, below, fill, fixed } what;
	unsigned char *out = nullptr; // the destination of a fill
	std::size_t len = 0;
	const std::uint32_t *bounds = nullptr; // used in turn; their number is a power of two
	std::size_t bound_count = 0;
};

// Those of work::fixed: the ones that cprng_fast() inlines.
constexpr std::size_t fixed_lengths[] = { 1, 2, 4, 8, 12, 16, 24, 32, 48, 64 };

struct threads_total {
	double calls, seconds; // from the first beginning to the last end
};

// A generator as one thread uses it: the object holds the per-thread state.
class contender {
public:
	virtual ~contender() = default;

	// Returns the CPU seconds of that many calls in this thread.
	virtual double run(const work &w, std::uint64_t count) = 0;

	// The output of one call of `run`, without a loop: a fill's bytes, or a number.
	virtual void fill(unsigned char *out, std::size_t len) = 0;
	virtual std::uint64_t number(const work &w) = 0;

	// Runs threads by itself, for a contender in another program.
	virtual std::optional<threads_total> run_in_threads(const work &, unsigned int, double)
	{
		return std::nullopt;
	}
};

struct contender_info {
	std::string name, description;
	bool cryptographic;
	std::string absent; // why it is unavailable; empty if it is available
	std::function<std::unique_ptr<contender>()> make;
	std::string version = {}; // of its library or compiler
	// A contender in its own program (program.hpp): the command, the contender's name there, and whether that
	// program is this one, run again, which measures threads there as well.
	std::vector<std::string> program = {};
	std::string there = {};
	bool runs_again = false;
	std::function<std::unique_ptr<contender>()> make_there = {};
	bool part = false; // a part of the library's draw, measured only if named

	// Creates it in this program when it is run again, where `make` would start another process.
	std::unique_ptr<contender> made_there() const
	{
		return make_there ? make_there() : make();
	}

	bool in_this_program() const
	{
		return program.empty();
	}

	// The command line: the program, a verb, and further arguments.
	std::vector<std::string> command(const std::string &verb, const std::vector<std::string> &more = {}) const
	{
		std::vector<std::string> words = program;
		words.insert(words.end(), { verb, there });
		words.insert(words.end(), more.begin(), more.end());
		return words;
	}
};

// All contenders in table order, including unavailable ones.
const std::vector<contender_info> &contenders();

// Throws lab::usage_error for an unknown name.
const contender_info &find_contender(std::string_view name);

// Each family adds its contenders.
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
void add_peers(contender_list &all);
void add_languages(contender_list &all);
void add_randp(contender_list &all);
void add_randp_library(contender_list &all);
void add_standard(contender_list &all);

// Throws lab::failure, since the figure would be the failure's.
[[noreturn, gnu::cold]] void has_failed(const char *name);

inline void check(bool good, const char *name)
{
	if (__builtin_expect(!good, 0))
		has_failed(name);
}

// The path of a file in this program's build directory.
std::string beside_this_program(const std::string &name);

} // namespace lab

#endif
