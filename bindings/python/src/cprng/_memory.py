# SPDX-License-Identifier: BSD-2-Clause
"""For the extension module: what a buffer's format does not say."""

from typing import Any


def _of_type(kind: Any) -> bool:
    """Whether this ctypes type contains objects.  A pointer's target is elsewhere."""
    inner = getattr(kind, "_type_", None)
    if isinstance(inner, str):
        return inner == "O"
    if hasattr(kind, "_length_"):
        return _of_type(inner)
    return any(_of_type(field[1]) for base in kind.__mro__ for field in vars(base).get("_fields_", ()))


def holds_objects(exporter: Any) -> bool:
    """Whether a buffer's exporter contains objects, as in a ctypes union, whose format is that of bytes."""
    while True:
        inner = exporter.obj if isinstance(exporter, memoryview) else getattr(exporter, "base", None)
        if inner is None:
            return _of_type(type(exporter))
        exporter = inner
