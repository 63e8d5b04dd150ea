// SPDX-License-Identifier: BSD-2-Clause
// A placement's record of an engine: its state, and when it must be rekeyed.
//
// A placement determines where an engine's state is and how two users of it are kept apart.  Each takes any engine of
// lab/origins/engines/, and has
//
//     Placement(seed, limit)    the keys follow from the seed; a state is rekeyed after `limit` bytes
//     next32(), fill()          the engine's, for any number of threads
//     restart()                 resets all states; no thread may draw meanwhile
//     keys()                    the number of keyings so far, including the first
//     memory()                  the states, as one piece of memory
#ifndef CPRNG_LAB_ORIGINS_PLACEMENTS_STATE_HPP
#define CPRNG_LAB_ORIGINS_PLACEMENTS_STATE_HPP

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>

namespace lab {

// The bytes of key number `number` for state number `index`: not secret, and reproducible, so that a repeated
// measurement does the same work at the same draw.
void make_key(std::uint64_t seed, std::uint32_t index, std::uint32_t number, unsigned char *out, std::size_t len);

// Zeros at a page's beginning that this process shares with the children that it forks.
void *shared_memory(std::size_t size);
void release_shared_memory(void *memory, std::size_t size);

template <typename T> class shared_array {
public:
	explicit shared_array(std::size_t count)
	    : count_(count), all_(static_cast<T *>(shared_memory(count * sizeof(T))))
	{
		std::uninitialized_value_construct_n(all_, count_);
	}

	~shared_array()
	{
		release_shared_memory(all_, count_ * sizeof(T));
	}

	shared_array(const shared_array &) = delete;
	shared_array &operator=(const shared_array &) = delete;

	T &operator[](std::size_t i) const
	{
		return all_[i];
	}

private:
	static_assert(std::is_trivially_destructible<T>::value, "its memory is released, and no more");

	std::size_t count_;
	T *all_;
};

struct keying {
	std::uint64_t seed;
	std::int64_t limit;
};

struct memory_of {
	const void *begin;
	std::size_t size;  // of all of it
	std::size_t state; // of the state that one draw uses
};

// For an engine that serves long requests outside the placement's exclusion: Engine has short_max, and detach(), which
// returns an object with its own fill().
template <typename Engine, typename = void> struct detaches : std::false_type {};
template <typename Engine> struct detaches<Engine, std::void_t<decltype(Engine::short_max)>> : std::true_type {};

template <typename Engine> void key_engine(Engine &engine, const keying &k, std::uint32_t index, std::uint32_t number)
{
	unsigned char bytes[Engine::key_size + Engine::nonce_size];
	make_key(k.seed, index, number, bytes, sizeof(bytes));
	engine.key(bytes, Engine::key_size, bytes + Engine::key_size);
}

// The engine comes first, so that its cache lines are the state's; the rest fills the second line of a cipher with a
// one-block buffer.  Placements with several states use the claim.  Aligned to 128, because CPUs fetch lines in pairs.
template <typename Engine> struct alignas(128) state {
	Engine engine;
	std::int64_t left;
	std::uint32_t number;
	std::atomic<unsigned char> claimed;

	void begin(const keying &k, std::uint32_t index)
	{
		number = 0;
		left = k.limit;
		key_engine(engine, k, index, 0);
	}

	// Announces that this many bytes will be drawn.
	void count(std::size_t bytes, const keying &k, std::uint32_t index)
	{
		left -= static_cast<std::int64_t>(bytes);
		if (__builtin_expect(left < 0, 0))
			rekey(bytes, k, index);
	}

	std::uint32_t next32(const keying &k, std::uint32_t index)
	{
		count(sizeof(std::uint32_t), k, index);
		return engine.next32();
	}

	void fill(unsigned char *out, std::size_t len, const keying &k, std::uint32_t index)
	{
		count(len, k, index);
		engine.fill(out, len);
	}

	auto detach(std::size_t len, const keying &k, std::uint32_t index)
	{
		count(len, k, index);
		return engine.detach();
	}

private:
	[[gnu::noinline, gnu::cold]] void rekey(std::size_t bytes, const keying &k, std::uint32_t index)
	{
		left = k.limit - static_cast<std::int64_t>(bytes);
		key_engine(engine, k, index, ++number);
	}
};

} // namespace lab

#endif
