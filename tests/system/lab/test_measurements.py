# SPDX-License-Identifier: BSD-2-Clause
"""A short run of each command of cprng-lab that measures: all tables and rows exist and are filled, and printed and kept results
agree.  Tests of a single command are in a file with its name."""

import contextlib
import itertools
import json
import os
import pty
import re
import statistics
import subprocess

import pytest
from commands import RUNS, document_of, kept_run, line, printed_is_kept, rows_of, run_of, short_run

CPUS = len(os.sched_getaffinity(0))

FAST = ["arc4-mtx", "arc4-spin", "arc4-nomtx", "arc4-thread", "arc4-percpu", "hc128-percpu", "hc128-inline",
        "salsa20-percpu", "chacha20-percpu", "chacha8-percpu", "cprng"]  # fmt: skip
NEIGHBOURS = ["nothing", "arc4-percpu", "hc128-percpu", "chacha20-percpu", "chacha8-percpu", "cprng"]
HANDLERS = ["nothing", "lcg-percpu", "lfsr-percpu", "xoshiro-percpu", "arc4-percpu", "chacha20-percpu",
            "chacha8-percpu", "cprng"]  # fmt: skip
WAYS = [n for n in (2**i for i in range(20)) if n <= max(CPUS, 4)]
PLACES = ["same CPU"] * 3 + (["another"] if CPUS > 1 else [])

# A kernel has no state per thread; `nothing` is only the system call.
PROCESSES = ["nothing", "getrandom", *(row for row in FAST if row != "arc4-thread")]
KEYS = 8  # of 512 MB each, in 4 GB
SCALED = 4096  # of which --quick makes one part

FORTUNAS = [*itertools.product(["aes256-ctr", "chacha20"], ["locked", "concurrent"])]
LOCK_SIZES = {"locked": ["32 B", "4 KiB", "1 MiB", "64 MiB"], "concurrent": ["32 B", "4 KiB", "1 MiB", "64 MiB", "32 B, cold"]}

TABLES = {
    "choices": ["choices", "choices_ratios", "choices_all"],
    "cprng-fast": ["cprng_fast", "cprng_fast_keys", "cprng_fast_ways", "cprng_fast_processes", "cprng_fast_placements",
                   "cprng_fast_2014"],
    "latency": ["latency", "latency_undisturbed", "latency_2014"],
    "impact": ["impact", "bandwidth", "bandwidth_2014"],
    "statclock": ["statclock", "statclock_2014"],
    "fortuna": ["throughput", "lock", "lock_others", "response", "short_reads", "targets", "fortuna_origin"],
    "draw": ["draw"],
    "jitter": ["jitter"],
    "levels": ["levels"],
    "others": ["others", "others_fill", "others_threads", "others_start", "others_memory", "others_randp"],
    "sizes": ["sizes_constant", "sizes", "sizes_constant_all", "sizes_all"],
    "streams": ["streams", "streams_beside"],
    "sweep": ["sweep_placement", "sweep_placement_randp", "sweep_buffer", "sweep_refills", "sweep_engine", "sweep_threshold",
              "sweep_streaming", "sweep_stream_buffer", "sweep_prng_params", "sweep_num_blocks", "sweep_reseed_countdown"],
}  # fmt: skip
# The parts of `all`; they count cycles.
PARTS = ["latency", "impact", "statclock", "fortuna", "cprng-fast"]

