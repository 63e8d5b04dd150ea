# SPDX-License-Identifier: BSD-2-Clause
"""cprng-lab choices: all rows, ratios that are computed here again from the repetitions, and answers that cannot be right.

CPRNG_LAB   path of cprng-lab
"""

import shutil
import statistics
import subprocess

import pytest
from commands import TIMEOUT, document_of, kept_run, line, rows_of

SHUFFLES = {f"shuffle {count} of {size} B" for size in (4, 8, 24) for count in ("10^3",)}
SAMPLES = {"sample 10^3 of 10^6", "sample 10^3 of 1100", "sample 10^5 of 10^9"}
ARRAYS = {"numbers below 1000", "doubles", "normals", "exponentials"}
BERNOULLI, WEIGHTED, TEXT, UUID4, UUID7 = SINGLE = [
    "1 of probability 0.3", "1 of 1000 by weights", "text of 21", "UUID of version 4", "UUID of version 7"]  # fmt: skip
READS = {f"read {size} B" for size in (8, 16, 32, 64, 128, 256)}
TASKS = SHUFFLES | SAMPLES | ARRAYS | {*SINGLE} | READS
RAND = TASKS - {UUID4, UUID7}
STANDARD = RAND - READS - {"sample 10^5 of 10^9"}
# What each has a function for.
GENERATORS = {
    "cprng": TASKS, "cprng-stream": TASKS, "std-cprng": STANDARD, "std-xoshiro": STANDARD, "mkl-sfmt": ARRAYS, "mkl-ars5": ARRAYS,
    "rust-threadrng": RAND, "rust-chacha8": RAND, "rust-aes": RAND, "rust-uuid": {UUID4, UUID7}, "go-math-rand": STANDARD - {WEIGHTED},
    "python-secrets": {TEXT, UUID4}, "java-secure": {BERNOULLI, UUID4},
    "node-crypto": {TEXT, UUID4}, "numpy": RAND - READS - {TEXT},
    "java": RAND - READS - {"shuffle 10^3 of 4 B", "shuffle 10^3 of 24 B", WEIGHTED, TEXT},
}  # fmt: skip
GROUPS = {"cipher": ["rust-threadrng", "rust-chacha8", "rust-aes", "rust-uuid", "go-math-rand", "python-secrets", "java-secure", "node-crypto"],
          "simulation": ["mkl-sfmt", "mkl-ars5", "numpy", "java"]}  # fmt: skip
RATIOS = {"over_cipher": ("cprng", "cipher"), "over_std_cprng": ("cprng", "std-cprng"), "over_std_xoshiro": ("cprng", "std-xoshiro"),
          "stream_over_cipher": ("cprng-stream", "cipher"), "stream_over_std_xoshiro": ("cprng-stream", "std-xoshiro"),
          "stream_over_simulation": ("cprng-stream", "simulation")}  # fmt: skip


def times(document):
    return {(one["what"], one["generator"]): one["ns"] for one in document["repetitions"]["choices_all"]}


def test_rows():
    """Catches a choice or a generator without its rows, and a generator that is measured where it has no function."""
    document = document_of("choices")
    here = [name for name, of in document["settings"]["contenders"].items() if of["here"] == "here"]
    assert [*document["settings"]["contenders"]] == [*GENERATORS] and {"cprng", "cprng-stream", "std-cprng", "std-xoshiro"} <= {*here}
    assert {*times(document)} == {(what, name) for name in here for what in GENERATORS[name]}
    assert {row["what"] for row in rows_of(document, "choices")} == TASKS
    assert all(len(ns) == 2 for ns in times(document).values())


def test_ratios():
    """Catches a ratio that was not computed from repetitions, and a peer that is not the fastest of its kind."""
    document = document_of("choices")
    kept = times(document)
    for row, ratios in zip(rows_of(document, "choices"), rows_of(document, "choices_ratios"), strict=True):
        what = row["what"]
        best = {name: name for name in ("std-cprng", "std-xoshiro")}
        for group, names in GROUPS.items():
            medians = {name: statistics.median(kept[what, name]) for name in names if (what, name) in kept}
            best[group] = min(medians, key=medians.get, default=None)
            assert row[group] == best[group]
            assert (row[f"{group}_ns"] or {"median": None})["median"] == pytest.approx(medians.get(best[group]))
        for key, (own, other) in RATIOS.items():
            theirs = kept.get((what, best[other]))
            wanted = theirs and statistics.median(a / b for a, b in zip(kept[what, own], theirs))
            assert (ratios[key] or {"median": None})["median"] == pytest.approx(wanted)


def test_most(tmp_path):
    """Catches a --most that is ignored."""
    _, document = kept_run(tmp_path, "choices", "--most", "100000", "--seconds", "0.001", "--repetitions", "1")
    shuffles = [row["what"] for row in rows_of(document, "choices") if row["what"].startswith("shuffle")]
    assert shuffles == [f"shuffle {count} of {size} B" for size in (4, 8, 24) for count in ("10^3", "10^5")]


def test_only(tmp_path):
    """Catches an --only that leaves out a row of its kinds, or has others."""
    _, document = kept_run(tmp_path, "choices", "--only", "uuid4,read", "--seconds", "0.001", "--repetitions", "1")
    assert [row["what"] for row in rows_of(document, "choices")] == [UUID4, *sorted(READS, key=lambda what: int(what.split()[1]))]
    assert document["settings"]["only"] == ["uuid4", "read"]


@pytest.mark.parametrize("kind, answer", [
    ("shuffle", "1 0 999 999 990"),  # an element is lost
    ("shuffle", "1 0 999 1000 900"),  # most are where they were
    ("shuffle", "1 1 1000 1000 1000"),
    ("sample", "1 0 9999999999 100000 100000"),  # outside the population
    ("sample", "1 0 999999 999 1000"),  # one twice
    ("bounded", "1 0 1000 1000 10000"),
    ("double", "1 0.001 1 10000 10000"),
    ("normal", "1 0.001 4 10000 10000"),  # none is negative
    ("exponential", "1 -1 9 10000 10000"),
    ("bernoulli", "1 0 0 1 10000"),  # always the same
    ("weighted", "1 0 999 1000 10000"),  # equal weights
    ("text", "1 1 1 1 10000"),
    ("uuid4", "1 0 1.8e19 10000 10000"),  # no variant
    ("uuid7", "1 9.3e18 1.3e19 1 10000"),
    ("read", "1 1 1 1 10000"),  # the same bytes each time
    ("read", "0 1 1 10000 10000"),  # no time
])  # fmt: skip
def test_impossible_answers(tmp_path, kind, answer):
    """Catches a row whose event did not happen: a peer that makes other choices than it is asked for."""
    program = tmp_path / "cprng-lab"
    shutil.copy(line()[0], program)
    peer = tmp_path / "cprng-lab-go"
    peer.write_text(f'#!/bin/sh\necho made\nwhile read -r kind rest; do case $kind in {kind}) echo {answer} ;; *) echo - ;; esac; done\n',
                    encoding="ascii")
    peer.chmod(0o755)
    result = subprocess.run([program, "choices", "--quick"], check=False, capture_output=True, text=True, timeout=TIMEOUT)
    assert result.returncode == 1 and result.stderr.startswith(f"cprng-lab: go-math-rand answers {kind} ")
