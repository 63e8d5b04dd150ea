// SPDX-License-Identifier: BSD-2-Clause
// Placements behind functions in a separate file, so that no engine is inlined into the measuring loops: NetBSD
// measured its rows like this, except the one called inline.  All rows have this form, including the library and the
// empty draw, and are compared in it; each can also be measured inlined.
#ifndef CPRNG_LAB_ORIGINS_PLACEMENTS_OUTLINE_HPP
#define CPRNG_LAB_ORIGINS_PLACEMENTS_OUTLINE_HPP

#include <sys/syscall.h>
#include <unistd.h>

#include "../../common/error.hpp"
#include "../engines/hc128.hpp"
#include "../engines/library_buffer.hpp"
#include "../engines/rc4.hpp"
#include "../engines/simple.hpp"
#include "library.hpp"
#include "locked.hpp"
#include "per_cpu.hpp"
#include "per_thread.hpp"
#include "plain.hpp"
#include "single_block.hpp"
#include "unlocked.hpp"

namespace lab {

// Draws nothing: the overhead of the measurement.
struct nothing {
	static constexpr const char *placement = "no draw";

	nothing(std::uint64_t, std::int64_t)
	{
	}

	void restart()
	{
	}

	std::uint32_t next32()
	{
		return 0;
	}

	void fill(unsigned char *, std::size_t)
	{
	}

	std::uint64_t keys() const
	{
		return 0;
	}

	memory_of memory() const
	{
		return { nullptr, 0, 0 };
	}
};

// Linux's own generator, which has a state a CPU and the cost of a real system call.
struct system_call : nothing {
	static constexpr const char *placement = "the kernel's";

	using nothing::nothing;

	std::uint32_t next32()
	{
		std::uint32_t value;
		fill(reinterpret_cast<unsigned char *>(&value), sizeof(value));
		return value;
	}

	// At most 256 bytes come whole, or not at all before the kernel's generator is seeded.
	void fill(unsigned char *out, std::size_t len)
	{
		if (syscall(SYS_getrandom, out, len, 0) != static_cast<long>(len))
			throw failure("getrandom gave less than was asked");
	}
};

// outline.cpp defines the two functions, for the types that need them.
template <typename Placement> class outline : public Placement {
public:
	using Placement::Placement;

	std::uint32_t next32();
	void fill(unsigned char *out, std::size_t len);
};

#define LAB_OUTLINED(make) \
	make(nothing); \
	make(system_call); \
	make(locked<rc4, sleeping_lock>); \
	make(locked<rc4, spin_lock>); \
	make(unlocked<rc4>); \
	make(plain<rc4>); \
	make(per_thread<rc4>); \
	make(per_cpu<rc4>); \
	make(plain<hc128>); \
	make(per_thread<hc128>); \
	make(per_cpu<hc128>); \
	make(per_cpu<salsa20_block>); \
	make(per_cpu<chacha20_block>); \
	make(plain<chacha8_block>); \
	make(per_thread<chacha8_block>); \
	make(per_cpu<chacha8_block>); \
	make(per_cpu<lcg>); \
	make(per_cpu<lfsr>); \
	make(plain<xoshiro256pp>); \
	make(per_thread<xoshiro256pp>); \
	make(per_cpu<xoshiro256pp>); \
	make(plain<library_buffer>); \
	make(per_thread<library_buffer>); \
	make(per_cpu<library_buffer>); \
	make(itself)

#define LAB_ELSEWHERE(...) extern template class outline<__VA_ARGS__>
LAB_OUTLINED(LAB_ELSEWHERE);
#undef LAB_ELSEWHERE

} // namespace lab

#endif
