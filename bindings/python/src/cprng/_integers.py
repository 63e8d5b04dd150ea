# SPDX-License-Identifier: BSD-2-Clause
"""For NumPy: arrays of integers."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol, SupportsIndex, TypeVar, cast, overload

import numpy as np

from . import _core
from ._docs import RANGE, sections

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

Shape = SupportsIndex | Sequence[SupportsIndex]
Integer = TypeVar("Integer", bound=np.integer[Any] | np.bool_)
_WORD = 2**64


class Integers(Protocol):
    """The types of integers(): the result depends on size and dtype."""

    @overload
    def __call__(
        self, low: int, high: int | None = None, size: None = None, *, endpoint: bool = False, threads: int = 0
    ) -> np.int64: ...
    @overload
    def __call__(
        self, low: int, high: int | None = None, *, size: Shape, endpoint: bool = False, threads: int = 0
    ) -> NDArray[np.int64]: ...
    @overload
    def __call__(
        self, low: int, high: int | None, size: Shape, *, endpoint: bool = False, threads: int = 0
    ) -> NDArray[np.int64]: ...
    @overload
    def __call__(
        self, low: int, high: int | None = None, size: None = None, *, dtype: type[Integer], endpoint: bool = False,
        threads: int = 0,
    ) -> Integer: ...  # fmt: skip
    @overload
    def __call__(
        self, low: int, high: int | None = None, *, size: Shape, dtype: type[Integer], endpoint: bool = False,
        threads: int = 0,
    ) -> NDArray[Integer]: ...  # fmt: skip
    @overload
    def __call__(
        self, low: int, high: int | None, size: Shape, dtype: type[Integer], endpoint: bool = False, *, threads: int = 0
    ) -> NDArray[Integer]: ...
    @overload
    def __call__(
        self, low: ArrayLike, high: ArrayLike | None = None, size: Shape | None = None, dtype: Any = np.int64,
        endpoint: bool = False, *, threads: int = 0,
    ) -> Any: ...  # fmt: skip


def common_shape(size: Any, *arrays: NDArray[Any]) -> tuple[int, ...]:
    """The shape of the result for parameters in these arrays."""
    shape = np.broadcast_shapes(*(one.shape for one in arrays))
    if size is None:
        return shape
    wanted = tuple(map(operator.index, size)) if np.ndim(size) else (operator.index(size),)
    if np.broadcast_shapes(shape, wanted) != wanted:
        raise ValueError(f"parameters of the shape {shape} do not fit the size {wanted}")
    return wanted


def random_raw(stream: _core.Stream | None, size: Any, output: bool) -> Any:
    out = np.empty((1,) if size is None else size, dtype=np.uint64)
    _core.integers(stream, out, 0, 0, 0)
    if not output:
        return None
    return int(out[0]) if size is None else out


# Types, with their least and greatest integer.
_TYPES = {
    np.dtype(np.bool_): (0, 1),
    **{np.dtype(f"i{size}"): (-(2 ** (8 * size - 1)), 2 ** (8 * size - 1) - 1) for size in (1, 2, 4, 8)},
    **{np.dtype(f"u{size}"): (0, 2 ** (8 * size) - 1) for size in (1, 2, 4, 8)},
}


def _type_of_integers(dtype: Any) -> np.dtype[Any]:
    kind: np.dtype[Any] = np.dtype(dtype)
    if kind not in _TYPES:
        raise TypeError(f"no integers of type {dtype!r}")
    return kind


def range_of_integers(low: Any, high: Any, dtype: Any, endpoint: bool) -> tuple[int, int]:
    """The first and last integer of a range.  TypeError if the bounds are not single integers."""
    kind = _type_of_integers(dtype)
    least, most = _TYPES[kind]
    low, high = (0, low) if high is None else (low, high)
    low, last = operator.index(low), operator.index(high) - (0 if endpoint else 1)
    if low > last:
        raise ValueError("low > high" if endpoint else "low >= high")
    if low < least or last > most:
        raise ValueError(f"bounds are out of those of {kind}")
    return low, last


def _bounds(name: str, bounds: Any) -> NDArray[Any]:
    array = bounds if isinstance(bounds, np.ndarray) else np.asarray(bounds, dtype=object)
    if array.dtype.kind not in "iubO":
        raise TypeError(f"{name} must be integers, not {array.dtype}")
    return array


def _modulo(array: NDArray[Any]) -> NDArray[np.uint64]:
    if array.dtype.kind == "O":
        return np.array([operator.index(value) % _WORD for value in array.flat], dtype=np.uint64).reshape(array.shape)
    return array.astype(np.uint64)


def _integers_of_arrays(
    stream: _core.Stream | None, low: Any, high: Any, size: Any, kind: np.dtype[Any], endpoint: bool
) -> Any:
    """Integers with individual bounds: the same as by single calls, computed modulo 2**64."""
    lows, highs = _bounds("low", low), _bounds("high", high)
    shape, step = common_shape(size, lows, highs), 0 if endpoint else 1
    if 0 in shape:
        return np.empty(shape, dtype=kind)
    # All bounds lie within the type's, so differences are below 2**64.
    ends = [int(operator.index(end)) for end in (lows.min(), lows.max(), highs.min(), highs.max())]
    range_of_integers(min(ends[0], ends[2] - step), max(ends[1], ends[3] - step), kind, True)
    first = np.broadcast_to(_modulo(lows), shape).copy()
    last = np.broadcast_to(_modulo(highs) - np.uint64(step), shape)
    signed = np.int64 if kind.kind == "i" else np.uint64
    if (first.view(signed) > last.astype(signed)).any():
        raise ValueError("low > high" if endpoint else "low >= high")
    values = last - first
    _core.ranges(stream, values, first)
    return values.astype(kind)


def integers_of(
    stream: _core.Stream | None, low: Any, high: Any, size: Any, dtype: Any, endpoint: bool, threads: int
) -> Any:
    kind = _type_of_integers(dtype)
    low, high = (0, low) if high is None else (low, high)
    if not (isinstance(low, int) and isinstance(high, int)) and (np.ndim(low) or np.ndim(high)):
        return _integers_of_arrays(stream, low, high, size, kind, endpoint)
    out = np.empty((1,) if size is None else size, dtype=kind)
    if out.size != 0:
        first, last = range_of_integers(low, high, kind, endpoint)
        _core.integers(stream, out, first, (last - first + 1) % _WORD, threads)
    return out[0] if size is None else out


def _typed(function: object) -> Integers:
    return cast(Integers, function)


@_typed
@sections("numpy.ndarray, or a scalar of the type if size is None", **RANGE)
def integers(
    low: Any, high: Any = None, size: Any = None, dtype: Any = np.int64, endpoint: bool = False, *, threads: int = 0
) -> Any:
    """Return uniform integers in [low, high), as numpy.random.Generator.integers() does.

    >>> set(integers(1, 6, size=1000, endpoint=True)) == {1, 2, 3, 4, 5, 6}
    True
    """
    return integers_of(None, low, high, size, dtype, endpoint, threads)
