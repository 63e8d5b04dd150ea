/* SPDX-License-Identifier: BSD-2-Clause */
/* cprng::stream.  Included by <cprng/cprng.hpp>. */
#ifndef CPRNG_STREAM_HPP
#define CPRNG_STREAM_HPP

#include <ios>
#include <istream>
#include <ostream>

namespace cprng {

/*
 * A stream of <cprng/stream.h>: reproducible bytes and numbers, NOT for secrets.  Engines, keys, nonces and limits are as
 * for cprng_stream_init(), seeds as for cprng_stream_seed_integer(), _string() and _bytes().
 *
 * It is a RandomNumberEngine of the standard library, [rand.req.eng], of 64 bits, whose discard() takes constant time.
 * Copies continue independently from the same offset, and a move is a copy; the destructor erases key and buffer.  One
 * thread at a time may use an object.  Its own functions give the same numbers everywhere; those of the standard library's
 * distributions depend on the standard library.
 *
 * Exceptions; what() is the text of cprng_strerror():
 *
 *   std::invalid_argument   a wrong engine, key, nonce or seed;
 *   std::out_of_range       an offset, a number or an array past the end of the stream, with the offset unchanged;
 *   std::runtime_error      an engine that fails its known answers.
 *
 * Without exceptions (-fno-exceptions) each of these prints one line and aborts.
 *
 *     cprng::stream noise(42);
 *     std::vector<cprng::stream> workers;
 *     for (std::uint64_t i = 0; i < 100; i++)
 *             workers.push_back(noise.child(i));
 */
class stream {
public:
	using result_type = std::uint64_t;

	static constexpr result_type default_seed = 0;

	/* ---- begin */

	CPRNG_OWN stream() : stream(default_seed)
	{
	}

	/* engine null: CPRNG_STREAM_ENGINE. */
	CPRNG_OWN explicit stream(result_type seed, const char *engine = nullptr)
	{
		check(cprng_stream_seed_integer(&stream_, engine, seed));
	}

	/* From a seed sequence such as std::seed_seq: 32 bytes, which are eight 32-bit numbers in little-endian order. */
	template <typename Sequence,
		  typename = decltype(std::declval<Sequence &>().generate(std::declval<std::uint32_t *>(),
									  std::declval<std::uint32_t *>())),
		  typename = typename std::enable_if<!std::is_convertible<Sequence, result_type>::value>::type>
	CPRNG_OWN explicit stream(Sequence &sequence)
	{
		seed(sequence);
	}

	/* Start at offset 0.  nonce null with nonce_size 0: the engine's first nonce size, all zero. */
	CPRNG_OWN stream(const std::string &engine, const void *key, std::size_t key_size, const void *nonce = nullptr,
			 std::size_t nonce_size = 0)
	{
		check(cprng_stream_init(&stream_, engine.c_str(), key, key_size, nonce, nonce_size));
	}

	/* Key and nonce as arrays or contiguous containers of one-byte elements.  A string literal would include its NUL. */
	template <typename Key, typename = decltype(std::data(std::declval<const Key &>()))>
	CPRNG_OWN stream(const std::string &engine, const Key &key) : stream(engine, bytes(key), std::size(key))
	{
	}

	template <typename Key, typename Nonce, typename = decltype(std::data(std::declval<const Key &>())),
		  typename = decltype(std::data(std::declval<const Nonce &>()))>
	CPRNG_OWN stream(const std::string &engine, const Key &key, const Nonce &nonce)
	    : stream(engine, bytes(key), std::size(key), bytes(nonce), std::size(nonce))
	{
	}

	stream(const stream &) = default;
	stream &operator=(const stream &) = default;

	CPRNG_OWN ~stream()
	{
		cprng_stream_wipe(&stream_);
	}

	/* The seed must not be empty or contain a NUL. */
	CPRNG_OWN static stream from_string(std::string_view seed, const char *engine = nullptr)
	{
		stream made;
		check(cprng_stream_seed_text(&made.stream_, engine, seed.data(), seed.size()));
		return made;
	}

	/* The seed must have at least 16 bytes. */
	template <typename Container>
	CPRNG_OWN static stream from_bytes(const Container &seed, const char *engine = nullptr)
	{
		stream made;
		check(cprng_stream_seed_bytes(&made.stream_, engine, bytes(seed), std::size(seed)));
		return made;
	}

