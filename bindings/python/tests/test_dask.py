# SPDX-License-Identifier: BSD-2-Clause
"""Dask arrays: the same numbers for any number of workers, in processes, and after a worker was killed."""

import os
import signal
import time

import pytest

np = pytest.importorskip("numpy")
da = pytest.importorskip("dask.array")
distributed = pytest.importorskip("distributed")

import cprng  # noqa: E402
from cprng.dask import Generator  # noqa: E402


def arrays(seed):
    """One array of each kind."""
    rng = Generator(seed)
    return [
        rng.random((60, 50), chunks=(7, 20)), rng.normal((60, 50), 5.0, 2.0, chunks=(20, 7)), rng.exponential(500, 3.0, chunks=99),
        rng.integers(-5, 5, (9, 8, 7), chunks=(4, 4, 4), dtype=np.int8), rng.random(77, chunks=10, dtype=np.float32),
    ]  # fmt: skip


def computed(seed, **options):
    return [array.compute(**options) for array in arrays(seed)]


def same(found, expected):
    return all(one.dtype == two.dtype and np.array_equal(one, two) for one, two in zip(found, expected, strict=True))


@pytest.fixture(scope="module")
def expected():
    return computed(42, scheduler="sync")


def test_blocks_are_streams(expected):
    """Catches a block whose numbers differ from those of the child (seed, array, block), which other programs can also make."""
    block = cprng.Stream(42).child(0).child(3 * 1 + 2).fill_double(np.empty((7, 10)))
    assert np.array_equal(expected[0][7:14, 40:50], block)
    block = cprng.Stream(42).child(2).child(5).fill_exponential(np.empty(5), 3.0)
    assert np.array_equal(expected[2][495:], block)
    last = cprng.Stream(42).child(3).child(2 * 2 * 3 - 1).integers(-5, 5, (1, 4, 3), dtype=np.int8)
    assert np.array_equal(expected[3][8:, 4:, 4:], last)


def test_numbers(expected):
    """Catches blocks that repeat each other, and lost parameters."""
    uniform, normal, exponential, integers, floats = expected
    assert len(np.unique(uniform)) == uniform.size and len(np.unique(normal)) == normal.size
    assert abs(normal.mean() - 5) < 9 * 2 / normal.size**0.5 and abs(exponential.mean() - 3) < 9 * 3 / 500**0.5
    assert set(integers.ravel()) == set(range(-5, 5)) and floats.dtype == np.float32
    assert not same(computed(43, scheduler="sync"), expected)
    assert not np.array_equal(Generator().random(5).compute(), Generator().random(5).compute())


@pytest.mark.parametrize("scheduler, workers", [("threads", 1), ("threads", 2), ("threads", 7), pytest.param("processes", 2, marks=pytest.mark.large)])
def test_schedulers(expected, scheduler, workers):
    """Catches numbers that depend on the scheduler, or on the number of its threads or processes."""
    assert same(computed(42, scheduler=scheduler, num_workers=workers), expected)


def test_expressions(expected):
    """Catches an array that is recomputed, with other numbers, for each use in an expression."""
    x = Generator(42).random((60, 50), chunks=(7, 20))
    assert (x - x).any().compute() == np.False_
    assert x[3:9].mean().compute() == pytest.approx(expected[0][3:9].mean(), rel=1e-12)
    with pytest.raises(TypeError):
        Generator(1).random(5, dtype=np.int64)


@pytest.mark.parametrize("attempt, error", [
    (lambda rng: rng.normal(10, 0.0, -1.0), ValueError), (lambda rng: rng.normal(10, "a"), TypeError),
    (lambda rng: rng.exponential(10, -1.0), ValueError), (lambda rng: rng.integers(5, 5, 10), ValueError),
    (lambda rng: rng.integers(0, 300, 10, dtype=np.int8), ValueError), (lambda rng: rng.integers(0, 5, 10, dtype=float), TypeError),
    (lambda rng: rng.integers(1.5, 3, 10), TypeError), (lambda rng: rng.random(-1), ValueError), (lambda rng: rng.random((2, -3)), ValueError),
    (lambda rng: rng.random(2.5), TypeError), (lambda rng: rng.random((2, 2), chunks=(1, 1, 1)), ValueError),
])  # fmt: skip
def test_arguments_are_checked_at_the_call(attempt, error):
    """Catches an invalid argument that only a worker reports, and a refused array that renumbers later ones."""
    rng = Generator(42)
    with pytest.raises(error):
        attempt(rng)
    assert np.array_equal(rng.random(5, chunks=5).compute(scheduler="sync"), cprng.Stream(42).child(0).child(0).random(5))


def cluster(workers):
    return distributed.LocalCluster(n_workers=workers, threads_per_worker=1, processes=True, dashboard_address=None)


@pytest.mark.parametrize("workers", [1, pytest.param(3, marks=pytest.mark.large)])
def test_cluster(expected, workers):
    """Catches numbers that depend on the number of worker processes."""
    with cluster(workers) as local, distributed.Client(local) as client:
        assert len(client.scheduler_info()["workers"]) == workers
        assert same([client.compute(array).result(timeout=120) for array in arrays(42)], expected)


def slowly(block, flag):
    """A block, returned after its worker has begun."""
    with open(flag, "a", encoding="ascii") as file:
        file.write(f"{os.getpid()}\n")
    time.sleep(0.1)
    return block


def test_a_worker_is_killed(expected, tmp_path):
    """Catches blocks whose numbers change when another worker recomputes them."""
    flag = tmp_path / "began"
    with cluster(2) as local, distributed.Client(local) as client:
        x = Generator(42).random((60, 50), chunks=(7, 20)).map_blocks(slowly, str(flag), meta=np.empty((0, 0)))
        future = client.compute(x)
        while not (flag.exists() and len(flag.read_text().splitlines()) >= 6):
            time.sleep(0.01)
        victim = int(flag.read_text().splitlines()[0])
        assert victim in client.run(os.getpid).values()
        os.kill(victim, signal.SIGKILL)
        assert np.array_equal(future.result(timeout=120), expected[0])
    began = flag.read_text().splitlines()
    # The killed worker was busy: a block was recomputed, or computed by another process.
    assert len(set(began)) >= 2 and len(began) > 27
