# SPDX-License-Identifier: BSD-2-Clause
"""cprng-lab cprng-fast, latency, impact, statclock and all: all rows exist and are filled, and printed and kept results
agree."""

import itertools
import os
import re
import statistics
import subprocess

import pytest
from commands import kept_run, line, printed_is_kept, run, terminal

CPUS = len(os.sched_getaffinity(0))

FAST = ["arc4-mtx", "arc4-spin", "arc4-nomtx", "arc4-thread", "arc4-percpu", "hc128-percpu", "hc128-inline",
        "salsa20-percpu", "chacha20-percpu", "chacha8-percpu", "cprng"]  # fmt: skip
NEIGHBOURS = ["nothing", "arc4-percpu", "hc128-percpu", "chacha20-percpu", "chacha8-percpu", "cprng"]
HANDLERS = ["nothing", "lcg-percpu", "lfsr-percpu", "xoshiro-percpu", "arc4-percpu", "chacha20-percpu",
            "chacha8-percpu", "cprng"]  # fmt: skip
WAYS = [n for n in (2**i for i in range(20)) if n <= max(CPUS, 4)]

# A state for each thread is none of a kernel's; `nothing` is the system call alone.
PROCESSES = ["nothing", "getrandom", *(row for row in FAST if row != "arc4-thread")]
KEYS = 8  # of 512 MB each, in 4 GB

TABLES = {
    "cprng-fast": ["cprng_fast", "cprng_fast_keys", "cprng_fast_ways", "cprng_fast_processes", "cprng_fast_placements",
                   "cprng_fast_2014"],
    "latency": ["latency", "latency_undisturbed", "latency_2014"],
    "impact": ["impact", "impact_compile", "bandwidth", "bandwidth_2014"],
    "statclock": ["statclock", "statclock_2014"],
}
FORTUNA = ["throughput", "lock", "lock_others", "response", "short_reads", "targets", "fortuna_origin"]

# Differences of two measurements, which may be mostly noise.
MAY_BE_NEGATIVE = {("impact", key) for key in ("extra", "draw", "neighbour", "neighbour_deviation")}
MAY_BE_NEGATIVE |= {("impact_compile", key) for key in ("neighbour", "neighbour_deviation")}
MAY_BE_NEGATIVE |= {("latency_undisturbed", f"more_{part}") for part in ("p50", "p99", "p99.9", "p99.999", "max")}
# The empty draw has no state; and the row inlined in 2014 has no other form.
MISSING = {("latency", "nothing", key) for key in ("bulk", "state_bytes", "state_lines", "written_lines")}
MISSING |= {("cprng_fast", "hc128-inline", key) for key in ("cpb_first", "cpb_rekeyed")}
# On a busy machine every batch of draws may be preempted.
MISSING_WHEN_BUSY = "latency_undisturbed"


@pytest.fixture(scope="module", name="quick", params=TABLES)
def quick_run(request, tmp_path_factory):
    """(command, standard output, the JSON document) of a short run of each."""
    return request.param, *kept_run(tmp_path_factory.mktemp("lab"), request.param, "--quick")


@pytest.fixture(scope="module", name="everything")
def quick_run_of_all(tmp_path_factory):
    return kept_run(tmp_path_factory.mktemp("lab"), "all", "--quick")


def keys_of(document, table, *keys):
    return [tuple(row[key] for key in keys) for row in document["tables"][table]["rows"]]


def check_rows(command, document):
    if command == "cprng-fast":
        assert keys_of(document, "cprng_fast", "row") == [(row,) for row in FAST]
        assert keys_of(document, "cprng_fast_keys", "row") == [(row,) for row in FAST]
        assert keys_of(document, "cprng_fast_ways", "row", "ways") == [*itertools.product(FAST, WAYS)]
        assert keys_of(document, "cprng_fast_processes", "row") == [(row,) for row in PROCESSES]
        assert keys_of(document, "cprng_fast_placements", "engine", "placement") == [
            *itertools.product(["rc4", "hc128", "chacha8", "xoshiro256pp", "library"],
                               ["one state, plain", "a state a thread", "a state a CPU"])]  # fmt: skip
    elif command == "latency":
        for table in ("latency", "latency_undisturbed"):
            assert keys_of(document, table, "row") == [(row,) for row in ["nothing", *FAST]]
    elif command == "impact":
        places = ["same CPU"] * 3 + (["another"] if CPUS > 1 else []) + ["same CPU"]
        assert keys_of(document, "impact", "where", "row") == [*itertools.product(places, NEIGHBOURS)]
        assert keys_of(document, "impact", "workload", "row")[-len(NEIGHBOURS):] == [("UDP packets", row) for row in NEIGHBOURS]
        assert keys_of(document, "impact_compile", "row") == [(row,) for row in NEIGHBOURS]
        assert keys_of(document, "bandwidth", "ways")[-1] == (CPUS,)
    else:
        assert keys_of(document, "statclock", "row") == [(row,) for row in HANDLERS]


