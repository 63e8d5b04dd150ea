// SPDX-License-Identifier: BSD-2-Clause
// The C library's generators: arc4random, in glibc since 2.36.
#include <cstdio>
#include <cstdlib>

#include "source.hpp"

#ifdef __GLIBC__
#include <gnu/libc-version.h>
#endif

namespace lab {

namespace {

#ifdef __GLIBC__
// The first version whose getrandom, and therefore arc4random, uses the vDSO.
constexpr int vdso_major = 2, vdso_minor = 41;

bool by_system_call(const char *version)
{
	int major = 0, minor = 0;
	std::sscanf(version, "%d.%d", &major, &minor);
	return major < vdso_major || (major == vdso_major && minor < vdso_minor);
}
#endif

// The C library's name, and the source behind its functions.
std::string arc4random_is()
{
#ifdef __GLIBC__
	const std::string version = gnu_get_libc_version();
	return "glibc " + version +
	       (by_system_call(version.c_str()) ? ": a system call each (2.41 and later: as the row vdso)" :
						  ": getrandom of the vDSO, as the row vdso");
#else
	return "the C library's";
#endif
}

#ifdef LAB_ARC4RANDOM
class c_library_arc4random : public source_of_words<c_library_arc4random, std::uint32_t> {
public:
	std::uint32_t step()
	{
		return arc4random();
	}

	// 64 bits: one request instead of two words, as in programs.
	template <typename Number> Number next()
	{
		if constexpr (sizeof(Number) == 8)
			return number_of_bytes<Number>(*this);
		else
			return source_of_words::next<Number>();
	}

	std::uint32_t below(std::uint32_t n)
	{
		return arc4random_uniform(n);
	}

	void fill(unsigned char *out, std::size_t len)
	{
		arc4random_buf(out, len);
	}
};
#endif

} // namespace

void add_c_library(contender_list &all)
{
	constexpr const char *name = "arc4random";
#ifdef LAB_ARC4RANDOM
	add_contender<c_library_arc4random>(all, name, arc4random_is(), true);
#else
	add_absent(all, name, arc4random_is(), true, "this C library has none (glibc 2.36)");
#endif
}

} // namespace lab
