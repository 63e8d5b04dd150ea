// SPDX-License-Identifier: BSD-2-Clause
#include "generators.hpp"

#include <algorithm>
#include <string>

#include <cprng/cprng.h>

#include "../common/clock.hpp"
#include "../common/error.hpp"
#include "outline.hpp"

namespace lab {

namespace {

// The library.  It has its own keys, and replaces them at each refill: its rekeying is a reseed.
class itself {
public:
	static constexpr const char *placement = "the library's";

	itself(std::uint64_t, std::int64_t)
	{
	}

	// The buffers are empty, but their CPU's key is there.
	void restart()
	{
		cprng_invalidate();
		static_cast<void>(cprng_fast32());
	}

	std::uint32_t next32()
	{
		return cprng_fast32();
	}

	void fill(unsigned char *out, std::size_t len)
	{
		cprng_fast(out, len);
	}

	std::uint64_t keys() const
	{
		return keys_;
	}

	void reseed()
	{
		if (cprng_reseed() != CPRNG_OK)
			throw failure("cprng_reseed: the kernel gives no entropy");
		keys_++;
	}

	memory_of memory() const
	{
		cprng_info info;
		cprng_get_info(&info, sizeof(info));
		const cprng_draw *draw = __atomic_load_n(&cprng_draw_1, __ATOMIC_RELAXED);
		const void *states = draw != nullptr ? draw->buffers : nullptr;
		return { states, std::size_t{ info.buffers } * info.state_bytes, info.state_bytes };
	}

private:
	std::uint64_t keys_ = 0;
};

template <typename Placement> class generator_of final : public generator {
public:
	generator_of(std::uint64_t seed, std::int64_t limit) : placement_(seed, limit)
	{
	}

	void restart() override
	{
		placement_.restart();
	}

	void exhaust() override
	{
		if constexpr (std::is_same<Placement, itself>::value) {
			placement_.reseed();
		} else if constexpr (!std::is_same<Placement, outline<nothing>>::value) {
			unsigned char buf[4096];
			const std::uint64_t before = placement_.keys();
			while (placement_.keys() == before)
				placement_.fill(buf, sizeof(buf));
		}
	}

	std::uint32_t draw() override
	{
		return placement_.next32();
	}

	void draw(std::uint64_t count) override
	{
		std::uint32_t sum = 0;
		for (std::uint64_t i = 0; i < count; i++)
			sum ^= placement_.next32();
		__asm__ volatile("" : : "r"(sum));
	}

	void fill(unsigned char *out, std::size_t len, std::uint64_t count) override
	{
		for (std::uint64_t i = 0; i < count; i++) {
			placement_.fill(out, len);
			__asm__ volatile("" : : "r"(out) : "memory");
		}
	}

	void time(std::uint64_t count, std::uint32_t *least, tally &all) override
	{
		std::uint32_t sum = 0;
		for (std::uint64_t i = 0; i < count; i++) {
			const std::uint64_t begin = ticks();
			const std::uint32_t value = placement_.next32();
			// Drawn before the clock is read: the value, or a compiler could put it off.
			__asm__ volatile("" : : "r"(value) : "memory");
			const std::uint64_t took = ticks() - begin;
			sum ^= value;
			least[i] = static_cast<std::uint32_t>(std::min<std::uint64_t>(least[i], took));
			all.add(took);
		}
		__asm__ volatile("" : : "r"(sum));
	}

	memory_of memory() const override
	{
		return placement_.memory();
	}

private:
	Placement placement_;
};

template <typename Placement> std::unique_ptr<generator> make(std::uint64_t seed, std::int64_t limit)
{
	return std::make_unique<generator_of<Placement>>(seed, limit);
}

template <typename Placement> constexpr generator_info row(const char *name, const char *engine)
{
	return { name, engine, Placement::placement, make<Placement> };
}

constexpr generator_info all[] = {
	row<outline<nothing>>("nothing", "-"),
	row<outline<locked<rc4, std::mutex>>>("arc4-mtx", "rc4"),
	row<outline<locked<rc4, spin_lock>>>("arc4-spin", "rc4"),
	row<outline<unlocked<rc4>>>("arc4-nomtx", "rc4"),
	row<outline<per_thread<rc4>>>("arc4-thread", "rc4"),
	row<outline<per_cpu<rc4>>>("arc4-percpu", "rc4"),
	row<outline<per_cpu<hc128>>>("hc128-percpu", "hc128"),
	row<per_cpu<hc128>>("hc128-inline", "hc128"),
	row<outline<per_cpu<salsa20_block>>>("salsa20-percpu", "salsa20"),
	row<outline<per_cpu<chacha20_block>>>("chacha20-percpu", "chacha20"),
	row<outline<per_cpu<chacha8_block>>>("chacha8-percpu", "chacha8"),
	row<outline<per_cpu<lcg>>>("lcg-percpu", "lcg"),
	row<outline<per_cpu<lfsr>>>("lfsr-percpu", "lfsr"),
	row<outline<per_cpu<xoshiro256pp>>>("xoshiro-percpu", "xoshiro256pp"),
	row<itself>("cprng", "library"),
};

} // namespace

const generator_info &find_generator(std::string_view name)
{
	for (const generator_info &info : all)
		if (name == info.name)
			return info;
	throw failure("no generator " + std::string(name));
}

} // namespace lab