# The columns that name a table's rows, and all their rows, where they do not depend on what is installed.
ROWS = {
    "cprng_fast": ("row", FAST),
    "cprng_fast_keys": ("row", FAST),
    "cprng_fast_ways": ("row ways", itertools.product(FAST, WAYS)),
    "cprng_fast_processes": ("row", PROCESSES),
    "cprng_fast_placements": ("engine placement", itertools.product(
        ["rc4", "hc128", "chacha8", "xoshiro256pp", "library"], ["one state, plain", "a state a thread", "a state a CPU"])),
    "latency": ("row", ["nothing", *FAST]),
    "latency_undisturbed": ("row", ["nothing", *FAST]),
    "impact": ("where row", itertools.product(PLACES, NEIGHBOURS)),
    "statclock": ("row", HANDLERS),
    "throughput": ("engine read readers", itertools.product(["aes256-ctr", "chacha20"], ["4 KiB", "1 MiB"], [1, 2, 4])),
    "lock": ("engine mode read readers", [
        *((engine, mode, size, readers) for engine, mode in FORTUNAS for size in LOCK_SIZES[mode] for readers in (1, 2)),
        ("none", "control", None, 1), ("none", "control", None, 2)]),
    "lock_others": ("engine mode", FORTUNAS),
    "response": ("engine mode readers", ((*fortuna, readers) for fortuna in FORTUNAS for readers in (0, 1, 2, 4))),
    "short_reads": ("call engine mode", [*(("cprng_fortuna_read", *fortuna) for fortuna in FORTUNAS), ("cprng_strong", "-", "-"),
                                         ("cprng_fast", "-", "-")]),
    "jitter": ("flushes condition", [
        ("yes", "idle, in one go"), ("yes", "idle, 32 at a time, with sleeps between"), ("yes", "copying memory, in one go"),
        ("yes", "copying memory, 32 at a time"), ("yes", "spinning, in one go"), ("no", "idle, in one go"),
        ("no", "idle, 32 at a time, with sleeps between"), ("no", "copying memory, in one go")]),
}  # fmt: skip
ROWS = {table: (keys.split(), [row if isinstance(row, tuple) else (row,) for row in rows]) for table, (keys, rows) in ROWS.items()}

# Repetitions that are kept for each table, where that is a number for each row.
KEPT = {
    "cprng_fast": 2 * (3 * (2 * len(FAST) - 1) + len(FAST) * len(WAYS)), "cprng_fast_processes": 2 * 2 * len(PROCESSES),
    "cprng_fast_placements": 2 * 15, "latency": 2 * (1 + len(FAST)), "impact": 2 * len(PLACES) * len(NEIGHBOURS),
    "statclock": 2 * len(HANDLERS), "throughput": 6 * len(ROWS["throughput"][1]),
    "lock": 2 * len(ROWS["lock"][1]), "response": 2 * len(ROWS["response"][1]), "short_reads": len(ROWS["short_reads"][1]),
    "jitter": 2 * len(ROWS["jitter"][1]),
}  # fmt: skip

# Contenders that are not here have no figures; the commands' own tests say what may be missing.
MAY_LACK = ["choices", "levels", "others", "sizes", "streams", "sweep"]
# The empty draw has no state, the row inlined in 2014 has no other form, and the control reads nothing.
MISSING = {("latency", "nothing", key) for key in ("bulk", "state_bytes", "state_lines", "written_lines")}
MISSING |= {("cprng_fast", "hc128-inline", key) for key in ("cpb_first", "cpb_rekeyed")}
MISSING |= {("lock", "none", "read"), ("response", 0, "read")}
# No such event in a short time; and on a busy machine every batch of draws may be preempted.
MAY_BE_MISSING = {
    "held_p99", "held_p99.9", "waited_p99", "add_p99", "add_p99.9", "drain_p99", "held_max_undisturbed",
    "add_max_undisturbed", "over_1us", "reseed_p50", "reseed_max_undisturbed", "pools_p50", "pools_max_undisturbed",
    "own_p99.999", "came_p99.999", "warm_p99", "warm_p99.9", "timer_p99", "timer_p99.9",
}  # fmt: skip
MISSING_WHEN_BUSY = "latency_undisturbed"
# Differences of two measurements, which may be mostly noise; and what is 0 if all goes well or the time was too short.
MAY_BE_NEGATIVE = {("impact", key) for key in ("extra", "draw", "neighbour", "neighbour_deviation")}
MAY_BE_NEGATIVE |= {("latency_undisturbed", f"more_{part}") for part in ("p50", "p99", "p99.9", "p99.999", "max")}
MAY_BE_NEGATIVE |= {("others_memory", key) for key in ("more", "drawn")}
MAY_BE_ZERO = {"left_out", "dropped", "reseeds", "over_1us", "waited_p50", "waited_p99", "waited_max", "events",
               "mcv", "markov", "successor", "lag", "restarts"} | {"readers"}  # fmt: skip


@pytest.fixture(scope="module", name="everything")
def quick_run_of_all(tmp_path_factory):
    return kept_run(tmp_path_factory.mktemp("lab"), "all", "--quick")


def check_rows(document, table):
    keys, rows = ROWS.get(table, ([], []))
    if keys:
        assert [tuple(row[key] for key in keys) for row in rows_of(document, table)] == rows
    if table == "bandwidth":
        assert rows_of(document, table)[-1]["ways"] == CPUS


