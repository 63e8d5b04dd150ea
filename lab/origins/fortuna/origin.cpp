// SPDX-License-Identifier: BSD-2-Clause
#include "fortuna.hpp"

#include <fmt/format.h>

namespace lab::fortuna {

namespace {

constexpr char origin[] =
	"The change that brought concurrent reads to FreeBSD says of itself, beside these figures (\"on a GENERIC 4-thread VM\n"
	"(so, INVARIANTS/WITNESS, numbers not necessarily representative)\"):\n"
	"\n"
	"    \"each thread had high variance in latency and throughput, depending on who got lucky and won the lock\"\n"
	"    \"rand_harvestq CPU use dropped to basically zero\"\n"
	"\n"
	"Concurrent reads were off by default there then, and are on since.";

struct figures {
	const char *engine;
	double locked, concurrent;
	const char *locked_unit;
	double to_megabytes;
};

constexpr double mib = 1.048576; // in MB
constexpr unsigned int readers = 3;
constexpr figures published[] = { { "aes256-ctr", 55, 197, "MiB/s", mib }, { "chacha20", 113, 430, "MB/s", 1 } };

} // namespace

void report_origin(report &to)
{
	table t("fortuna_origin",
		"FreeBSD's figures: readers under the lock and outside it, as its change reports them",
		{ { "engine", "engine" },
		  { "readers", "readers" },
		  { "locked", "locked\na thread" },
		  { "concurrent", "concurrent\na thread" },
		  { "over_locked", "conc. /\nlocked" } });
	for (const figures &f : published)
		t.add({ word(f.engine), whole(readers), word(fmt::format("~{} {}", f.locked, f.locked_unit)),
			word(fmt::format("~{} MB/s", f.concurrent)),
			number(f.concurrent / (f.locked * f.to_megabytes)) });
	t.note("Not measured here: another machine, for scale.  The rows of the table of throughput with 3 readers can be set\n"
	       "beside these.");
	to.add(t, nullptr);
	to.add_text("origin", origin);
}

} // namespace lab::fortuna
