# SPDX-License-Identifier: BSD-2-Clause
"""cprng-lab others: every contender has its rows, with figures or the reason why it has none.

CPRNG_LAB   path of cprng-lab
"""

import json
import os
import shutil
import subprocess

import pytest
from commands import TIMEOUT, interrupted, line, printed_is_kept, refused, run

CPUS = len(os.sched_getaffinity(0))

NAMES = ["cprng", "cprng-strong", "getentropy", "getrandom", "vdso", "arc4random", "rdrand", "rdseed", "libsodium",
         "openssl-rand", "openssl-ctr", "openssl-chacha20", "rust-threadrng", "rust-aws-lc", "go-math-rand",
         "go-crypto-rand", "randp-design", "random-device", "mt19937-64", "xoshiro256pp", "pcg64"]  # fmt: skip
ALWAYS_HERE = ["cprng", "cprng-strong", "getentropy", "getrandom", "random-device", "mt19937-64", "xoshiro256pp"]
TABLES = ["others", "others_fill", "others_threads", "others_start", "others_memory"]
QUICK_SIZES = [4**n for n in range(11)]


@pytest.fixture(scope="module", name="quick")
def quick_run(tmp_path_factory):
    """(standard output, the JSON document)"""
    file = tmp_path_factory.mktemp("lab") / "quick.json"
    result = run("others", "--quick", "--json", file)
    assert (result.returncode, result.stderr) == (0, "")
    return result.stdout, json.loads(file.read_text())


def rows_of(document, table):
    return document["tables"][table]["rows"]


def names_of(document, table):
    return list(dict.fromkeys(row["contender"] for row in rows_of(document, table)))


def absent(document):
    return [row["contender"] for row in rows_of(document, "others") if row["here"] != "here"]


def test_every_contender_is_in_every_table(quick):
    """Catches a contender that a table leaves out, and one that is always there and is reported absent."""
    _, document = quick
    assert [*document["tables"]] == TABLES
    for table in TABLES:
        nothing = ["nothing"] if table in ("others_start", "others_memory") else []
        assert names_of(document, table) == nothing + NAMES
    assert not set(absent(document)) & set(ALWAYS_HERE)


def test_figures_or_a_reason(quick):
    """Catches a contender without a figure and without a reason."""
    _, document = quick
    for table in TABLES:
        for row in rows_of(document, table):
            where = f"{table}: {row}"
            values = [value for value in row.values() if not isinstance(value, str)]
            if row["contender"] in absent(document):
                assert row["here"].startswith("not here: ") and len(row["here"]) > len("not here: "), where
                assert all(value is None for value in values), where
            elif row["contender"] == "nothing":
                assert row["here"] == "draws nothing", where
            elif row["here"] == "here":
                missing = {"thread", "second"} if row["contender"].startswith("go-") else set()
                assert all(value is not None or key in missing for key, value in row.items()), where
            else:
                assert row["here"] in ("takes too long", "not measured: no threads of C"), where


def test_figures_are_positive(quick):
    """Catches a figure that was not measured."""
    _, document = quick
    for table in TABLES:
        for row in rows_of(document, table):
            for key, value in row.items():
                if isinstance(value, dict) and (row["contender"], key) != ("nothing", "drawn"):
                    assert 0 < value["least"] <= value["median"] <= value["most"], f"{table}: {row}"
                    assert value["repetitions"] == 2


def test_sizes(quick):
    """Catches a request size that is left out or measured twice."""
    _, document = quick
    assert document["settings"]["largest_measured"] == QUICK_SIZES[-1]
    for name in NAMES:
        sizes = [row["bytes"] for row in rows_of(document, "others_fill") if row["contender"] == name]
        assert sizes == ([None] if name in absent(document) else QUICK_SIZES)


def test_what_is_too_long_is_told(quick):
    """Catches a long size that is left out though those before it were quick.

    A size that was left out has larger ones left out, and one before it that was long.
    """
    for name in NAMES:
        rows = [row for row in rows_of(quick[1], "others_fill") if row["contender"] == name]
        left_out = [row["here"] == "takes too long" for row in rows]
        assert left_out == sorted(left_out)
        if any(left_out):
            last = rows[left_out.index(True) - 1]
            assert 4 * last["ns"]["most"] > 0.05e9


