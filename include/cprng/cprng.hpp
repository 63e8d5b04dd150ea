/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * cprng for C++17 and later: a generator for the standard library's distributions and algorithms, fills for containers
 * and spans, and streams that throw exceptions.
 *
 * This is a thin layer: the promises of <cprng/cprng.h> about threads, signals, fork, failure and erasure hold here, too.
 * Only streams and weights have state, and few functions throw.  With -fno-exceptions these print the error and abort; then all
 * files of a program need that flag.
 *
 *     std::shuffle(deck.begin(), deck.end(), cprng::generator());
 */
#ifndef CPRNG_CPRNG_HPP
#define CPRNG_CPRNG_HPP

#if __cplusplus < 201703L
#error "<cprng/cprng.hpp> needs C++17: compile with -std=c++17 or later; <cprng/cprng.h> serves older C++"
#else

#include <array>
#include <cfloat>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <initializer_list>
#include <iterator>
#include <limits>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#if __cplusplus >= 202002L
#include <span>
#endif

#include <cprng/cprng.h>

/*
 * Hidden, so that the dynamic linker does not share these inline functions between binaries: each draws from the copy
 * of the library that its binary is linked with.  (A standard template that takes a generator may still be shared; then
 * it draws from the copy of the library in the binary that supplies the instance.)
 */
#ifndef _WIN32 /* Windows shares only exported functions */
#define CPRNG_OWN __attribute__((visibility("hidden")))
#else
#define CPRNG_OWN
#endif

namespace cprng {

/* -------------------------------------------------------------------------------------------------- generators */

/*
 * A UniformRandomBitGenerator of 64 bits.  It has no state: objects cost nothing and are interchangeable, threads may
 * share one, and a copy never repeats the original.  There is no seed; for reproducible bytes see stream.
 *
 *     std::normal_distribution<> noise;
 *     cprng::generator random;
 *     double x = noise(random);
 */
class generator {
public:
	using result_type = std::uint64_t;

	CPRNG_OWN static constexpr result_type(min)() noexcept
	{
		return 0;
	}

	CPRNG_OWN static constexpr result_type(max)() noexcept
	{
		return (std::numeric_limits<result_type>::max)();
	}

	CPRNG_OWN result_type operator()() const noexcept
	{
		return cprng_fast64();
	}
};

/* A UniformRandomBitGenerator of 32 bits, for algorithms that are faster with it. */
class generator32 {
public:
	using result_type = std::uint32_t;

	CPRNG_OWN static constexpr result_type(min)() noexcept
	{
		return 0;
	}

	CPRNG_OWN static constexpr result_type(max)() noexcept
	{
		return (std::numeric_limits<result_type>::max)();
	}

