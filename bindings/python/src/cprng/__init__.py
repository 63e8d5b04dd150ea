# SPDX-License-Identifier: BSD-2-Clause
"""Cryptographic random numbers at the speed of the hardware.

Draws have the names and arguments of the modules `secrets` and `random`, and come from the C library's generator: served
bytes are erased in its buffers, and no two processes, threads or interpreters get the same bytes.

>>> import cprng
>>> key = cprng.random_bytes(32)
>>> winner = cprng.choice(["Ada", "Emmy", "Sofia"])
>>> cprng.randbelow(6) in range(6)
True

With NumPy there are also `default_rng`, as in numpy.random, and `random_state`; `DrawBitGenerator`, draws for numpy.random.Generator; `Stream`,
reproducible numbers from a seed, also for numpy.random.Generator; and `integers`.  `fill_double`, `fill_normal` and others fill
arrays by all processors.
"""

import base64 as _base64
from hmac import compare_digest
from importlib.util import find_spec as _find_spec
from typing import TYPE_CHECKING

from ._core import (
    Weights,
    bernoulli,
    choice,
    fill_bytes,
    info,
    invalidate,
    randbelow,
    randbits,
    random,
    random_bytes,
    reseed,
    shuffle,
    strong_bytes,
    text,
    token_bytes,
    token_hex,
    uuid4,
    uuid7,
    version as __version__,
    weighted,
)
from ._docs import sections as _sections
from ._fills import fill_double, fill_exponential, fill_float, fill_normal
from ._random import Random, SystemRandom

if TYPE_CHECKING:
    from ._generators import (
        DrawBitGenerator as DrawBitGenerator, Stream as Stream, default_rng as default_rng, integers as integers,
        random_state as random_state,
    )  # fmt: skip

__all__ = [
    "Random", "SystemRandom", "Weights", "bernoulli", "betavariate", "choice", "choices", "compare_digest",
    "expovariate", "fill_bytes", "fill_double", "fill_exponential", "fill_float", "fill_normal", "gammavariate", "gauss",
    "getrandbits", "getstate", "info", "invalidate", "lognormvariate", "normalvariate", "paretovariate", "randbelow",
    "randbits", "randbytes", "randint", "random", "random_bytes", "randrange", "reseed", "sample", "seed", "setstate",
    "shuffle", "strong_bytes", "text", "token_bytes", "token_hex", "token_urlsafe", "triangular", "uniform", "uuid4",
    "uuid7", "vonmisesvariate", "weibullvariate", "weighted",
]  # fmt: skip
_OF_NUMPY = ("DrawBitGenerator", "Stream", "default_rng", "integers", "random_state")
if _find_spec("numpy") is not None:
    __all__ += _OF_NUMPY

DEFAULT_ENTROPY = 32  # bytes of a token, as in the module secrets


@_sections("str", ValueError="If nbytes is negative.")
def token_urlsafe(nbytes: int | None = None) -> str:
    """Return random bytes as text for URLs: base64 without padding.

    >>> len(token_urlsafe(30))
    40
    """
    return _base64.urlsafe_b64encode(token_bytes(nbytes)).rstrip(b"=").decode("ascii")


# The functions of the module random.  The object has no state, so all threads may share it.
_methods = Random()
betavariate = _methods.betavariate
choices = _methods.choices
expovariate = _methods.expovariate
gammavariate = _methods.gammavariate
gauss = _methods.gauss
getrandbits = _methods.getrandbits
getstate = _methods.getstate
lognormvariate = _methods.lognormvariate
normalvariate = _methods.normalvariate
paretovariate = _methods.paretovariate
randbytes = _methods.randbytes
randint = _methods.randint
randrange = _methods.randrange
sample = _methods.sample
seed = _methods.seed
setstate = _methods.setstate
triangular = _methods.triangular
uniform = _methods.uniform
vonmisesvariate = _methods.vonmisesvariate
weibullvariate = _methods.weibullvariate
if hasattr(_methods, "binomialvariate"):  # since Python 3.12
    binomialvariate = _methods.binomialvariate
    __all__ += ["binomialvariate"]


def __dir__() -> list[str]:
    """Names for completion, including those of the NumPy part before its import."""
    return sorted({*globals(), *__all__})


def __getattr__(name: str) -> object:
    """Attributes that need NumPy, imported at first use.  Without NumPy the module lacks them, as hasattr() reports.
    """
    if name not in _OF_NUMPY:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        from . import _generators
    except ModuleNotFoundError as error:
        if error.name != "numpy":
            raise
        raise AttributeError(f"cprng.{name} needs NumPy 1.25 or later: pip install numpy") from error
    for each in _OF_NUMPY:
        globals()[each] = getattr(_generators, each)
    return globals()[name]
