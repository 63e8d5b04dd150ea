# SPDX-License-Identifier: BSD-2-Clause
"""Dask arrays whose numbers do not depend on the workers.

Every block has its own stream, from the seed, the array's number and the block's number.  So the numbers are the same
for any number of workers, in any order, and again after a worker was lost.

>>> from cprng.dask import Generator
>>> x = Generator(42).random((4, 6), chunks=(2, 3))
>>> x.numblocks
(2, 2)
"""

from __future__ import annotations

import operator
from collections.abc import Mapping
from typing import Any, cast

import dask.array as da
import numpy as np

from ._docs import FINITE, RANGE, sections
from ._integers import range_of_integers
from ._numpy import Seed, Stream
from ._seeds import DEFAULT_ENGINE

_TYPES = {"double": np.float64, "float": np.float32, "normal": np.float64, "exponential": np.float64}


def _block(checkpoint: bytes, how: str, options: Mapping[str, Any], block_info: Any = None) -> Any:
    """One block, by its place in the array."""
    place = block_info[None]
    index = int(np.ravel_multi_index(place["chunk-location"], place["num-chunks"])) if place["num-chunks"] else 0
    return _numbers(Stream.from_checkpoint(checkpoint).child(index), how, place["chunk-shape"], options)


def _numbers(stream: Stream, how: str, shape: tuple[int, ...], options: Mapping[str, Any]) -> Any:
    # A worker has a fixed number of threads.
    if how == "integers":
        return stream.integers(size=shape, threads=1, **options)
    out = np.empty(shape, dtype=_TYPES[how])
    return getattr(stream, f"fill_{how}")(out, threads=1, **options)


@sections(seed="as of cprng.Stream", ValueError="If it is no seed, or there is no such engine.")
class Generator:
    """Dask arrays from a seed, of the kinds that cprng.Stream accepts.

    A generator's arrays are numbered in order of creation: create them in the same order for the same numbers.

    Another division into blocks is another array.  chunks="auto" leaves the division to Dask's configuration
    (array.chunk-size) and version: state chunks if the numbers must be the same elsewhere or later.

    >>> a, b = Generator("experiment 7"), Generator("experiment 7")
    >>> bool((a.normal(10, chunks=5) == b.normal(10, chunks=5)).all().compute(scheduler="sync"))
    True
    """

    def __init__(self, seed: Seed | None = None, *, engine: str = DEFAULT_ENGINE) -> None:
        self._stream = Stream(seed, engine=engine)

    def _array(self, how: str, size: Any, chunks: Any, dtype: Any, options: Mapping[str, Any]) -> da.Array:
        # Raise errors in this call, not in a worker's compute(), and without using up an array's number.
        if how == "integers":
            range_of_integers(**options)
        else:
            _numbers(self._stream, how, (0,), options)
        shape = tuple(operator.index(one) for one in ((size,) if isinstance(size, (int, np.integer)) else size))
        if any(one < 0 for one in shape):
            raise ValueError("negative dimensions are not allowed")
        untyped = cast(Any, da)
        chunks = untyped.core.normalize_chunks(chunks, shape, dtype=np.dtype(dtype))
        empty = np.empty((0,) * len(shape), dtype=dtype)
        (stream,) = self._stream.spawn(1)
        return cast(
            da.Array, untyped.map_blocks(_block, stream.checkpoint(), how, options, chunks=chunks, dtype=dtype, meta=empty)
        )

    @sections("dask.array.Array")
    def random(self, size: Any, *, chunks: Any = "auto", dtype: Any = np.float64) -> da.Array:
        """Return an array of uniform numbers in [0, 1), of 64 or 32 bits."""
        if np.dtype(dtype) == np.float32:
            return self._array("float", size, chunks, np.float32, {})
        if np.dtype(dtype) != np.float64:
            raise TypeError(f"no uniform numbers of type {dtype!r}")
        return self._array("double", size, chunks, np.float64, {})

    @sections("dask.array.Array", **FINITE)
    def normal(self, size: Any, mu: float = 0.0, sigma: float = 1.0, *, chunks: Any = "auto") -> da.Array:
        """Return an array of normally distributed numbers."""
        return self._array("normal", size, chunks, np.float64, {"mu": mu, "sigma": sigma})

    @sections("dask.array.Array", **FINITE)
    def exponential(self, size: Any, mean: float = 1.0, *, chunks: Any = "auto") -> da.Array:
        """Return an array of exponentially distributed numbers."""
        return self._array("exponential", size, chunks, np.float64, {"mean": mean})

    @sections("dask.array.Array", **RANGE)
    def integers(
        self, low: int, high: int | None = None, size: Any = 1, *, chunks: Any = "auto", dtype: Any = np.int64,
        endpoint: bool = False,
    ) -> da.Array:  # fmt: skip
        """Return an array of uniform integers, as cprng.integers() returns."""
        options = {"low": low, "high": high, "dtype": dtype, "endpoint": endpoint}
        return self._array("integers", size, chunks, dtype, options)
