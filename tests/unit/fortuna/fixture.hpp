// SPDX-License-Identifier: BSD-2-Clause
// A Fortuna whose clock the test sets and whose locks check their use.
#ifndef CPRNG_TESTS_FORTUNA_FIXTURE_HPP
#define CPRNG_TESTS_FORTUNA_FIXTURE_HPP

#include "../../support/engines.hpp"
#include "../../support/run.hpp"

#include "fortuna/fortuna.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

inline std::vector<const cprng_engine *> fortuna_engines()
{
	return { cprng_engine_find("aes256-ctr"), cprng_engine_find("chacha20") };
}

// The volume, scaled to the run's duration (usually 4 seconds), but at least `least`.
inline std::size_t volume(double usual, std::size_t least = 1)
{
	return std::max(least, static_cast<std::size_t>(usual * run::seconds / 4));
}

inline cprng_event make_event(unsigned int source, unsigned int entropy_bits, const Bytes &payload)
{
	cprng_event event;

	REQUIRE((source < CPRNG_SOURCES && !payload.empty() && payload.size() <= CPRNG_EVENT_MAX));
	std::memset(&event, 0, sizeof(event));
	event.source = static_cast<std::uint8_t>(source);
	event.len = static_cast<std::uint8_t>(payload.size());
	event.entropy_bits = static_cast<std::uint16_t>(entropy_bits);
	std::copy(payload.begin(), payload.end(), event.payload);
	return event;
}

inline bool all_zero(const void *p, std::size_t n)
{
	const auto *bytes = static_cast<const std::uint8_t *>(p);

	return std::all_of(bytes, bytes + n, [](std::uint8_t b) { return b == 0; });
}

template <typename T> bool all_zero(const T &object)
{
	return all_zero(&object, sizeof(object));
}

// Each lock records what its thread holds.  So a wrong order, a lock taken twice or an unlock with the wrong token fails the
// test instead of causing a rare deadlock.  Derived classes stop threads at locks.
class Fortuna {
public:
	explicit Fortuna(const cprng_engine *engine, std::uint32_t pool_min = CPRNG_POOL_MIN_LEAST, bool locked = true)
	    : memory(new cprng_fortuna_state)
	{
		std::memset(static_cast<void *>(memory.get()), 0, sizeof(*memory));
		core.state = memory.get();
		core.port = &functions;
		core.arg = this;
		core.engine = engine;
		core.backend = cprng_engine_select(engine);
		core.pool_min = pool_min;
		core.locked_reads = locked ? 1 : 0;
		cprng_fortuna_core_start(&core);
	}

	virtual ~Fortuna()
	{
		CHECK_MESSAGE(violations == 0, "locks were taken in a wrong order, or released with another's token");
		CHECK(held == 0);
	}

	Fortuna(const Fortuna &) = delete;
	Fortuna &operator=(const Fortuna &) = delete;

	cprng_fortuna_state &state()
	{
		return *memory;
	}

	cprng_accumulator &pools()
	{
		return memory->accumulator;
	}

	cprng_generator &generator()
	{
		return memory->generator;
	}

	int put(const cprng_event &event)
	{
		return cprng_fortuna_core_put(&core, &event);
	}

	std::size_t drain()
	{
		return cprng_fortuna_core_drain(&core);
	}

	void seed(const Bytes &bytes)
	{
		cprng_fortuna_core_seed(&core, bytes.data(), bytes.size(), CPRNG_WAIT);
	}

	// The call must succeed.
	Bytes read(std::size_t len, cprng_wait wait = CPRNG_WAIT)
	{
		Bytes out(len);
		REQUIRE(cprng_fortuna_core_read(&core, out.data(), len, wait) == CPRNG_FORTUNA_OK);
		return out;
	}

	bool readable()
	{
		std::uint8_t byte = 0;
		return cprng_fortuna_core_read(&core, &byte, 1, CPRNG_WAIT) == CPRNG_FORTUNA_OK;
	}

	void set_locked_reads(bool on)
	{
		__atomic_store_n(&core.locked_reads, on ? 1u : 0u, __ATOMIC_RELAXED);
	}

	cprng_fortuna_core core = {};
	std::atomic<std::uint64_t> time{ 1000000000 };
	std::atomic<std::uint64_t> waits{ 0 }; // calls of lock(), which may wait
	std::mutex mutex[CPRNG_LOCKS];

protected:
	virtual void before_lock(cprng_fortuna_lock)
	{
	}

	virtual void after_lock(cprng_fortuna_lock)
	{
	}

	virtual void before_unlock(cprng_fortuna_lock)
	{
	}

	virtual void after_unlock(cprng_fortuna_lock)
	{
	}

private:
	static std::uint64_t token_word(const Fortuna *f, cprng_fortuna_lock which)
	{
		return f->serial[which] * 0x9e3779b97f4a7c15 + which;
	}

	void check_order(cprng_fortuna_lock which)
	{
		if ((held & 1u << which) != 0 || (which == CPRNG_LOCK_POOLS && held != 0))
			violations++;
	}

	void taken(cprng_fortuna_lock which, std::uint64_t *token)
	{
		held |= 1u << which;
		serial[which]++;
		token[0] = token_word(this, which);
		token[1] = ~token[0];
		after_lock(which);
	}

	static void do_lock(void *arg, int number, std::uint64_t *token)
	{
		const auto which = static_cast<cprng_fortuna_lock>(number);
		auto *f = static_cast<Fortuna *>(arg);

		f->waits++;
		f->check_order(which);
		f->before_lock(which);
		f->mutex[which].lock();
		f->taken(which, token);
	}

	static int do_try_lock(void *arg, int number, std::uint64_t *token)
	{
		const auto which = static_cast<cprng_fortuna_lock>(number);
		auto *f = static_cast<Fortuna *>(arg);

		f->check_order(which);
		if (!f->mutex[which].try_lock())
			return 0;
		f->taken(which, token);
		return 2; // any value but 0
	}

	static void do_unlock(void *arg, int number, const std::uint64_t *token)
	{
		const auto which = static_cast<cprng_fortuna_lock>(number);
		auto *f = static_cast<Fortuna *>(arg);

		if ((held & 1u << which) == 0 || token[0] != token_word(f, which) || token[1] != ~token[0])
			f->violations++;
		f->before_unlock(which);
		held &= ~(1u << which);
		f->mutex[which].unlock();
		f->after_unlock(which);
	}

	static std::uint64_t do_now(void *arg)
	{
		return static_cast<Fortuna *>(arg)->time;
	}

	static constexpr cprng_fortuna_port functions = { do_lock, do_try_lock, do_unlock, do_now, nullptr };
	static inline thread_local unsigned int held = 0;

	std::unique_ptr<cprng_fortuna_state> memory;
	std::atomic<unsigned int> violations{ 0 };
	std::uint64_t serial[CPRNG_LOCKS] = {}; // each protected by its lock
};

#endif
