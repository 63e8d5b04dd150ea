// SPDX-License-Identifier: BSD-2-Clause
// The library itself, in place of an engine in a placement.
#ifndef CPRNG_LAB_ORIGINS_PLACEMENTS_LIBRARY_HPP
#define CPRNG_LAB_ORIGINS_PLACEMENTS_LIBRARY_HPP

#include <cstddef>
#include <cstdint>

#include <cprng/cprng.h>

#include "../../common/error.hpp"
#include "state.hpp"

namespace lab {

// It manages its own keys, and replaces them at each refill, so its rekeying is a reseed.
class itself {
public:
	static constexpr const char *placement = "the library's";

	itself(std::uint64_t, std::int64_t)
	{
	}

	// The buffers are empty, but their CPU has a key.
	static void restart()
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

	static memory_of memory()
	{
		cprng_info info;
		cprng_get_info(&info, sizeof(info));
		const void *states = __atomic_load_n(&cprng_draw_1.buffers, __ATOMIC_RELAXED);
		return { states, std::size_t{ info.buffers } * info.state_bytes, info.state_bytes };
	}

private:
	std::uint64_t keys_ = 0;
};

} // namespace lab

#endif