def check_value(command, table, row, key, value):
    where = f"{table}: {key} in {row}"
    if value is None:
        names = [row.get("row"), row.get("engine"), row.get("readers")]
        assert command in MAY_LACK or table == MISSING_WHEN_BUSY or key in MAY_BE_MISSING \
            or any((table, name, key) in MISSING for name in names), f"no {where}"
    elif isinstance(value, dict):
        # For numbers of contenders, a process per layout.
        assert value["repetitions"] == (8 if table in ("draw", "others") or row.get("unit") == "ns" else 2), where
        assert 0 < value["least"] <= value["median"] <= value["most"] or (table, key) in MAY_BE_NEGATIVE, where
    elif not isinstance(value, str) and (table, key) not in MAY_BE_NEGATIVE:
        assert value > 0 or (value == 0 and key in MAY_BE_ZERO), where


@pytest.mark.parametrize("command", RUNS)
def test_rows(command):
    """Catches a row that is missing, duplicated or misplaced, and a figure that is zero or missing."""
    document = document_of(command)
    assert [*document["tables"]] == TABLES[command]
    for name, table in document["tables"].items():
        check_rows(document, name)
        assert table["rows"]
        for row in table["rows"]:
            for key, value in row.items():
                check_value(command, name, row, key, value)


@pytest.mark.parametrize("command", RUNS)
def test_printed_is_kept(command):
    """Catches a figure that is printed differently than it is kept."""
    printed_is_kept(*run_of(command))


@pytest.mark.parametrize("command", RUNS)
def test_spreads_are_told(command):
    """Catches a claim of small spreads that the table contradicts, and a column named by its key, which the table does not show.

    The last note of a table with measured cells has the largest of their spreads, its place, and their median.
    """
    text, document = run_of(command)
    for table in document["tables"].values():
        cells = [(key, value) for row in table["rows"] for key, value in row.items() if isinstance(value, dict) and value["median"]]
        spreads = [100 * cell["deviation"] / abs(cell["median"]) for _, cell in cells]
        if spreads:
            note = table["notes"][-1]
            assert note in text and f"the {len(spreads)} measured figures" in note
            assert f"{statistics.median(spreads):.0f}% at the median, {max(spreads):.0f}% at the most (" in note
            key = cells[spreads.index(max(spreads))][0]
            heading = next(column["heading"] for column in table["columns"] if column["key"] == key)
            assert note.endswith(f", {' '.join(heading.split())}).")


@pytest.mark.parametrize("command", RUNS)
def test_machine_is_told(command):
    """Catches a run that does not record its machine, or counts cycles without naming them."""
    text, document = run_of(command)
    assert document["command"] == command and document["interrupted"] is False
    assert {"cpu", "cpus", "caches", "kernel", "compiler", "clock", "cycles", "libc", "time"} <= document["machine"].keys()
    shown = [" ".join(f"{load:.2f}" for load in document[when]) for when in ("load_before", "load_after")]
    assert len(document["load_before"]) == 3 and f"load average before: {shown[0]}, after: {shown[1]}" in text
    for others in document["others_of_parts"].values() if command == "sweep" else [document["others"]]:
        assert others["kept"] > 0 and f"of all repetitions {others['kept']} were kept" in text
        # At most the number of CPUs, with the error of the ticks at both ends of a window.
        assert all(0 <= value <= CPUS * 1.2 for value in others["cpus"].get("values", []))
    # As text, if a table has cycles in it.
    assert command not in PARTS or command == "fortuna" or document["machine"]["cycles"] in text


@pytest.mark.parametrize("command", [*PARTS, "jitter"])
def test_repetitions_are_kept(command):
    """Catches a measured repetition that is not kept."""
    kept = {name: len(all_of_it) for name, all_of_it in document_of(command)["repetitions"].items()}
    wanted = {name: KEPT[name] for name in TABLES[command] if name in KEPT}
    if command == "impact":
        wanted["bandwidth"] = 4 * len(rows_of(document_of(command), "bandwidth"))
    assert kept == wanted


def test_interrupts_are_equally_often():
    """Catches intervals that depend on a row's draws.

    Whatever a row draws, and if it is nothing: half a period before the next interrupt would be half of these.
    """
    document = document_of("statclock")
    wanted = 1e9 / document["settings"]["interrupts_a_second"]
    for one in document["repetitions"]["statclock"]:
        assert 0.7 * wanted < one["interval_ns"] < 1.3 * wanted, one["row"]


