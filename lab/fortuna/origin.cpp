// SPDX-License-Identifier: BSD-2-Clause
#include "fortuna.hpp"

namespace lab::fortuna {

namespace {

// As published.  A text goes round in which a draft of the message is laid over it, so that digits of both run together.
constexpr char origin[] =
	"What the change to FreeBSD says of itself (GENERIC 4-thread VM, \"so, INVARIANTS/WITNESS, numbers not necessarily\n"
	"representative\"), for scale; not measured here.  Compare the rows of 3 readers.\n"
	"\n"
	"    AES, 3 threads: from ~55 MiB/s per thread to ~197 MB/s per thread, 3.4 times\n"
	"    ChaCha20, 3 threads: from ~113 MB/s per thread to ~430 MB/s per thread, 3.8 times\n"
	"    \"each thread had high variance in latency and throughput, depending on who got lucky and won the lock\"\n"
	"    \"rand_harvestq CPU use dropped to basically zero\"";

} // namespace

void tell_origin(report &to)
{
	to.add_text("origin", origin);
}

} // namespace lab::fortuna
