# SPDX-License-Identifier: BSD-2-Clause
"""Random orders of sequences in place.  Refusals come before anything is drawn."""

from __future__ import annotations

import sys
from array import array
from collections import deque
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from . import _core

if TYPE_CHECKING:
    _Order = array[int]
_VALUES = (int, float, complex, str, bytes, type(None))


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
        return hash(again) != hash(element)
    except TypeError:
        return True


def _of_values(sequence: Any) -> Callable[[_Order], None]:
    elements = [sequence[index] for index in range(len(sequence))]
    if any(_may_be_view(sequence, index, element) for index, element in enumerate(elements)):
        kind = type(sequence).__name__
        raise TypeError(f"elements of a {kind} may be views of it: shuffle list(range(len(x))), and take x[that list]")
    if elements:
        # Refuse now if nothing can be written.
        sequence[0] = elements[0]

    def write(order: _Order) -> None:
        for place, index in enumerate(order):
            sequence[place] = elements[index]

    return write


def _of_numpy(np: Any, rows: Any) -> Callable[[_Order], None]:
    if not rows.flags.writeable:
        raise ValueError("array is read-only")
    if isinstance(rows, np.ma.MaskedArray) and rows.hardmask:
        raise TypeError("the mask of an array with a hard mask cannot be put into another order")

    def write(order: _Order) -> None:
        rows[...] = rows[np.asarray(order)]

    return write


def writer(sequence: Any) -> Callable[[_Order], None]:
    """A function that puts the sequence into an order.  TypeError or ValueError if that is impossible."""
    np = sys.modules.get("numpy")
    if np is not None and isinstance(sequence, np.ndarray):
        return _of_numpy(np, sequence)
    if isinstance(sequence, list):
        return lambda order: sequence.__setitem__(slice(None), [sequence[index] for index in order])
    if isinstance(sequence, deque):
        elements = list(sequence)
        # In one call, like the others: a signal handler finds all elements, before or after it.
        return lambda order: deque.__init__(sequence, [elements[index] for index in order], sequence.maxlen)
    if isinstance(sequence, array):
        code = sequence.typecode
        return lambda order: sequence.__setitem__(slice(None), array(code, [sequence[index] for index in order]))
    if isinstance(sequence, bytearray):
        return lambda order: sequence.__setitem__(slice(None), bytes([sequence[index] for index in order]))
    if isinstance(sequence, Mapping) or not hasattr(type(sequence), "__setitem__"):
        raise TypeError(f"'{type(sequence).__name__}' object is no mutable sequence")
    return _of_values(sequence)


def indices(sequence: Any) -> _Order:
    """Room for an order of a sequence."""
    return array("q", bytes(8 * len(sequence)))


def shuffle(sequence: Any) -> None:
    """Put a sequence into a uniformly random order, in place, by the system's draws."""
    write, order = writer(sequence), indices(sequence)
    _core.permutation(None, order)
    write(order)
