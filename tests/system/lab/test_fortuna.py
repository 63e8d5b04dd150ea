# SPDX-License-Identifier: BSD-2-Clause
"""cprng-lab fortuna: all rows exist, printed and kept results agree, and it ends correctly.

CPRNG_LAB   path of cprng-lab
"""

import collections
import itertools
import subprocess

import pytest
from commands import TIMEOUT, kept_run, line, printed_is_kept, run

ENGINES = ["aes256-ctr", "chacha20"]
MODES = ["locked", "concurrent"]
LOCK_SIZES = {"locked": ["32 B", "4 KiB", "1 MiB", "64 MiB"],
              "concurrent": ["32 B", "4 KiB", "1 MiB", "64 MiB", "32 B, cold"]}  # fmt: skip

# May be 0, if all goes well or the time was too short.
MAY_BE_ZERO = {"dropped", "reseeds", "over_1us", "waited_p50", "waited_p99", "waited_max", "events"}
# May be missing: no such event in a short time.
MAY_BE_MISSING = {"held_p99", "held_p99.9", "waited_p99", "add_p99", "add_p99.9", "drain_p99", "held_max_undisturbed",
                  "add_max_undisturbed", "over_1us", "reseed_p50", "reseed_max_undisturbed",
                  "pools_p50", "pools_max_undisturbed"}  # fmt: skip


@pytest.fixture(scope="module", name="quick")
def quick_run(tmp_path_factory):
    """(standard output, the JSON document) of one short run: --quick, but long enough for some reseeds."""
    return kept_run(tmp_path_factory.mktemp("lab"), "fortuna", "--seconds", "0.01", "--repetitions", "2",
                    "--readers", "1,2,4", "--size", "4KiB,1MiB")  # fmt: skip


def test_printed_is_kept(quick):
    """Catches a figure that is printed differently than it is kept."""
    printed_is_kept(*quick)


@pytest.mark.parametrize("table, keys, rows", [
    ("throughput", ("engine", "read", "readers"), [*itertools.product(ENGINES, ["4 KiB", "1 MiB"], [1, 2, 4])]),
    ("lock", ("engine", "mode", "read", "readers"),
     [*itertools.chain.from_iterable(itertools.product([engine], [mode], LOCK_SIZES[mode], [1, 2])
                                     for engine in ENGINES for mode in MODES),
      ("none", "control", None, 1), ("none", "control", None, 2)]),
    ("lock_others", ("engine", "mode"), [*itertools.product(ENGINES, MODES)]),
    ("response", ("engine", "mode", "readers"), [*itertools.product(ENGINES, MODES, [0, 1, 2, 4])]),
    ("short_reads", ("call", "engine", "mode"),
     [*itertools.product(["cprng_fortuna_read"], ENGINES, MODES), ("cprng_strong", "-", "-"),
      ("cprng_fast", "-", "-")]),
])  # fmt: skip
def test_rows(quick, table, keys, rows):
    """Catches a row that is missing, duplicated or misplaced, and a figure that is zero or missing."""
    kept = quick[1]["tables"][table]["rows"]
    assert [tuple(row[key] for key in keys) for row in kept] == rows
    for row in kept:
        for key, value in row.items():
            check_value(table, row, key, value)


def check_value(table, row, key, value):
    if value is None:
        assert key in MAY_BE_MISSING or (table, key, row.get("readers")) == ("response", "read", 0) \
            or (key, row["engine"]) == ("read", "none"), f"{table}: no {key} in {row}"
    elif isinstance(value, dict):
        assert 0 < value["least"] <= value["median"] <= value["most"] and value["repetitions"] == 2
    elif not isinstance(value, str) and key != "readers":
        assert value > 0 or (value == 0 and key in MAY_BE_ZERO), f"{table}: {key} in {row}"


