# SPDX-License-Identifier: BSD-2-Clause
"""Streams from seeds, and the fields of checkpoints (docs/streams-specification.md)."""

import hashlib
import struct
from typing import NamedTuple

from . import _core

DEFAULT_ENGINE = "chacha8"
_CHECKPOINT = struct.Struct("<9x2B5x16s32s16sQ40x")


def stream_of(seed: int | str | bytes, engine: str) -> _core.Stream:
    """The stream of an integer, a string, or 16 bytes or more."""
    if isinstance(seed, int):
        size = (seed.bit_length() + 7) // 8
        return _core.Stream.seeded(engine, "n" if seed < 0 else "i", abs(seed).to_bytes(size, "little"))
    return _core.Stream.seeded(engine, "s", seed.encode()) if isinstance(seed, str) else _core.Stream.seeded(engine, "b", seed)


class Checkpoint(NamedTuple):
    """The fields of a checkpoint of the library."""

    engine: str
    key: bytes
    nonce: bytes
    offset: int

    def name(self) -> bytes:
        """A hash of everything but the offset, which reveals nothing about the key."""
        text = self.engine.encode().ljust(16, b"\0") + bytes([len(self.nonce)]) + self.nonce + self.key
        return hashlib.sha256(b"cprng stream name" + text).digest()


def fields(stream: _core.Stream) -> Checkpoint:
    """The content of a stream's checkpoint."""
    key_size, nonce_size, engine, key, nonce, offset = _CHECKPOINT.unpack(stream.save())
    return Checkpoint(engine.rstrip(b"\0").decode(), key[:key_size], nonce[:nonce_size], offset)
