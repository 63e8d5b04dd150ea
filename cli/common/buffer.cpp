// SPDX-License-Identifier: BSD-2-Clause
#include "common/buffer.hpp"

#include <new>

#include <string.h>
#include <sys/mman.h>

wiped_buffer::wiped_buffer(std::size_t size) : size_(size)
{
	void *pages = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (pages == MAP_FAILED)
		throw std::bad_alloc();
	// Best effort: if it fails, a core dump includes the buffer.
	(void)madvise(pages, size, MADV_DONTDUMP);
	data_ = static_cast<char *>(pages);
}

wiped_buffer::~wiped_buffer()
{
	explicit_bzero(data_, size_);
	munmap(data_, size_);
}
