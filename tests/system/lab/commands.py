# SPDX-License-Identifier: BSD-2-Clause
"""Runs cprng-lab, and reads what it prints.

CPRNG_LAB   path of cprng-lab
"""

import functools
import importlib.machinery
import importlib.util
import itertools
import json
import os
import pathlib
import pty
import re
import signal
import subprocess
import sys
import tempfile
import time

import pytest

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../../../tools/documents"))
import blocks  # pylint: disable=wrong-import-position  # noqa: E402

TIMEOUT = 900

# A short run of each command; that of fortuna is long enough for some reseeds.
RUNS = {
    **{command: [command, "--quick"] for command in ["choices", "cprng-fast", "latency", "impact", "statclock", "draw", "jitter", "levels",
                                                     "others", "sizes", "streams"]},
    "sweep": ["sweep", "all", "--quick"],
    "fortuna": ["fortuna", "--seconds", "0.01", "--repetitions", "2", "--readers", "1,2,4", "--size", "4KiB,1MiB"],
}  # fmt: skip


def line(*arguments):
    program = os.environ.get("CPRNG_LAB")
    if not program:
        pytest.exit("CPRNG_LAB must be the path of cprng-lab", returncode=2)
    return [program, *map(str, arguments)]


def run(*arguments):
    return subprocess.run(line(*arguments), check=False, capture_output=True, text=True, timeout=TIMEOUT,
                          stdin=subprocess.DEVNULL)


def kept_run(directory, *arguments, program=None):
    """(standard output, document) of a run without a complaint, of this program or of cprng-lab."""
    file = directory / "run.json"
    result = subprocess.run([program or line()[0], *map(str, arguments), "--json", file], check=False, capture_output=True, text=True,
                            timeout=TIMEOUT, stdin=subprocess.DEVNULL)
    assert (result.returncode, result.stderr) == (0, "")
    return result.stdout, json.loads(file.read_text())


def counted_by_the_system():
    """Reads of the children that have ended, if the kernel counts them."""
    try:
        with open("/proc/self/io", encoding="ascii") as file:
            return {"reads": int(dict(line.split(": ") for line in file)["syscr"])}
    except OSError:
        return {}


@functools.cache
def short_run(command):
    """(standard output, document, what the system counted meanwhile) of one of RUNS, which is made once for all tests."""
    before = counted_by_the_system()
    with tempfile.TemporaryDirectory() as directory:
        out, document = kept_run(pathlib.Path(directory), *RUNS[command])
    return out, document, {name: count - before[name] for name, count in counted_by_the_system().items()}


def run_of(command):
    """(standard output, document)"""
    return short_run(command)[:2]


def document_of(command):
    return short_run(command)[1]


def rows_of(document, table):
    return document["tables"][table]["rows"]


def interrupted(file, *arguments, seconds=1):
    """(standard output, document) of a run that Ctrl-C ended after this time: measured results are printed and kept.
    """
    with subprocess.Popen(line(*arguments, "--json", file), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True) as process:
        while not file.exists():
            time.sleep(0.01)
        time.sleep(seconds)
        process.send_signal(signal.SIGINT)
        out, error = process.communicate(timeout=TIMEOUT)
    assert (process.returncode, error) == (130, "")
    document = json.loads(file.read_text())
    assert document["interrupted"] is True and "interrupted" in out
    return out, document


def terminal():
    """A pseudo-terminal's two ends, if available: some containers have none."""
    try:
        return pty.openpty()
    except OSError as error:
        pytest.skip(f"no pseudo-terminals: {error.strerror}")


@functools.cache
def imported(path):
    """A script as a module: what it imports takes longer than its work."""
    loader = importlib.machinery.SourceFileLoader("lab_" + path.name, str(path))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    sys.modules[loader.name] = module
    loader.exec_module(module)
    return module


def refused(result, status, *culprits):
    """Checks that it printed only one line, which names the culprits."""
    assert (result.returncode, result.stdout) == (status, "")
    assert result.stderr.startswith("cprng-lab: ")
    assert result.stderr.count("\n") == 1 and result.stderr.endswith("\n")
    for culprit in culprits:
        assert culprit in result.stderr


def printed_rows(text, title):
    lines = text[text.index(title + "\n"):].splitlines()
    begin = next(number for number, row in enumerate(lines) if row and set(row) == {"-"})
    return [re.split(" {2,}", row.strip()) for row in itertools.takewhile(bool, lines[begin + 1:])]


def shows(text, value):
    """Whether the cell equals the value rounded to three digits."""
    if value is None:
        return text == "-"
    if isinstance(value, str):
        return text == value
    if isinstance(value, dict):
        median, spread = text.split(" ±")
        return shows(median, value["median"]) and \
            float(spread.rstrip("%")) == pytest.approx(100 * value["deviation"] / (value["median"] or 1), abs=0.51)
    if isinstance(value, int):
        return text == str(value)
    return float(text) == pytest.approx(value, rel=0.006, abs=0.0006)


def printed_is_kept(text, document):
    """Every kept table and text was printed, digit by digit, and as documents show it, which refuses wrong headings."""
    for name, table in document["tables"].items():
        if not table["rows"]:
            continue  # interrupted before the first of them
        assert "\n".join(blocks.printed(table).splitlines()[1:-1]) in text
        if any("" in row for row in table["printed"]):
            continue  # a cell without text divides no line
        printed = printed_rows(text, table["title"])
        assert len(printed) == len(table["rows"])
        for cells, row in zip(printed, table["rows"]):
            assert len(cells) == len(row)
            for cell, (key, value) in zip(cells, row.items()):
                assert shows(cell, value), f"{key}: printed {cell}, kept {value}"
    for part in document.get("texts", {}).values():
        assert part in text
