# SPDX-License-Identifier: BSD-2-Clause
"""The class Random: what random.Random does, with draws."""

import random
from typing import Any, NoReturn, cast

from . import _core


class Random(_core.Draws, random.Random):
    """A random.Random over the system's draws, as random.SystemRandom is, and many times as fast.

    It has no state: objects are all alike, and threads and forked processes may share one.  Random(42) is refused: for
    numbers that can be made again there are Stream and random.Random.  seed() does nothing, as that of
    random.SystemRandom; getstate() and setstate() raise NotImplementedError, and so do copies and pickles.

    A subclass that has a random() of its own changes what random.Random makes of random(): uniform(), choices(),
    triangular() and the like.  One that has a getrandbits() changes randrange(), randint() and sample().  choice(),
    shuffle(), randbytes(), gauss(), normalvariate() and expovariate() stay as they are.

    >>> rng = Random()
    >>> 1 <= rng.randint(1, 6) <= 6
    True
    >>> len(rng.sample(range(49), 6))
    6
    """

    def __new__(cls, *args: object, **kwargs: object) -> "Random":
        # The Mersenne twister in the base class is never used; 0 spares it 2496 bytes of the kernel.
        made: Random = cast(Any, random.Random).__new__(cls, 0)
        return made

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        # The base class would have a random() make integers, too, and never end where that returns a constant.
        if vars(cls).get("_randbelow") is vars(random.Random)["_randbelow_without_getrandbits"]:
            del cls._randbelow

    def __init__(self, x: None = None) -> None:
        if x is not None:
            raise TypeError(
                "cprng.Random takes no seed: cprng.Stream(seed) and random.Random(seed) make numbers that can be made again"
            )
        super().__init__()

    def seed(self, *args: object, **kwargs: object) -> None:
        """Do nothing."""

    def _not_implemented(self, *args: object, **kwargs: object) -> NoReturn:
        raise NotImplementedError("the system's generator has no state that could be exported")

    getstate = setstate = _not_implemented

    # The base class keeps every second normal for the next call, and so for both processes after a fork.

    def gauss(self, mu: float = 0.0, sigma: float = 1.0) -> float:
        """Return a normally distributed number of mean mu and standard deviation sigma."""
        return mu + sigma * _core.standard_normal()

    normalvariate = gauss

    def expovariate(self, lambd: float = 1.0) -> float:
        """Return an exponentially distributed number of mean 1 / lambd."""
        return _core.standard_exponential() / lambd

    def __reduce__(self) -> Any:
        self._not_implemented()


SystemRandom = Random