	CPRNG_OWN void seed(result_type value = default_seed)
	{
		check(cprng_stream_seed_integer(&stream_, nullptr, value));
	}

	template <typename Sequence,
		  typename = decltype(std::declval<Sequence &>().generate(std::declval<std::uint32_t *>(),
									  std::declval<std::uint32_t *>())),
		  typename = typename std::enable_if<!std::is_convertible<Sequence, result_type>::value>::type>
	CPRNG_OWN void seed(Sequence &sequence)
	{
		std::array<std::uint32_t, 8> words;
		std::array<unsigned char, 32> little;
		sequence.generate(words.begin(), words.end());
		for (std::size_t i = 0; i < little.size(); i++)
			little[i] = static_cast<unsigned char>(words[i / 4] >> 8 * (i % 4) & 0xff);
		check(cprng_stream_seed_bytes(&stream_, nullptr, little.data(), little.size()));
	}

	/* Return child number index, as cprng_stream_child() does. */
	CPRNG_OWN stream child(std::uint64_t index) const
	{
		stream made(*this);
		check(cprng_stream_child(&stream_, index, &made.stream_));
		return made;
	}

	/* ---- the engine of the standard library */

	CPRNG_OWN static constexpr result_type(min)() noexcept
	{
		return 0;
	}

	CPRNG_OWN static constexpr result_type(max)() noexcept
	{
		return (std::numeric_limits<result_type>::max)();
	}

	CPRNG_OWN result_type operator()()
	{
		if (has(sizeof(result_type)))
			return cprng_stream_u64(&stream_);
		std::array<unsigned char, sizeof(result_type)> little;
		result_type number = 0;
		read(little.data(), little.size());
		for (std::size_t i = 0; i < little.size(); i++)
			number |= static_cast<result_type>(little[i]) << 8 * i;
		return number;
	}

	CPRNG_OWN void discard(unsigned long long count)
	{
		const std::uint64_t at = tell();
		if (count > ((std::numeric_limits<std::uint64_t>::max)() - at) / sizeof(result_type))
			check(CPRNG_ERR_RANGE);
		seek(at + count * sizeof(result_type));
	}

	/* Streams are equal if engine, key, nonce and offset are. */
	CPRNG_OWN friend bool operator==(const stream &a, const stream &b)
	{
		return a.save() == b.save();
	}

	CPRNG_OWN friend bool operator!=(const stream &a, const stream &b)
	{
		return !(a == b);
	}

	/* Write a checkpoint in hexadecimal digits, which reveal the key. */
	template <typename Char, typename Traits>
	CPRNG_OWN friend std::basic_ostream<Char, Traits> &operator<<(std::basic_ostream<Char, Traits> &out,
								      const stream &s)
	{
		std::basic_string<Char, Traits> text;
		for (unsigned char byte : s.save()) {
			text += out.widen("0123456789abcdef"[byte >> 4]);
			text += out.widen("0123456789abcdef"[byte & 15]);
		}
		out.width(0);
		return out << text;
	}

	/* Read a checkpoint in hexadecimal digits.  For other input set failbit and leave the stream unchanged. */
	template <typename Char, typename Traits>
	CPRNG_OWN friend std::basic_istream<Char, Traits> &operator>>(std::basic_istream<Char, Traits> &in, stream &s)
	{
		const std::ios_base::fmtflags flags = in.flags(std::ios_base::dec | std::ios_base::skipws);
		std::basic_string<Char, Traits> text;
		in.width(0);
		in >> text;
		in.flags(flags);
		if (in && !s.restore_digits(text, [&in](Char digit) { return in.narrow(digit, '?'); }))
			in.setstate(std::ios_base::failbit);
		return in;
	}

	/* ---- bytes and offsets */

	/* Write the next size bytes to data.  If it throws, nothing was written and the offset is unchanged. */
	CPRNG_OWN void read(void *data, std::size_t size)
	{
		check(cprng_stream_read(&stream_, data, size));
	}

	/* Fill all elements of an array or contiguous container; multi-byte elements have the machine's byte order. */
	template <typename Container>
	CPRNG_OWN auto read(Container &&container) -> decltype(std::data(container), std::size(container), void())
	{
		using element = typename std::remove_pointer<decltype(std::data(container))>::type;
		detail::check_element<element>();
		read(std::data(container), std::size(container) * sizeof(element));
	}

	/* Set the offset in bytes from the beginning. */
	CPRNG_OWN void seek(std::uint64_t offset)
	{
		check(cprng_stream_seek(&stream_, offset));
	}

