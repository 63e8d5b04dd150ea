// SPDX-License-Identifier: BSD-2-Clause
#include "outline.hpp"

namespace lab {

template <typename Placement> std::uint32_t outline<Placement>::next32()
{
	return Placement::next32();
}

template <typename Placement> void outline<Placement>::fill(unsigned char *out, std::size_t len)
{
	Placement::fill(out, len);
}

#define LAB_INSTANTIATE(...) template class outline<__VA_ARGS__>
LAB_OUTLINED(LAB_INSTANTIATE);
#undef LAB_INSTANTIATE

} // namespace lab
