// SPDX-License-Identifier: BSD-2-Clause
// The descriptors of this program's restartable sequences.
#ifndef CPRNG_TESTS_DESCRIPTORS_HPP
#define CPRNG_TESTS_DESCRIPTORS_HPP

#include <cstdint>

namespace sequence {

// include/uapi/linux/rseq.h, struct rseq_cs
struct alignas(32) Descriptor {
	std::uint32_t version, flags;
	std::uint64_t start, length, abort;
};

extern "C" {
// Linker symbols of a section whose name is an identifier.
extern const Descriptor __start___rseq_cs[], __stop___rseq_cs[];
}

inline const Descriptor *of_abort(std::uintptr_t pc)
{
	for (const Descriptor *d = __start___rseq_cs; d != __stop___rseq_cs; d++) {
		if (d->abort == pc)
			return d;
	}
	return nullptr;
}

inline const Descriptor *of_inside(std::uintptr_t pc)
{
	for (const Descriptor *d = __start___rseq_cs; d != __stop___rseq_cs; d++) {
		if (pc - d->start < d->length)
			return d;
	}
	return nullptr;
}

} // namespace sequence

#endif
