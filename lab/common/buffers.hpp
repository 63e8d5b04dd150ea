// SPDX-License-Identifier: BSD-2-Clause
// Memory for requests, on pages that were touched, so that no request includes the kernel's page clearing.
#ifndef CPRNG_LAB_COMMON_BUFFERS_HPP
#define CPRNG_LAB_COMMON_BUFFERS_HPP

#include <cstddef>
#include <cstring>
#include <memory>
#include <new>

namespace lab {

// One buffer for each thread.
class buffers {
public:
	buffers(std::size_t threads, std::size_t size)
	    : stride_((size + page - 1) / page * page),
	      memory_(new(std::align_val_t(page)) unsigned char[threads * stride_])
	{
		std::memset(memory_.get(), 1, threads * stride_);
	}

	unsigned char *of(std::size_t thread) const
	{
		return memory_.get() + thread * stride_;
	}

private:
	static constexpr std::size_t page = 4096;

	struct release {
		void operator()(unsigned char *p) const
		{
			::operator delete[](p, std::align_val_t(page));
		}
	};

	std::size_t stride_;
	std::unique_ptr<unsigned char, release> memory_;
};

} // namespace lab

#endif
