# SPDX-License-Identifier: BSD-2-Clause
"""The vectors shared by all languages: seeds, children, checkpoints and every number of a stream."""

import collections
import hashlib
import json
import pathlib

import pytest

np = pytest.importorskip("numpy")

import cprng  # noqa: E402
from cprng import _core  # noqa: E402

# A link to tests/vectors/numbers.json; a source distribution contains the file itself.
VECTORS = json.loads((pathlib.Path(__file__).resolve().parent / "numbers.json").read_text(encoding="utf-8"))


def stream_of(row):
    if "integer" in row:
        stream = cprng.Stream(int(row["integer"]), engine=row["engine"])
    elif {"string", "bytes"} & row.keys():
        stream = cprng.Stream(row["string"] if "string" in row else bytes.fromhex(row["bytes"]), engine=row["engine"])
    else:
        stream = cprng.Stream.from_checkpoint(bytes.fromhex(row["checkpoint"]))
    for index in row["path"]:
        stream = stream.child(int(index))
    return stream


def test_seeds():
    """Catches a seed or child with another key than in C, and a checkpoint that another language would refuse."""
    assert len(VECTORS["seeds"]) == 70
    for row in VECTORS["seeds"]:
        stream = stream_of(row)
        saved = stream.checkpoint()
        assert saved.hex() == row["checkpoint"] and stream.state["state"]["key"] == row["key"]
        assert cprng.Stream.from_checkpoint(saved).read(64) == stream.read(64)


def word(size):
    return lambda s: str(int.from_bytes(s.read(size), "little"))


def integer(stream, low, high):
    kind = np.int64 if low < 0 or high < 0 else np.uint64
    return str(stream.integers(min(low, high), max(low, high), dtype=kind, endpoint=True))


def uniform(stream, bound):
    # For a bound of 0, C draws 4 bytes and returns 0; integers() refuses it.
    return integer(stream, 0, int(bound) - 1) if bound != "0" else str(0 * len(stream.read(4)))


def order(stream, size):
    numbers = list(range(int(size)))
    stream.shuffle(numbers)
    return list(map(str, numbers))


def digest(array):
    return hashlib.sha256(array.astype(array.dtype.newbyteorder("<")).tobytes()).hexdigest()


# The result of a sequence's step, as the vectors' file writes it.
TAKEN = {
    "read": lambda s, size: s.read(size).hex(), "seek": lambda s, offset: setattr(s, "offset", int(offset)),
    "tell": lambda s: str(s.offset), "u8": word(1), "u16": word(2), "u32": word(4), "u64": lambda s: str(s.random_raw()),
    "bool": lambda s: str(s.read(1)[0] & 1), "float": lambda s: s.random(dtype=np.float32).hex(), "double": lambda s: s.random().hex(),
    "uniform32": uniform, "uniform64": uniform, "range64": lambda s, *ends: integer(s, *map(int, ends)),
    "int_range": lambda s, *ends: integer(s, *map(int, ends)), "shuffle": order,
    "sample": lambda s, k, n: list(map(str, s.sample(int(n), int(k)))),
    "normal": lambda s, *parameters: s.normal(*map(float.fromhex, parameters)).hex(),
    "exponential": lambda s, mean: s.exponential(float.fromhex(mean)).hex(),
    "normals": lambda s, size: digest(s.normal(size=size)), "exponentials": lambda s, size: digest(s.exponential(size=size)),
    "doubles": lambda s, size: digest(s.random(size)), "floats": lambda s, size: digest(s.random(size, np.float32)),
    "checkpoint": lambda s: s.checkpoint().hex(),
}  # fmt: skip


Ratio = collections.namedtuple("Ratio", "numerator denominator")


def text(stream, length, alphabet):
    """By characters of one byte and of more in UTF-8."""
    characters = bytes.fromhex(alphabet).decode("latin-1")
    at = stream.offset
    longer = None
    if 0 < len(characters) <= 256:
        longer = stream.text(length, "".join(chr(0x4E00 + ord(one)) for one in characters))
        stream.offset = at
    made = stream.text(length, characters)
    assert longer is None or [ord(one) - 0x4E00 for one in longer] == list(made.encode("latin-1"))
    return made.encode("latin-1").hex()


def weighted(stream, weights, n):
    table = cprng.Weights(map(int, weights))
    return [str(stream.weighted(table)) for _ in range(n)]


TAKEN_CHOICES = {
    "bernoulli": lambda s, p: str(int(s.bernoulli(float.fromhex(p)))),
    "bernoulli_ratio": lambda s, *ratio: str(int(s.bernoulli(Ratio(*map(int, ratio))))),
    "weighted": weighted, "text": text, "uuid4": lambda s: str(s.uuid4()), "uuid7": lambda s, ms: str(s.uuid7(int(ms))),
}  # fmt: skip
TAKEN_HERE = {**TAKEN, **TAKEN_CHOICES}


