# SPDX-License-Identifier: BSD-2-Clause
"""lab/origins/impact/simulate: what it counts, and what it says about it.

CPRNG_LAB   path of cprng-lab, beside lab-service and liblab-draws.so
"""

import pathlib
import shutil

import pytest
from commands import imported, line

PROGRAM = pathlib.Path(__file__).resolve().parents[3] / "lab/origins/impact/simulate"
EVENTS = "events: Ir Dr Dw I1mr D1mr D1mw ILmr DLmr DLmw\n"
# 7 draws with 70 instructions, 10 lines into L1 and 3 into L2, in two processes, and the making of keys; two other calls.
FIRST = EVENTS + """summary: 1000 0 0 10 20 30 4 5 6
fn=main
cfn=lab_impact_begin
calls=1 -74
* 100 0 0 1 1 1 1
cfn=lab_impact_draw
calls=4 0
* 40 9 9 1 2 3 1 1
cfn=puts
calls=50 0
* 500 0 0 9 9 9 3 3 3
"""
SECOND = EVENTS + "summary: 500 0 0 1\nfn=f\ncfn=lab_impact_draw\ncalls=3 0\n0 30 0 0 4 0 0 1\n"


@pytest.fixture(scope="module", name="program")
def simulating_program():
    return imported(PROGRAM)


def run_of(draws, first, **others):
    rest = {"instructions": 1000, "first": first, "second": 0, **others}
    return rest, dict.fromkeys(rest, 10 * draws), draws


def test_what_draws_do_is_no_loss(program):
    """Catches lines of a draw, or of the making of keys, that count as the neighbour's, calls that are no draws, and a process left out."""
    rest, own, draws = program.read([FIRST, SECOND])
    assert draws == 7 and own == {"instructions": 70, "first": 10, "second": 3}
    assert rest == {"instructions": 1500 - 70 - 100, "first": 61 - 10 - 3, "second": 15 - 3 - 1}


@pytest.mark.parametrize("nothing, row, verdict", [
    ([0, 0, 0], [1, 2, 3], "more"), ([0, 0, 0], [-1, -2, -3], "less"), ([0, 0, 0], [-1, 2, 3], "none"), ([0, 0, 0], [0, 2, 3], "none"),
    ([-1, 0, 1], [1, 2, 3], "none"), ([-1, 0, 1], [1.1, 2, 3], "more"),
    # As two kept tables had it: -55 ±9 and 242 ±127.
    ([-64, -55, -46], [1000, 2000, 3000], "no verdict"), ([115, 242, 369], [-1000, -2000, -3000], "no verdict"),
])  # fmt: skip
def test_verdict(program, nothing, row, verdict):
    """Catches a verdict where nothing differs from nothing, one on values among those of nothing, and none where they are beyond."""
    assert program.verdict(nothing, row) == verdict


def test_rows(program):
    """Catches a loss that is not of the same repetition, or not for each draw, and a share of all draws' lines."""
    results = {"reference": [run_of(10, 100), run_of(10, 200)], "nothing": [run_of(10, 100), run_of(10, 200)],
               "x": [run_of(10, 130), run_of(10, 250)]}  # fmt: skip
    nothing, row = program.rows_of("udp", results)
    assert (nothing["row"], nothing["first"], nothing["verdict"]) == ("nothing", 0, "none")
    assert (row["row"], row["draws"], row["own_first"], row["first"], row["first_deviation"]) == ("x", 10, 10, 4, 1)
    assert (row["verdict"], row["second_verdict"], row["share"]) == ("more", "none", pytest.approx((30 + 25) / 2))
    assert [*row] == [*program.COLUMNS]


@pytest.mark.parametrize("draws", ["", "cfn=lab_impact_draw\ncalls=63 0\n* 640 0 0 1\n"])
def test_draws_that_are_not_made(program, tmp_path, monkeypatch, draws):
    """Catches a run without draws, or with fewer than asked for, that gives figures."""
    valgrind = tmp_path / "valgrind"
    valgrind.write_text(f"#!/bin/sh\nfor word; do case $word in --callgrind-out-file=*) file=${{word#*=}} ;; esac; done\n"
                        f"cat >\"${{file%\\%p}}1\" <<'E'\n{EVENTS}summary: 1000\n{draws}E\n")  # fmt: skip
    valgrind.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    with pytest.raises(program.Wrong, match="draws were counted, and 64 should be made"):
        program.simulated(tmp_path, "udp", "nothing", 0, 64)


@pytest.mark.skipif(shutil.which("valgrind") is None, reason="no valgrind")
def test_counted(program):
    """Catches counts that differ from run to run, losses that are the draw's own, and a state whose lines cost nothing.

    The counts are exact: no bound depends on time.
    """
    build = pathlib.Path(line()[0]).resolve().parent
    runs = {row: [program.simulated(build, "cache", row, turn, 0) for turn in (0, 1)] for row in ("reference", "nothing", "hc128-percpu")}
    assert runs["reference"] == runs["nothing"]
    nothing, row = program.rows_of("cache", runs)
    assert (nothing["first"], nothing["verdict"], row["draws"]) == (0, "none", program.ROUNDS)
    # A draw reads at least two lines of 4 KiB, which the walk must fetch again; it cannot lose more than the whole cache.
    assert 2 < row["first"] < 480 and row["verdict"] == "more"
    # Its code is the same.
    assert abs(row["instructions"]) < 0.1
