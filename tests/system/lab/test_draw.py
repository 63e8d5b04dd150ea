# SPDX-License-Identifier: BSD-2-Clause
"""cprng-lab draw: the parts do their work, ratios are within a repetition, and `others` leaves parts out."""

import os
import pathlib
import subprocess

import pytest
from commands import document_of, line, rows_of

FULL = 1024 - 32  # bytes that parts.cpp's fill_up() leaves in a buffer, like a library refill
PARTS = ["draw-chain", "draw-unprotected", "draw-sequence"]


@pytest.fixture(scope="module", name="document")
def quick_run():
    return document_of("draw")


def numbers(part, count):
    """That many 32-bit numbers of one process, which stays on one CPU and in its buffer."""
    here = {min(os.sched_getaffinity(0))}
    result = subprocess.run(line("others-child", "serve", part), input="number 32 0\n" * count, check=True,
                            capture_output=True, text=True, preexec_fn=lambda: os.sched_setaffinity(0, here))  # fmt: skip
    return [int(text) for text in result.stdout.split()]


def is_restartable(document):
    return any(row["row"] in PARTS for row in rows_of(document, "draw"))


def test_rows(document):
    """Catches a row that is missing or not measured, and parts where the library itself has no sequence."""
    rows = {row["row"]: row for row in rows_of(document, "draw")}
    assert {"cprng", "xoshiro256pp"} <= set(rows)
    assert set(rows) & set(PARTS) in (set(), set(PARTS))
    for row in rows.values():
        assert 0 < row["least"] <= row["bits32"]["median"] <= row["most"]
        assert row["below"]["median"] > 0


def test_quotients(document):
    """Catches a ratio of medians instead of repetitions, or to another row."""
    kept = {row["row"]: row["bits32"] for row in document["repetitions"]["draw"]}
    for row in rows_of(document, "draw"):
        quotients = sorted(a / b for a, b in zip(kept[row["row"]], kept["xoshiro256pp"], strict=True))
        middle = len(quotients) // 2
        assert row["over_xoshiro"]["median"] == pytest.approx((quotients[middle] + quotients[~middle]) / 2)


def test_chain(document):
    """Catches a chain that does not go through `left`, or that is never refilled."""
    if not is_restartable(document):
        pytest.skip("no restartable sequences here")
    once = list(range(FULL - 4, -1, -4))
    assert numbers("draw-chain", 2 * len(once)) == 2 * once


@pytest.mark.parametrize("part", PARTS[1:])
def test_number_is_erased(document, part):
    """Catches a part that reads no number, leaves it unerased, or stops when its buffer is empty."""
    if not is_restartable(document):
        pytest.skip("no restartable sequences here")
    once = FULL // 4
    drawn = numbers(part, 2 * once)
    assert set(drawn[:once]) == {0x5A5A5A5A}
    assert set(drawn[once:]) == {0}


def test_rust_is_inlined():
    """Catches a kept ThreadRng handle whose bounded draws are calls, unlike in a program with one."""
    program = pathlib.Path(line()[0]).with_name("cprng-lab-rust")
    if not program.exists():
        pytest.skip(f"there is no {program.name}")
    symbols = subprocess.run(["nm", "--demangle", program], check=True, capture_output=True, text=True).stdout
    assert " cprng_lab_rust::" in symbols
    assert "random_range" not in symbols
