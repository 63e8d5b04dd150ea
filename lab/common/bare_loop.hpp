// SPDX-License-Identifier: BSD-2-Clause
// The library's cipher loop without a generator: the reference for generators.
#ifndef CPRNG_LAB_COMMON_BARE_LOOP_HPP
#define CPRNG_LAB_COMMON_BARE_LOOP_HPP

#include <cstddef>

#include "engine/engine.h"

namespace lab {

class bare_loop {
public:
	// This CPU's best backend, under a random key.  Throws lab::failure if there is none.
	explicit bare_loop(const char *engine);

	// Writes as many whole blocks as fit.
	void operator()(unsigned char *buf, std::size_t size, unsigned int flags = 0)
	{
		backend_->keystream(&state_, engine_->rounds, buf, size / engine_->block_size, flags);
	}

	std::size_t block_size() const
	{
		return engine_->block_size;
	}

	const char *backend() const
	{
		return backend_->name;
	}

private:
	const cprng_engine *engine_;
	const cprng_backend *backend_;
	cprng_keystate state_;
};

} // namespace lab

#endif
