# SPDX-License-Identifier: BSD-2-Clause
"""Arrays of draws.  An array is a writable array of NumPy, or another contiguous writable buffer: array.array, memoryview."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, TypeVar

from . import _core
from ._docs import ELEMENTS, FINITE, sections

if TYPE_CHECKING:
    import numpy as np
    from typing_extensions import Buffer

    # Before Python 3.12, NumPy's types do not declare that arrays are buffers.
    Array = TypeVar("Array", bound=Buffer | np.ndarray[Any, Any])

# threads is the number of threads that fill the array; 0 means a suitable number, one for a short array.


def number(name: str, value: Any, least: float = -math.inf) -> float:
    """A parameter of a distribution: finite, and not below least.  Errors name the parameter."""
    if type(value) is float and -math.inf < value < math.inf and value >= least:
        return value
    try:
        checked = math.ldexp(value, 0)  # rejects text, which float() accepts
    except TypeError as error:
        raise TypeError(f"{name} must be a real number, not {type(value).__name__}") from error
    if not math.isfinite(checked) or checked < least:
        raise ValueError(f"{name} must be finite{'' if least < 0 else ' and not negative'}: {checked}")
    return checked


def fill(stream: _core.Stream | None, kind: int, out: Array, a: float, b: float, threads: int) -> Array:
    """Fill an array, by a copy if it is one of NumPy's that is not contiguous."""
    flags: Any = getattr(out, "flags", None)
    if flags is None or flags.c_contiguous or not flags.writeable:
        _core.fill(stream, kind, out, a, b, threads)
    else:
        array: Any = out
        made = array.copy()
        _core.fill(stream, kind, made, a, b, threads)
        array[...] = made
    return out


@sections("out", **ELEMENTS)
def fill_double(out: Array, *, threads: int = 0) -> Array:
    """Fill an array of doubles with uniform multiples of 2**-53 in [0, 1), and return it.

    >>> from array import array
    >>> all(0 <= x < 1 for x in fill_double(array("d", bytes(8000))))
    True
    """
    return fill(None, _core.DOUBLE, out, 0.0, 0.0, threads)


@sections("out", **ELEMENTS)
def fill_float(out: Array, *, threads: int = 0) -> Array:
    """Fill an array of floats of 32 bits with uniform multiples of 2**-24 in [0, 1), and return it.

    >>> from array import array
    >>> all(0 <= x < 1 for x in fill_float(array("f", bytes(4000))))
    True
    """
    return fill(None, _core.FLOAT, out, 0.0, 0.0, threads)


@sections("out", **ELEMENTS, **FINITE)
def fill_normal(out: Array, mu: float = 0.0, sigma: float = 1.0, *, threads: int = 0) -> Array:
    """Fill an array of doubles with normally distributed numbers, and return it.

    >>> from array import array
    >>> all(90 < x < 110 for x in fill_normal(array("d", bytes(8000)), 100.0, 1.0))
    True
    """
    return fill(None, _core.NORMAL, out, number("mu", mu), number("sigma", sigma, 0.0), threads)


@sections("out", **ELEMENTS, **FINITE)
def fill_exponential(out: Array, mean: float = 1.0, *, threads: int = 0) -> Array:
    """Fill an array of doubles with exponentially distributed numbers, and return it.

    >>> from array import array
    >>> all(x > 0 for x in fill_exponential(array("d", bytes(8000)), 10.0))
    True
    """
    return fill(None, _core.EXPONENTIAL, out, number("mean", mean, 0.0), 0.0, threads)
