// SPDX-License-Identifier: BSD-2-Clause
// The kernel's generator, through the system call, the C library and the vDSO.
#ifndef CPRNG_LAB_CONTENDERS_KERNEL_HPP
#define CPRNG_LAB_CONTENDERS_KERNEL_HPP

#include <algorithm>

#include <sys/syscall.h>
#include <unistd.h>

#include "source.hpp"
#include "vdso.hpp"

namespace lab {

// The kernel's limit per call: INT_MAX, rounded down to a page.
constexpr std::size_t most_of_a_call = 0x7ffff000;

// syscall(2), because newer C libraries serve getrandom(3) through the vDSO.
class kernel_call : public source_of_bytes<kernel_call> {
public:
	void fill(unsigned char *out, std::size_t len)
	{
		while (len != 0) {
			const long got = syscall(SYS_getrandom, out, std::min(len, most_of_a_call), 0);
			check(got > 0, "getrandom");
			out += got;
			len -= static_cast<std::size_t>(got);
		}
	}
};

// At most 256 bytes per call (POSIX.1-2024).
class kernel_entropy : public source_of_bytes<kernel_entropy> {
public:
	void fill(unsigned char *out, std::size_t len)
	{
		constexpr std::size_t most = 256;
		for (; len > most; out += most, len -= most)
			check(getentropy(out, most) == 0, "getentropy");
		check(getentropy(out, len) == 0, "getentropy");
	}
};

class kernel_vdso : public source_of_bytes<kernel_vdso> {
public:
	void fill(unsigned char *out, std::size_t len)
	{
		while (len != 0) {
			const long got = getrandom_(out, std::min(len, most_of_a_call));
			check(got > 0, "getrandom of the vDSO");
			out += got;
			len -= static_cast<std::size_t>(got);
		}
	}

private:
	vdso_getrandom getrandom_;
};

} // namespace lab

#endif
