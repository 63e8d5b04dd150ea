// SPDX-License-Identifier: BSD-2-Clause
#include "log.hpp"

#include <cstring>

void explore::Log::add(Kind kind, std::uint16_t process, std::uint32_t instance, const void *from, std::size_t len)
{
	if (entries == sizeof(entry) / sizeof(entry[0]) || len > sizeof(data) - bytes) {
		lost++;
		return;
	}
	entry[entries++] = { kind, process, instance, bytes, static_cast<std::uint32_t>(len) };
	std::memcpy(data + bytes, from, len);
	bytes += static_cast<std::uint32_t>(len);
}

explore::Mark explore::mark_of(const Log &log)
{
	return { log.entries, log.bytes };
}

void explore::go_back(Log &log, const Mark &mark)
{
	log.entries = mark.entries;
	log.bytes = mark.bytes;
	log.torn = 0;
	log.lost = 0;
}
