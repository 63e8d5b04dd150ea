# SPDX-License-Identifier: BSD-2-Clause
"""The class Random: what random.Random does, with draws."""

import random
from typing import Any, NoReturn, cast

from . import _core


class Random(_core.Draws, random.Random):
    """A random.Random over the system's draws, as random.SystemRandom is, and many times as fast.

    It has no state: objects are all alike, and threads and forked processes may share one.  seed() does nothing;
    getstate() and setstate() raise NotImplementedError, and so do copies and pickles.

    A subclass that has a random() of its own changes what is made of it in random.Random: uniform(), triangular() and the
    like.  Integers, choices, orders, gauss() and expovariate() take no random(), and stay as they are.

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
