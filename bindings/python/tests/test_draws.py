# SPDX-License-Identifier: BSD-2-Clause
"""Functions of the module cprng that draw."""

import array
import collections
import copy
import fractions
import pickle
import string
import sys
import threading
import tracemalloc
import uuid

import pytest

import cprng

# A count may differ from its expectation by nine standard deviations: the probability of a false alarm is below 2^-60.
DEVIATIONS = 9


def far(count, n, p):
    return abs(count - n * p) > DEVIATIONS * (n * p * (1 - p)) ** 0.5


def test_names():
    """Catches a name that `from cprng import *` does not find, or without documentation, and a class without an example."""
    for name in cprng.__all__:
        value = getattr(cprng, name)
        assert callable(value) and value.__doc__ and (">>>" in value.__doc__ or not isinstance(value, type)), name


@pytest.mark.parametrize("n", [0, 1, 7, 8, 32, 511, 512, 513, 16383, 16384, 100_000])
def test_random_bytes(n):
    """Catches a wrong length, unwritten bytes, and a draw that is served twice."""
    data = [cprng.random_bytes(n) for _ in range(4)]
    assert [len(one) for one in data] == [n] * 4
    if n >= 32:
        assert len(set(data)) == 4
    # About half of the bits are set, in 400,000 bytes.
    if n >= 16383:
        ones = sum(int.from_bytes(one, "little").bit_count() for one in data)
        assert not far(ones, 32 * n, 0.5)


def test_tail_is_written():
    """Catches a request whose last bytes keep the memory's old content."""
    for n in (1, 2, 3, 33, 512, 16385):
        assert len({cprng.random_bytes(n)[-1] for _ in range(100)}) > 20


@pytest.mark.parametrize("function", [cprng.random_bytes, cprng.strong_bytes, cprng.randbytes])
def test_sizes_that_are_none(function):
    """Catches a negative or non-integer size that becomes huge."""
    with pytest.raises(ValueError):
        function(-1)
    for size in (1.0, "1", None):
        with pytest.raises(TypeError):
            function(size)
    with pytest.raises((OverflowError, MemoryError)):
        function(sys.maxsize)
    with pytest.raises(OverflowError):
        function(2**64)


def test_strong_bytes():
    """Catches a strong draw that is empty or repeated."""
    assert len({cprng.strong_bytes(32) for _ in range(10)}) == 10
    assert cprng.strong_bytes(0) == b""


@pytest.mark.parametrize("size", [8, 100, 20_000])
def test_fill_bytes(size):
    """Catches a fill that runs past its buffer, stops before its end, or writes to a read-only one."""
    buffer = bytearray(size + 16)
    view = memoryview(buffer)[8:-8]
    assert cprng.fill_bytes(view) is view
    assert buffer[:8] == bytes(8) and buffer[-8:] == bytes(8)
    assert bytes(view) != bytes(size)
    seen = [bytearray(8) for _ in range(100)]
    assert len({cprng.fill_bytes(one)[7] for one in seen}) > 20
    with pytest.raises((TypeError, BufferError)):
        cprng.fill_bytes(bytes(8))
    with pytest.raises((TypeError, BufferError)):
        cprng.fill_bytes(memoryview(bytearray(16))[::2])


@pytest.mark.parametrize("bound", [1, 2, 3, 7, 2**31 + 1, 2**32 - 1, 2**32, 2**32 + 1, 2**63 + 3, 2**64 - 1, 2**64, 2**64 + 1, 3 * 2**200])
def test_randbelow(bound):
    """Catches a result out of range, and an upper half that occurs never or too often."""
    n = 3000
    values = [cprng.randbelow(bound) for _ in range(n)]
    assert all(isinstance(value, int) and 0 <= value < bound for value in values)
    half = bound // 2
    assert not far(sum(value < half for value in values), n, half / bound) if bound > 1 else set(values) == {0}


