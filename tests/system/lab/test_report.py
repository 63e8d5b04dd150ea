# SPDX-License-Identifier: BSD-2-Clause
"""cprng-lab report: it refuses bad input, and then leaves the old page unchanged."""

import copy
import json
import pathlib
import subprocess

import pytest
from commands import refused, run
from made_runs import document

RENDERER = pathlib.Path(__file__).resolve().parents[3] / "lab/report/render.py"


def without(*path):
    broken = copy.deepcopy(document())
    at = broken
    for key in path[:-1]:
        at = at[key]
    del at[path[-1]]
    return json.dumps(broken)


def with_row(row):
    broken = document()
    broken["tables"]["threads"]["rows"][0] = row
    return json.dumps(broken)


@pytest.mark.parametrize("text, culprit", [
    ("", "not JSON"),
    ("\ud800", "not JSON"),
    ("[]", "not made by cprng-lab"),
    ("{}", "not made by cprng-lab"),
    (without("tables"), "tables"),
    (without("machine"), "machine"),
    (without("settings"), "settings"),
    (without("tables", "threads", "columns"), "made by an older cprng-lab"),
    (without("tables", "threads", "printed"), "made by an older cprng-lab"),
    (without("tables", "threads", "printed", 0), "do not fit together"),
    (with_row({}), "do not fit together"),
    (with_row({"row": "one", "threads": 1, "rate": {}}), "a measured cell has no"),
    (with_row(3), "not what cprng-lab --json writes"),
], ids=range(13))  # fmt: skip
def test_bad_file(tmp_path, text, culprit):
    """Catches a damaged file that makes a page or a backtrace, or that loses the old page."""
    good, bad, page = tmp_path / "good.json", tmp_path / "bad.json", tmp_path / "page.html"
    good.write_text(json.dumps(document()))
    bad.write_bytes(text.encode("utf-8", "surrogatepass"))
    page.write_text("before")
    refused(run("report", good, bad, "-o", page), 2, "bad.json", culprit)
    assert page.read_text() == "before" and len([*tmp_path.iterdir()]) == 3


def test_missing_file(tmp_path):
    """Catches a missing file that is ignored."""
    refused(run("report", tmp_path / "none.json", "-o", tmp_path / "page.html"), 2, "none.json", "No such file")


def test_unwritable_page(tmp_path):
    """Catches an unwritable page that is reported as written."""
    good = tmp_path / "good.json"
    good.write_text(json.dumps(document()))
    refused(run("report", good, "-o", tmp_path / "none" / "page.html"), 1, "page.html", "No such file")


@pytest.mark.parametrize("arguments", [[], ["a.json"], ["-o", "x"], ["a.json", "-o", "x", "--frobnicate"]])
def test_bad_command_line(arguments):
    """Catches a wrong command line that is accepted."""
    refused(run("report", *arguments), 2)


def test_missing_packages(tmp_path):
    """Catches a backtrace if the distribution's packages are missing.

    An interpreter without the distribution's packages.
    """
    result = subprocess.run(["/usr/bin/python3", "-B", "-S", RENDERER, "-o", tmp_path / "page.html", "x"], check=False,
                            capture_output=True, text=True)
    refused(result, 1, "install python3-plotly")
