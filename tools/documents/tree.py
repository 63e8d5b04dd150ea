# SPDX-License-Identifier: BSD-2-Clause
"""The table of docs/testing.md: [heading] and [row] of runs of several kinds."""

from runs import ROOT


def kept(runs):
    """The newest run of each kind that keeps its runs."""
    soaks = {kind: runs[kind] for kind in ("soak", "soak_musl", "soak_glibc")}
    clones, ct = runs["vm"]["tables"]["clones"]["rows"], runs["ct"]["tables"]
    by = {how: sum(row["by"] == how for row in clones) for how in ("clone", "criu")}
    invalidated = max(row["after_invalidation"] or 0 for row in clones)
    common = [max(row["common"] for row in clones if row["draws"].startswith("unbuffered") == bare) for bare in (False, True)]
    passed = {table: [row for row in ct[table]["rows"] if row["verdict"] == "passes"] for table in ct}
    least = min(row[f"{work}_count"] for row in passed["ct_timing"] for work in ("key", "keystream", "cold"))
    flagged = [row["engine"] for row in ct["ct_memory"]["rows"] if row["verdict"].startswith("flagged")]
    found = {
        **{kind: [f"{sum(soak['seconds'].values()) / 60:.0f} minutes, {soak['draws']:,} draws, {soak['processes']:,} processes, "
                  f"{soak['counts']['signals handled']:,} signals; {soak['machine']['libc']}",
                  f"outputs served twice: {soak['windows']['repeated']}"] for kind, soak in soaks.items()},
        "vm": [f"{by['clone']} clones of virtual machines, {by['criu']} of processes",
               f"bytes that two clones had in common: with buffers (two CPUs) at most {common[0]:,}; unbuffered at most {common[1]:,}; "
               f"after an invalidation {invalidated:,}"],
        "ct": [f"{len(passed['ct_memory'])} implementations of ciphers by valgrind, {len(passed['ct_timing'])} by the clock with {least / 1e6:.1f} million "
               "or more measurements each",
               f"flagged, as they must be: {', '.join(flagged)}; all others pass"],
    }  # fmt: skip
    links = {kind: "/".join(("..", *runs.paths[kind].relative_to(ROOT).parts)) for kind in found}
    return ["run", "date", "how much", "result"], [[f"[{kind}]({links[kind]})", runs[kind]["machine"]["time"][:10], *row]
                                                   for kind, row in found.items()]  # fmt: skip


VIEWS = {"kept": kept}
