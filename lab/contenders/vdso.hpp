// SPDX-License-Identifier: BSD-2-Clause
// getrandom of the vDSO, called as its ABI says (Linux 6.11; lib/vdso/getrandom.c, include/uapi/linux/random.h) and not
// through a C library.  A reading of its own, beside that of the library.
#ifndef CPRNG_LAB_CONTENDERS_VDSO_HPP
#define CPRNG_LAB_CONTENDERS_VDSO_HPP

#include <cstddef>

namespace lab {

// A state for each object, which one thread at a time may use.
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

	// Bytes written, or an error below 0.
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
