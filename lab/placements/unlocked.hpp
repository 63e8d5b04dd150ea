// SPDX-License-Identifier: BSD-2-Clause
// One shared state without any lock: what NetBSD had before 2012, and wrong.
//
// Several threads step the same state at once.  Their accesses are relaxed atomics, so that this is a race in the meaning
// of the word and not in that of the language, and no compiler may conclude anything from it; on the CPUs that we know
// they are the same loads and stores as plain ones.  Two threads can be given the same bytes.  Measure it, never use it.
#ifndef CPRNG_LAB_PLACEMENTS_UNLOCKED_HPP
#define CPRNG_LAB_PLACEMENTS_UNLOCKED_HPP

#include <atomic>
#include <cstring>
#include <type_traits>

#include "../engines/rc4.hpp"
#include "state.hpp"

namespace lab {

// Any engine: a copy of the state is stepped and written back.  Each word of it is one that somebody wrote, so that an
// index which is a word stays in its bounds.
template <typename Engine> class racy {
	static_assert(std::is_trivially_copyable<Engine>::value, "it is copied word by word");

public:
	void begin(const keying &k, std::uint32_t number)
	{
		Engine engine;
		std::memset(static_cast<void *>(&engine), 0, sizeof(engine));
		key_engine(engine, k, 0, number);
		save(engine);
	}

	std::uint32_t next32()
	{
		Engine engine = load();
		const std::uint32_t value = engine.next32();
		save(engine);
		return value;
	}

	void fill(unsigned char *out, std::size_t len)
	{
		Engine engine = load();
		engine.fill(out, len);
		save(engine);
	}

private:
	using word = std::conditional_t<alignof(Engine) % 8 == 0, std::uint64_t,
					std::conditional_t<alignof(Engine) % 4 == 0, std::uint32_t, std::uint8_t>>;
	static constexpr std::size_t words = sizeof(Engine) / sizeof(word);

	Engine load() const
	{
		word copy[words];
		for (std::size_t i = 0; i < words; i++)
			copy[i] = words_[i].load(std::memory_order_relaxed);
		Engine engine;
		std::memcpy(static_cast<void *>(&engine), copy, sizeof(engine));
		return engine;
	}

	void save(const Engine &engine)
	{
		word copy[words];
		std::memcpy(copy, &engine, sizeof(engine));
		for (std::size_t i = 0; i < words; i++)
			words_[i].store(copy[i], std::memory_order_relaxed);
	}

	std::atomic<word> words_[words];
};

// RC4 in place, as it was: to copy 256 bytes for four would measure the copying.  The accesses are those of the engine, one
// by one, so that the two differ by the lock alone.
template <> class racy<rc4> {
public:
	void begin(const keying &k, std::uint32_t number)
	{
		unsigned char key[rc4::key_size];
		std::uint8_t s[256], j = 0;
		make_key(k.seed, 0, number, key, sizeof(key));
		for (unsigned int n = 0; n < 256; n++)
			s[n] = static_cast<std::uint8_t>(n);
		for (unsigned int n = 0; n < 256; n++) {
			j = static_cast<std::uint8_t>(j + s[n] + key[n % sizeof(key)]);
			std::swap(s[n], s[j]);
		}
		for (unsigned int n = 0; n < 256; n++)
			put(s_[n], s[n]);
		put(i_, 0);
		put(j_, 0);
	}

	std::uint32_t next32()
	{
		std::uint32_t value = next8();
		value |= static_cast<std::uint32_t>(next8()) << 8;
		value |= static_cast<std::uint32_t>(next8()) << 16;
		return value | static_cast<std::uint32_t>(next8()) << 24;
	}

	void fill(unsigned char *out, std::size_t len)
	{
		for (; len != 0; len--)
			*out++ = static_cast<unsigned char>(next8());
	}

private:
	using cell = std::atomic<std::uint8_t>;

	static unsigned int get(const cell &c)
	{
		return c.load(std::memory_order_relaxed);
	}

	static void put(cell &c, unsigned int value)
	{
		c.store(static_cast<std::uint8_t>(value), std::memory_order_relaxed);
	}

	unsigned int next8()
	{
		const unsigned int i = (get(i_) + 1) & 0xff, a = get(s_[i]), j = (get(j_) + a) & 0xff, b = get(s_[j]);
		put(i_, i);
		put(j_, j);
		put(s_[i], b);
		put(s_[j], a);
		return get(s_[(get(s_[i]) + get(s_[j])) & 0xff]);
	}

	cell s_[256], i_, j_;
};

template <typename Engine> class unlocked {
public:
	static constexpr const char *placement = "one state, not locked";

	unlocked(std::uint64_t seed, std::int64_t limit) : keying_{ seed, limit }
	{
		restart();
	}

	void restart()
	{
		number_ = 0;
		left_ = keying_.limit;
		state_.begin(keying_, 0);
	}

	std::uint32_t next32()
	{
		count(sizeof(std::uint32_t));
		return state_.next32();
	}

	void fill(unsigned char *out, std::size_t len)
	{
		count(len);
		state_.fill(out, len);
	}

	std::uint64_t keys() const
	{
		return number_.load(std::memory_order_relaxed) + 1u;
	}

	memory_of memory() const
	{
		return { &state_, sizeof(state_), sizeof(state_) };
	}

private:
	// As little locked as the rest.
	void count(std::size_t bytes)
	{
		const auto left = left_.load(std::memory_order_relaxed) - static_cast<std::int64_t>(bytes);
		left_.store(left, std::memory_order_relaxed);
		if (__builtin_expect(left < 0, 0))
			rekey(bytes);
	}

	[[gnu::noinline, gnu::cold]] void rekey(std::size_t bytes)
	{
		left_.store(keying_.limit - static_cast<std::int64_t>(bytes), std::memory_order_relaxed);
		const std::uint32_t number = number_.load(std::memory_order_relaxed) + 1;
		number_.store(number, std::memory_order_relaxed);
		state_.begin(keying_, number);
	}

	keying keying_;
	alignas(64) racy<Engine> state_;
	std::atomic<std::int64_t> left_;
	std::atomic<std::uint32_t> number_;
};

} // namespace lab

#endif