def test_repetitions_are_kept(quick):
    """Catches a measured repetition that is not kept."""
    document = quick[1]
    rows = {name: len(table["rows"]) for name, table in document["tables"].items()}
    kept = {name: len(all_of_it) for name, all_of_it in document["repetitions"].items()}
    # Two of each; three variants per throughput row; the short reads keep theirs in a list.
    assert kept == {"throughput": 6 * rows["throughput"], "lock": 2 * rows["lock"],
                    "response": 2 * rows["response"], "short_reads": rows["short_reads"]}  # fmt: skip


def by_object(kept):
    """{(engine, mode): its repetitions}"""
    found = collections.defaultdict(list)
    for one in kept:
        if one["engine"] != "none":
            found[one["engine"], one["mode"]].append(one)
    return found


def test_reseeds_are_those_of_the_repetitions(quick):
    """Catches a table with another row's reseeds, or whose reseeds are never counted."""
    document = quick[1]
    kept = by_object(document["repetitions"]["lock"])
    assert {(row["engine"], row["mode"]): row["reseeds"] for row in document["tables"]["lock_others"]["rows"]} == \
        {which: sum(one["reseeds"] for one in all_of_it) for which, all_of_it in kept.items()}
    kept = by_object(document["repetitions"]["response"])
    for row in document["tables"]["response"]["rows"]:
        own = [one for one in kept[row["engine"], row["mode"]] if one["readers"] == row["readers"]]
        assert row["reseeds"] == pytest.approx(sum(one["reseeds"] for one in own) / sum(one["seconds"] for one in own))


def test_reseeds_follow_the_events(quick):
    """Catches a count of reseeds that stays 0, and one that grows with the reads.

    Pool 0 gets each 32nd event of 32 bytes, and needs two.  An object that has 33 without those of any two repetitions
    has them before its last repetition, whichever that is, and long after its first 100 ms.
    """
    telling = 0
    for which, kept in by_object(quick[1]["repetitions"]["response"]).items():
        events = sorted(one["events"] for one in kept)
        reseeds = sum(one["reseeds"] for one in kept)
        assert reseeds <= 1 + sum(events) // 64, which
        if sum(events[:-2]) >= 33:
            telling += 1
            assert reseeds > 0, which
    if telling == 0:
        pytest.skip("the machine was too busy: too few events for a reseed")


def test_machine_is_told(quick):
    """Catches a run that does not record its machine."""
    document = quick[1]
    assert document["command"] == "fortuna" and document["interrupted"] is False
    assert {"cpu", "cpus", "kernel", "compiler", "clock", "libc", "time"} <= document["machine"].keys()
    assert len(document["load_before"]) == len(document["load_after"]) == 3
    assert set(document["settings"]["backends"]) == set(ENGINES)


def test_figures_of_the_origin(quick):
    """Catches figures attributed to FreeBSD's change that it does not have.

    3.4 and 3.8 times, of three threads.
    """
    rows = quick[1]["tables"]["fortuna_origin"]["rows"]
    assert [(row["engine"], row["readers"], round(row["over_locked"], 1)) for row in rows] == [
        ("aes256-ctr", 3, 3.4), ("chacha20", 3, 3.8)]  # fmt: skip


def test_targets_are_judged(quick):
    """Catches a missed target that is reported as met, or the reverse."""
    rows = quick[1]["tables"]["targets"]["rows"]
    assert rows
    for row in rows:
        kind, wanted = row["wanted"].split()
        met = row["measured"] >= float(wanted) if kind == ">=" else row["measured"] <= float(wanted)
        assert row["met"] == ("met" if met else "missed")


def test_full_output():
    """Catches results that are lost on a full disk without an error."""
    with open("/dev/full", "w", encoding="ascii") as full:
        result = subprocess.run(line("fortuna", "--quick", "--readers", "1", "--size", "4KiB"), check=False, stdout=full,
                                stderr=subprocess.PIPE, text=True, timeout=TIMEOUT)
    assert (result.returncode, result.stderr) == (1, "cprng-lab: cannot write to standard output\n")


def test_help():
    """Catches a help that fails or does not name the command."""
    for arguments in (["--help"], ["fortuna", "--help"]):
        result = run(*arguments)
        assert (result.returncode, result.stderr) == (0, "") and "fortuna" in result.stdout
