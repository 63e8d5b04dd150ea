# SPDX-License-Identifier: BSD-2-Clause
"""Kernels for the tests; a machine that cannot have them has them skipped, with the reason."""

import functools

import pytest

from cloned import Snapshot
from guests import apt, kernels


def _kernel(name):
    try:
        return kernels.fetch(name)
    except apt.Unavailable as reason:
        pytest.skip(f"no kernel: {reason}")


@pytest.fixture(scope="session", name="release")
def _release():
    """The kernel of the running release."""
    return _kernel("release")


@pytest.fixture(scope="session", params=["release", "backports"], name="kernel")
def _each(request):
    """Each kernel in turn."""
    return _kernel(request.param)


@pytest.fixture(scope="session")
def snapshots(tmp_path_factory):
    """Snapshot(kernel, kind), made once for all tests that want the same."""
    @functools.lru_cache(None)
    def snapshot(kernel, kind, **options):
        return Snapshot(kernel, kind, tmp_path_factory.mktemp("snapshot"), **options)

    return snapshot


_REPORT = []


@pytest.fixture(name="report")
def _report():
    """Lines for the end of the run, whether tests pass or not."""
    return _REPORT.append


def pytest_terminal_summary(terminalreporter):
    if _REPORT:
        terminalreporter.section("measured")
        for line in _REPORT:
            terminalreporter.line(line)
