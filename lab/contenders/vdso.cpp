// SPDX-License-Identifier: BSD-2-Clause
#include "vdso.hpp"

#include <cstdint>

#include <dlfcn.h>
#include <sys/mman.h>

namespace lab {

namespace {

// Symbol names of the kernel's arch/<architecture>/kernel/vdso*/vdso*.lds.S.
#if defined(__s390x__)
constexpr char image[] = "linux-vdso64.so.1";
#elif defined(__powerpc64__)
constexpr char image[] = "linux-vdso64.so.1";
#else
constexpr char image[] = "linux-vdso.so.1";
#endif

#if defined(__aarch64__) || defined(__s390x__) || defined(__powerpc__)
constexpr char symbol[] = "__kernel_getrandom";
#else
constexpr char symbol[] = "__vdso_getrandom";
#endif

// struct vgetrandom_opaque_params, which older headers lack.
struct params {
	std::uint32_t state_size, mmap_prot, mmap_flags, reserved[13];
};

} // namespace

vdso_getrandom::vdso_getrandom()
{
	// Find the loaded vDSO, or none.
	void *vdso = dlopen(image, RTLD_LAZY | RTLD_LOCAL | RTLD_NOLOAD);
	if (vdso == nullptr)
		return;
	function_ = reinterpret_cast<function>(dlsym(vdso, symbol));
	if (function_ == nullptr)
		return;

	params wanted = {};
	if (function_(nullptr, 0, 0, &wanted, ~std::size_t{ 0 }) != 0)
		return;
	// A state must not straddle pages; at the beginning of a mapping it does not, since it is smaller than a page.
	void *pages = mmap(nullptr, wanted.state_size, static_cast<int>(wanted.mmap_prot),
			   static_cast<int>(wanted.mmap_flags), -1, 0);
	if (pages == MAP_FAILED)
		return;
	state_ = pages;
	state_size_ = wanted.state_size;
}

vdso_getrandom::~vdso_getrandom()
{
	if (state_ != nullptr)
		munmap(state_, state_size_);
}

} // namespace lab
