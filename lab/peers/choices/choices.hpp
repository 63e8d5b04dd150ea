// SPDX-License-Identifier: BSD-2-Clause
// cprng-lab choices: what programs do with random numbers, by the functions that their users call.
//
// The programs in other languages (choices.py, choices.js, Choices.java, ../contenders/go/choices.go,
// ../contenders/rust/src/choices.rs) print their version, and then answer each line "KIND OF COUNT SECONDS" on standard input: with
//
//     NS LEAST MOST DISTINCT MOVED
//
// the nanoseconds of CPU time of one of COUNT items, over so many seconds after one run to warm up, and what the last run left:
// its least and its largest value, how many differ, and at how many positions, counted from 0, the value is another than the
// position; or with "-", where the language has no such function.  An array to shuffle begins as 0, 1, 2, ...  Bernoulli numbers
// are 1 with probability 0.3.  The value of a text is that of its first 8 bytes, and of a UUID that of its second half.
#ifndef CPRNG_LAB_PEERS_CHOICES_CHOICES_HPP
#define CPRNG_LAB_PEERS_CHOICES_CHOICES_HPP

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace lab::choices {

struct task {
	enum kind {
		shuffle,
		sample,
		bounded,
		real,
		normal,
		exponential,
		bernoulli,
		weighted,
		text,
		uuid4,
		uuid7,
		read
	} what;
	// The bytes of an element or a read, the population of a sample, the bound, the number of weights, which are 1, 2, 3 and so
	// on, or the characters of a text.
	std::uint64_t of;
	std::uint64_t count;

	std::string name() const;
	std::string request() const;
};

struct answer {
	double ns, least, most, distinct, moved;
};

class chooser {
public:
	virtual ~chooser() = default;

	// Nothing if it has no function for that.
	virtual std::optional<answer> run(const task &t, double seconds) = 0;
};

struct contender {
	// Other generators that are ciphers, and generators for simulations.
	enum group { ours, standard, cipher, simulation } kind;
	std::string name, description;
	std::function<std::unique_ptr<chooser>()> make; // throws lab::failure where it is not installed
};

// The library, <random>, oneMKL.
void add_in_this_program(std::vector<contender> &all);

} // namespace lab::choices

#endif
