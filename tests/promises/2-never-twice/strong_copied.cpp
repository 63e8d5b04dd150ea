// SPDX-License-Identifier: BSD-2-Clause
// cprng_strong in two unannounced copies of the process, as from a checkpoint that is restored twice.
#include "../../support/fake_os.hpp"
#include "../../support/scenario.hpp"
#include "../../support/internals.hpp"
#include "../../support/machine.hpp"

#include <array>

#include <sys/mman.h>
#include <unistd.h>

namespace {

using Reads = std::array<std::array<unsigned char, 16>, 4>;

void read_all(Reads &reads)
{
	for (auto &bytes : reads)
		cprng_strong(bytes.data(), bytes.size());
}

// The number of reads that are the same in both copies.
std::size_t in_common()
{
	Reads ours, theirs;
	std::size_t same = 0;
	int ends[2];

	REQUIRE_IN_CHILD(pipe(ends) == 0);
	const pid_t child = machine::raw_fork();
	read_all(ours);
	if (child == 0)
		_exit(write(ends[1], ours.data(), sizeof(ours)) == sizeof(ours) ? 0 : 1);
	REQUIRE_IN_CHILD(::read(ends[0], theirs.data(), sizeof(theirs)) == sizeof(theirs));
	REQUIRE_IN_CHILD(machine::ended_well(child));
	close(ends[0]);
	close(ends[1]);
	for (std::size_t i = 0; i < ours.size(); i++)
		same += ours[i] == theirs[i];
	return same;
}

const scenario::Scenario copies("strong: copies", [] {
	const struct cprng_process *p = cprng_process();
	Reads reads;

	// The clock stands still, so that no poll changes the state.
	fake_os.nanoseconds = 1000 * FakeOs::second;
	read_all(reads);
	// A checkpoint loses the MADV_WIPEONFORK advice on the state's pages.
	REQUIRE_IN_CHILD(madvise(p->fork_state, p->mapped - p->kept, MADV_KEEPONFORK) == 0);
	for (const int locked : { 0, 1 }) {
		cprng_strong_set_locked_reads(locked);
		// Without the CPU's numbers the reads must be the same; otherwise the test proves nothing.
		fake_os.real_copy_number = false;
		REQUIRE_IN_CHILD(in_common() == reads.size());
		fake_os.real_copy_number = true;
		REQUIRE_IN_CHILD(in_common() == 0);
	}
});

} // namespace

// Catches a read of Fortuna that returns the same bytes in two copies of the process before their sources differ.
TEST_CASE("strong: copies of the process differ from the first read on")
{
	SKIP_IF(!machine::buffered(), "no state to copy");
#if !defined(__x86_64__) && !defined(__aarch64__)
	SKIP_IF(true, "no counter that user code can rely on");
#endif
	scenario::check(copies);
}
