// SPDX-License-Identifier: BSD-2-Clause
#include "memory.hpp"

#include "doctest/doctest.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <string>
#include <utility>

#include <sched.h>

Page Page::of(const Module *m)
{
	const cprng_draw *const d = m->own();
	const int cpu = sched_getcpu();
	Page page;

	REQUIRE(d != nullptr);
	REQUIRE(cpu >= 0);
	std::memcpy(page.content.data(), d->buffers + 4096 * static_cast<std::size_t>(cpu), page.content.size());
	return page;
}

std::uint32_t Page::left() const
{
	std::uint32_t value;

	std::memcpy(&value, content.data(), sizeof(value));
	return value;
}

const unsigned char *Page::out() const
{
	return content.data() + 64;
}

bool Page::is_zero() const
{
	return std::all_of(content.begin(), content.end(), [](unsigned char c) { return c == 0; });
}

bool Page::is_zero(std::size_t from, std::size_t len) const
{
	return std::all_of(out() + from, out() + from + len, [](unsigned char c) { return c == 0; });
}

bool Page::operator==(const Page &other) const
{
	return content == other.content;
}

Memory::Memory()
{
	std::vector<std::pair<std::uintptr_t, std::uintptr_t>> places;
	std::ifstream maps("/proc/self/maps");
	std::string line;

	while (std::getline(maps, line)) {
		unsigned long from = 0, to = 0, inode = 1;
		char access[5] = "", name[2] = "";
		const int fields =
			std::sscanf(line.c_str(), "%lx-%lx %4s %*s %*s %lu %1s", &from, &to, access, &inode, name);
		if (fields == 4 && inode == 0 && std::strcmp(access, "rw-p") == 0)
			places.emplace_back(from, to);
	}
	REQUIRE(!places.empty());
	for (const auto &[from, to] : places)
		ranges.emplace_back(reinterpret_cast<const unsigned char *>(from),
				    reinterpret_cast<const unsigned char *>(to));
}

bool Memory::holds(const void *bytes, std::size_t len) const
{
	return std::any_of(ranges.begin(), ranges.end(), [&](const std::vector<unsigned char> &range) {
		return memmem(range.data(), range.size(), bytes, len) != nullptr;
	});
}
