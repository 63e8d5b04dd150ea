# SPDX-License-Identifier: BSD-2-Clause
"""Kernels for the tests.  If a kernel is unavailable, the tests are skipped with the reason."""

import functools
import os
import pathlib
import subprocess
import sys

import pytest

from cloned import Snapshot
from guests import apt, kernels, machine

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "lab/common"))
import measuring  # noqa: E402  pylint: disable=wrong-import-position


def _kernel(name):
    try:
        return kernels.fetch(name)
    except apt.Unavailable as reason:
        pytest.skip(f"no kernel: {reason}")


@pytest.fixture(scope="session", name="release")
def _release():
    """The kernel of the running release."""
    return _kernel("release")


@pytest.fixture(scope="session", name="backports")
def _backports():
    """The newer kernel available for the running release."""
    return _kernel("backports")


@pytest.fixture(scope="session", name="arm64")
def _arm64():
    """The running release's kernel for AArch64."""
    return _kernel("arm64")


@pytest.fixture(scope="session", params=["release", "backports"], name="kernel")
def _each(request):
    """Each kernel in turn."""
    return _kernel(request.param)


@pytest.fixture(scope="session")
def snapshots(tmp_path_factory):
    """Snapshot(kernel, kind), made once for all tests that use it."""
    @functools.lru_cache(None)
    def snapshot(kernel, kind, **options):
        return Snapshot(kernel, kind, tmp_path_factory.mktemp("snapshot"), **options)

    return snapshot


_REPORT = []
_CLONES = []


@pytest.fixture(name="report")
def _report():
    """report(line, **figures): prints a line at the end of the run, whether tests pass or not, and keeps the figures."""
    def report(line, **figures):
        _REPORT.append(line)
        if figures:
            _CLONES.append(figures)

    return report


def pytest_addoption(parser):
    parser.addoption("--keep", metavar="FILE", type=pathlib.Path,
                     help="keep the figures on bytes in common (docs/snapshots.md has tests/vm/results/vm-DATE.json)")


def pytest_sessionfinish(session):
    file = session.config.getoption("--keep")
    if file is None or not _CLONES:
        return

    def said(*command):
        return subprocess.run(command, check=False, capture_output=True, text=True).stdout.split("\n")[0]

    described = measuring.machine(compiler=f"gcc {said('gcc', '-dumpfullversion')}", load=os.getloadavg()[0],
                                  qemu=said("qemu-system-x86_64", "--version").partition("version ")[2].split(" ")[0],
                                  criu=said("criu", "--version").partition("Version: ")[2], commit=measuring.commit())
    measuring.keep({"program": "tests/vm/run", "machine": described, "tables": {"clones": {"rows": _CLONES}}}, file)


def pytest_terminal_summary(terminalreporter):
    machine.summarize(terminalreporter)
    if _REPORT:
        terminalreporter.section("measured")
        for line in _REPORT:
            terminalreporter.line(line)