	CPRNG_OWN result_type operator()() const noexcept
	{
		return cprng_fast32();
	}
};

/* -------------------------------------------------------------------------------------------------------- fill */

namespace detail {

/*
 * Check that elements may contain any bytes.  bool and pointers are trivially copyable, but random bytes may not be a
 * valid value of them.
 */
template <typename Element> CPRNG_OWN constexpr void check_element() noexcept
{
	static_assert(!std::is_const<Element>::value, "cprng: the elements to be filled are const");
	static_assert(std::is_trivially_copyable<Element>::value,
		      "cprng: only trivially copyable elements can be filled with bytes");
	static_assert(!std::is_same<typename std::remove_cv<Element>::type, bool>::value &&
			      !std::is_pointer<Element>::value && !std::is_member_pointer<Element>::value,
		      "cprng: random bytes are no values of bool or of a pointer");
}

} // namespace detail

/* Fill size bytes at data; data may be null when size is 0. */
CPRNG_OWN inline void fill(void *data, std::size_t size) noexcept
{
	cprng_fast(data, size);
}

/*
 * Fill all elements of an array or of a contiguous container: anything that std::data and std::size accept.  Elements
 * must be trivially copyable.  Every byte becomes random, including padding, so a floating-point element may become
 * infinite or not a number (for numbers in [0, 1) see real).
 *
 *     std::array<std::uint8_t, 32> key;
 *     cprng::fill(key);
 *
 * Declared inline because gcc at -O2 would otherwise not inline a function of this size.
 */
template <typename Container>
CPRNG_OWN inline auto fill(Container &&container) noexcept
	-> decltype(std::data(container), std::size(container), void())
{
	using element = typename std::remove_pointer<decltype(std::data(container))>::type;
	detail::check_element<element>();
	cprng_fast(std::data(container), std::size(container) * sizeof(element));
}

#if __cplusplus >= 202002L
/* Fill the elements of a span, such as a part of a container: cprng::fill(std::span(buffer).first(16)). */
template <typename Element, std::size_t Extent> CPRNG_OWN inline void fill(std::span<Element, Extent> elements) noexcept
{
	detail::check_element<Element>();
	cprng_fast(elements.data(), elements.size_bytes());
}
#endif

/* ----------------------------------------------------------------------------------------------------- numbers */

namespace detail {

template <typename Number>
inline constexpr bool is_integer = std::is_integral<Number>::value && !std::is_same<Number, bool>::value &&
				   sizeof(Number) <= sizeof(std::uint64_t);

/*
 * The type of a number between ends of two types.  For two integer types: the wider one, or a signed type with room for
 * both, or uint64_t if one end is a uint64_t, since no signed type has room for both.
 */
template <typename A, typename B, bool = is_integer<A> && is_integer<B>> struct between {
	using wider = typename std::common_type<A, B>::type;
	using type = typename std::conditional<
		std::is_signed<A>::value == std::is_signed<B>::value || std::is_signed<wider>::value, wider,
		typename std::conditional<sizeof(wider) < sizeof(std::uint64_t), std::int64_t,
					  std::uint64_t>::type>::type;
};

template <typename Number> struct between<Number, Number, true> {
	using type = Number;
};

template <typename A, typename B> struct between<A, B, false> {
	using type = typename std::common_type<A, B>::type;
};

template <typename Target, typename Integer> CPRNG_OWN Target checked(Integer end) noexcept
{
	if constexpr (std::is_signed<Integer>::value && std::is_unsigned<Target>::value) {
		if (end < 0) {
			std::fputs(
				"cprng::range: one end is negative, and the other has a type of 64 bits without a sign\n",
				stderr);
			std::abort();
		}
	}
	return static_cast<Target>(end);
}

template <typename Integer> CPRNG_OWN Integer integer_in(Integer lo, Integer hi) noexcept
{
	/* Distances modulo 2^64: the sum comes back into the range of Integer whatever the signs are. */
	std::uint64_t first = static_cast<std::uint64_t>(lo);
	std::uint64_t distance = static_cast<std::uint64_t>(hi) - first;
	return static_cast<Integer>(first + cprng_range64(0, distance));
}

/* Pass a number through memory, which drops the excess precision of x87 registers and is opaque to -ffast-math. */
template <typename Real> CPRNG_OWN Real stored(Real x) noexcept
{
	volatile Real memory = x;
	return memory;
}

template <typename Real> CPRNG_OWN Real real_in(Real lo, Real hi) noexcept
{
	using limits = std::numeric_limits<Real>;
	constexpr int digits = limits::digits < 64 ? limits::digits : 64;
	constexpr Real largest = (limits::max)();

	if (!(lo < hi)) /* equal, or not numbers */
		return lo + (hi - lo);
	if (lo < -largest || hi > largest)
		return limits::quiet_NaN();
	/*
	 * The distance itself may overflow.  -ffast-math would recompute it from the halves, and removes comparisons with the
	 * largest number.
	 */
	const bool halves = hi / 2 - lo / 2 > largest / 4;
	/*
	 * Retry if the number was rounded up to hi.  Between neighbouring numbers this happens in half of the tries, or more in
	 * other rounding modes; after 64 tries the result is lo.
	 */
	for (int tries = 0; tries < 64; tries++) {
		const Real part = static_cast<Real>(cprng_fast64() >> (64 - digits)) /
				  static_cast<Real>(std::uint64_t{ 1 } << (digits - 1)) / 2;
		Real x;
		if (halves) {
			const Real first = stored(lo / 2);
			x = 2 * stored(first + (stored(hi / 2) - first) * part);
		} else {
			x = lo + (hi - lo) * part;
		}
		if constexpr (FLT_EVAL_METHOD != 0)
			x = stored(x);
		if (x >= lo && x < hi)
			return x;
	}
	return lo;
}

} // namespace detail

/*
 * Return a uniform integer in [0, bound), of bound's type; a bound below 2 gives 0.
 *
 *     int face = 1 + cprng::uniform(6);
 *     std::size_t i = cprng::uniform(names.size());
 */
template <typename Integer> CPRNG_OWN Integer uniform(Integer bound) noexcept
{
	static_assert(detail::is_integer<Integer>, "cprng: a bound is an integer of up to 64 bits");
	if (bound < 2)
		return 0;
	if constexpr (sizeof(Integer) <= sizeof(std::uint32_t))
		return static_cast<Integer>(cprng_uniform32(static_cast<std::uint32_t>(bound)));
	else
		return static_cast<Integer>(cprng_uniform64(static_cast<std::uint64_t>(bound)));
}

/*
 * Return a uniform number between lo and hi.  If lo > hi, swap them.
 *
 *     int shift = cprng::range(-3, 3);
 *     double x = cprng::range(0.0, 1.0);
 *
 * If both ends are integers, signed or unsigned: an integer in [lo, hi], both ends included.  Ends of two types give a
 * type with room for both, such as int64_t for int and unsigned.  If one end is a uint64_t and the other is negative, print
 * one line and call abort(3).
 *
 * If an end is a floating-point number: a number in [lo, hi), hi excluded, with as many random bits as the type's
 * significand, at most 64.  It is rounded to nearest, so lo is half as likely as its neighbours: if only one double lies
 * between lo and hi, lo is returned by a third of the calls.  In other rounding modes lo may be more frequent.  lo == hi
 * gives lo.  An end that is infinite or not a number gives not-a-number, or any number under -ffinite-math-only.
 */
template <typename Lo, typename Hi> CPRNG_OWN typename detail::between<Lo, Hi>::type range(Lo lo, Hi hi) noexcept
{
	using number = typename detail::between<Lo, Hi>::type;
	static_assert((detail::is_integer<Lo> || std::is_floating_point<Lo>::value) &&
			      (detail::is_integer<Hi> || std::is_floating_point<Hi>::value),
		      "cprng: the ends are integers of up to 64 bits, or floating-point numbers");
	if constexpr (std::is_floating_point<number>::value) {
		const number first = static_cast<number>(lo), last = static_cast<number>(hi);
		return first > last ? detail::real_in(last, first) : detail::real_in(first, last);
	} else {
		const number first = detail::checked<number>(lo), last = detail::checked<number>(hi);
		return first > last ? detail::integer_in(last, first) : detail::integer_in(first, last);
	}
}

/* Return a uniform multiple of 2^-53 in [0, 1): 53 random bits, 1 excluded. */
CPRNG_OWN inline double real() noexcept
{
	return cprng_double();
}

/* Return a normally or exponentially distributed number; a NaN for the same parameters as cprng_normal(). */
CPRNG_OWN inline double normal(double mu = 0, double sigma = 1) noexcept
{
	return cprng_normal(mu, sigma);
}

CPRNG_OWN inline double exponential(double mean = 1) noexcept
{
	return cprng_exponential(mean);
}

/* ---------------------------------------------------------------------------------------------- single choices */

namespace detail {

template <typename Error> [[noreturn]] CPRNG_OWN void fail(const char *what, int error)
{
#ifdef __cpp_exceptions
	(void)what;
	throw Error(cprng_strerror(error));
#else
	std::fprintf(stderr, "cprng::%s: %s\n", what, cprng_strerror(error));
	std::abort();
#endif
}

} // namespace detail

/* Return true with probability p, or numerator / denominator, exactly, as cprng_bernoulli() and cprng_bernoulli_ratio(). */
CPRNG_OWN inline bool bernoulli(double p) noexcept
{
	return cprng_bernoulli(p) != 0;
}

CPRNG_OWN inline bool bernoulli(std::uint64_t numerator, std::uint64_t denominator) noexcept
{
	return cprng_bernoulli_ratio(numerator, denominator) != 0;
}

/*
 * Choices by weights, which are integers: each call returns an index with probability weight / sum, exactly.  Any number of
 * threads may share an object.  Throws std::invalid_argument for the weights that cprng_weights_init() refuses.
 *
 *     const cprng::weighted colour{ 70, 25, 5 };
 *     std::size_t chosen = colour();
 */
class weighted {
public:
	CPRNG_OWN explicit weighted(const std::vector<std::uint64_t> &weights) : table_(weights.size())
	{
		const int error = cprng_weights_init(&weights_, table_.data(), weights.data(), weights.size());
		if (error != CPRNG_OK)
			detail::fail<std::invalid_argument>("weighted", error);
	}

