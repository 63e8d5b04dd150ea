// SPDX-License-Identifier: BSD-2-Clause
#include "report.hpp"

#include "events.hpp"
#include "state.hpp"

#include <algorithm>
#include <cstdio>

#include <fmt/format.h>

#include <dlfcn.h>

namespace {

using namespace explore;

const char *const event_names[events] = { "-",    "draw", "fork",       "fork-parent", "fork-draw",
					  "exec", "jump", "invalidate", "migrate",     "cancel" };

std::uint64_t failures_of(const Cell &cell)
{
	std::uint64_t n = 0;

	for (const std::uint64_t f : cell.failed)
		n += f;
	return n;
}

const char *name_of(Kind kind)
{
	static const char *const names[] = { "served", "served at the end", "ready", "dropped" };

	return names[static_cast<std::size_t>(kind)];
}

// For addr2line: the address relative to the program's load address.
std::uintptr_t in_file(std::uintptr_t pc, std::string *where)
{
	Dl_info info;

	if (pc == 0 || dladdr(reinterpret_cast<void *>(pc), &info) == 0) {
		*where = "?";
		return pc;
	}
	*where = info.dli_fname;
	return pc - reinterpret_cast<std::uintptr_t>(info.dli_fbase);
}

std::string describe(std::uintptr_t pc)
{
	std::string file;
	const std::uintptr_t address = in_file(pc, &file);

	return fmt::format("{:#x} of {}", address, file.substr(file.rfind('/') + 1));
}

} // namespace

const char *explore::name_of(Event event)
{
	return event_names[static_cast<std::size_t>(event)];
}

void explore::Row::add(const Shared &from)
{
	steps = std::max(steps, from.steps);
	boundaries = std::max(boundaries, from.boundaries);
	interior = std::max(interior, from.interior);
	addresses = std::max(addresses, from.addresses);
	for (std::size_t a = 0; a < events; a++) {
		for (std::size_t b = 0; b < events; b++) {
			const Cell &source = from.cell[a][b];
			Cell &sum = cells[a * events + b];
			sum.experiments += source.experiments;
			sum.blocked += source.blocked;
			sum.whole += source.whole;
			for (std::size_t f = 0; f < flaws; f++) {
				if (sum.failed[f] == 0)
					sum.first[f] = source.first[f];
				sum.failed[f] += source.failed[f];
			}
		}
	}
}

void explore::Report::print_coverage()
{
	fmt::print("\ndepth 1, {}: experiments by event; b: boundaries where the signal is blocked, and comes at the "
		   "next that is counted; w: boundaries at which both processes have the draw\n",
		   placement);
	fmt::print("{:<15}{:>10}{:>9}", "operation", "boundaries", "inside");
	for (std::size_t e = 1; e < events; e++)
		fmt::print("{:>13}", event_names[e]);
	fmt::print("\n");
	for (Row &row : rows) {
		fmt::print("{:<15}{:>10}{:>9}", row.operation->name,
			   fmt::format("{}{}", row.boundaries, row.every_boundary ? "" : "*"), row.interior);
		for (std::size_t e = 1; e < events; e++) {
			const Cell &cell = row.cell(static_cast<Event>(e), Event::none);
			std::string text = cell.experiments != 0 ? fmt::format("{}", cell.experiments) : "-";
			if (cell.blocked != 0)
				text += fmt::format("+{}b", cell.blocked);
			if (cell.whole != 0)
				text += fmt::format(" {}w", cell.whole);
			fmt::print("{:>13}", text);
		}
		fmt::print("\n");
	}
	fmt::print("\ndepth 2, {}: pairs of boundaries by event, first in rows, second in columns\n", placement);
	fmt::print("{:<15}{:<12}", "operation", "first");
	for (std::size_t e = 1; e < events; e++)
		fmt::print("{:>12}", event_names[e]);
	fmt::print("\n");
	for (Row &row : rows) {
		for (std::size_t a = 1; a < events; a++) {
			std::string line;
			std::uint64_t sum = 0;
			for (std::size_t b = 1; b < events; b++) {
				const Cell &cell = row.cell(static_cast<Event>(a), static_cast<Event>(b));
				sum += cell.experiments;
				line += fmt::format("{:>12}",
						    cell.experiments != 0 ? fmt::format("{}", cell.experiments) : "-");
			}
			if (sum != 0)
				fmt::print("{:<15}{:<12}{}\n", row.operation->name, event_names[a],
					   line + (row.every_pair ? " all" : " sampled"));
		}
	}
}

