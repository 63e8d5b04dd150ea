# SPDX-License-Identifier: BSD-2-Clause
"""lab/checks: each contender has a program of its own, and both report figures.  These tests judge no times; `make
check-lab-rows` does that.

CPRNG_LAB   path of cprng-lab
"""

import json
import pathlib
import subprocess

from commands import TIMEOUT, line
from test_others import NAMES

CHECKS = pathlib.Path(__file__).parent.parent.parent.parent / "lab/checks/run"


def checks(*arguments):
    return subprocess.run([CHECKS, line()[0], *map(str, arguments)], check=False, capture_output=True, text=True, timeout=TIMEOUT)


def test_some_of_them(tmp_path):
    """Catches a check that does not compile, and one whose figures are lost."""
    file = tmp_path / "checks.json"
    names = ["xoshiro256pp-halves", "mt19937-64"]
    result = checks("--quick", "--only", ",".join(names), "--json", file)
    assert (result.returncode, result.stderr) == (0, "")
    document = json.loads(file.read_text())
    assert sorted(document["figures"]) == sorted(names)
    for name, figures in document["figures"].items():
        assert name in result.stdout
        assert [*figures] == ["bits32", "fill256"]
        for sides in figures.values():
            assert len(sides["lab"]) == len(sides["check"]) == 1 and min(sides["lab"] + sides["check"]) > 0


def test_every_contender_has_one():
    """Catches a contender whose figures nothing checks."""
    result = checks("--only", "rot13")
    assert result.returncode == 2
    assert result.stderr.split("there are: ")[1].split() == NAMES
