# SPDX-License-Identifier: BSD-2-Clause
"""For NumPy: draws as a bit generator, and generators over it or a stream.  All that needs NumPy is imported from here."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn, cast

import numpy as np
from numpy.random.bit_generator import SeedlessSeedSequence

from . import _core
from ._docs import sections
from ._integers import integers as integers, random_raw
from ._locks import Lock, new_lock
from ._numpy import Seed, Stream as Stream

if TYPE_CHECKING:
    from typing_extensions import Self


class DrawBitGenerator(np.random.BitGenerator):
    """The system's draws as a bit generator: never seeded, never repeated, for numpy.random.Generator.

    >>> import numpy as np
    >>> rng = np.random.Generator(DrawBitGenerator())
    >>> rng.integers(1, 7, size=100).max() in range(1, 7)
    True

    It has no state to export: a copy or an unpickled generator draws its own numbers.  Use Stream for reproducible numbers.
    """

    def __init__(self, seed: SeedlessSeedSequence | None = None) -> None:
        if seed is not None and not isinstance(seed, SeedlessSeedSequence):
            raise TypeError("cprng.DrawBitGenerator takes no seed: cprng.Stream(seed) makes numbers that can be made again")
        super().__init__(cast(Any, SeedlessSeedSequence()))
        self._lock = new_lock(None)
        _core.connect(self.capsule, None)

    @property
    def lock(self) -> Lock:  # type: ignore[override]
        """The lock that numpy.random.Generator takes; who calls the functions of ctypes or cffi must hold it.
        """
        return self._lock

    @sections("int, or numpy.ndarray of uint64")
    def random_raw(self, size: Any = None, output: bool = True) -> Any:
        """Return words of 64 bits, as NumPy's bit generators do."""
        return _core.randbits(64) if size is None and output else random_raw(None, size, output)

    @property
    def state(self) -> NoReturn:
        """Raise TypeError: there is no state."""
        raise TypeError("cprng.DrawBitGenerator has no state to export: cprng.Stream(seed) has")

    @state.setter
    def state(self, value: object) -> NoReturn:
        raise TypeError("cprng.DrawBitGenerator has no state to set: cprng.Stream(seed) has")

    def __reduce__(self) -> Any:
        return type(self), ()

    def __copy__(self) -> Self:
        return type(self)()

    def __deepcopy__(self, memo: object) -> Self:
        return type(self)()

    @sections("list of DrawBitGenerator")
    def spawn(self, n_children: int) -> list[Self]:
        """Return new bit generators like this one: all draws are independent."""
        return [type(self)() for _ in range(n_children)]


@sections("numpy.random.Generator", ValueError="If text or bytes are no seed.")
def default_rng(seed: Seed | np.random.BitGenerator | np.random.Generator | None = None) -> np.random.Generator:
    """Return a numpy.random.Generator over cprng: over Stream(seed), or without a seed over the system's draws.

    The argument is that of numpy.random.default_rng(), but the numbers differ.

    >>> import numpy as np
    >>> default_rng(42).random() == np.random.Generator(Stream(42)).random()
    True
    >>> default_rng().bit_generator.state
    Traceback (most recent call last):
    TypeError: cprng.DrawBitGenerator has no state to export: cprng.Stream(seed) has
    """
    if isinstance(seed, (np.random.BitGenerator, np.random.Generator, np.random.RandomState)):
        return np.random.default_rng(cast(Any, seed))
    return np.random.Generator(DrawBitGenerator() if seed is None else Stream(seed))


@sections("numpy.random.RandomState", ValueError="If text or bytes are no seed.")
def random_state(seed: Seed | np.random.BitGenerator | np.random.Generator | None = None) -> np.random.RandomState:
    """Return a numpy.random.RandomState, for functions that take no Generator: over Stream(seed), a stream, or without a seed
    over the system's draws.

    >>> random_state(42).standard_normal() == random_state(Stream(42)).standard_normal()
    True
    """
    return np.random.RandomState(default_rng(seed).bit_generator)
