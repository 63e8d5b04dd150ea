// SPDX-License-Identifier: BSD-2-Clause
// Signal handlers fork during reads.
#include "../../support/run.hpp"
#include "../../support/internals.hpp"
#include "../../support/machine.hpp"
#include "../../support/frequent_signals.hpp"
#include "../../support/repeats.hpp"

#include "cprng/fortuna.h"
#include "doctest/doctest.h"

#include <algorithm>
#include <vector>

#include <unistd.h>

namespace {

struct Children {
	unsigned char bytes[400][32];
	int made, died, wrong;
};

Children *children;
cprng_fortuna *object;

void fork_and_read(bool)
{
	const int i = children->made;
	if (i == 400)
		return;
	const pid_t child = machine::raw_fork();
	if (child == 0) {
		cprng_strong(children->bytes[i], 32);
		_exit(0);
	}
	children->made = i + 1;
	children->died += !machine::ended_well(child);
}

// The child returns to the point where the parent was interrupted, and ends there.
pid_t parent_of_all;

void fork_and_return(bool)
{
	if (getpid() != parent_of_all || children->made == 400)
		return;
	const pid_t child = machine::raw_fork();
	if (child == 0)
		return;
	children->made++;
	children->died += !machine::ended_well(child);
}

// One signal per several reads, during one or between them.
template <typename Read> void storm_of(frequent_signals::Handler handler, long longest, Read read)
{
	frequent_signals::Timer timer;
	run::Random random("signals");
	const int enough = std::min(static_cast<int>(machine::scaled(400, 10)), 400);

	children = static_cast<Children *>(machine::shared_memory(sizeof(Children)));
	parent_of_all = getpid();
	frequent_signals::set_handler(handler);
	for (bool came = true; came && children->made < enough;) {
		const int before = children->made;
		timer.once(1000 + static_cast<long>(random.below(static_cast<std::uint64_t>(longest))));
		// Wait for the signal, which comes soon or never.
		int reads = 0;
		do {
			read();
			if (getpid() != parent_of_all)
				_exit(0);
		} while (children->made == before && ++reads < 1000000);
		came = children->made != before;
	}
	timer.stop();
	frequent_signals::set_handler(nullptr);
	if (getpid() != parent_of_all)
		_exit(0);
	CHECK(children->made > 0);
}

} // namespace

// Catches a read whose bytes both the child and the interrupted parent receive.
TEST_CASE("strong: children of handlers that read")
{
	std::vector<unsigned char> all;

	storm_of(fork_and_read, 4000, [&] {
		unsigned char bytes[32];
		cprng_strong(bytes, sizeof(bytes));
		all.insert(all.end(), bytes, bytes + sizeof(bytes));
	});
	CHECK(children->died == 0);
	Windows windows(all.size() + sizeof(children->bytes));
	std::size_t repeats = 0;
	// Strings of 32 bytes each: windows across their ends would give false matches.
	for (std::size_t i = 0; i < all.size(); i += 32)
		repeats += windows.add(&all[i], 32);
	for (int i = 0; i < children->made; i++)
		repeats += windows.add(children->bytes[i], 32);
	MESSAGE(children->made << " children, " << all.size() / 32 << " reads");
	CHECK(repeats == 0);
}

// Catches a child that hangs or dies in a read that it continues.
TEST_CASE("strong: children that go on with the read they were forked in")
{
	static unsigned char bytes[200000];

	storm_of(fork_and_return, 60000, [] { cprng_strong(bytes, sizeof(bytes)); });
	CHECK(children->died == 0);
}

// Catches a child that continues with its parent's lease.
TEST_CASE("object: children that go on with the read they were forked in")
{
	SKIP_IF(!machine::buffered(), "no objects");
	static unsigned char bytes[3 << 20];
	static const unsigned char seed[32] = { 1 };

	REQUIRE(cprng_fortuna_new(&object, nullptr, 0) == 0);
	REQUIRE(cprng_fortuna_seed(object, seed, sizeof(seed)) == 0);
	storm_of(fork_and_return, 400000, [] {
		const int status = cprng_fortuna_read(object, bytes, sizeof(bytes));
		if (status == 0)
			return;
		// Only in a child, and then none of the parent's bytes remain.
		if (getpid() == parent_of_all || status != CPRNG_ERR_UNSEEDED)
			_exit(1);
	});
	CHECK(children->died == 0);
	cprng_fortuna_free(object);
}
