# SPDX-License-Identifier: BSD-2-Clause
"""Tables of docs/testing.md: [heading] and [row] of what the repository holds, and of runs of several kinds."""

import json
import re

from runs import ROOT


def mutants_of():
    """{list: its mutants}"""
    return {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in sorted((ROOT / "tests/mutants").glob("*.json"))}


def case(mutant):
    """The test that must detect it, without the file and parameters of pytest; None if there is none."""
    name = mutant.get("killer", {}).get("case")
    return name and re.sub(r"\[.*\]$", "", name.split("::")[-1])


def mutants(_):
    """For each list: counts, and the first mutant that a test detects."""
    def counts(entries):
        return [len(entries), sum(case(entry) is None for entry in entries), len({case(entry) for entry in entries} - {None})]

    lists = mutants_of()
    first = {name: next(entry for entry in entries if case(entry)) for name, entries in lists.items()}
    rows = [[name, *counts(entries), first[name]["breaks"]] for name, entries in lists.items()]
    rows.append(["all", *counts(sum(lists.values(), [])), ""])
    return ["list", "mutants", "of these undetectable", "different killers", "an example"], rows


def kept(runs):
    """The newest run of each kind that keeps its runs."""
    soaks = {kind: runs[kind] for kind in ("soak", "soak_musl", "soak_glibc")}
    clones, ct = runs["vm"]["tables"]["clones"]["rows"], runs["ct"]["tables"]
    jitter = runs["jitter"]["tables"]["jitter"]["rows"]
    bits = min(row[how] for row in jitter for how in ("mcv", "markov", "successor", "lag", "restarts"))
    by = {how: sum(row["by"] == how for row in clones) for how in ("clone", "criu")}
    most = {key: max(row[key] or 0 for row in clones) for key in ("after_notice", "after_invalidation")}
    common = [max(row["common"] for row in clones if row["draws"].startswith("unbuffered") == bare) for bare in (False, True)]
    passed = {table: [row for row in ct[table]["rows"] if row["verdict"] == "passes"] for table in ct}
    least = min(row[f"{work}_count"] for row in passed["ct_timing"] for work in ("key", "keystream", "cold"))
    flagged = [row["engine"] for row in ct["ct_memory"]["rows"] if row["verdict"].startswith("flagged")]
    found = {
        **{kind: [f"{sum(soak['seconds'].values()) / 60:.0f} minutes, {soak['draws']:,} draws, {soak['processes']:,} processes, "
                  f"{soak['counts']['signals handled']:,} signals; {soak['machine']['libc']}",
                  f"outputs served twice: {soak['windows']['repeated']}"] for kind, soak in soaks.items()},
        "vm": [f"{by['clone']} clones of virtual machines, {by['criu']} of processes",
               f"bytes that two clones both drew: at most {common[0]:,} with buffers (two CPUs), {common[1]:,} without. After the kernel had "
               f"noticed the clone: at most {most['after_notice']:,}, all buffered before the snapshot. After an invalidation: {most['after_invalidation']:,}"],
        "ct": [f"{len(passed['ct_memory'])} backends by valgrind, {len(passed['ct_timing'])} by the clock with {least / 1e6:.1f} million "
               "or more measurements each",
               f"flagged, as they must be: {', '.join(flagged)}; all others pass"],
        "jitter": [f"{len(jitter)} conditions, {jitter[0]['ns']['repetitions']} repetitions of each", f"lowest estimate of min-entropy in this run: {bits:.2f} bits a sample; [another run](decisions/0008-entropy-sources.md#measured), on a Zen 3, restarted the sampler many times, and gave less for the second sample after each restart: 0.69 to 0.91 bits"],
    }  # fmt: skip
    links = {kind: "/".join(("..", *runs.paths[kind].relative_to(ROOT).parts)) for kind in found}
    return ["run", "date", "how much", "result"], [[f"[{kind}]({links[kind]})", runs[kind]["machine"]["time"][:10], *row]
                                                   for kind, row in found.items()]  # fmt: skip


VIEWS = {"kept": kept, "mutants": mutants}
