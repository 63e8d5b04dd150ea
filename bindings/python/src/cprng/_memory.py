# SPDX-License-Identifier: BSD-2-Clause
"""For the extension module: what a buffer's format does not say."""

from typing import Any


def _of_type(kind: Any) -> str:
    """What this ctypes type contains for which not every byte is valid.  A pointer's target is elsewhere."""
    inner = getattr(kind, "_type_", None)
    if isinstance(inner, str):
        return inner if inner in "O?uzZ" else ""
    if hasattr(kind, "_length_"):
        return _of_type(inner)
    fields = [field[1] for base in kind.__mro__ for field in vars(base).get("_fields_", ())]
    return next(filter(None, map(_of_type, fields)), "")


def kept(exporter: Any) -> int:
    """What a buffer's exporter contains that must not be overwritten with bytes, as in a ctypes union, whose format is that of
    bytes: a character of Python's formats, or 0."""
    while True:
        inner = exporter.obj if isinstance(exporter, memoryview) else getattr(exporter, "base", None)
        if inner is None:
            return ord(_of_type(type(exporter)) or "\0")
        exporter = inner