def check_value(table, row, key, value):
    if value is None:
        assert (table, row.get("row"), key) in MISSING or table == MISSING_WHEN_BUSY, f"{table}: no {key} in {row}"
    elif isinstance(value, dict):
        assert 0 < value["least"] <= value["median"] <= value["most"] and value["repetitions"] == 2
    elif not isinstance(value, str) and (table, key) not in MAY_BE_NEGATIVE:
        assert value > 0 or key == "left_out", f"{table}: {key} in {row}"


def test_rows(quick):
    """Catches a row that is missing, duplicated or misplaced, and a figure that is zero or missing."""
    command, _, document = quick
    assert [*document["tables"]] == TABLES[command]
    check_rows(command, document)
    for name, table in document["tables"].items():
        assert table["rows"]
        for row in table["rows"]:
            for key, value in row.items():
                check_value(name, row, key, value)


def test_printed_is_kept(quick):
    """Catches a figure that is printed differently than it is kept."""
    printed_is_kept(*quick[1:])


def test_spreads_are_told(quick):
    """Catches a claim of small spreads that the table contradicts.

    The last note of a table with measured cells has the largest of their spreads, and their median.
    """
    _, text, document = quick
    for table in document["tables"].values():
        cells = [value for row in table["rows"] for value in row.values() if isinstance(value, dict) and value["median"]]
        spreads = [100 * cell["deviation"] / abs(cell["median"]) for cell in cells]
        if spreads:
            note = table["notes"][-1]
            assert note in text and f"the {len(spreads)} measured figures" in note
            assert f"{statistics.median(spreads):.0f}% at the median, {max(spreads):.0f}% at the most (" in note


def test_machine_is_told(quick):
    """Catches a run that does not record its machine, or counts cycles without naming them."""
    command, text, document = quick
    assert document["command"] == command and document["interrupted"] is False
    assert {"cpu", "cpus", "caches", "kernel", "compiler", "clock", "cycles", "libc", "time"} <= document["machine"].keys()
    shown = [" ".join(f"{load:.2f}" for load in document[when]) for when in ("load_before", "load_after")]
    assert len(document["load_before"]) == 3 and f"load average before: {shown[0]}, after: {shown[1]}" in text
    others = document["others"]
    assert others["kept"] > 0 and f"of all repetitions {others['kept']} were kept" in text
    # At most the number of CPUs, with the error of the ticks at both ends of a window.
    assert all(0 <= value <= CPUS * 1.2 for value in others["cpus"]["values"])
    # As text, if a table has cycles in it.
    assert document["machine"]["cycles"] in text


def test_repetitions_are_kept(quick):
    """Catches a measured repetition that is not kept."""
    command, _, document = quick
    kept = {name: len(all_of_it) for name, all_of_it in document["repetitions"].items()}
    rows = {name: len(table["rows"]) for name, table in document["tables"].items()}
    assert kept == {
        "cprng-fast": {"cprng_fast": 2 * (3 * (2 * len(FAST) - 1) + len(FAST) * len(WAYS)),
                       "cprng_fast_processes": 2 * 2 * len(PROCESSES), "cprng_fast_placements": 2 * 15},
        "latency": {"latency": 2 * rows.get("latency", 0)},
        "impact": {"impact": 2 * rows.get("impact", 0), "impact_compile": 2 * rows.get("impact_compile", 0), "bandwidth": 4 * rows.get("bandwidth", 0)},
        "statclock": {"statclock": 2 * rows.get("statclock", 0)},
    }[command]


def test_interrupts_are_equally_often(quick):
    """Catches intervals that depend on a row's draws.

    Whatever a row draws, and if it is nothing: half a period before the next interrupt would be half of these.
    """
    command, _, document = quick
    if command == "statclock":
        wanted = 1e9 / document["settings"]["interrupts_a_second"]
        for one in document["repetitions"]["statclock"]:
            assert 0.7 * wanted < one["interval_ns"] < 1.3 * wanted, one["row"]


