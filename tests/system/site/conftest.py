# SPDX-License-Identifier: BSD-2-Clause
"""Shared code of the documentation tests: the pages, and a library for samples."""

import pathlib
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]


def pytest_addoption(parser):
    parser.addoption("--build", type=pathlib.Path, default=ROOT / "build", help="where library and command were built")


@pytest.fixture(scope="session")
def site():
    """Builds the pages."""
    subprocess.run([ROOT / "tools/site"], check=True, stdout=subprocess.DEVNULL)
    return ROOT / "build/site"


@pytest.fixture(scope="session")
def prefix(pytestconfig, tmp_path_factory):
    """Installs library, headers and command as for a user."""
    place = tmp_path_factory.mktemp("prefix")
    subprocess.run(["cmake", "--install", pytestconfig.getoption("build"), "--prefix", place], check=True,
                   stdout=subprocess.DEVNULL)
    return place
