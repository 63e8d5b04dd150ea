# SPDX-License-Identifier: BSD-2-Clause
"""What the format of a buffer does not say: for the extension module."""

from typing import Any


def _of_type(kind: Any) -> bool:
    """Are there objects in the memory of this type of ctypes?  What a pointer points to is elsewhere."""
    inner = getattr(kind, "_type_", None)
    if isinstance(inner, str):
        return inner == "O"
    if hasattr(kind, "_length_"):
        return _of_type(inner)
    return any(_of_type(field[1]) for base in kind.__mro__ for field in vars(base).get("_fields_", ()))


def holds_objects(exporter: Any) -> bool:
    """Are there objects in what exports a buffer, as in a union of ctypes, whose format is that of bytes?"""
    while True:
        inner = exporter.obj if isinstance(exporter, memoryview) else getattr(exporter, "base", None)
        if inner is None:
            return _of_type(type(exporter))
        exporter = inner
