// SPDX-License-Identifier: BSD-2-Clause
// getrandom of the vDSO, called according to its ABI (Linux 6.11; lib/vdso/getrandom.c, include/uapi/linux/random.h)
// without the C library.  Independent of the library's implementation.
#ifndef CPRNG_LAB_CONTENDERS_VDSO_HPP
#define CPRNG_LAB_CONTENDERS_VDSO_HPP

#include <cstddef>

namespace lab {

// One state per object; one thread at a time may use it.
class vdso_getrandom {
public:
	vdso_getrandom();
	~vdso_getrandom();
	vdso_getrandom(const vdso_getrandom &) = delete;
	vdso_getrandom &operator=(const vdso_getrandom &) = delete;

	bool here() const
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

} // namespace lab

#endif
