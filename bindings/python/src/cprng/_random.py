# SPDX-License-Identifier: BSD-2-Clause
"""The class Random: random.Random's functions, with draws."""

import random
from typing import Any, NoReturn, cast

from . import _core
from ._docs import sections

STATELESS = {"NotImplementedError": "Always."}


class Random(_core.Draws, random.Random):
    """A random.Random over the system's draws, like random.SystemRandom, and many times as fast.

    It has no state: all objects are alike, and threads and forked processes may share one.  Random(42) raises TypeError:
    for reproducible numbers use Stream or random.Random.  seed() does nothing, as in random.SystemRandom; getstate(),
    setstate(), copying and pickling raise NotImplementedError.

    If a subclass defines random(), then uniform(), choices(), triangular() and the like use it, as in random.Random.
    If it defines getrandbits(), then randrange(), randint() and sample() use that.  choice(), shuffle(), randbytes(),
    gauss(), normalvariate() and expovariate() are unaffected.

    >>> rng = Random()
    >>> 1 <= rng.randint(1, 6) <= 6
    True
    >>> len(rng.sample(range(49), 6))
    6
    """

    def __new__(cls, *args: object, **kwargs: object) -> "Random":
        # The base class's Mersenne twister is never used.  Seed 0 saves reading 2496 bytes from the kernel.
        made: Random = cast(Any, random.Random).__new__(cls, 0)
        return made

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        # The base class would make integers from random(), and loop endlessly if that returns a constant.
        if vars(cls).get("_randbelow") is vars(random.Random)["_randbelow_without_getrandbits"]:
            del cls._randbelow

    def __init__(self, x: None = None) -> None:
        if x is not None:
            raise TypeError(
                "cprng.Random takes no seed: cprng.Stream(seed) and random.Random(seed) make numbers that can be made again"
            )
        super().__init__()

    @sections(a="object\n    Ignored.", version="int\n    Ignored.")
    def seed(self, a: object = None, version: int = 2) -> None:
        """Do nothing, as in random.SystemRandom: these numbers cannot be reproduced."""

    @sections(**STATELESS)
    def getstate(self) -> NoReturn:
        """Refuse: there is no state."""
        raise NotImplementedError("the system's generator has no state that could be exported")

    @sections(state="object", **STATELESS)
    def setstate(self, state: object) -> NoReturn:
        """Refuse: there is no state."""
        self.getstate()

    # The base class keeps every second normal for the next call, and after a fork both processes would return it.

    @sections("float")
    def gauss(self, mu: float = 0.0, sigma: float = 1.0) -> float:
        """Return a normally distributed number of mean mu and standard deviation sigma."""
        return mu + sigma * _core.standard_normal()

    normalvariate = gauss

    @sections("float", ZeroDivisionError="If lambd is 0.")
    def expovariate(self, lambd: float = 1.0) -> float:
        """Return an exponentially distributed number of mean 1 / lambd."""
        return _core.standard_exponential() / lambd

    def __reduce__(self) -> Any:
        self.getstate()


SystemRandom = Random
