# SPDX-License-Identifier: BSD-2-Clause
"""The vectors shared by all languages: seeds, children, checkpoints and every number of a stream."""

import array
import hashlib
import struct

import pytest

from cprng import _core, _seeds


def seed_of(row):
    if "integer" in row:
        return int(row["integer"])
    return row["string"] if "string" in row else bytes.fromhex(row["bytes"])


def stream_of(row):
    if {"integer", "string", "bytes"} & row.keys():
        stream = _core.Stream(row["engine"], _seeds.key_of(seed_of(row), row["engine"]))
    else:
        stream = _core.Stream("chacha8", bytes(32))
        stream.restore(bytes.fromhex(row["checkpoint"]))
    for index in row["path"]:
        stream = stream.spawn(int(index))
    return stream


def test_seeds(vectors):
    """Catches a seed or child with another key than in C, and a checkpoint that another language would refuse."""
    assert len(vectors["seeds"]) > 40
    for row in vectors["seeds"]:
        stream = stream_of(row)
        saved = stream.save()
        assert saved.hex() == row["checkpoint"]
        assert _seeds.read_checkpoint(saved).key.hex() == row["key"]
        again = _core.Stream("chacha8", bytes(32))
        again.restore(saved)
        assert again.read(64) == stream.read(64)


def digest(layout, numbers):
    return hashlib.sha256(struct.pack(f"<{len(numbers)}{layout}", *numbers)).hexdigest()


def taken(stream, kind, arguments):
    """The result of a sequence's step, in the file's form."""
    if kind == "read":
        return stream.read(arguments[0]).hex()
    if kind == "seek":
        stream.seek(int(arguments[0]))
        return None
    if kind in ("u8", "u16", "u32", "u64"):
        return str(getattr(stream, kind)())
    if kind == "bool":
        return str(int(stream.bool()))
    if kind in ("float", "double"):
        return getattr(stream, kind)().hex()
    if kind in ("uniform32", "uniform64"):
        return str(stream.uniform(int(arguments[0])))
    if kind in ("range64", "int_range"):
        return str({"range64": stream.range, "int_range": stream.int_range}[kind](*map(int, arguments)))
    if kind == "shuffle":
        order = array.array("q", bytes(8 * int(arguments[0])))
        _core.permutation(stream, order)
        return list(map(str, order))
    if kind == "sample":
        return list(map(str, stream.sample(*map(int, arguments))))
    if kind in ("normal", "exponential"):
        return getattr(stream, kind)(*map(float.fromhex, arguments)).hex()
    if kind in ("normals", "exponentials", "doubles", "floats"):
        one = {"normals": lambda: stream.normal(0.0, 1.0), "exponentials": lambda: stream.exponential(1.0),
               "doubles": stream.double, "floats": stream.float}[kind]
        return digest("f" if kind == "floats" else "d", [one() for _ in range(arguments[0])])
    if kind == "checkpoint":
        return stream.save().hex()
    assert kind == "tell"
    return str(stream.tell())


def test_sequences(vectors):
    """Catches a number of any kind that differs from C's, at any place of a stream."""
    kinds = set()
    for row in vectors["sequences"]:
        stream = stream_of(row)
        for number, (kind, *rest) in enumerate(row["steps"]):
            result = rest.pop() if kind != "seek" else None
            assert taken(stream, kind, rest) == result, (row["engine"], number, kind)
            kinds.add(kind)
    assert len(kinds) == 23


# By the specification's rule; C lacks such integers.
@pytest.mark.parametrize("seed, kind, size", [(-1, b"n", 1), (-256, b"n", 2), (2**64, b"i", 9), (10**100, b"i", 42)])
def test_integers_that_c_has_not(seed, kind, size):
    """Catches an integer below 0 or above 2^64 that is truncated, or equals another seed."""
    data = abs(seed).to_bytes(size, "little")
    assert data[-1] != 0
    text = b"cprng stream key" + kind + b"chacha8".ljust(16, b"\0") + len(data).to_bytes(8, "little") + data
    assert _seeds.key_of(seed, "chacha8") == hashlib.sha256(text).digest()
    assert len({_seeds.key_of(one, "chacha8") for one in (seed, -seed, seed % 2**64, str(seed), str(seed).encode() * 16)}) == 5


@pytest.mark.parametrize("seed", ["", b"", b"15 bytes are few"[:15]])
def test_seeds_that_are_none(seed):
    """Catches an accepted empty or short seed, which C refuses."""
    with pytest.raises(ValueError):
        _seeds.key_of(seed, "chacha8")


def test_errors():
    """Catches an invalid engine, key, nonce or checkpoint that makes a stream all the same."""
    for engine, key, nonce in (("rc4", bytes(32), b""), ("chacha8", bytes(31), b""), ("chacha8", bytes(32), bytes(7)),
                               ("aes256-ctr", bytes(32), bytes(8))):  # fmt: skip
        with pytest.raises(ValueError):
            _core.Stream(engine, key, nonce)
    # It would end after 256 GiB, by aborting the process.
    with pytest.raises(ValueError, match="12 bytes"):
        _core.Stream("chacha20", bytes(32), bytes(12))
    stream = _core.Stream("chacha8", bytes(32))
    saved = bytearray(stream.save())
    saved[40] ^= 1
    for damaged in (bytes(saved), bytes(saved[:-1]), b"", bytes(128)):
        with pytest.raises(ValueError):
            stream.restore(damaged)
    assert stream.tell() == 0


def test_offsets_up_to_the_end():
    """Catches an offset within a stream that is refused or changed by a checkpoint, and one outside that is taken."""
    stream, again = _core.Stream("chacha8", bytes(32)), _core.Stream("chacha8", bytes(32))
    for offset in (2**63, 2**64 - 1):
        stream.seek(offset)
        again.restore(stream.save())
        assert stream.tell() == again.tell() == offset
    for offset in (2**64, -1):
        with pytest.raises(OverflowError, match="offset must be in"):
            stream.seek(offset)
    with pytest.raises(OverflowError):
        stream.read(1)
    assert stream.tell() == 2**64 - 1
