// SPDX-License-Identifier: BSD-2-Clause
// What the kernel writes to the stack for a signal handler during a read.
#include "../../support/run.hpp"
#include "../../support/internals.hpp"
#include "../../support/machine.hpp"
#include "../../support/frequent_signals.hpp"

#include "doctest/doctest.h"

#include <algorithm>

namespace {

// The stack area where calls of this function and their signals have had frames.
constexpr std::size_t DEAD_STACK = 48 * 1024;

// Counts the generator key's 16-byte pieces there.
__attribute__((noinline, no_sanitize("address"))) int keys_in_dead_stack()
{
	const volatile unsigned char *top = static_cast<unsigned char *>(__builtin_frame_address(0));
	const unsigned char *key = cprng_process()->strong->state.generator.key;
	int found = 0;

	for (std::size_t i = 256; i + 16 < DEAD_STACK; i += 8) {
		for (int half = 0; half < 2; half++) {
			int equal = 0;
			while (equal < 16 && top[-static_cast<std::ptrdiff_t>(i) + equal] == key[16 * half + equal])
				equal++;
			found += equal == 16;
		}
	}
	return found;
}

volatile unsigned long signals;

void count(bool)
{
	signals = signals + 1;
}

} // namespace

// Catches a key in a register while signals are unblocked, which the kernel writes to the stack.
TEST_CASE("strong: signals leave no key on the stack")
{
	SKIP_IF(!machine::buffered(), "no key");
	SKIP_IF(CPRNG_TESTS_SANITIZED, "stacks are not the program's alone");
	unsigned char bytes[1000];
	frequent_signals::Timer timer;
	unsigned long found = 0, reads = 0, longest = machine::scaled(30000, 300);

	// Confirms that the search finds a key on the stack.
	{
		volatile unsigned char copy[DEAD_STACK / 2];
		std::copy_n(cprng_process()->strong->state.generator.key, 32, copy);
	}
	signals = 0;
	frequent_signals::set_handler(count);
	timer.start(frequent_signals::interval());
	// Without a signal the test would show nothing.
	for (; reads < longest || (signals == 0 && reads < 10000000); reads++) {
		const unsigned long before = signals;
		cprng_strong(bytes, reads % 3 == 0 ? sizeof(bytes) : 32);
		if (signals != before)
			found += keys_in_dead_stack() != 0;
	}
	timer.stop();
	frequent_signals::set_handler(nullptr);
	MESSAGE(reads << " reads, " << signals << " signals, after " << found << " of which a key lay there");
	CHECK(signals > 0);
	CHECK(found == 0);
}
