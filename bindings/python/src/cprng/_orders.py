# SPDX-License-Identifier: BSD-2-Clause
"""Shuffles in place: a sequence by exchanges, as random.shuffle() does, and the rows of NumPy's arrays."""

import sys
from collections.abc import MutableSequence
from typing import Any

from . import _core


def _is_apart(array: Any) -> bool:
    """Whether it is certain that no two elements overlap: in each dimension, a step is as long as what the shorter steps cover."""
    reach = array.itemsize
    for step, size in sorted((abs(step), size) for step, size in zip(array.strides, array.shape, strict=True) if size > 1):
        if step < reach:
            return False
        reach += step * (size - 1)
    return True


def shuffle(sequence: Any, stream: _core.Stream | None = None) -> None:
    """Put a sequence into a uniformly random order, in place.  One with fewer than two elements may have any type."""
    size = len(sequence)
    if size < 2:
        return
    np = sys.modules.get("numpy")
    if np is not None and isinstance(sequence, np.ndarray):
        if not sequence.flags.writeable:
            raise ValueError("array is read-only")
        # NumPy assigns no structures under a hard mask.
        fixed = getattr(sequence, "hardmask", False) and (sequence.dtype.names or np.ma.is_masked(sequence))
        if fixed or not (_is_apart(sequence) or sequence.size == 0):
            raise ValueError("rows that may overlap in memory, or are masked by a hard mask, cannot be exchanged")
        order = np.arange(size, dtype=np.int64)
        _core.permute(stream, order)
        # take() copies each row at once, where indexing copies element by element.
        sequence[...] = sequence.take(order, axis=0) if type(sequence) is np.ndarray else sequence[order]
    elif isinstance(sequence, MutableSequence):
        _core.exchange(stream, sequence)
    else:
        raise TypeError(f"'{type(sequence).__name__}' object is neither a mutable sequence nor an array of NumPy")