	CPRNG_OWN weighted(std::initializer_list<std::uint64_t> weights) : weighted(std::vector<std::uint64_t>(weights))
	{
	}

	CPRNG_OWN weighted(const weighted &other) : table_(other.table_), weights_(other.weights_)
	{
		weights_.table = table_.data();
	}

	/* A moved table stays in its place.  An object that was moved from must not be used. */
	weighted(weighted &&) = default;

	CPRNG_OWN weighted &operator=(weighted other) noexcept
	{
		table_.swap(other.table_);
		std::swap(weights_, other.weights_);
		return *this;
	}

	~weighted() = default;

	CPRNG_OWN std::size_t operator()() const noexcept
	{
		return cprng_weighted(&weights_);
	}

	/* Return the number of weights. */
	CPRNG_OWN std::size_t size() const noexcept
	{
		return table_.size();
	}

	/* Return the object for cprng_weighted() and cprng_stream_weighted(). */
	CPRNG_OWN const cprng_weights *get() const noexcept
	{
		return &weights_;
	}

private:
	std::vector<cprng_alias> table_;
	cprng_weights weights_;
};

/*
 * Return length characters of an alphabet, all equally likely.  Throws std::invalid_argument if the alphabet is empty or has more
 * than 256 symbols.
 *
 *     std::string id = cprng::text(21, "0123456789abcdefghjkmnpqrstvwxyz");
 */
CPRNG_OWN inline std::string text(std::size_t length, std::string_view alphabet)
{
	std::string made(length, '\0');
	const int error = cprng_text(made.data(), length, alphabet.data(), alphabet.size());
	if (error != CPRNG_OK)
		detail::fail<std::invalid_argument>("text", error);
	return made;
}

/* Alphabets for text(); url is that of base64url, and clear has no characters that look alike. */
namespace alphabet {
inline constexpr std::string_view digits = "0123456789";
inline constexpr std::string_view hex = "0123456789abcdef";
inline constexpr std::string_view alnum = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
inline constexpr std::string_view url = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
inline constexpr std::string_view clear = "ACDEFGHJKLMNPQRTUVWXYabcdefghijkmnpqrstuvwxyz34679";
} // namespace alphabet

namespace detail {

template <typename Elements>
using element_of = typename std::iterator_traits<decltype(std::begin(std::declval<const Elements &>()))>::value_type;

template <typename Elements> CPRNG_OWN decltype(auto) at(const Elements &elements, std::uint64_t index)
{
	using distance = typename std::iterator_traits<decltype(std::begin(elements))>::difference_type;
	return std::begin(elements)[static_cast<distance>(index)];
}

} // namespace detail

/*
 * Choices of the elements of an array or of a container with random access, as copies: choice() returns one; choices() returns
 * count independent ones, all equally likely or by weights, which are as many as the elements; sample() returns count different
 * ones, in a random order.  Throws std::invalid_argument if there is nothing to choose from, or too little for a sample.
 *
 *     const std::vector<std::string> names{ "anna", "bert", "carl" };
 *     std::string one = cprng::choice(names);
 *     std::vector<std::string> ten = cprng::choices(names, 10);
 */
template <typename Elements> CPRNG_OWN detail::element_of<Elements> choice(const Elements &elements)
{
	if (std::size(elements) == 0)
		detail::fail<std::invalid_argument>("choice", CPRNG_ERR_ARGUMENT);
	return detail::at(elements, cprng_uniform64(std::size(elements)));
}

template <typename Elements>
CPRNG_OWN std::vector<detail::element_of<Elements>> choices(const Elements &elements, std::size_t count)
{
	std::vector<detail::element_of<Elements>> chosen;
	chosen.reserve(count);
	while (chosen.size() < count)
		chosen.push_back(choice(elements));
	return chosen;
}

template <typename Elements>
CPRNG_OWN std::vector<detail::element_of<Elements>> choices(const Elements &elements, std::size_t count,
							    const weighted &weights)
{
	if (std::size(elements) != weights.size())
		detail::fail<std::invalid_argument>("choices", CPRNG_ERR_ARGUMENT);
	std::vector<detail::element_of<Elements>> chosen;
	chosen.reserve(count);
	while (chosen.size() < count)
		chosen.push_back(detail::at(elements, weights()));
	return chosen;
}

template <typename Elements>
CPRNG_OWN std::vector<detail::element_of<Elements>> sample(const Elements &elements, std::size_t count)
{
	std::vector<std::uint64_t> places(count);
	std::vector<detail::element_of<Elements>> chosen;
	if (count > 0) {
		const int error = cprng_sample(places.data(), count, std::size(elements));
		if (error != CPRNG_OK)
			detail::fail<std::invalid_argument>("sample", error);
	}
	chosen.reserve(count);
	for (std::uint64_t place : places)
		chosen.push_back(detail::at(elements, place));
	return chosen;
}

/* Put the elements into a random order, all orders equally likely.  std::shuffle with generator does the same. */
template <typename Elements> CPRNG_OWN void shuffle(Elements &&elements)
{
	using std::swap;
	auto first = std::begin(elements);
	for (std::uint64_t count = std::size(elements); count > 1; count--)
		swap(first[static_cast<std::ptrdiff_t>(cprng_uniform64(count))],
		     first[static_cast<std::ptrdiff_t>(count - 1)]);
}

/* The 16 bytes of a UUID. */
using uuid = std::array<std::uint8_t, 16>;

/* Return a UUID of version 4, or one of version 7 as cprng_uuid7(), which throws std::runtime_error for each error. */
CPRNG_OWN inline uuid uuid4() noexcept
{
	uuid made;
	cprng_uuid4(made.data());
	return made;
}

CPRNG_OWN inline uuid uuid7()
{
	uuid made;
	const int error = cprng_uuid7(made.data());
	if (error != CPRNG_OK)
		detail::fail<std::runtime_error>("uuid7", error);
	return made;
}

/* Return a UUID as 36 characters. */
CPRNG_OWN inline std::string uuid_text(const uuid &id)
{
	std::string made(36, '\0');
	cprng_uuid_text(made.data(), id.data());
	return made;
}

} // namespace cprng

#include <cprng/stream.hpp>

#undef CPRNG_OWN

#endif /* C++17 */
#endif
