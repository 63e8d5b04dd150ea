// SPDX-License-Identifier: BSD-2-Clause
// One shared state without a lock: NetBSD's form before 2012, which was wrong.
//
// Several threads step the same state at once.  Their accesses are relaxed atomics, so it is a race but no undefined behaviour;
// on current CPUs they compile to plain loads and stores.  Two threads can receive the same bytes.  Measure it, never use it.
#ifndef CPRNG_LAB_PLACEMENTS_UNLOCKED_HPP
#define CPRNG_LAB_PLACEMENTS_UNLOCKED_HPP

#include <atomic>
#include <cstring>
#include <type_traits>

#include "../engines/rc4.hpp"
#include "state.hpp"

namespace lab {

// For any engine: steps a copy of the state and writes it back.  Each word is one that a thread wrote, so a word that
// is an index stays within its bounds.
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

// RC4 in place, as in NetBSD: copying 256 bytes for four would measure the copy.
template <> class racy<rc4> {
public:
	void begin(const keying &k, std::uint32_t number)
	{
		key_engine(engine_, k, 0, number);
	}

	std::uint32_t next32()
	{
		return engine_.next32();
	}

	void fill(unsigned char *out, std::size_t len)
	{
		engine_.fill(out, len);
	}

private:
	basic_rc4<std::atomic<std::uint8_t>> engine_;
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
	// As unlocked as the rest.
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
