// SPDX-License-Identifier: BSD-2-Clause
#include "bare_loop.hpp"

#include <string>

#include <cprng/cprng.h>

#include "error.hpp"

namespace lab {

bare_loop::bare_loop(const char *engine) : engine_(cprng_engine_find(engine))
{
	unsigned char key[CPRNG_KEY_SIZE_MAX], nonce[CPRNG_NONCE_SIZE_MAX] = {};
	backend_ = engine_ != nullptr ? cprng_engine_select(engine_) : nullptr;
	if (backend_ == nullptr)
		throw failure(std::string(engine) + ": no such engine, or none of its backends works");
	cprng_fast(key, sizeof(key));
	backend_->set_key(&state_, key, sizeof(key));
	engine_->family->set_position(&state_, nonce, engine_->nonce_sizes[0], 0);
}

} // namespace lab
