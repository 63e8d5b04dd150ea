# SPDX-License-Identifier: BSD-2-Clause
"""What the tests of the documentation have in common: the pages, and a library to try samples with."""

import pathlib
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]


def pytest_addoption(parser):
    parser.addoption("--build", type=pathlib.Path, default=ROOT / "build", help="where library and command were built")


@pytest.fixture(scope="session")
def site():
    """The pages, made again."""
    subprocess.run([ROOT / "tools/site"], check=True, stdout=subprocess.DEVNULL)
    return ROOT / "build/site"


@pytest.fixture(scope="session")
def prefix(pytestconfig, tmp_path_factory):
    """Library, headers and command as a user has them."""
    place = tmp_path_factory.mktemp("prefix")
    subprocess.run(["cmake", "--install", pytestconfig.getoption("build"), "--prefix", place], check=True,
                   stdout=subprocess.DEVNULL)
    return place
