// SPDX-License-Identifier: BSD-2-Clause
#include "common/buffer.hpp"

#include <new>

#include "system/system.hpp"

wiped_buffer::wiped_buffer(std::size_t size) : size_(size)
{
	void *pages = allocate_pages(size);
	if (pages == nullptr)
		throw std::bad_alloc();
	data_ = static_cast<char *>(pages);
}

wiped_buffer::~wiped_buffer()
{
	free_pages(data_, size_);
}
