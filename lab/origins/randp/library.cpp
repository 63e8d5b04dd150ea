// SPDX-License-Identifier: BSD-2-Clause
// randp itself, if installed.  Its documentation makes "no claims [...] that randp is a CSPRNG".
#include "../../peers/contenders/source.hpp"

#ifdef LAB_RANDP
#include <randp.h>
#endif

namespace lab {

namespace {

constexpr const char *name = "randp",
		     *description = "randp_bytes, _u32, _lt_u32 of an installed librandp: no CSPRNG, it says";

#ifdef LAB_RANDP
class randp_library {
public:
	template <typename Number> Number next()
	{
		if constexpr (sizeof(Number) == 1)
			return randp_u8();
		else if constexpr (sizeof(Number) == 2)
			return randp_u16();
		else if constexpr (sizeof(Number) == 4)
			return randp_u32();
		else
			return randp_u64();
	}

	std::uint32_t below(std::uint32_t n)
	{
		return randp_lt_u32(n);
	}

	void fill(unsigned char *out, std::size_t len)
	{
		randp_bytes(out, len);
	}
};
#endif

} // namespace

void add_randp_library(contender_list &all)
{
#ifdef LAB_RANDP
	add_contender<randp_library>(all, name, description, false, LAB_RANDP);
#else
	add_absent(all, name, description, false, "pkg-config found no randp when the lab was built");
#endif
}

} // namespace lab
