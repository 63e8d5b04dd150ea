# SPDX-License-Identifier: BSD-2-Clause
"""The list of mistakes that tests must notice can still be made: `make kernel-mutants` makes them."""

import importlib.machinery
import importlib.util
import re

import pytest

from conftest import HERE, ROOT

pytestmark = pytest.mark.debug_kernel(only=False)

LOADER = importlib.machinery.SourceFileLoader("mutants", str(HERE / "mutants"))
MUTANTS = importlib.util.module_from_spec(importlib.util.spec_from_loader("mutants", LOADER))
LOADER.exec_module(MUTANTS)


def test_each_can_be_made():
    """Catches a mutant whose text is no longer in its file, or whose test has gone."""
    tests = "".join(path.read_text(encoding="utf-8") for path in HERE.glob("test_*.py"))
    mutants = MUTANTS.mutants()
    assert len({m["name"] for m in mutants}) == len(mutants)
    for mutant in mutants:
        text = (ROOT / mutant["file"]).read_text(encoding="utf-8")
        assert MUTANTS.changed(mutant, text) != text
        for name in re.findall(r"test_\w+", mutant["test"]):
            assert f"def {name}(" in tests, name
