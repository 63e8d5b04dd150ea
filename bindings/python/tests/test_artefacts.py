# SPDX-License-Identifier: BSD-2-Clause
"""The wheel and the source distribution, each installed into an empty environment without a network."""

import importlib.metadata
import os
import pathlib
import subprocess
import sys
import tarfile
import venv
import zipfile

import pytest

DIST = os.environ.get("CPRNG_DIST")
pytestmark = pytest.mark.skipif(DIST is None, reason="CPRNG_DIST, the folder of the artefacts, is not set")


def artefact(pattern):
    (path,) = pathlib.Path(DIST).glob(pattern)
    return path


@pytest.fixture
def empty(tmp_path):
    venv.create(tmp_path / "empty")
    return tmp_path / "empty/bin/python"


PROGRAM = """
import cprng
print(len(cprng.random_bytes(32)), cprng.randbelow(6) in range(6), cprng.__version__)
try:
    cprng.Stream
except AttributeError as error:
    print(error)
"""


def installed(python, *what):
    command = [sys.executable, "-m", "pip", "--python", python, "install", "-q", "--disable-pip-version-check", "--no-index", *what]
    subprocess.run(command, check=True)
    return subprocess.run([python, "-c", PROGRAM], capture_output=True, text=True, check=True).stdout.splitlines()


def expected():
    import cprng

    return [f"32 True {cprng.__version__}", "cprng.Stream needs NumPy 1.25 or later: pip install numpy"]


def test_wheel(empty):
    """Catches a wheel that needs more than Python, fails without NumPy, or does not say what its NumPy part needs."""
    assert installed(empty, artefact("*.whl")) == expected()


@pytest.mark.large
def test_source_distribution(empty, tmp_path):
    """Catches a source distribution that lacks a source file, or builds only beside the tree or with a network."""
    # Its build requirements, as pip would get them: from this environment's packages.
    wheels = tmp_path / "wheels"
    name = f"setuptools=={importlib.metadata.version('setuptools')}"
    subprocess.run([sys.executable, "-m", "pip", "download", "-q", "--no-deps", "-d", wheels, name], check=True)
    assert installed(empty, "--find-links", wheels, artefact("*.tar.gz")) == expected()


def test_contents():
    """Catches artefacts with too many files, without types, tests, licence or the library, or for a Python without the stable ABI."""
    with tarfile.open(artefact("*.tar.gz")) as file:
        names = {name.partition("/")[2] for name in file.getnames()}
    for name in ("LICENSE", "README.md", "native/core.c", "c/cprng/cprng.c", "c/cprng/cprng.h",
                 "src/cprng/py.typed", "tests/numbers.json", "tests/test_draws.py", "examples/bootstrap.py"):  # fmt: skip
        assert name in names
    assert not [name for name in names if "__pycache__" in name or name.startswith(("build", "dist"))]
    with zipfile.ZipFile(artefact("*.whl")) as file:
        names = set(file.namelist())
        (metadata,) = (file.read(name).decode() for name in names if name.endswith("/METADATA"))
    # So pip refuses it on Python 3.10.
    assert "\nRequires-Python: >=3.11\n" in metadata
    assert {"cprng/py.typed", "cprng/_core.pyi", "cprng/dask.py"} <= names
    assert all(name.startswith(("cprng/", "cprng-")) for name in names)