def test_the_system_is_called():
    """Catches a request in a process that enters no kernel."""
    counted = short_run("cprng-fast")[2]
    if not counted:
        pytest.skip("the kernel does not count reads")
    # Rows but getrandom's, repetitions, ways, and requests of each.
    assert counted["reads"] >= (len(PROCESSES) - 1) * 2 * (3 + 4) * 4096


def test_draws_of_the_other_cpu_are_counted():
    """Catches a loss for each draw that was due on another CPU, where the thread may lack CPU time, in place of each that was made."""
    kept = document_of("impact")["repetitions"]["impact"]
    for one in kept:
        assert one["steps_a_draw_made"] == one["steps_between_draws"] if one["where"] == "same CPU" else one["steps_a_draw_made"] > 0
    if CPUS > 1:
        assert {one["steps_a_draw_made"] for one in kept} - {one["steps_between_draws"] for one in kept}


def test_verdicts():
    """Catches a verdict on a workload where nothing differs from nothing, and one that the repetitions do not have."""
    document = document_of("impact")
    for row in rows_of(document, "impact"):
        same = [one for one in rows_of(document, "impact") if all(one[key] == row[key] for key in ("where", "workload", "draws_a_second"))]
        error = next(one for one in same if one["row"] == "nothing")
        if abs(error["neighbour"]) > error["neighbour_deviation"]:
            assert row["verdict"] == "no verdict"
        else:
            assert row["verdict"] in ("none", "more" if row["neighbour"] > 0 else "less") and error["verdict"] == "none"


@pytest.mark.parametrize("command", ["latency", "statclock"])
def test_percentiles_rise(command):
    """Catches percentiles of different samples in one row, and a draw's maximum above the handler's."""
    for row in rows_of(document_of(command), command):
        kinds = {prefix: [value for key, value in row.items() if key.startswith(prefix + "_") and value is not None]
                 for prefix in ("own", "came", "warm", "timer")}
        assert any(kinds.values())
        assert all(values == sorted(values) for values in kinds.values())
        if command == "latency":
            assert row["own_max"] <= row["came_max"]


@pytest.mark.parametrize("table, processes", [("cprng_fast", 1), ("cprng_fast_processes", 4)])
def test_scale_and_factor(table, processes):
    """Catches a small volume whose seconds are not scaled, an inverted factor, one way that is no median of three, and
    ways that are threads instead of processes.

    Seconds are given for the whole volume; the factor is one way over four ways, of pairs.
    """
    fast = document_of("cprng-fast")
    assert (fast["settings"]["scale"], fast["settings"]["repetitions"], fast["settings"]["runs"]) == (1 / SCALED, 2, 3)
    for row in rows_of(fast, table):
        of_row = [one for one in fast["repetitions"][table] if one["row"] == row["row"] and "ways" in one]
        one, four = ([r for r in of_row if r["ways"] == ways] for ways in (1, 4))
        assert len(one) == len(four) == 2
        assert {(len(r["seconds_of_runs"]), r["processes"]) for r in one} == {(3, 1)}
        assert {(len(r["seconds_of_runs"]), r["processes"]) for r in four} == {(1, processes)}
        assert all(r["seconds"] == statistics.median(r["seconds_of_runs"]) for r in of_row)
        assert all(r["bytes_each"] == pytest.approx(4 * 2**30 / SCALED) for r in of_row)
        assert row["seconds_1_way"]["median"] == pytest.approx(statistics.median(r["seconds"] for r in one) * SCALED)
        assert row["seconds_4_ways"]["median"] == pytest.approx(statistics.median(r["seconds"] for r in four) * SCALED)
        if table == "cprng_fast_processes":
            assert row["cpu_4_ways"]["median"] == pytest.approx(statistics.median(r["cpu_seconds"] for r in four) * SCALED)
        factors = [a["seconds"] / b["seconds"] for a, b in zip(one, four)]
        assert row["factor"]["median"] == pytest.approx(statistics.median(factors))