def test_numbers_of_threads(quick):
    """Catches a number of threads that is left out, and a factor whose base is another row."""
    _, document = quick
    counts = document["settings"]["threads"]
    assert counts[0] == 1 and counts[-1] == 2 * CPUS and counts == sorted(set(counts))
    for name in set(NAMES) - set(absent(document)):
        for what in ("32 bits", "256 B"):
            rows = [row for row in rows_of(document, "others_threads") if (row["contender"], row["what"]) == (name, what)]
            assert [row["threads"] for row in rows] == counts
            assert rows[0]["factor"]["median"] == 1


def test_memory(quick):
    """Catches a measurement of memory that does not see the state of a thread.

    A Mersenne twister has 2.5 KB of state in each thread; the library's is a CPU's.
    """
    _, document = quick
    rows = {row["contender"]: row for row in rows_of(document, "others_memory")}
    assert rows["cprng"]["threads"] == 200
    assert rows["mt19937-64"]["more"] > rows["cprng"]["more"] + 2000


def test_printed_is_kept(quick):
    """Catches a figure that is printed otherwise than it is kept."""
    printed_is_kept(*quick)


def test_some_of_them(tmp_path):
    """Catches an option that is ignored."""
    file = tmp_path / "x.json"
    result = run("others", "--only", "getrandom,cprng", "--seconds", "0.001", "--repetitions", "1", "--largest", "16MiB",
                 "--threads", "20", "--json", file)  # fmt: skip
    assert (result.returncode, result.stderr) == (0, "")
    document = json.loads(file.read_text())
    assert names_of(document, "others") == ["cprng", "getrandom"]
    sizes = [row["bytes"] for row in rows_of(document, "others_fill") if row["contender"] == "cprng"]
    assert sizes == [*QUICK_SIZES, 1 << 22, 1 << 24]
    assert {row["threads"] for row in rows_of(document, "others_memory")} == {20}
    settings = document["settings"]
    assert (settings["largest"], settings["memory_threads"]) == (1 << 24, 20)


def test_without_the_program_of_go(tmp_path):
    """Catches a run that fails, or leaves rows out, where a program is missing.

    What is missing is reported, and the rest measured.
    """
    lonely = tmp_path / "cprng-lab"
    shutil.copy(line()[0], lonely)
    file = tmp_path / "x.json"
    result = subprocess.run([lonely, "others", "--quick", "--only", "go-math-rand,cprng", "--json", file], check=False,
                            capture_output=True, text=True, timeout=TIMEOUT)
    assert (result.returncode, result.stderr) == (0, "")
    document = json.loads(file.read_text())
    assert absent(document) == ["go-math-rand"]
    assert names_of(document, "others_start") == ["nothing", "cprng", "go-math-rand"]


@pytest.mark.parametrize("arguments, culprits", [
    (["--only", "getrandom,rot13"], ["rot13", "cprng cprng-strong"]),
    (["--largest", "0"], ["--largest", "0"]),
    (["--largest", "much"], ["--largest"]),
    (["--threads", "0"], ["--threads", "0"]),
    (["--quick", "--largest", "1MiB"], ["--quick", "--largest"]),
    (["--quick", "--threads", "9"], ["--quick", "--threads"]),
    (["--quick", "--seconds", "1"], ["--quick", "--seconds"]),
    (["more"], ["more"]),
])  # fmt: skip
def test_bad_command_line(arguments, culprits):
    """Catches a wrong command line that is measured all the same."""
    refused(run("others", *arguments), 2, *culprits)


def test_unwritable_file(tmp_path):
    """Catches a file that cannot be written and is noticed only after the measurements."""
    refused(run("others", "--quick", "--json", tmp_path / "none" / "x.json"), 1, "x.json", "No such file")


def test_interrupt(tmp_path):
    """Catches figures that Ctrl-C loses."""
    printed_is_kept(*interrupted(tmp_path / "x.json", "others", "--only", "cprng,getrandom,go-math-rand",
                                 "--repetitions", "1000", "--largest", "1MiB", "--threads", "50"))  # fmt: skip
