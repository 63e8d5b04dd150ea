# SPDX-License-Identifier: BSD-2-Clause
"""numpydoc's sections of the documentation, from one description of each argument."""

from collections.abc import Callable
from typing import Any, TypeVar

F = TypeVar("F", bound=Callable[..., Any])

PARAMETERS = {
    "alphabet": "str\n    1 to 256 characters.",
    "checkpoint": "bytes-like of 128 bytes",
    "chunks": "int, tuple or 'auto'\n    Sizes of the blocks, as dask.array takes them.",
    "delta": "int\n    Below 0: back.",
    "dtype": "dtype\n    Of numbers in [0, 1) float64 or float32, of integers any of their types or bool.",
    "endpoint": "bool\n    Whether the range is [low, high].",
    "engine": "str\n    Such as chacha8, chacha20 or aes256-ctr.",
    "high": "int or array_like of int\n    Without it, the range is [0, low).",
    "index": "int in [0, 2**64)",
    "jumps": "int",
    "k": "int",
    "key": "bytes\n    As many as the engine takes.",
    "lambd": "float\n    1 / mean.",
    "length": "int",
    "loc": "float or array_like of float\n    Mean.  With arrays each number has its own parameters.",
    "low": "int or array_like of int",
    "mean": "float",
    "mu": "float\n    Mean.",
    "n": "int",
    "n_children": "int",
    "nbytes": "int, default: 32",
    "nonce": "bytes\n    Of the engine's sizes, or none.",
    "out": "numpy.ndarray, array or memoryview\n    Filled and returned; an array of NumPy may be strided.",
    "output": "bool\n    False: return None.",
    "p": "float, int or fractions.Fraction\n    0 or less is never, 1 or more always.",
    "scale": "float or array_like of float\n    Standard deviation; of exponentials, the mean.",
    "seed": "int, str, bytes, array_like of int, SeedSequence, BitGenerator or Generator\n    Of bytes 16 or more; text has no NUL.",
    "sequence": "collections.abc.MutableSequence or numpy.ndarray",
    "sigma": "float\n    Standard deviation.",
    "size": "int or tuple of int",
    "threads": "int\n    0: as many as are useful, without effect on the numbers.",
    "unix_ms": "int\n    Milliseconds since 1970, below 2**48.",
    "weights": "Weights",
}


# Exceptions of several functions.
ELEMENTS = {"TypeError": "If the elements have another type."}
END = {"OverflowError": "If the stream ends first; the offset is then unchanged."}
RANGE = {"ValueError": "If the range is empty, or exceeds that of the type."}
FINITE = {"ValueError": "If a parameter is not finite, or a deviation or the mean of exponentials negative."}


def sections(returns: str = "", **described: str) -> Callable[[F], F]:
    """Put the sections of a function's (or class's) arguments, result and exceptions before its examples.  described has exceptions by name, and
    arguments that mean something else than in the list."""

    def document(function: F) -> F:
        called: Any = vars(function)["__init__"] if isinstance(function, type) else function
        code, doc = called.__code__, function.__doc__ or ""
        width = len(doc) - len(doc.rstrip(" "))
        text, _, examples = doc.replace("\n" + " " * width, "\n").rstrip().partition("\n\n>>> ")
        arguments = [name for name in code.co_varnames[: code.co_argcount + code.co_kwonlyargcount] if name not in ("self", "cls")]
        found = {
            "Parameters": [f"{name} : {described.get(name) or PARAMETERS[name]}" for name in arguments],
            "Returns": [returns] if returns else [],
            "Raises": [f"{name}\n    {why}" for name, why in described.items() if name not in arguments],
            "Examples": [f">>> {examples}"] if examples else [],
        }
        function.__doc__ = text + "".join(f"\n\n{name}\n{'-' * len(name)}\n" + "\n".join(rows) for name, rows in found.items() if rows) + "\n"
        return function

    return document