	/* Advance the offset by size bytes; a negative size moves it back. */
	CPRNG_OWN void advance(std::int64_t size)
	{
		check(cprng_stream_advance(&stream_, size));
	}

	/* Return the offset in bytes of the next byte. */
	CPRNG_OWN std::uint64_t tell() const noexcept
	{
		return cprng_stream_tell(&stream_);
	}

	using checkpoint = std::array<unsigned char, CPRNG_STREAM_CHECKPOINT_SIZE>;

	CPRNG_OWN checkpoint save() const
	{
		checkpoint saved;
		check(cprng_stream_save(&stream_, saved.data(), saved.size()));
		return saved;
	}

	/* Throws std::invalid_argument, with the stream unchanged, if these bytes are not a checkpoint. */
	template <typename Container> CPRNG_OWN void restore(const Container &saved)
	{
		check(cprng_stream_restore(&stream_, bytes(saved), std::size(saved)));
	}

	/* ---- numbers, the same everywhere; contracts as for the functions in C */

	/*
	 * uniform() returns a uniform integer in [0, bound), of bound's type, which is unsigned.  range() returns a uniform
	 * integer in [lo, hi], both ends included, and swaps them if lo > hi; both ends have the same type.
	 */
	template <typename Integer> CPRNG_OWN Integer uniform(Integer bound)
	{
		static_assert(std::is_unsigned<Integer>::value && !std::is_same<Integer, bool>::value &&
				      sizeof(Integer) <= sizeof(std::uint64_t),
			      "cprng: a bound is an unsigned integer of up to 64 bits");
		return static_cast<Integer>(below(bound));
	}

	template <typename Integer> CPRNG_OWN Integer range(Integer lo, Integer hi)
	{
		static_assert(std::is_integral<Integer>::value && !std::is_same<Integer, bool>::value &&
				      sizeof(Integer) <= sizeof(std::uint64_t),
			      "cprng: the ends are integers of up to 64 bits");
		const std::uint64_t first = static_cast<std::uint64_t>(lo < hi ? lo : hi);
		const std::uint64_t last = static_cast<std::uint64_t>(lo < hi ? hi : lo);
		return static_cast<Integer>(first + (last - first == (max)() ? (*this)() : below(last - first + 1)));
	}

	CPRNG_OWN double real()
	{
		return static_cast<double>((*this)() >> 11) * (1.0 / 9007199254740992.0); /* 2^-53 */
	}

	/* Throw std::invalid_argument for the parameters for which the functions in C return a NaN. */
	CPRNG_OWN double normal(double mu = 0, double sigma = 1)
	{
		return number(cprng_stream_try_normal, mu, sigma);
	}

	CPRNG_OWN double exponential(double mean = 1)
	{
		return number(cprng_stream_try_exponential, mean);
	}

	/* As cprng::bernoulli(), cprng::weighted, cprng::text() and cprng::uuid4(); a UUID of version 7 has the given time. */
	CPRNG_OWN bool bernoulli(double p)
	{
		return number(cprng_stream_try_bernoulli, p) != 0;
	}

	CPRNG_OWN bool bernoulli(std::uint64_t numerator, std::uint64_t denominator)
	{
		return number(cprng_stream_try_bernoulli_ratio, numerator, denominator) != 0;
	}

	CPRNG_OWN std::size_t choose(const weighted &weights)
	{
		return number(cprng_stream_try_weighted, weights.get());
	}

	CPRNG_OWN std::string text(std::size_t length, std::string_view alphabet)
	{
		std::string made(length, '\0');
		check(cprng_stream_text(&stream_, made.data(), length, alphabet.data(), alphabet.size()));
		return made;
	}

	CPRNG_OWN uuid uuid4()
	{
		uuid made;
		check(cprng_stream_uuid4(&stream_, made.data()));
		return made;
	}

	CPRNG_OWN uuid uuid7(std::uint64_t unix_ms)
	{
		uuid made;
		check(cprng_stream_uuid7(&stream_, unix_ms, made.data()));
		return made;
	}

	/* Fill an array or contiguous container of double. */
	template <typename Container> CPRNG_OWN void fill_real(Container &&numbers)
	{
		check(cprng_stream_fill_double(&stream_, std::data(numbers), std::size(numbers)));
	}

	template <typename Container> CPRNG_OWN void fill_normal(Container &&numbers, double mu = 0, double sigma = 1)
	{
		check(cprng_stream_fill_normal(&stream_, std::data(numbers), std::size(numbers), mu, sigma));
	}

