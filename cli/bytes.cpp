// SPDX-License-Identifier: BSD-2-Clause
// cprng bytes: raw random bytes.
#include <algorithm>
#include <cstdint>
#include <memory>

#include <cprng/cprng.h>

#include "buffer.hpp"
#include "commands.hpp"
#include "error.hpp"
#include "output.hpp"
#include "size.hpp"

int run_bytes(const bytes_arguments &arguments)
{
	std::uint64_t left = parse_size("SIZE", arguments.size);
	auto out = arguments.file ? std::make_unique<output>(*arguments.file) : std::make_unique<output>();
	if (!arguments.force && out->is_terminal())
		throw usage_error("bytes: random bytes would spoil the terminal; redirect the output or give --force");
	wiped_buffer buffer;
	void (*draw)(void *, std::size_t) = arguments.strong ? cprng_strong : cprng_fast;
	while (left > 0) {
		auto size = static_cast<std::size_t>(std::min<std::uint64_t>(left, wiped_buffer::size));
		draw(buffer.data(), size);
		out->write(buffer.data(), size);
		left -= size;
	}
	out->finish();
	return 0;
}
