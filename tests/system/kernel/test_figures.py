# SPDX-License-Identifier: BSD-2-Clause
"""The tables of docs/kernel.md come from kept runs."""

import subprocess
import sys

import pytest

from conftest import HERE, ROOT

pytestmark = pytest.mark.debug_kernel(only=False)


def test_tables_are_those_of_the_kept_runs():
    """Catches a row of docs/kernel.md without a kept run."""
    printed = subprocess.run([sys.executable, "-B", HERE / "measure", "--kept"], check=True, capture_output=True,
                             text=True).stdout
    document = (ROOT / "docs" / "kernel.md").read_text(encoding="utf-8")
    rows = [line for line in printed.splitlines() if line.startswith("| ")]
    assert len(rows) > 30
    missing = [row for row in rows if row not in document]
    assert not missing, "\n".join(missing)
