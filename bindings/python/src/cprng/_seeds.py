# SPDX-License-Identifier: BSD-2-Clause
"""Stream keys from seeds (docs/streams-specification.md), also from integers of any size, which C lacks."""

import hashlib
import reprlib
import struct
from typing import NamedTuple

DEFAULT_ENGINE = "chacha8"
_KEY_SIZES = {"aes128-ctr": 16}
_CHECKPOINT = struct.Struct("<8s3B5x16s32s16sQ8x32s")


def _key(engine: str, kind: bytes, data: bytes) -> bytes:
    if not isinstance(engine, str):
        raise TypeError(f"engine must be a string, not {type(engine).__name__}")
    text = b"cprng stream key" + kind + engine.encode().ljust(16, b"\0") + struct.pack("<Q", len(data)) + data
    return hashlib.sha256(text).digest()[: _KEY_SIZES.get(engine, 32)]


def key_of(seed: int | str | bytes, engine: str) -> bytes:
    """The key of a stream seeded with an integer, a string, or 16 bytes or more."""
    if isinstance(seed, str):
        if not seed:
            raise ValueError("a seed that is a string must not be empty")
        if "\0" in seed:
            raise ValueError("a seed that is a string must not contain NUL, where it ends in C")
        return _key(engine, b"s", seed.encode())
    if isinstance(seed, bytes):
        if len(seed) < 16:
            raise ValueError("a seed of bytes must have 16 or more; an integer or a string may be any")
        return _key(engine, b"b", seed)
    size = (seed.bit_length() + 7) // 8
    return _key(engine, b"n" if seed < 0 else b"i", abs(seed).to_bytes(size, "little"))


def shown(seed: object) -> str:
    """A seed as a stream's repr() shows it.  Bytes, which may be a key, are not shown."""
    if isinstance(seed, bytes):
        return f"<{len(seed)} bytes>"
    if isinstance(seed, int) and seed.bit_length() > 256:
        return f"<integer of {seed.bit_length()} bits>"
    return reprlib.repr(seed) if isinstance(seed, str) else str(seed)


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


def read_checkpoint(data: bytes) -> Checkpoint:
    """The content of a checkpoint written by the library."""
    _, _, key_size, nonce_size, engine, key, nonce, offset, _ = _CHECKPOINT.unpack(data)
    return Checkpoint(engine.rstrip(b"\0").decode(), key[:key_size], nonce[:nonce_size], offset)
