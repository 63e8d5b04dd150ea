# SPDX-License-Identifier: BSD-2-Clause
"""habits.txt: the answers to command lines typed by habit."""

import pathlib
import re
import shlex

import pytest

from command import refused, run

TABLE = pathlib.Path(__file__).with_name("habits.txt").read_text().splitlines()
ROWS = [[part.strip() for part in f" {row}".split(" | ", 2)] for row in TABLE if row and not row.startswith("#")]


@pytest.mark.parametrize("typed, status, answer", ROWS, ids=[row[0] or "nothing" for row in ROWS])
def test_habit(typed, status, answer, tmp_path):
    """Catches help or other output where something else was requested, and an error that does not suggest the right
    command.

    KEY=$(cprng rand -hex 16) must not become prose.
    """
    result = run(*shlex.split(typed), input=b"a\nb\nc\n", stdin=None, cwd=tmp_path)
    if status != "0":
        refused(result, int(status), answer)
    else:
        assert (result.returncode, result.stderr) == (0, b"")
        assert re.fullmatch(answer, result.stdout.decode("latin-1"))
    assert not list(tmp_path.iterdir())
