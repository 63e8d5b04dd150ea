// SPDX-License-Identifier: BSD-2-Clause
// Plays an input as calls for three streams and their models (streams.cpp).
#ifndef CPRNG_TESTS_FUZZ_PLAYER_HPP
#define CPRNG_TESTS_FUZZ_PLAYER_HPP

#include <csetjmp>
#include <cstring>
#include <optional>

#include <cprng/stream.h>

#include "fuzz.hpp"
#include "model.hpp"

namespace fuzz {

// Where a fatal error of the library continues while may_die is set.
extern std::jmp_buf death;
extern bool may_die;

// Compares bits, so that the two zeros differ and a NaN equals itself.
template <typename T> Bytes bits_of(const T *values, std::size_t count)
{
	Bytes bytes(count * sizeof(T));

	if (count != 0)
		std::memcpy(bytes.data(), values, bytes.size());
	return bytes;
}

template <typename T> void same(T got, T want, const char *what)
{
	demand(std::memcmp(&got, &want, sizeof(T)) == 0, what);
}

// An object and its model; the model is absent if the object is not a stream.
struct Pair {
	cprng_stream s = {};
	std::optional<model::Stream> m;
};

class Player {
public:
	explicit Player(const Input &from) : input(from)
	{
	}

	void play();

private:
	// Without the padding, which an assignment need not copy.
	bool all_zero() const;

	void call(std::size_t which);
	void init();
	void seed();
	void chosen();
	void child();
	void seek();
	void checkpoint();
	void copy();
	void read();
	void number();
	void arrays();
	void shuffle();
	void sample();
	void single();
	void text();
	void attempt();
	void class_calls();

	std::string engine();

	// Mostly one of the engine's sizes.
	std::size_t size(const std::string &name, std::vector<std::size_t> model::Engine::*listed);

	// Number `kind` of the object, and of the model.
	template <typename T, typename Get, typename Want> void one(Get get, Want want, const char *what)
	{
		const std::uint64_t before = at->m ? at->m->offset : 0;
		// These must survive the longjmp.
		volatile T got{};
		volatile bool died = true;

		may_die = true;
		if (setjmp(death) == 0) {
			got = get(&at->s);
			died = false;
		}
		may_die = false;
		try {
			if (!at->m)
				throw model::Refused();
			const auto wanted = static_cast<T>(want(*at->m));
			demand(!died, what);
			same<T>(got, wanted, what);
		} catch (const model::Refused &) {
			demand(died, "a number past the end of a stream");
			// Rejected tries have been consumed.
			if (at->m) {
				demand(cprng_stream_tell(&at->s) == at->m->offset, "the offset at the end");
				at->m->seek(before);
				demand(cprng_stream_seek(&at->s, before) == 0, "a seek back");
			}
		}
	}

	// A call that returns a status: of a stream that ends, neither the offset nor the number changes.
	template <typename T, typename Get, typename Want> void tried(bool valid, Get get, Want want, const char *what)
	{
		T got, wanted;
		int error = CPRNG_ERR_ARGUMENT;

		std::memset(&got, 0xa5, sizeof(T));
		wanted = got;
		if (at->m && valid) {
			model::Stream after = *at->m;
			try {
				wanted = static_cast<T>(want(after));
				*at->m = after;
				error = CPRNG_OK;
			} catch (const model::Refused &) {
				error = CPRNG_ERR_RANGE;
			}
		}
		demand(get(&at->s, &got) == error, what);
		same<T>(got, wanted, what);
	}

	// Ordinary, huge, not finite, or negative.
	double parameter();

	// An array of count numbers, compared with the model's single ones.  An array that passes the stream's end is written to
	// only if its bound may reject words.
	template <typename T, typename Fill, typename Want>
	void array(std::size_t count, bool valid, Fill fill, Want want, bool refuses = false)
	{
		std::vector<T> got(count + 2);
		std::memset(got.data(), 0xa5, got.size() * sizeof(T));
		std::vector<T> wanted = got;
		const int error = fill(&at->s, got.data() + 1, count);

		if (!at->m || !valid) {
			demand(error == CPRNG_ERR_ARGUMENT, "an array of nothing");
		} else {
			model::Stream after = *at->m;
			try {
				std::vector<T> made = wanted;
				for (std::size_t i = 1; i <= count; i++)
					made[i] = static_cast<T>(want(after));
				wanted = made;
				*at->m = after;
				demand(error == 0, "an array is refused");
			} catch (const model::Refused &) {
				demand(error == CPRNG_ERR_RANGE, "an array past the end");
				if (refuses)
					std::copy(got.begin() + 1, got.end() - 1, wanted.begin() + 1);
			}
		}
		demand(bits_of(got.data(), got.size()) == bits_of(wanted.data(), wanted.size()), "an array");
	}

	Input input;
	Pair pair[3];
	Pair *at = nullptr;
};

} // namespace fuzz

#endif