def test_randbelow_is_uniform():
    """Catches a bias: 13 values are equally likely, even if many words are rejected."""
    n = 26_000
    for bound, parts in ((13, 13), (3 * 2**30, 3), (3 * 2**62, 3), (3 * 2**70, 3)):
        counts = collections.Counter(cprng.randbelow(bound) * parts // bound for _ in range(n))
        assert len(counts) == parts
        assert not any(far(count, n, 1 / parts) for count in counts.values())


@pytest.mark.parametrize("bound, error", [
    (0, ValueError), (-1, ValueError), (-(2**80), ValueError), (1.5, TypeError), ("3", TypeError), (None, TypeError),
])  # fmt: skip
def test_bounds_that_are_none(bound, error):
    """Catches a bound that is taken modulo 2^64, rounded, or answered with 0."""
    with pytest.raises(error):
        cprng.randbelow(bound)


def test_index_objects():
    """Catches a refused bound that is an integer of another type."""

    class Six:
        def __index__(self):
            return 6

    assert {cprng.randbelow(Six()) for _ in range(400)} == set(range(6))
    assert len(cprng.random_bytes(Six())) == 6
    assert {cprng.randbelow(True) for _ in range(10)} == {0}


@pytest.mark.parametrize("bits", [0, 1, 8, 31, 32, 33, 63, 64, 65, 127, 1000])
def test_randbits(bits):
    """Catches bits that are missing at the top or constant."""
    seen_ones = seen_zeros = 0
    mask = (1 << bits) - 1
    for _ in range(100):
        value = cprng.randbits(bits)
        assert 0 <= value <= mask
        seen_ones |= value
        seen_zeros |= value ^ mask
    assert seen_ones == seen_zeros == mask


def test_random():
    """Catches 1.0, and numbers with fewer than 53 bits."""
    values = [cprng.random() for _ in range(5000)]
    assert all(0.0 <= value < 1.0 for value in values)
    bits = 0
    for value in values:
        assert (value * 2**53).is_integer()
        bits |= int(value * 2**53)
    assert bits == 2**53 - 1
    assert not far(sum(value < 0.25 for value in values), len(values), 0.25)
    with pytest.raises(TypeError):
        cprng.random(1)


def test_choice():
    """Catches an element that is never chosen, and a container without order or elements."""
    assert {cprng.choice("abcdef") for _ in range(500)} == set("abcdef")
    assert {cprng.choice(range(10**30, 10**30 + 3)) for _ in range(200)} == set(range(10**30, 10**30 + 3))
    for empty in ([], "", ()):
        with pytest.raises(IndexError):
            cprng.choice(empty)
    with pytest.raises(TypeError):
        cprng.choice(5)
    with pytest.raises((TypeError, KeyError)):
        cprng.choice({"a", "b"})


@pytest.mark.parametrize("make", [list, lambda v: array.array("l", v), bytearray, lambda v: type("L", (list,), {})(v)])
def test_shuffle(make):
    """Catches an order that occurs never or too often, in lists and in other sequences."""
    orders = collections.Counter()
    n = 12_000
    for _ in range(n):
        elements = make([1, 2, 3, 4])
        assert cprng.shuffle(elements) is None
        orders[tuple(elements)] += 1
    assert len(orders) == 24
    assert not any(far(count, n, 1 / 24) for count in orders.values())


def test_shuffle_keeps_references():
    """Catches a lost or repeated element: each element's reference count is unchanged."""
    elements = [object() for _ in range(100)]
    before = [sys.getrefcount(one) for one in elements]
    order = list(elements)
    for _ in range(50):
        cprng.shuffle(order)
    del order
    assert [sys.getrefcount(one) for one in elements] == before


def test_tokens():
    """Catches a token of the wrong length or alphabet."""
    assert len(cprng.token_bytes()) == 32 and len(cprng.token_bytes(5)) == 5 and cprng.token_bytes(0) == b""
    assert len(cprng.token_hex(5)) == 10 and set(cprng.token_hex(500)) == set("0123456789abcdef")
    assert len(cprng.token_urlsafe(30)) == 40 and len(cprng.token_urlsafe(31)) == 42
    assert set(cprng.token_urlsafe(3000)) == set(string.ascii_letters + string.digits + "-_")


def test_hexadecimal_tokens():
    """Catches a digit that is not written or not random, and text that differs from ordinary text in its hash or parts."""
    assert cprng.token_hex(0) == "" and len(cprng.token_hex()) == len(cprng.token_hex(None)) == 64
    for n in (1, 2, 16, 31, 32, 63, 64, 65, 1000):
        tokens = [cprng.token_hex(nbytes=n) for _ in range(1000)]
        for one in tokens:
            assert len(one) == 2 * n and bytes.fromhex(one).hex() == one
        # One of the 16 digits never occurs at a given place with probability 2^-89; there are 420 places.
        assert n > 64 or all(set(place) == set("0123456789abcdef") for place in zip(*tokens, strict=True))
        assert n < 16 or len({hash(one) for one in tokens}) == len(set(tokens)) == 1000
        again = dict.fromkeys(tokens)
        assert all("".join(list(one)) in again and one.encode().decode() in again for one in tokens)


@pytest.mark.parametrize("function", [cprng.token_bytes, cprng.token_hex])
def test_arguments_of_tokens(function):
    """Catches an argument that is ignored or has another name than in the module secrets."""
    assert len(function(nbytes=16)) == len(function(16)) and len(function(nbytes=None)) == len(function())
    with pytest.raises(ValueError):
        function(-1)
    for wrong in (lambda: function(1, 2), lambda: function(1, nbytes=2), lambda: function(size=1), lambda: function("1"), lambda: function(1.0)):
        with pytest.raises(TypeError):
            wrong()


def test_uuids():
    """Catches a UUID that does not have version 4, or has a bit that is not random."""
    uuids = [cprng.uuid4() for _ in range(200)]
    for one in uuids:
        assert type(one) is uuid.UUID and one.version == 4 and one.variant == uuid.RFC_4122
        assert one == uuid.UUID(str(one)) == copy.copy(one) == pickle.loads(pickle.dumps(one)) and one.is_safe is uuid.SafeUUID.unknown
        with pytest.raises(TypeError):
            one.int = 1
    # One of the 122 bits is the same in all 200 UUIDs with probability 2^-199.
    always, never = uuids[0].int, ~uuids[0].int
    for one in uuids:
        always &= one.int
        never &= ~one.int
    assert always == (4 << 76) | (2 << 62) and never & ((1 << 128) - 1) == (0xb << 76) | (1 << 62)
    with pytest.raises(TypeError):
        cprng.uuid4(1)


def test_invalidate_and_reseed():
    """Catches draws that repeat or fail after the buffers are dropped."""
    seen = set()
    for act in (cprng.invalidate, cprng.reseed) * 5:
        seen.add(cprng.random_bytes(16))
        act()
        seen.add(cprng.random_bytes(16))
    assert len(seen) == 20


def test_info():
    """Catches a description of another library than the one that draws."""
    assert cprng.info()["engine"] in ("aes256-ctr", "chacha20")
    assert cprng.info()["placement"] in ("per-cpu", "slots", "unbuffered")


# ---------------------------------------------------------------------------------------------------- single choices


@pytest.mark.parametrize("p", [0.25, 1 / 3, fractions.Fraction(2, 3), fractions.Fraction(1, 2**64 - 1), 2**-70, True, 1, 0])
def test_bernoulli(p):
    """Catches a probability that is inverted or rounded to a few bits, a result that is no truth value, and a fraction taken as a float."""
    results = [cprng.bernoulli(p) for _ in range(20_000)]
    assert {*map(type, results)} == {bool}
    if 0 < p < 1:
        assert not far(sum(results), 20_000, float(p)) or sum(results) == 0 and p < 1e-9
    else:
        assert {*results} == {bool(p)}


def test_bernoulli_of_other_numbers():
    """Catches a number that is refused although float() takes it, and one that is taken although it is none."""

    class Integer(collections.namedtuple("Integer", "numerator denominator")):
        """As NumPy's: a number, not a ratio."""

        def __index__(self):
            return self.numerator

    streams = [cprng.Stream(1) for _ in range(2)]
    assert streams[0].bernoulli(1) and streams[1].bernoulli(Integer(1, 1)) and streams[0].read(8) == streams[1].read(8)
    assert cprng.bernoulli(Integer(-1, 1)) is False
    assert cprng.bernoulli(1.5) is cprng.bernoulli(10**300) is True and cprng.bernoulli(-1) is cprng.bernoulli(float("nan")) is False
    for wrong, error in (("0.5", TypeError), (None, TypeError), (10**400, OverflowError), (fractions.Fraction(-1, 2), OverflowError),
                         (fractions.Fraction(1, 2**64), OverflowError)):  # fmt: skip
        with pytest.raises(error):
            cprng.bernoulli(wrong)


def test_weighted():
    """Catches weights that are shifted, ignored or taken from another table."""
    weights = [0, 70, 25, 0, 5]
    table, other = cprng.Weights(weights), cprng.Weights(iter([1]))
    found = collections.Counter(cprng.weighted(table) for _ in range(50_000))
    for index, weight in enumerate(weights):
        assert found[index] == 0 if weight == 0 else not far(found[index], 50_000, weight / 100)
    assert cprng.weighted(other) == 0 and (len(table), len(other)) == (5, 1)
    assert repr(table) == "cprng.Weights((0, 70, 25, 0, 5))"
    again = pickle.loads(pickle.dumps(table))
    assert type(again) is cprng.Weights and repr(again) == repr(table) == repr(copy.deepcopy(table))


def test_weights_that_are_none():
    """Catches a table without a choice, weights that are truncated, and another object used as a table."""
    for wrong, error in (([], ValueError), ([0, 0], ValueError), ([2**63, 2**63], ValueError), ([-1, 2], OverflowError),
                         ([2**64], OverflowError), ([1.5], TypeError), (7, TypeError), ("ab", TypeError)):  # fmt: skip
        with pytest.raises(error):
            cprng.Weights(wrong)
    for wrong in ([1, 2], None, object()):
        with pytest.raises(TypeError, match=r"cprng\.Weights"):
            cprng.weighted(wrong)


@pytest.mark.parametrize("alphabet", ["a", "01", string.ascii_letters + "-_", "äöü", "αβγδ", "\U0001f600x", "".join(map(chr, range(256)))])
def test_text(alphabet):
    """Catches characters that are never chosen, from another alphabet, or cut in the middle of their UTF-8."""
    for length in (0, 1, 21, 300, 20_000):
        text = cprng.text(length, alphabet)
        assert type(text) is str and len(text) == length and {*text} <= {*alphabet}
    counts = collections.Counter(text)
    assert all(not far(counts[one], 20_000, 1 / len(alphabet)) for one in alphabet) or len(alphabet) == 1
    assert len(alphabet) < 64 or len({cprng.text(21, alphabet) for _ in range(100)}) == 100


@pytest.mark.skipif(sys.implementation.name != "cpython", reason="the memory of CPython's strings")
@pytest.mark.parametrize("last", "é€\U0001f600")
def test_texts_are_made_once(last):
    """Catches a text that is copied when a wider character comes: the first copy's characters stay in freed memory."""
    tracemalloc.start()
    try:
        text = cprng.text(100_000, string.ascii_letters + last)
        assert last in text and tracemalloc.get_traced_memory()[1] < sys.getsizeof(text) + 50_000
    finally:
        tracemalloc.stop()


def test_texts_that_are_none():
    """Catches an empty or too long alphabet, bytes as one, and a negative length."""
    for length, alphabet, error in ((3, "", ValueError), (3, "x" * 257, ValueError), (-1, "ab", ValueError), (3, b"ab", TypeError),
                                    (3, None, TypeError), (1.0, "ab", TypeError), (sys.maxsize, "ab", MemoryError)):  # fmt: skip
        with pytest.raises(error):
            cprng.text(length, alphabet)


def test_uuids_of_version_7():
    """Catches UUIDs that are not ordered, within a thread or between threads, and a wrong time, version or variant."""
    import time

    before = time.time_ns() // 10**6
    made = [cprng.uuid7() for _ in range(1000)]
    after = time.time_ns() // 10**6
    assert made == sorted(set(made))
    for one in made:
        assert (type(one), one.version, one.variant) == (uuid.UUID, 7, uuid.RFC_4122)
        assert before <= one.int >> 80 <= after + 2  # ahead of the clock after 2048 within a millisecond
    threads, found = [], []
    for _ in range(4):
        threads.append(threading.Thread(target=lambda: found.append([cprng.uuid7() for _ in range(500)])))
        threads[-1].start()
    for thread in threads:
        thread.join()
    assert all(one == sorted(one) for one in found) and len({*sum(found, made)}) == 3000
    assert cprng.uuid7() > max(map(max, found))
