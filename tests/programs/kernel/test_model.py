# SPDX-License-Identifier: BSD-2-Clause
"""The pending-key cell and the generation, in every order of their steps: kernel/linux/pending_key.pml, by SPIN.
"""

import re
import subprocess

import pytest

from conftest import ROOT

MODEL = ROOT / "kernel" / "linux" / "pending_key.pml"
MISTAKES = ["IGNORES_READING", "NO_RELEASE", "ONE_SLOT", "STEPS_FIRST", "NO_RECHECK", "NO_REPEAT", "NO_BUSY"]

# The same in every kernel.
pytestmark = pytest.mark.debug_kernel(only=False)


def errors(directory, *definitions):
    """The number of errors found: the search stops at the first."""
    options = [f"-D{name}" for name in definitions]
    subprocess.run(["spin", *options, "-a", MODEL], cwd=directory, check=True, capture_output=True)
    subprocess.run(["cc", "-O2", "-DSAFETY", "-o", "pan", "pan.c"], cwd=directory, check=True, capture_output=True)
    output = subprocess.run(["./pan", "-m100000"], cwd=directory, check=True, capture_output=True, text=True).stdout
    # An incomplete search has found nothing.
    assert "Search not completed" in output or not re.search("max search depth|out of memory", output), output
    return int(re.search(r"errors: (\d+)", output).group(1))


def test_the_model_is_right(tmp_path):
    """Catches an order of steps in which a key is used twice or lost."""
    assert errors(tmp_path) == 0


@pytest.mark.parametrize("mistake", MISTAKES)
def test_the_model_notices_a_mistake(mistake, tmp_path):
    """Catches a model that proves nothing: with the mistake the search must fail."""
    assert mistake in MODEL.read_text(encoding="utf-8")
    assert errors(tmp_path, mistake) == 1
