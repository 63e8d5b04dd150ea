// SPDX-License-Identifier: BSD-2-Clause
// A library with which any program draws: lab/origins/impact/simulate preloads it.
//
//     LAB_DRAWS=NAME         the generator (../placements/generators.cpp)
//     LAB_DRAWS_AT=malloc    also draw at each malloc of the program, as an allocator that places blocks at random does
//
// callgrind zeroes its counts in lab_impact_ready (--zero-before), and what happens in lab_impact_begin and lab_impact_draw is
// subtracted: they must not be inlined.
#include <cstdlib>

#include "../placements/generators.hpp"

namespace {

lab::generator *source;
bool at_malloc;

// The first draws fetch what the start of the program would fetch later.  service.cpp makes as many more.
int not_counted = 512;

} // namespace

extern "C" {

[[gnu::visibility("default")]] void lab_impact_next();
[[gnu::noinline, gnu::visibility("default")]] void lab_impact_draw();
[[gnu::noinline, gnu::visibility("default")]] void lab_impact_ready();
[[gnu::noinline, gnu::visibility("default"), gnu::constructor]] void lab_impact_begin();
[[gnu::visibility("default")]] void *malloc(std::size_t size);
void *__libc_malloc(std::size_t size); // NOLINT: glibc's name

void lab_impact_draw()
{
	source->draw();
}

void lab_impact_ready()
{
	__asm__ volatile("");
}

void lab_impact_next()
{
	if (not_counted-- == 0)
		lab_impact_ready();
	lab_impact_draw();
}

// The first draw makes keys.
void lab_impact_begin()
{
	const char *name = std::getenv("LAB_DRAWS");
	source = lab::find_generator(name != nullptr ? name : "nothing").make(0, lab::no_limit).release();
	source->draw();
	at_malloc = std::getenv("LAB_DRAWS_AT") != nullptr;
}

void *malloc(std::size_t size)
{
	if (at_malloc) {
		at_malloc = false; // a generator may allocate
		lab_impact_next();
		at_malloc = true;
	}
	return __libc_malloc(size);
}
}