def test_after_each_keying():
    """Catches a keying whose draws are not timed, and draws that are timed without a new key before them."""
    fast = document_of("cprng-fast")
    rows = {row["row"]: row for row in rows_of(fast, "cprng_fast")}
    for row in rows_of(fast, "cprng_fast_keys"):
        inlined = row["row"] == "hc128-inline"
        runs = [one for one in fast["repetitions"]["cprng_fast"]
                if one["row"] == row["row"] and one.get("form") == ("inlined" if inlined else "called")]
        assert len(runs) == 2 * 3 and {one["keys_made"] for one in runs} == {KEYS}
        assert {one["layout"] for one in runs} == {"0", "16", "32", "48"}
        medians = [[statistics.median(one["ticks_per_byte_of_keys"][key] for one in runs[begin:begin + 3]) for key in range(KEYS)]
                   for begin in (0, 3)]
        for key in range(KEYS):
            assert row[f"key_{key + 1}"]["median"] == pytest.approx(statistics.median(one[key] for one in medians))
        first, rekeyed = (rows[row["row"]][("inline_" if inlined else "cpb_") + what] for what in ("first", "rekeyed"))
        assert first == row["key_1"]
        assert rekeyed["median"] == pytest.approx(statistics.median(statistics.median(one[1:]) for one in medians))


def test_factor_is_that_of_the_origin():
    """Catches an incorrectly copied figure of the original tables."""
    rows = rows_of(document_of("cprng-fast"), "cprng_fast_2014")
    for row in rows:
        assert int(1000 * row["seconds_1_way"] / row["seconds_4_ways"]) == pytest.approx(1000 * row["factor"], abs=0.01)
    assert len(rows) == 5


def test_two_lines_of_state():
    """Catches a count of cache lines that misses part of the state."""
    rows = {row["row"]: row for row in rows_of(document_of("latency"), "latency")}
    for name in ("salsa20-percpu", "chacha20-percpu", "chacha8-percpu"):
        assert (rows[name]["state_lines"], rows[name]["written_lines"]) == (2, 2)
    assert rows["arc4-percpu"]["state_bytes"] == 258
    assert rows["hc128-percpu"]["state_bytes"] > 4096


def test_all(everything):
    """Catches a command missing from `all`, or a table that it loses."""
    text, document = everything
    printed_is_kept(text, document)
    assert [*document["tables"]] == [*itertools.chain.from_iterable(TABLES[command] for command in PARTS)]
    for command in PARTS:
        assert f"---- {command}\n" in text
        # Fortuna's readers and sizes are fewer there.
        if command != "fortuna":
            for table in TABLES[command]:
                check_rows(document, table)
    assert set(document["settings"]) >= set(PARTS)
    assert {"statclock_decision", "origin"} <= document["texts"].keys()
    assert [*document["load_before_parts"]] == PARTS


def test_decision(everything):
    """Catches a run of all without a conclusion, or with two."""
    assert everything[1]["texts"]["statclock_decision"].lower().count("decision: ") == 1


def on_terminal(*command, file):
    """The document of a run, and what it shows on a terminal, if there are any: some containers have none."""
    try:
        leader, follower = pty.openpty()
    except OSError:
        leader, follower = None, subprocess.DEVNULL
    printed = b""
    with subprocess.Popen(line(*command, "--quick", "--json", file), stdout=subprocess.DEVNULL, stderr=follower) as process:
        if leader is not None:
            os.close(follower)
            with contextlib.suppress(OSError):  # the other end is closed
                while chunk := os.read(leader, 65536):
                    printed += chunk
            os.close(leader)
    assert process.returncode == 0
    return json.loads(file.read_text()), None if leader is None else printed.decode()


def test_progress_on_a_terminal(tmp_path):
    """Catches a progress line that is missing."""
    printed = on_terminal("latency", file=tmp_path / "run.json")[1]
    if printed is None:
        pytest.skip("no pseudo-terminals")
    assert "measuring [" in printed and "s left" in printed


def test_all_without_a_counter_of_cycles(tmp_path, monkeypatch):
    """Catches nanoseconds that a table calls cycles, a decision that compares them with a bound in cycles, and a progress line that
    is missing, or counts another part."""
    monkeypatch.setenv("CPRNG_LAB_CLOCK", "monotonic")
    document, printed = on_terminal("all", file=tmp_path / "run.json")
    assert document["machine"]["cycles"] == "ns"
    for name, table in document["tables"].items():
        if not name.endswith("_2014"):
            said = [table["title"], *table["notes"], *(plot["what"] for plot in table.get("plots", ())),
                    *(column["heading"] for column in table["columns"])]
            assert not [text for text in said if re.search("cycles|cpb", text)], name
    decision = document["texts"]["statclock_decision"]
    assert "No decision: " in decision and "Decision: " not in decision
    if printed is not None:
        for number, part in enumerate(PARTS, 1):
            assert f"{number} of 5, {part} [" in printed and "s left" in printed
