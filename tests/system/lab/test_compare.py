# SPDX-License-Identifier: BSD-2-Clause
"""lab/compare: a known change is found, and rows are found wherever they stand."""

import copy
import json
import pathlib
import random
import statistics
import subprocess

import pytest

PROGRAM = pathlib.Path(__file__).resolve().parents[3] / "lab/compare"


def document_of(rows):
    """Rows are (engine, threads, values)."""
    table = {"columns": [{"key": "engine", "heading": "engine"}, {"key": "threads", "heading": "threads"}, {"key": "rate", "heading": "rate\nMB/s"}],
             "rows": [{"engine": engine, "threads": threads, "rate": {"median": statistics.median(values), "values": values}}
                      for engine, threads, values in rows]}  # fmt: skip
    return {"program": "cprng-lab", "interrupted": False, "tables": {"made": table}, "machine": {"cpu": "a CPU"}, "settings": {"quick": False}}


def compare(*files):
    return subprocess.run([PROGRAM, *files], check=False, capture_output=True, text=True)


@pytest.fixture(name="compared")
def compare_documents(tmp_path):
    """The lines for two documents."""
    def compared(*documents):
        files = [tmp_path / name for name in ("A.json", "B.json")]
        for file, document in zip(files, documents):
            file.write_text(json.dumps(document))
        result = compare(*files)
        assert (result.returncode, result.stderr) == (0, "")
        return result.stdout.splitlines()
    return compared


def test_a_known_ratio_is_found(compared):
    """Catches a change that is not detected, or in the wrong direction, and many changes where there are none: every second figure
    changes by 20 per cent, with noise of 2 per cent from a fixed seed."""
    source = random.Random(1)
    ratios = [(1, 1.2, 1, 1 / 1.2)[i % 4] for i in range(200)]

    def noisy(factor):
        return document_of([("e", i, [(1000 + i) * factor(ratio) * source.gauss(1, 0.02) for _ in range(7)]) for i, ratio in enumerate(ratios)])

    lines = compared(noisy(lambda ratio: 1), noisy(lambda ratio: ratio))
    words = [line.split("MB/s")[1].split() for line in lines[1:201]]
    for ratio, found in zip(ratios, words):
        assert float(found[2]) == pytest.approx(ratio, rel=0.06)
        assert ratio == 1 or found[-1] == ("more" if ratio > 1 else "less")
    changed = sum(found[-1] in ("more", "less") for found in words)
    assert 100 <= changed < 108 and lines[201].startswith(f"200 figures, {changed} changed;")


def test_rows_are_found_wherever_they_stand(compared):
    """Catches rows compared by position, a figure or a table that is silently omitted, and a division by zero."""
    before = document_of([("a", 1, [1.0] * 7), ("a", 2, [2.0] * 7), ("b", 1, [0.0] * 7)])
    after = document_of([("b", 1, [0.0] * 7), ("a", 2, [3.0] * 7), ("c", 1, [1.0] * 7)])
    after["tables"]["another"] = copy.deepcopy(before["tables"]["made"])
    lines = compared(before, after)
    assert lines[1].split() == "made: a, threads 2, rate MB/s 2 3 1.500 0.0004 more".split()
    assert lines[2].split() == "made: b, threads 1, rate MB/s 0 0 - 1.0000".split()
    assert lines[4:8] == ["Only in A:", "  made: a, threads 1, rate MB/s", "Only in B:", "  another: a, threads 1, rate MB/s"]


def test_different_machines_are_reported_first(compared):
    """Catches incomparable runs that are compared without a warning."""
    before = document_of([("a", 1, [1.0] * 7)])
    assert "warning" not in "".join(compared(before, before))
    after = {**copy.deepcopy(before), "machine": {"cpu": "another CPU"}, "interrupted": True}
    assert compared(before, after)[:2] == ["warning: different CPU: a CPU and another CPU", "warning: B was interrupted"]


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"tables": {"made": {}}}', None])
def test_bad_file(tmp_path, text):
    """Catches a missing or damaged file that is compared, or blamed on the other one."""
    good, bad = tmp_path / "A.json", tmp_path / "B.json"
    good.write_text(json.dumps(document_of([("a", 1, [1.0] * 7)])))
    if text is not None:
        bad.write_text(text)
    result = compare(good, bad)
    assert (result.returncode, result.stdout) == (1, "") and result.stderr.startswith(f"lab/compare: {bad}: ")
