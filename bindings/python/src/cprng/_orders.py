# SPDX-License-Identifier: BSD-2-Clause
"""Shuffles sequences in place.  Sequences are refused before anything is drawn."""

from __future__ import annotations

import sys
from array import array
from collections import deque
from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from . import _core

if TYPE_CHECKING:
    _Order = array[int]
_VALUES = (int, float, complex, str, bytes, type(None))
_READING = ("__getitem__", "__iter__", "__len__")


def _is_memory(element: Any) -> bool:
    """Is the element writable memory, such as a ctypes structure, even if it has a hash?"""
    try:
        with memoryview(element) as view:
            return not view.readonly
    except (TypeError, ValueError, BufferError):
        return False


def _may_be_view(sequence: Any, index: int, element: Any) -> bool:
    """Might a change of the sequence also change the element, as with rows of arrays and elements of tensors?

    Not for an object that the sequence refers to, nor for a value: an object hashed by its value, not by its identity.
    """
    if isinstance(element, _VALUES):
        return False
    again = sequence[index]
    if again is element:
        return False
    try:
        return hash(again) != hash(element) or _is_memory(element)
    except TypeError:
        return True


def _of_values(sequence: Any) -> Callable[[_Order], None]:
    elements = [sequence[index] for index in range(len(sequence))]
    if any(_may_be_view(sequence, index, element) for index, element in enumerate(elements)):
        kind = type(sequence).__name__
        raise TypeError(f"elements of a {kind} may be views of it: shuffle list(range(len(x))), and take x[that list]")
    # Refuse now if nothing can be written.
    sequence[0] = elements[0]

    def write(order: _Order) -> None:
        for place, element in enumerate([sequence[index] for index in order]):
            sequence[place] = element

    return write


def _overlaps(rows: Any) -> bool:
    """May elements of the array share memory?  Not if each stride exceeds everything that smaller strides reach."""
    reach = rows.itemsize
    for stride, size in sorted((abs(stride), size) for stride, size in zip(rows.strides, rows.shape, strict=True)):
        if size > 1 and stride < reach:
            return True
        reach += (size - 1) * stride
    return False


def _of_numpy(np: Any, rows: Any) -> Callable[[_Order], None]:
    if not rows.flags.writeable:
        raise ValueError("array is read-only")
    if isinstance(rows, np.ma.MaskedArray) and rows.hardmask:
        raise TypeError("the mask of an array with a hard mask cannot be put into another order")
    if not rows.flags.forc and rows.size and _overlaps(rows):
        raise ValueError("elements of the array share memory, as as_strided() makes them: shuffle a copy")

    def write(order: _Order) -> None:
        places = np.asarray(order, dtype=np.intp)
        # take() copies each row at once, where indexing copies element by element.
        rows[...] = rows.take(places, axis=0) if type(rows) is np.ndarray else rows[places]

    return write


def writer(sequence: Any) -> Callable[[_Order], None]:
    """Return a function that puts the sequence into a given order.  TypeError or ValueError if that is impossible."""
    np = sys.modules.get("numpy")
    if np is not None and isinstance(sequence, np.ndarray):
        return _of_numpy(np, sequence)
    for kind in (list, deque, array, bytearray):
        if isinstance(sequence, kind):
            own = [name for name in _READING if getattr(type(sequence), name) is not getattr(kind, name)]
            if own:
                name = type(sequence).__name__
                raise TypeError(f"a {name} has a method {own[0]} of its own: shuffle list(x), and build a {name} of that")
            if type(sequence).__setitem__ is not kind.__setitem__:
                break
            # Assignment by index in the middle of a deque is slow.
            write = partial(deque.__init__, sequence, maxlen=sequence.maxlen) if isinstance(sequence, deque) else None
            return lambda order: _core.arrange(sequence, order, write)
    if isinstance(sequence, Mapping) or not hasattr(type(sequence), "__setitem__"):
        raise TypeError(f"'{type(sequence).__name__}' object is no mutable sequence")
    return _of_values(sequence)


def shuffle(sequence: Any, permute: Callable[[_Order], None] = partial(_core.permutation, None)) -> None:
    """Put a sequence into a uniformly random order, in place.  One with fewer than two elements may have any type."""
    size = len(sequence)
    if size < 2:
        return
    write, order = writer(sequence), array("q", bytes(8 * size))
    permute(order)
    write(order)
