// SPDX-License-Identifier: BSD-2-Clause
// A cipher of the library without a generator, as a contender.
#ifndef CPRNG_LAB_PEERS_CONTENDERS_BARE_HPP
#define CPRNG_LAB_PEERS_CONTENDERS_BARE_HPP

#include "../../common/bare_loop.hpp"
#include "source.hpp"

namespace lab {

class bare_source : public source_of_bytes<bare_source> {
public:
	explicit bare_source(const char *engine, unsigned int flags = 0) : loop_(engine), flags_(flags)
	{
	}

	void fill(unsigned char *out, std::size_t len)
	{
		loop_(out, len, flags_);
	}

private:
	bare_loop loop_;
	unsigned int flags_;
};

} // namespace lab

#endif
