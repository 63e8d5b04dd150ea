# SPDX-License-Identifier: BSD-2-Clause
"""The examples, which are notebooks in script form, and programs under MPI."""

import pathlib
import shutil
import subprocess
import sys

import pytest

pytest.importorskip("numpy")

EXAMPLES = pathlib.Path(__file__).resolve().parent.parent / "examples"


def run(*command):
    return subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False)


@pytest.mark.parametrize("name", sorted(path.name for path in EXAMPLES.glob("*.py") if not path.name.startswith("mpi_")))
def test_example(name):
    """Catches an example that fails, or whose result depends on the number of threads: they assert that themselves."""
    done = run(sys.executable, "-W", "error", EXAMPLES / name)
    assert done.returncode == 0 and done.stdout, done.stderr


def test_there_are_examples():
    """Catches examples that were moved, so that none would run."""
    assert {"monte_carlo.py", "bootstrap.py", "mpi_pi.py"} <= {path.name for path in EXAMPLES.glob("*.py")}


def mpiexec():
    pytest.importorskip("mpi4py")
    # The environment's mpiexec, which belongs to the library that its mpi4py uses.
    found = shutil.which("mpiexec", path=str(pathlib.Path(sys.executable).parent)) or shutil.which("mpiexec")
    if found is None:
        pytest.skip("mpiexec is missing")
    return found


def test_mpi():
    """Catches numbers under MPI that depend on the number of ranks."""
    command = mpiexec()
    outputs = []
    for ranks in (1, 2, 3):
        done = run(command, "-n", ranks, sys.executable, EXAMPLES / "mpi_pi.py")
        assert done.returncode == 0, done.stderr
        outputs.append(done.stdout)
    assert len(set(outputs)) == 1 and abs(float(outputs[0].split()[-1]) - 3.1416) < 9 * 0.0017


def test_partitions_of_spark():
    """Catches numbers that depend on the distribution of partitions: docs/python.md's function for
    mapPartitionsWithIndex."""
    import cprng

    def darts(index, rows):
        stream = cprng.Stream("darts").child(index)
        return [(row, stream.read(4)) for row in rows]

    partitions = [list(range(10 * i, 10 * i + 10)) for i in range(5)]
    forward = [darts(i, rows) for i, rows in enumerate(partitions)]
    backward = [darts(i, partitions[i]) for i in reversed(range(5))]
    assert forward == backward[::-1]
