// SPDX-License-Identifier: BSD-2-Clause
// Makes a contender from a source: the missing operations, and the loops.  A source has
//
//     fill(unsigned char *, std::size_t)    bytes
//     next<std::uint32_t>()                 a number of all its bits; 8, 16 and 64 as well
//     below(n)                              one below n; n is not 0
#ifndef CPRNG_LAB_PEERS_CONTENDERS_SOURCE_HPP
#define CPRNG_LAB_PEERS_CONTENDERS_SOURCE_HPP

#include <cstring>
#include <iterator>
#include <type_traits>
#include <utility>

#include "../../common/clock.hpp"
#include "contender.hpp"

namespace lab {

// Lemire, "Fast Random Integer Generation in an Interval" (2019), for generators without such a function.
template <typename Next32> std::uint32_t below_by_multiplication(Next32 next32, std::uint32_t n)
{
	std::uint64_t m = static_cast<std::uint64_t>(next32()) * n;
	if (__builtin_expect(static_cast<std::uint32_t>(m) < n, 0)) {
		const std::uint32_t refused = -n % n;
		while (static_cast<std::uint32_t>(m) < refused)
			m = static_cast<std::uint64_t>(next32()) * n;
	}
	return static_cast<std::uint32_t>(m >> 32);
}

// A number from a request of its bytes.
template <typename Number, typename Source> Number number_of_bytes(Source &source)
{
	Number value;
	source.fill(reinterpret_cast<unsigned char *>(&value), sizeof(value));
	return value;
}

// For a Source with fill(): numbers are requests of their size.
template <typename Source> class source_of_bytes {
public:
	template <typename Number> Number next()
	{
		return number_of_bytes<Number>(*static_cast<Source *>(this));
	}

	std::uint32_t below(std::uint32_t n)
	{
		return below_by_multiplication(
			[this] { return static_cast<Source *>(this)->template next<std::uint32_t>(); }, n);
	}
};

// For a Source with step(), which returns a Word: narrower numbers are its upper bits, which are the better ones of
// many generators; bytes are successive words.
template <typename Source, typename Word> class source_of_words {
public:
	template <typename Number> Number next()
	{
		if constexpr (sizeof(Number) <= sizeof(Word)) {
			return static_cast<Number>(step() >> 8 * (sizeof(Word) - sizeof(Number)));
		} else {
			const Number high = step();
			return high << 32 | step();
		}
	}

	std::uint32_t below(std::uint32_t n)
	{
		return below_by_multiplication(
			[this] { return static_cast<Source *>(this)->template next<std::uint32_t>(); }, n);
	}

	void fill(unsigned char *out, std::size_t len)
	{
		Source &source = *static_cast<Source *>(this);
		if constexpr (std::is_copy_assignable_v<Source> && sizeof(Source) <= 128)
			if (len >= 64) {
				fill_by_copy(source, out, len);
				return;
			}
		fill_from(source, out, len);
	}

private:
	// A small state stays in registers meanwhile, as in a program whose compiler knows that the output does not
	// overlap it; a separate function, so that all registers are available.
	[[gnu::noinline]] static void fill_by_copy(Source &source, unsigned char *out, std::size_t len)
	{
		Source copy = source;
		fill_from(copy, out, len);
		source = copy;
	}

	static void fill_from(Source &source, unsigned char *out, std::size_t len)
	{
		for (; len >= sizeof(Word); len -= sizeof(Word), out += sizeof(Word)) {
			const Word word = source.step();
			std::memcpy(out, &word, sizeof(word));
		}
		if (len != 0) {
			const Word word = source.step();
			std::memcpy(out, &word, len);
		}
	}

	Word step()
	{
		return static_cast<Source *>(this)->step();
	}
};

// The same for 64-bit words, for a program that uses both halves for 32-bit numbers.
template <typename Source> class source_of_halves : public source_of_words<Source, std::uint64_t> {
public:
	template <typename Number> Number next()
	{
		if constexpr (sizeof(Number) == sizeof(word_)) {
			return static_cast<Source *>(this)->step();
		} else {
			const bool kept = kept_;
			kept_ = !kept;
			if (!kept)
				word_ = static_cast<Source *>(this)->step();
			const auto half = static_cast<std::uint32_t>(kept ? word_ : word_ >> 32);
			return static_cast<Number>(half >> 8 * (sizeof(half) - sizeof(Number)));
		}
	}

private:
	std::uint64_t word_ = 0;
	bool kept_ = false;
};

template <typename Source> class contender_of final : public contender {
public:
	template <typename... Arguments>
	explicit contender_of(Arguments &&...arguments) : source_(std::forward<Arguments>(arguments)...)
	{
	}

	double run(const work &w, std::uint64_t count) override
	{
		const double begin = cpu_seconds();
		switch (w.what) {
		case work::bits8:
			repeat(count, [this] { use(source_.template next<std::uint8_t>()); });
			break;
		case work::bits16:
			repeat(count, [this] { use(source_.template next<std::uint16_t>()); });
			break;
		case work::bits32:
			repeat(count, [this] { use(source_.template next<std::uint32_t>()); });
			break;
		case work::bits64:
			repeat(count, [this] { use(source_.template next<std::uint64_t>()); });
			break;
		case work::below:
			repeat(count, [this, bounds = w.bounds, mask = w.bound_count - 1,
				       i = std::size_t{ 0 }]() mutable { use(source_.below(bounds[i++ & mask])); });
			break;
		case work::fill:
			repeat(count, [this, &w] {
				source_.fill(w.out, w.len);
				__asm__ volatile("" : : "r"(w.out) : "memory");
			});
			break;
		case work::fixed:
			repeat_fixed(w, count, std::make_index_sequence<std::size(fixed_lengths)>());
			break;
		}
		return cpu_seconds() - begin;
	}

	void fill(unsigned char *out, std::size_t len) override
	{
		source_.fill(out, len);
	}

	std::uint64_t number(const work &w) override
	{
		switch (w.what) {
		case work::bits8:
			return source_.template next<std::uint8_t>();
		case work::bits16:
			return source_.template next<std::uint16_t>();
		case work::bits32:
			return source_.template next<std::uint32_t>();
		case work::bits64:
			return source_.template next<std::uint64_t>();
		case work::below:
			return source_.below(w.bounds[0]);
		case work::fill:
		case work::fixed:
			break;
		}
		has_failed("a number of bytes");
	}

private:
	template <std::size_t... Index>
	void repeat_fixed(const work &w, std::uint64_t count, std::index_sequence<Index...> /*of fixed_lengths*/)
	{
		const bool known =
			((w.len == fixed_lengths[Index] && (repeat(count,
								   [this, out = w.out] {
									   source_.fill(out, fixed_lengths[Index]);
									   __asm__ volatile("" : : "r"(out) : "memory");
								   }),
							    true)) ||
			 ...);
		check(known, "a request of a fixed length");
	}

	// Force the state into memory after each draw, as code between two draws would.
	template <typename Number> void use(Number value)
	{
		__asm__ volatile("" : : "r"(value), "r"(&source_) : "memory");
	}

	// Flatten: a program with one call site has the draw inlined, while this function, with several, might call it.
	template <typename Step> [[gnu::noinline, gnu::flatten]] static void repeat(std::uint64_t count, Step step)
	{
		// The caller's objects stay in memory, so each step would wait there for the previous index.
		Step own = step;
		for (std::uint64_t i = 0; i < count; i++)
			own();
	}

	Source source_;
};

template <typename Source>
void add_contender(contender_list &all, const char *name, const std::string &description, bool cryptographic,
		   const std::string &version = "")
{
	all.push_back({ name, description, cryptographic, "", [] { return std::make_unique<contender_of<Source>>(); },
			version });
}

inline void add_absent(contender_list &all, const char *name, const std::string &description, bool cryptographic,
		       const std::string &why)
{
	all.push_back({ name, description, cryptographic, why, {} });
}

// Whether it is available is known only at run time.
template <typename Source>
void add_if(contender_list &all, bool available, const char *name, const char *description, const char *why)
{
	if (available)
		add_contender<Source>(all, name, description, true);
	else
		add_absent(all, name, description, true, why);
}

} // namespace lab

#endif
