// SPDX-License-Identifier: BSD-2-Clause
#include "generators.hpp"

#include <algorithm>
#include <string>
#include <type_traits>
#include <vector>

#include "../../common/clock.hpp"
#include "../../common/error.hpp"
#include "outline.hpp"

namespace lab {

namespace {

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
		if constexpr (std::is_base_of<itself, Placement>::value) {
			placement_.reseed();
		} else if constexpr (!std::is_base_of<nothing, Placement>::value) {
			unsigned char buf[4096];
			const std::uint64_t before = placement_.keys();
			while (placement_.keys() == before)
				placement_.fill(buf, sizeof(buf));
		}
	}

	std::uint64_t keys() const override
	{
		return placement_.keys();
	}

	std::uint32_t draw() override
	{
		return placement_.next32();
	}

	// Force the state into memory after each draw, as other code between draws, or a call, would.
	void draw(std::uint64_t count) override
	{
		for (std::uint64_t i = 0; i < count; i++) {
			const std::uint32_t value = placement_.next32();
			__asm__ volatile("" : : "r"(value), "r"(&placement_) : "memory");
		}
	}

	void fill(unsigned char *out, std::size_t len, std::uint64_t count) override
	{
		for (std::uint64_t i = 0; i < count; i++) {
			placement_.fill(out, len);
			__asm__ volatile("" : : "r"(out) : "memory");
		}
	}

	void time(std::uint64_t count, std::uint32_t *least, tally &all, tally &undisturbed) override
	{
		constexpr std::uint64_t batch = 16384, first_draws = 8;
		std::vector<std::uint32_t> took(batch);
		for (std::uint64_t done = 0; done < count; done += batch) {
			const std::uint64_t now = std::min(batch, count - done), switches = involuntary_switches();
			for (std::uint64_t i = 0; i < now; i++)
				took[i] = time_one();
			const bool quiet = involuntary_switches() == switches;
			for (std::uint64_t i = 0; i < now; i++) {
				all.add(took[i]);
				if (i < first_draws)
					continue;
				least[done + i] = std::min(least[done + i], took[i]);
				if (quiet)
					undisturbed.add(took[i]);
			}
		}
	}

	memory_of memory() const override
	{
		return placement_.memory();
	}

private:
	std::uint32_t time_one()
	{
		const std::uint64_t begin = ticks();
		const std::uint32_t value = placement_.next32();
		// Force the draw before the clock is read; a compiler could postpone it.
		__asm__ volatile("" : : "r"(value) : "memory");
		return static_cast<std::uint32_t>(std::min<std::uint64_t>(ticks() - begin, UINT32_MAX));
	}

	Placement placement_;
};

template <typename Placement> std::unique_ptr<generator> make(std::uint64_t seed, std::int64_t limit)
{
	return std::make_unique<generator_of<Placement>>(seed, limit);
}

template <typename Placement> constexpr generator_info row(const char *name, const char *engine)
{
	return { name,
		 engine,
		 Placement::placement,
		 make<outline<Placement>>,
		 make<Placement>,
		 std::is_same<Placement, system_call>::value };
}

constexpr generator_info all[] = {
	row<nothing>("nothing", "-"),
	row<system_call>("getrandom", "chacha20"),
	row<locked<rc4, sleeping_lock>>("arc4-mtx", "rc4"),
	row<locked<rc4, spin_lock>>("arc4-spin", "rc4"),
	row<unlocked<rc4>>("arc4-nomtx", "rc4"),
	row<plain<rc4>>("arc4-plain", "rc4"),
	row<per_thread<rc4>>("arc4-thread", "rc4"),
	row<per_cpu<rc4>>("arc4-percpu", "rc4"),
	row<plain<hc128>>("hc128-plain", "hc128"),
	row<per_thread<hc128>>("hc128-thread", "hc128"),
	row<per_cpu<hc128>>("hc128-percpu", "hc128"),
	// NetBSD's inline row, without calls.
	{ "hc128-inline", "hc128", per_cpu<hc128>::placement, make<per_cpu<hc128>>, make<per_cpu<hc128>> },
	row<per_cpu<salsa20_block>>("salsa20-percpu", "salsa20"),
	row<per_cpu<chacha20_block>>("chacha20-percpu", "chacha20"),
	row<plain<chacha8_block>>("chacha8-plain", "chacha8"),
	row<per_thread<chacha8_block>>("chacha8-thread", "chacha8"),
	row<per_cpu<chacha8_block>>("chacha8-percpu", "chacha8"),
	row<per_cpu<lcg>>("lcg-percpu", "lcg"),
	row<per_cpu<lfsr>>("lfsr-percpu", "lfsr"),
	row<plain<xoshiro256pp>>("xoshiro-plain", "xoshiro256pp"),
	row<per_thread<xoshiro256pp>>("xoshiro-thread", "xoshiro256pp"),
	row<per_cpu<xoshiro256pp>>("xoshiro-percpu", "xoshiro256pp"),
	row<plain<library_buffer>>("buffer-plain", "library"),
	row<per_thread<library_buffer>>("buffer-thread", "library"),
	row<per_cpu<library_buffer>>("buffer-percpu", "library"),
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
