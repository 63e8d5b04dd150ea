# SPDX-License-Identifier: BSD-2-Clause
"""lab/instructions/run, with a stand-in for the emulator: it counts the log, and keeps it in cprng-lab's format.
"""

import json
import pathlib

import pytest
from commands import imported
from test_compare import compare

PROGRAM = pathlib.Path(__file__).resolve().parents[3] / "lab/instructions/run"

# Logs 1000 instructions for the start and 7 for each call; "list" is the program's own.
EMULATOR = """#!/bin/sh
if [ "$2" = list ]; then
	printf 'draw nothing\\t4\\tno draw\\ndraw some-plain\\t4\\tone state\\n'
	printf 'keystream chacha20 portable\\t4096\\tportable\\n'
	exit
fi
echo "Linking TBs Trace of something else"
n=$((1000 + 7 * $2))
while [ $n -gt 0 ]; do echo "Trace 0: 0x7f [0000/0000/0000/0000] main"; n=$((n - 1)); done
"""


@pytest.fixture(scope="module", name="program")
def counting_program():
    return imported(PROGRAM)


@pytest.fixture(name="rows")
def rows_of_the_stand_in(program, tmp_path, monkeypatch):
    path = tmp_path / "emulator"
    path.write_text(EMULATOR)
    path.chmod(0o755)
    monkeypatch.setattr(program, "MOST_CALLS", 8)
    monkeypatch.setattr(program, "WHOLE_REFILLS", 5)
    return program.rows_of("s390x", pathlib.Path("/bin/true"), program.Emulator([str(path)]))


def test_calls_are_what_is_counted(rows):
    """Catches a program's start that counts as its work."""
    assert [(row["what"], row["generator"], row["by"], row["order"]) for row in rows] == [
        ("draw", "nothing", "no draw", "big"), ("draw", "some-plain", "one state", "big"),
        ("keystream", "chacha20", "portable", "big")]  # fmt: skip
    for row in rows:
        assert row["counted"] == [7 * row["calls"]] * 2 and row["calls"] == (8 if row["what"] == "keystream" else 10)


def test_as_many_calls_as_are_needed(program):
    """Catches differences of few instructions, and calls that take hours.

    A difference has 200,000 instructions, unless that would be too many calls or less than two.  Refills
    are counted whole.
    """
    assert program.instructions_of(lambda calls: 50 + 1000 * calls, 1) == (200, [200_000] * 2)
    assert program.instructions_of(lambda calls: 50 + calls, 1) == (2480, [2480] * 2)
    assert program.instructions_of(lambda calls: 10**7 * calls, 1) == (2, [2 * 10**7] * 2)
    assert program.instructions_of(lambda calls: 50 + 1000 * calls, 248) == (248, [248_000] * 2)


def test_table(program, rows):
    """Catches swapped bytes and instructions."""
    table = program.table_of(rows)
    nothing, draw, keystream = table["rows"]
    assert (nothing["instructions"], nothing["per_byte"], nothing["bytes_each"]) == (7, None, None)
    assert (draw["per_byte"], draw["bytes_each"]) == (7 / 4, 4 / 7)
    assert keystream["bytes_each"] == 4096 / 7
    assert [*draw] == [column["key"] for column in table["columns"]]
    assert table["printed"][1] == ["s390x", "big", "draw", "some-plain", "one state", "4", "7.00", "1.75", "0.571"]


def test_lab_reads_what_is_kept(program, rows, tmp_path, monkeypatch):
    """Catches a file that the lab cannot read.

    lab/compare takes the file for one of a run.
    """
    monkeypatch.setattr(program, "version_of", lambda command: "1.2")
    monkeypatch.setattr(program, "emulator_of", lambda name: program.Emulator(["none"]))
    file = tmp_path / "x.json"
    file.write_text(json.dumps(program.document_of(rows, {"ppc64": "no powerpc64-linux-gnu-g++"})))
    result = compare(file, file)
    assert (result.returncode, result.stderr) == (0, "")


def test_what_is_missing(program, monkeypatch):
    """Catches a missing compiler or emulator that is not reported."""
    monkeypatch.setattr(program.shutil, "which", lambda name: None)
    for function in (program.emulator_of, lambda name: program.built(name, pathlib.Path("none"), 1)):
        with pytest.raises(program.Missing, match="no "):
            function("ppc64")
