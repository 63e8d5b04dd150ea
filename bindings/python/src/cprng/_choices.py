# SPDX-License-Identifier: BSD-2-Clause
"""Single choices and UUIDs of a stream."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, SupportsFloat, SupportsIndex

from . import _core
from ._docs import END, sections

if TYPE_CHECKING:
    from fractions import Fraction
    from uuid import UUID


class Choices:
    """Methods of Stream, whose numbers are those of the streams specification."""

    _stream: _core.Stream
    _held: AbstractContextManager[Any]

    @sections("bool", **END)
    def bernoulli(self, p: SupportsFloat | Fraction) -> bool:
        """Return True with probability p, exactly.

        >>> from cprng import Stream
        >>> Stream(42).bernoulli(1)
        True
        """
        with self._held:
            return _core.bernoulli_of(self._stream, p)

    @sections("int", **END)
    def weighted(self, weights: _core.Weights) -> int:
        """Return an index of the Weights, each with the probability of its weight: as cprng_stream_weighted(3).

        >>> from cprng import Stream, Weights
        >>> Stream(42).weighted(Weights([0, 3, 0]))
        1
        """
        with self._held:
            return _core.weighted_of(self._stream, weights)

    @sections("str", ValueError="If the length is negative, or the alphabet empty or longer.", **END)
    def text(self, length: SupportsIndex, alphabet: str) -> str:
        """Return text of so many characters of an alphabet.

        >>> from cprng import Stream
        >>> len(Stream(42).text(21, "0123456789abcdefghjkmnpqrstvwxyz"))
        21
        """
        with self._held:
            return _core.text_of(self._stream, length, alphabet)

    @sections("uuid.UUID", **END)
    def uuid4(self) -> UUID:
        """Return a UUID of version 4, of the next 16 bytes."""
        with self._held:
            return _core.uuid_of(self._stream, None)

    @sections("uuid.UUID", ValueError="If the time is 2**48 or more.", **END)
    def uuid7(self, unix_ms: SupportsIndex) -> UUID:
        """Return a UUID of version 7, with random bits of the next 10 bytes.

        >>> from cprng import Stream
        >>> Stream(42).uuid7(1645557742000).version
        7
        """
        if unix_ms is None:
            raise TypeError("unix_ms must be an integer")
        with self._held:
            return _core.uuid_of(self._stream, unix_ms)
