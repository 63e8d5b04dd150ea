// SPDX-License-Identifier: BSD-2-Clause
// The kernel's generator, through the system call, the C library and the vDSO.  The vDSO function is called according to
// its ABI (Linux 6.11; lib/vdso/getrandom.c, include/uapi/linux/random.h) without the C library, and independently of the
// library's implementation.
#include <algorithm>

#include <dlfcn.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "source.hpp"

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

// One state per object; one thread at a time may use it.
class vdso_getrandom {
public:
	vdso_getrandom()
	{
		// Finds the loaded vDSO, if there is one.
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

	~vdso_getrandom()
	{
		if (state_ != nullptr)
			munmap(state_, state_size_);
	}

	vdso_getrandom(const vdso_getrandom &) = delete;
	vdso_getrandom &operator=(const vdso_getrandom &) = delete;

	bool available() const
	{
		return state_ != nullptr;
	}

	// Returns the bytes written, or a negative error.
	long operator()(void *buf, std::size_t size) const
	{
		return function_(buf, size, 0, state_, state_size_);
	}

private:
	using function = long (*)(void *buf, std::size_t size, unsigned int flags, void *state, std::size_t state_size);

	function function_ = nullptr;
	void *state_ = nullptr;
	std::size_t state_size_ = 0;
};

// The kernel's limit per call: INT_MAX, rounded down to a page.
constexpr std::size_t most_of_a_call = 0x7ffff000;

// Serves a whole request, in as many calls as it takes.
template <typename Call> void fill_by(const Call &call, unsigned char *out, std::size_t len, const char *name)
{
	while (len != 0) {
		const long got = call(out, std::min(len, most_of_a_call));
		check(got > 0, name);
		out += got;
		len -= static_cast<std::size_t>(got);
	}
}

// syscall(2), because newer C libraries serve getrandom(3) through the vDSO.
class kernel_call : public source_of_bytes<kernel_call> {
public:
	void fill(unsigned char *out, std::size_t len)
	{
		fill_by([](void *to, std::size_t n) { return syscall(SYS_getrandom, to, n, 0); }, out, len,
			"getrandom");
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
		fill_by(getrandom_, out, len, "getrandom of the vDSO");
	}

private:
	vdso_getrandom getrandom_;
};

} // namespace

void add_kernel(contender_list &all)
{
	add_contender<kernel_entropy>(all, "getentropy", "C library, 256 bytes a call", true);
	add_contender<kernel_call>(all, "getrandom", "system call", true);
	add_if<kernel_vdso>(all, vdso_getrandom().available(), "vdso", "getrandom of the vDSO, called directly",
			    "the kernel's vDSO has no getrandom (Linux 6.11)");
}

} // namespace lab
