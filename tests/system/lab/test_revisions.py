# SPDX-License-Identifier: BSD-2-Clause
"""lab/compare/revisions: the order of runs, and the merged figures.  The builds are scripts made here."""

import json
import os
import pathlib
import subprocess
import sys

import pytest
from test_compare import document_of

PROGRAM = pathlib.Path(__file__).resolve().parents[3] / "lab" / "compare" / "revisions"

# Replaces a cprng-lab: its nth run has a rate of BASE + n in all repetitions but one.  It leaves comparisons to the real one.
BUILD = """#!{python}
import json, os, pathlib, sys
here = pathlib.Path(__file__)
if sys.argv[1] == "compare":
    os.execv(os.environ["CPRNG_LAB"], ["cprng-lab", *sys.argv[1:]])
log = here.parent / "log"
with log.open("a") as file:
    print(here.name, *sys.argv[1:-1], file=file)
n = sum(line.startswith(here.name + " ") for line in log.read_text().splitlines())
document = json.loads((here.parent / "document").read_text())
values = [{base} + n] * 4 + [1000.0]
document["tables"]["made"]["rows"][0]["rate"].update(median={base} + n, values=values)
pathlib.Path(sys.argv[-1]).write_text(json.dumps(document))
"""


def measured(tmp_path, before, after, *arguments):
    """(result, log of the runs, the two merged documents)"""
    (tmp_path / "document").write_text(json.dumps(document_of([("a", 1, [1.0])])))
    for name, base in (("old", before), ("new", after)):
        build = tmp_path / name
        build.write_text(BUILD.format(python=sys.executable, base=base))
        build.chmod(0o755)
    result = subprocess.run([PROGRAM, "--directory", tmp_path / "runs", *arguments[:2], tmp_path / "old", tmp_path / "new",
                             *arguments[2:]], check=False, capture_output=True, text=True, env=os.environ)  # fmt: skip
    runs = [tmp_path / "runs" / f"{name}.json" for name in ("before", "after")]
    return result, (tmp_path / "log").read_text().splitlines(), [json.loads(run.read_text()) for run in runs]


def test_turns(tmp_path):
    """Catches a build that is always measured first, or all of one before the other; and lost options."""
    result, log, _ = measured(tmp_path, 10, 10, "--rounds", "3", "--", "made", "--quick")
    assert result.returncode == 0, result.stderr
    assert log == [f"{name} made --quick --json" for name in ("old", "new", "new", "old", "old", "new")]


def test_a_value_of_each_run(tmp_path):
    """Catches pooled repetitions, whose number makes two processes look like a change; and a single run's median.
    """
    result, _, runs = measured(tmp_path, 10, 20, "--rounds", "5")
    cells = [run["tables"]["made"]["rows"][0]["rate"] for run in runs]
    assert sorted(cells[0]["values"]) == [11, 12, 13, 14, 15] and cells[0]["median"] == 13
    assert sorted(cells[1]["values"]) == [21, 22, 23, 24, 25] and cells[1]["most"] == 25
    assert "more" in result.stdout and "1.77" in result.stdout


@pytest.mark.parametrize("arguments, culprit", [
    (("nothing-of-that-name", "HEAD"), "nothing-of-that-name: neither a program nor a revision"),
    (("HEAD", "HEAD", "--rounds", "0"), "--rounds 0"),
])
def test_refused(tmp_path, arguments, culprit):
    """Catches a nonexistent revision, or rounds without a run, that are accepted."""
    result = subprocess.run([PROGRAM, "--directory", tmp_path, *arguments], check=False, capture_output=True, text=True)
    assert result.returncode != 0 and culprit in result.stderr.splitlines()[-1]
    assert not result.stdout
