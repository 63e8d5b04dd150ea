// SPDX-License-Identifier: BSD-2-Clause
// The cprng_fast of the table of April 2014 ("cprng_fast implementation benchmarks", tech-crypto), with the lab's ciphers.
//
// -DWAY='per_cpu<lab::hc128>' selects the row.  -DIS_CHECKED=true adds a branch before each use of the cipher, which is never
// taken, as DIAGNOSTIC did.  As in 2014, each state gets a new key after 512 MB.  C++ cannot include the kernel's headers, so its
// functions are declared here.
#include <cstddef>
#include <cstdint>

#include "lab/origins/engines/hc128.hpp"
#include "lab/origins/engines/rc4.hpp"

extern "C" {
struct percpu;
extern void *kern_cprng;
std::size_t cprng_strong(void *object, void *buf, std::size_t len, int flags);
percpu *percpu_alloc(std::size_t size);
void percpu_foreach(percpu *p, void (*function)(void *state, void *cookie, void *cpu), void *cookie);
void *percpu_getref(percpu *p);
void percpu_putref(percpu *p);
int splraise(int level);
void spllower(int level);
void *mutex_obj_alloc(int type, int level);
void mutex_spin_enter(void *mutex);
void mutex_spin_exit(void *mutex);
[[noreturn]] void panic(const char *format, ...);

void cprng_fast_init();
std::uint32_t cprng_fast32();
std::uint64_t cprng_fast64();
std::size_t cprng_fast(void *buf, std::size_t len);
std::uint64_t cprng_fast32_sum(std::size_t count);
}

namespace {

#ifndef IS_CHECKED
#define IS_CHECKED false
#endif

// From sys/mutex.h and amd64's intrdefs.h.
enum { MUTEX_DEFAULT = 2, IPL_VM = 6 };

constexpr std::int64_t bytes_of_a_key = std::int64_t{ 512 } << 20;

// In zeroed memory, so it has no constructor.
template <typename Engine> struct state {
	Engine engine;
	std::int64_t left;
	bool is_keyed;

	[[gnu::noinline, gnu::cold]] void begin()
	{
		unsigned char bytes[Engine::key_size + Engine::nonce_size];
		cprng_strong(kern_cprng, bytes, sizeof(bytes), 0);
		engine.key(bytes, Engine::key_size, bytes + Engine::key_size);
		left = bytes_of_a_key;
		is_keyed = true;
	}

	void count(std::size_t len)
	{
		left -= static_cast<std::int64_t>(len);
		if (__builtin_expect(left < 0, false))
			begin();
		if (IS_CHECKED && __builtin_expect(!is_keyed, false))
			panic("cprng_fast: no key");
	}

	std::uint32_t next32()
	{
		count(sizeof(std::uint32_t));
		return engine.next32();
	}

	void fill(unsigned char *out, std::size_t len)
	{
		count(len);
		engine.fill(out, len);
	}
};

// One state for all CPUs, without a lock: what NetBSD had before 2012, and wrong.
template <typename Engine> class no_mutex {
public:
	using held = state<Engine>;

	static void init()
	{
		one().begin();
	}

	static held &take(int &)
	{
		return one();
	}

	static void put(int)
	{
	}

protected:
	static held &one()
	{
		alignas(64) static unsigned char memory[sizeof(held)];
		return *reinterpret_cast<held *>(memory);
	}
};

// One state behind a spin mutex: NetBSD's in 2014.
template <typename Engine> class with_mutex : no_mutex<Engine> {
public:
	using held = state<Engine>;

	static void init()
	{
		mutex = mutex_obj_alloc(MUTEX_DEFAULT, IPL_VM);
		no_mutex<Engine>::init();
	}

	static held &take(int &)
	{
		mutex_spin_enter(mutex);
		return no_mutex<Engine>::one();
	}

	static void put(int)
	{
		mutex_spin_exit(mutex);
	}

private:
	static inline void *mutex;
};

// A state for each CPU, which interrupts up to IPL_VM do not reach during a draw: NetBSD's form since.
template <typename Engine> class per_cpu {
public:
	using held = state<Engine>;

	static void init()
	{
		states = percpu_alloc(sizeof(held));
		percpu_foreach(states, [](void *one, void *, void *) { static_cast<held *>(one)->begin(); }, nullptr);
	}

	static held &take(int &level)
	{
		held *const one = static_cast<held *>(percpu_getref(states));
		level = splraise(IPL_VM);
		return *one;
	}

	static void put(int level)
	{
		spllower(level);
		percpu_putref(states);
	}

private:
	static inline percpu *states;
};

using way = WAY;

// Each function that draws contains the cipher's step.
[[gnu::always_inline]] inline std::uint32_t draw32()
{
	int level;
	const std::uint32_t value = way::take(level).next32();
	way::put(level);
	return value;
}

} // namespace

void cprng_fast_init()
{
	way::init();
}

[[gnu::flatten]] std::uint32_t cprng_fast32()
{
	return draw32();
}

[[gnu::flatten]] std::uint64_t cprng_fast64()
{
	int level;
	way::held &one = way::take(level);
	const std::uint64_t low = one.next32(), value = low | static_cast<std::uint64_t>(one.next32()) << 32;
	way::put(level);
	return value;
}

[[gnu::flatten]] std::size_t cprng_fast(void *buf, std::size_t len)
{
	int level;
	way::take(level).fill(static_cast<unsigned char *>(buf), len);
	way::put(level);
	return len;
}

// The measured loop, for the row in which cprng_fast32() was a function of a header.
[[gnu::flatten]] std::uint64_t cprng_fast32_sum(std::size_t count)
{
	std::uint64_t sum = 0;
	while (count-- != 0)
		sum += draw32();
	return sum;
}