void explore::Report::print_finding(Row &row, Event first, Event second, Flaw flaw)
{
	const Cell &cell = row.cell(first, second);
	const Finding &f = cell.first[static_cast<std::size_t>(flaw)];
	const bool two = second != Event::none;

	fmt::print("{}: {}, {}{}: {} in {} of {} experiments\n", placement, row.operation->name,
		   event_names[static_cast<std::size_t>(first)],
		   two ? fmt::format(" then {}", event_names[static_cast<std::size_t>(second)]) : "",
		   explore::name_of(flaw), cell.failed[static_cast<std::size_t>(flaw)], cell.experiments);
	if (flaw != Flaw::died && flaw != Flaw::hung && flaw != Flaw::torn && flaw != Flaw::overflowed)
		fmt::print("    process {} {} ({} bytes, from byte {}), process {} {} ({} bytes, from byte {})\n",
			   f.process[0], ::name_of(f.kind[0]), f.len[0], f.verdict.first_at, f.process[1],
			   ::name_of(f.kind[1]), f.len[1], f.verdict.second_at);
	fmt::print("    first at {}{}\n", describe(f.pc_at), two ? ", second at " + describe(f.pc_then) : "");
	fmt::print("    repeat: {}build/tests/explore{} --only {} --event {} --at {}",
		   placement == "slots" ? "CPRNG_PLACEMENT=slots " : "", options, row.operation->name,
		   event_names[static_cast<std::size_t>(first)], f.at);
	if (two)
		fmt::print(" --second {} --then {}", event_names[static_cast<std::size_t>(second)], f.then);
	fmt::print("\n");
}

std::uint64_t explore::Report::print_failures()
{
	std::uint64_t failed = 0, experiments = 0;

	for (Row &row : rows) {
		for (std::size_t a = 0; a < events; a++) {
			for (std::size_t b = 0; b < events; b++) {
				const Cell &cell = row.cell(static_cast<Event>(a), static_cast<Event>(b));
				experiments += cell.experiments;
				failed += failures_of(cell);
				if (b == 0 && cell.whole >= whole_limit) {
					fmt::print("{}: {}, {}: both processes have the draw at {} boundaries\n",
						   placement, row.operation->name, event_names[a], cell.whole);
					failed++;
				}
				for (std::size_t f = 1; f < flaws; f++) {
					if (cell.failed[f] != 0)
						print_finding(row, static_cast<Event>(a), static_cast<Event>(b),
							      static_cast<Flaw>(f));
				}
			}
		}
	}
	fmt::print("{}: {} experiments, {} failed\n", placement, experiments, failed);
	return failed;
}

void explore::print_log(const Verdict &verdict, int status)
{
	const Log &log = shared->log;

	fmt::print("event {} at {}, then {}: {}, status {:#x}\n", shared->now_event, shared->now_at, shared->now_then,
		   name_of(verdict.flaw), status);
	for (std::uint32_t i = 0; i < log.entries; i++) {
		const Entry &e = log.entry[i];
		fmt::print("{:>4}{} process {} draw {:<4} {:<18}{:>5} bytes: ", i,
			   verdict.flaw != Flaw::none && (i == verdict.first || i == verdict.second) ? "!" : " ",
			   e.process, e.instance, ::name_of(e.kind), e.len);
		for (std::uint32_t k = 0; k < std::min<std::uint32_t>(e.len, 24); k++)
			fmt::print("{:02x}", log.data[e.at + k]);
		fmt::print("{}\n", e.len > 24 ? "..." : "");
	}
	std::fflush(stdout);
}