def counted_by_the_system():
    """Datagrams that were sent and received, and reads of the children that have ended."""
    with open("/proc/net/snmp", encoding="ascii") as file:
        names, values = (line.split() for line in file if line.startswith("Udp:"))
    udp = dict(zip(names[1:], map(int, values[1:])))
    try:
        with open("/proc/self/io", encoding="ascii") as file:
            reads = int(dict(line.split(": ") for line in file)["syscr"])
    except OSError as error:
        pytest.skip(f"the kernel does not count reads: {error.strerror}")
    return {"sent": udp["OutDatagrams"], "received": udp["InDatagrams"], "reads": reads}


@pytest.mark.parametrize("command, least", [
    # Rows but getrandom's, repetitions, ways, and requests of each.
    ("cprng-fast", {"reads": (len(PROCESSES) - 1) * 2 * (3 + 4) * 4096}),
    # Rows, with draws and without, in batches of a fifth of a millisecond, of which there is one at the least.
    ("impact", {"sent": 2 * 2 * len(NEIGHBOURS) * 8, "received": 2 * 2 * len(NEIGHBOURS) * 8}),
])  # fmt: skip
def test_the_system_is_called(command, least):
    """Catches a request in a process that enters no kernel, and a flood without packets."""
    before = counted_by_the_system()
    assert run(command, "--quick").returncode == 0
    after = counted_by_the_system()
    for name, count in least.items():
        assert after[name] - before[name] >= count


@pytest.mark.parametrize("quick", ["impact"], indirect=True)
def test_compiler_with_draws(quick):
    """Catches draws beside the compiler that are not made, or more than are due, and a loss that is not of its CPU time."""
    document = quick[2]
    for row in document["tables"]["impact_compile"]["rows"]:
        of_row = [one for one in document["repetitions"]["impact_compile"] if one["row"] == row["row"]]
        assert all(0 < one["draws"] <= 1e6 * one["seconds"] for one in of_row)
        assert row["slowdown"]["median"] == pytest.approx(
            statistics.median(one["cpu_seconds"] / one["cpu_seconds_without"] for one in of_row))


@pytest.mark.parametrize("quick", ["latency", "statclock"], indirect=True)
def test_percentiles_rise(quick):
    """Catches percentiles of different samples in one row, and a draw's maximum above the handler's."""
    command, _, document = quick
    for row in document["tables"][command]["rows"]:
        kinds = {prefix: [value for key, value in row.items() if key.startswith(prefix + "_")]
                 for prefix in ("own", "came", "warm", "timer")}
        assert any(kinds.values())
        assert all(values == sorted(values) for values in kinds.values())
        if command == "latency":
            assert row["own_max"] <= row["came_max"]


@pytest.fixture(scope="module", name="fast")
def run_of_known_scale(tmp_path_factory):
    return kept_run(tmp_path_factory.mktemp("lab"), "cprng-fast", "--scale", "0.0001", "--repetitions", "2")[1]


@pytest.mark.parametrize("table, processes", [("cprng_fast", 1), ("cprng_fast_processes", 4)])
def test_scale_and_factor(fast, table, processes):
    """Catches a small volume whose seconds are not scaled, an inverted factor, one way that is no median of three, and
    ways that are threads instead of processes.

    Seconds are given for the whole volume; the factor is one way over four ways, of pairs.
    """
    assert (fast["settings"]["scale"], fast["settings"]["repetitions"], fast["settings"]["runs"]) == (0.0001, 2, 3)
    for row in fast["tables"][table]["rows"]:
        of_row = [one for one in fast["repetitions"][table] if one["row"] == row["row"] and "ways" in one]
        one, four = ([r for r in of_row if r["ways"] == ways] for ways in (1, 4))
        assert len(one) == len(four) == 2
        assert {(len(r["seconds_of_runs"]), r["processes"]) for r in one} == {(3, 1)}
        assert {(len(r["seconds_of_runs"]), r["processes"]) for r in four} == {(1, processes)}
        assert all(r["seconds"] == statistics.median(r["seconds_of_runs"]) for r in of_row)
        assert all(r["bytes_each"] == pytest.approx(4 * 2**30 / 10000) for r in of_row)
        assert row["seconds_1_way"]["median"] == pytest.approx(statistics.median(r["seconds"] for r in one) * 10000)
        assert row["seconds_4_ways"]["median"] == pytest.approx(statistics.median(r["seconds"] for r in four) * 10000)
        if table == "cprng_fast_processes":
            assert row["cpu_4_ways"]["median"] == pytest.approx(statistics.median(r["cpu_seconds"] for r in four) * 10000)
        factors = [a["seconds"] / b["seconds"] for a, b in zip(one, four)]
        assert row["factor"]["median"] == pytest.approx(statistics.median(factors))