def is_wrong(kind, *arguments):
    """Whether a choice has arguments that are refused at any place of a stream."""
    if kind == "weighted":
        return len(arguments[0]) * sum(map(int, arguments[0])) >= 2**64
    return (kind == "text" and len(arguments[1]) not in range(2, 513)) or (kind, *arguments) == ("uuid7", str(2**48))


def compare(rows):
    """Compares all steps, and returns their kinds."""
    kinds = []
    for row in rows:
        stream = stream_of(row)
        for number, (kind, *rest) in enumerate(row["steps"]):
            kinds.append(kind)
            result = rest.pop() if kind != "seek" or rest[1:] else None
            if result == "refused":
                expected = (ValueError, None) if is_wrong(kind, *rest) else (OverflowError, "a stream ends after")
                with pytest.raises(expected[0], match=expected[1]):
                    TAKEN_HERE[kind](stream, *rest)
            else:
                assert TAKEN_HERE[kind](stream, *rest) == result, (row["engine"], number, kind)
    return kinds


def test_sequences():
    """Catches a number of any kind that differs from C's, at any place of a stream."""
    assert set(compare(VECTORS["sequences"])) == TAKEN.keys()


def test_ends():
    """Catches an end that ends the process, refused bytes before the end, and an offset moved by a refused call."""
    assert len(compare(VECTORS["ends"])) == 503


def test_choices():
    """Catches a choice, a text or a UUID that differs from C's, or whose refusal at the end of a stream moves the offset."""
    assert TAKEN_CHOICES.keys() < set(compare(VECTORS["choices"]))


def key_of(seed):
    return cprng.Stream(seed).state["state"]["key"]


# By the specification's rule.
@pytest.mark.parametrize("seed, kind, size", [(-1, b"n", 1), (-256, b"n", 2), (2**64, b"i", 9), (10**100, b"i", 42)])
def test_integers_of_any_size(seed, kind, size):
    """Catches an integer below 0 or above 2^64 that is truncated, or equals another seed."""
    data = abs(seed).to_bytes(size, "little")
    assert data[-1] != 0
    text = b"cprng stream key" + kind + b"chacha8".ljust(16, b"\0") + len(data).to_bytes(8, "little") + data
    assert key_of(seed) == hashlib.sha256(text).hexdigest()
    assert len({key_of(one) for one in (seed, -seed, seed % 2**64, str(seed), str(seed).encode() * 16)}) == 5


@pytest.mark.parametrize("seed", ["", b"", b"15 bytes are few"[:15], "a\0b", "\0", "a\0"])
def test_seeds_that_are_none(seed):
    """Catches an accepted seed that C refuses: an empty or short one, or a string with a NUL, which strings of C cannot have."""
    with pytest.raises(ValueError, match="16 or more; a string is not empty and has no NUL"):
        cprng.Stream(seed)


def test_errors():
    """Catches an invalid engine, key, nonce or checkpoint that is accepted."""
    for engine, key, nonce in (("rc4", bytes(32), b""), ("chacha8", bytes(31), b""), ("chacha8", bytes(32), bytes(7)),
                               ("aes256-ctr", bytes(32), bytes(8))):  # fmt: skip
        with pytest.raises(ValueError):
            _core.Stream(engine, key, nonce)
    for engine in (None, b"chacha8", 8):
        with pytest.raises(TypeError, match="str"):
            cprng.Stream(1, engine=engine)
    stream = _core.Stream("chacha8", bytes(32))
    saved = bytearray(stream.save())
    saved[40] ^= 1
    for damaged in (bytes(saved), bytes(saved[:-1]), b"", bytes(128)):
        with pytest.raises(ValueError):
            stream.restore(damaged)
    with pytest.raises(ValueError):
        cprng.Stream.from_checkpoint(damaged)
    for other in (saved.hex(), 128, None):
        with pytest.raises(TypeError):
            stream.restore(other)
    assert stream.tell() == 0


@pytest.mark.parametrize("kind", [bytes, bytearray, memoryview, lambda saved: np.frombuffer(saved, dtype=np.uint8)])
def test_checkpoints_of_any_memory(kind):
    """Catches a checkpoint that is refused because it lies in writable memory."""
    stream = cprng.Stream(7).advance(3)
    assert cprng.Stream.from_checkpoint(kind(stream.checkpoint())).read(9) == stream.read(9)


def test_offsets_up_to_the_end():
    """Catches an offset within a stream that a checkpoint refuses or changes, and one outside that it accepts."""
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
