# SPDX-License-Identifier: BSD-2-Clause
"""For the extension module: types that a buffer's format does not show."""

from typing import Any


def _of_type(kind: Any) -> str:
    """The format character of a part of this ctypes type for which not every byte is valid, or an empty string."""
    inner = getattr(kind, "_type_", None)
    if isinstance(inner, str):
        return inner if inner in "O?uzZ" else ""
    if hasattr(kind, "_length_"):
        return _of_type(inner)
    fields = [field[1] for base in kind.__mro__ for field in vars(base).get("_fields_", ())]
    return next(filter(None, map(_of_type, fields)), "")


def kept(exporter: Any) -> int:
    """The format character, as a number, of a part of a buffer's exporter that must not be overwritten with bytes, or 0.
    It finds those in a ctypes union, whose own format is that of bytes."""
    while True:
        inner = exporter.obj if isinstance(exporter, memoryview) else getattr(exporter, "base", None)
        if inner is None:
            return ord(_of_type(type(exporter)) or "\0")
        exporter = inner
