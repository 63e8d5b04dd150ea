// SPDX-License-Identifier: BSD-2-Clause
#include "scripted_draws.hpp"

#include <cstring>
#include <utility>

namespace {

std::vector<std::uint64_t> script;
std::size_t position;
void (*event_after_fill)();

} // namespace

void scripted::set(const std::vector<std::uint64_t> &values)
{
	script = values;
	position = 0;
}

void scripted::after_fill(void (*event)())
{
	event_after_fill = event;
}

std::size_t scripted::used()
{
	return position;
}

std::uint64_t scripted_draw(unsigned int bytes)
{
	const std::size_t at = position++;
	const std::uint64_t value = at < script.size() ? script[at] : 0x9e3779b97f4a7c15 * (at + 1);

	return bytes == 8 ? value : value & ((std::uint64_t{ 1 } << 8 * bytes) - 1);
}

void scripted_fill(void *buf, std::size_t len)
{
	for (std::size_t at = 0; at < len; at += sizeof(std::uint64_t)) {
		const std::uint64_t value = scripted_draw(sizeof(value));
		std::memcpy(static_cast<unsigned char *>(buf) + at, &value, sizeof(value));
	}
	if (void (*event)() = std::exchange(event_after_fill, nullptr))
		event();
}