def test_after_each_keying(fast):
    """Catches a keying whose draws are not timed, and draws that are timed without a new key before them."""
    rows = {row["row"]: row for row in fast["tables"]["cprng_fast"]["rows"]}
    for row in fast["tables"]["cprng_fast_keys"]["rows"]:
        inlined = row["row"] == "hc128-inline"
        runs = [one for one in fast["repetitions"]["cprng_fast"]
                if one["row"] == row["row"] and one.get("form") == ("inlined" if inlined else "called")]
        assert len(runs) == 2 * 3 and {one["keys_made"] for one in runs} == {KEYS}
        medians = [[statistics.median(one["ticks_per_byte_of_keys"][key] for one in runs[begin:begin + 3]) for key in range(KEYS)]
                   for begin in (0, 3)]
        for key in range(KEYS):
            assert row[f"key_{key + 1}"]["median"] == pytest.approx(statistics.median(one[key] for one in medians))
        first, rekeyed = (rows[row["row"]][("inline_" if inlined else "cpb_") + what] for what in ("first", "rekeyed"))
        assert first == row["key_1"]
        assert rekeyed["median"] == pytest.approx(statistics.median(statistics.median(one[1:]) for one in medians))


def test_factor_is_that_of_the_origin(fast):
    """Catches an incorrectly copied figure of the original tables."""
    for row in fast["tables"]["cprng_fast_2014"]["rows"]:
        assert int(1000 * row["seconds_1_way"] / row["seconds_4_ways"]) == pytest.approx(1000 * row["factor"], abs=0.01)
    assert len(fast["tables"]["cprng_fast_2014"]["rows"]) == 5


def test_two_lines_of_state(everything):
    """Catches a count of cache lines that misses part of the state."""
    rows = {row["row"]: row for row in everything[1]["tables"]["latency"]["rows"]}
    for name in ("salsa20-percpu", "chacha20-percpu", "chacha8-percpu"):
        assert (rows[name]["state_lines"], rows[name]["written_lines"]) == (2, 2)
    assert rows["arc4-percpu"]["state_bytes"] == 258
    assert rows["hc128-percpu"]["state_bytes"] > 4096


def test_all(everything):
    """Catches a command missing from `all`, or a table that it loses."""
    text, document = everything
    printed_is_kept(text, document)
    assert [*document["tables"]] == [*itertools.chain.from_iterable(TABLES.values()), *FORTUNA]
    for command in TABLES:
        check_rows(command, document)
        assert f"---- {command}\n" in text
    assert set(document["settings"]) >= {*TABLES, "fortuna"}
    assert {"statclock_decision", "origin"} <= document["texts"].keys()
    assert [*document["load_before_parts"]] == [*TABLES, "fortuna"]


def test_decision(everything):
    """Catches a run of all without a conclusion, or with two."""
    assert everything[1]["texts"]["statclock_decision"].lower().count("decision: ") == 1


@pytest.mark.parametrize("command", TABLES)
def test_without_a_counter_of_cycles(command, tmp_path, monkeypatch):
    """Catches nanoseconds that a table calls cycles, and a decision that compares them with a bound in cycles."""
    monkeypatch.setenv("CPRNG_LAB_CLOCK", "monotonic")
    _, document = kept_run(tmp_path, command, "--quick")
    assert document["machine"]["cycles"] == "ns"
    for name, table in document["tables"].items():
        if not name.endswith("_2014"):
            said = [table["title"], *table["notes"], *(plot["what"] for plot in table.get("plots", ())),
                    *(column["heading"] for column in table["columns"])]
            assert not [text for text in said if re.search("cycles|cpb", text)], name
    if command == "statclock":
        decision = document["texts"]["statclock_decision"]
        assert "No decision: " in decision and "Decision: " not in decision


@pytest.mark.parametrize("command, words", [*((command, "measuring [") for command in TABLES),
                                            ("all", "1 of 5, cprng-fast ["), ("all", "5 of 5, fortuna [")])
def test_progress_on_a_terminal(command, words):
    """Catches a progress line that is missing, or counts another part."""
    leader, follower = terminal()
    with subprocess.Popen(line(command, "--quick"), stdout=subprocess.DEVNULL, stderr=follower) as process:
        os.close(follower)
        printed = b""
        try:
            while chunk := os.read(leader, 65536):
                printed += chunk
        except OSError:  # the other end is closed
            pass
        os.close(leader)
    assert process.returncode == 0
    assert words.encode() in printed and b"s left" in printed
