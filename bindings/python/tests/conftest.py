# SPDX-License-Identifier: BSD-2-Clause
"""Tests of the installed package: `make check-bindings-python` installs it, and CPRNG_BINDINGS=all runs all tests."""

import os
import pathlib

import pytest

import cprng

HERE = pathlib.Path(__file__).resolve().parent


def pytest_configure(config):
    config.addinivalue_line("markers", "large: only with CPRNG_BINDINGS=all")


def pytest_collection_modifyitems(items):
    # Import the installed package, not its source folder, which has no extension module.
    assert HERE.parent / "src" not in pathlib.Path(cprng.__file__).parents
    if os.environ.get("CPRNG_BINDINGS") != "all":
        for item in items:
            if item.get_closest_marker("large"):
                item.add_marker(pytest.mark.skip(reason="only with CPRNG_BINDINGS=all"))