	template <typename Container> CPRNG_OWN void fill_exponential(Container &&numbers, double mean = 1)
	{
		check(cprng_stream_fill_exponential(&stream_, std::data(numbers), std::size(numbers), mean));
	}

	/*
	 * Same order as cprng_stream_try_shuffle(), also at the end of the stream.  std::shuffle takes a stream, too; its order
	 * depends on the standard library.
	 */
	template <typename Iterator> CPRNG_OWN void shuffle(Iterator first, Iterator last)
	{
		using std::swap;
		using distance = typename std::iterator_traits<Iterator>::difference_type;
		order whole(*this);
		for (distance count = last - first; count > 1; count--) {
			const std::uint64_t chosen = below(static_cast<std::uint64_t>(count));
			if (chosen != static_cast<std::uint64_t>(count - 1))
				swap(first[static_cast<distance>(chosen)], first[count - 1]);
		}
		whole.of = nullptr;
	}

private:
	/* Puts the offset back if an order ends early. */
	struct order {
		CPRNG_OWN explicit order(stream &s) noexcept : of(&s), offset(s.tell())
		{
		}

		order(const order &) = delete;
		order &operator=(const order &) = delete;

		CPRNG_OWN ~order()
		{
			/* Where it was before: that is no error. */
			if (of != nullptr && cprng_stream_seek(&of->stream_, offset) != CPRNG_OK)
				std::abort();
		}

		stream *of;
		std::uint64_t offset;
	};

	/* Whether so many bytes are buffered: then C's inlined functions do not reach the end. */
	CPRNG_OWN bool has(std::ptrdiff_t size) const noexcept
	{
		return stream_.next <= -size;
	}

	/* As cprng_stream_uniform64(), but inlined for 32-bit bounds, unless a number may be refused: then the word is put back. */
	CPRNG_OWN std::uint64_t below(std::uint64_t bound)
	{
		if (bound <= UINT32_MAX && has(sizeof(std::uint32_t))) {
			const std::uint64_t m = cprng_stream_u32(&stream_) * bound;
			if ((m & UINT32_MAX) >= bound)
				return m >> 32;
			stream_.next -= static_cast<std::ptrdiff_t>(sizeof(std::uint32_t));
		}
		return number(cprng_stream_try_uniform64, bound);
	}

	/* The number of a function of C, which returns an error. */
	template <typename Number, typename... Parameters>
	CPRNG_OWN Number number(int (*draw)(cprng_stream *, Number *, Parameters...), Parameters... parameters)
	{
		Number drawn = 0;
		check(draw(&stream_, &drawn, parameters...));
		return drawn;
	}

	template <typename Container> CPRNG_OWN static const void *bytes(const Container &container)
	{
		static_assert(sizeof(*std::data(container)) == 1, "cprng: keys, nonces and seeds are made of bytes");
		return std::data(container);
	}

	template <typename Text, typename Narrow> CPRNG_OWN bool restore_digits(const Text &text, Narrow narrow)
	{
		const std::string digits = "0123456789abcdef";
		checkpoint saved;
		if (text.size() != 2 * saved.size())
			return false;
		for (std::size_t i = 0; i < saved.size(); i++) {
			const std::size_t high = digits.find(narrow(text[2 * i]));
			const std::size_t low = digits.find(narrow(text[2 * i + 1]));
			if (high == std::string::npos || low == std::string::npos)
				return false;
			saved[i] = static_cast<unsigned char>(high << 4 | low);
		}
		return cprng_stream_restore(&stream_, saved.data(), saved.size()) == CPRNG_OK;
	}

	CPRNG_OWN static void check(int error)
	{
		switch (error) {
		case CPRNG_OK:
			return;
		case CPRNG_ERR_RANGE:
			detail::fail<std::out_of_range>("stream", error);
		case CPRNG_ERR_ENGINE:
		case CPRNG_ERR_KEY_SIZE:
		case CPRNG_ERR_NONCE_SIZE:
		case CPRNG_ERR_ARGUMENT:
		case CPRNG_ERR_SIZE:
		case CPRNG_ERR_CHECKPOINT:
			detail::fail<std::invalid_argument>("stream", error);
		default:
			detail::fail<std::runtime_error>("stream", error);
		}
	}

	cprng_stream stream_;
};

} // namespace cprng

#endif
