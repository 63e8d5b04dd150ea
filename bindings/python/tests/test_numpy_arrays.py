# SPDX-License-Identifier: BSD-2-Clause
"""Arrays of draws and of streams: values, parts, types, and refusals."""

import array
import ctypes
import itertools
import math
import mmap
import re
import sys

import pytest
from single import Single

np = pytest.importorskip("numpy")

import cprng  # noqa: E402

FILLS = ["fill_double", "fill_float", "fill_normal", "fill_exponential"]
TYPES = {"fill_float": np.float32}
SINGLE = {
    "fill_double": lambda s: s.double(), "fill_float": lambda s: s.float(), "fill_normal": lambda s: s.normal(0.0, 1.0),
    "fill_exponential": lambda s: s.exponential(1.0), "fill_bytes": lambda s: s.word(1),
}  # fmt: skip
BIG = 300_000


@pytest.mark.parametrize("name, n", list(itertools.product([*FILLS, "fill_bytes"], [0, 1, 7, 130, 3000])))
def test_fills_are_single_numbers(name, n):
    """Catches a stream's array that differs from its single numbers."""
    stream, one = cprng.Stream(42), Single(42)
    out = np.zeros(n, dtype=np.uint8 if name == "fill_bytes" else TYPES.get(name, float))
    assert getattr(stream, name)(out) is out
    assert out.tolist() == [SINGLE[name](one) for _ in range(n)]
    assert stream.offset == one.tell()


@pytest.mark.parametrize("name, threads", list(itertools.product([*FILLS, "fill_bytes"], [1, 2, 3, 7, 64, 1000])))
def test_numbers_do_not_depend_on_threads(name, threads):
    """Catches parts that overlap, leave a gap, or begin at another offset."""
    kind = np.uint8 if name == "fill_bytes" else TYPES.get(name, float)
    stream = cprng.Stream(42).advance(3)
    parts = getattr(stream, name)(np.zeros(BIG + 5, dtype=kind), threads=threads)
    whole = getattr(cprng.Stream(42).advance(3), name)(np.zeros(BIG + 5, dtype=kind), threads=1)
    assert np.array_equal(parts, whole)
    assert stream.offset == 24 + parts.nbytes


@pytest.mark.parametrize("threads", [0, 1, 2, 5])
def test_fills_of_draws(threads):
    """Catches an array of draws with a part that is unfilled, equals another part, or has another distribution."""
    for name, mean, deviation in (("fill_double", 0.5, 12**-0.5), ("fill_float", 0.5, 12**-0.5), ("fill_normal", 0.0, 1.0),
                                  ("fill_exponential", 1.0, 1.0)):  # fmt: skip
        values = getattr(cprng, name)(np.full(BIG, -99, dtype=TYPES.get(name, float)), threads=threads)
        assert values.min() > -10
        assert abs(values.mean(dtype=float) - mean) < 9 * deviation / BIG**0.5
        assert abs(values.std(dtype=float) - deviation) < 0.05
        if name != "fill_float":
            assert len(np.unique(values)) == BIG


def test_parameters():
    """Catches a mu, sigma or mean that is lost or swapped."""
    stream, one = cprng.Stream(1), Single(1)
    assert stream.fill_normal(np.empty(50), 10.0, 0.5).tolist() == [one.normal(10.0, 0.5) for _ in range(50)]
    assert stream.fill_exponential(np.empty(50), 3.0).tolist() == [one.exponential(3.0) for _ in range(50)]
    assert stream.offset == one.tell()


def read_only():
    values = np.empty(8)
    values.flags.writeable = False
    return values


@pytest.mark.parametrize("out", [
    np.empty(8, dtype=np.float32), np.empty(8, dtype=np.int64), np.empty(8, dtype=np.dtype(float).newbyteorder()), np.empty(16, dtype=int)[::2],
    read_only()[::2], read_only(), bytes(64), [0.0] * 8, bytearray(64), memoryview(bytearray(64)).cast("d")[::2], np.empty(8, dtype=complex),
])  # fmt: skip
def test_arrays_that_are_refused(out):
    """Catches numbers written in another type, over gaps of a buffer, or to read-only memory."""
    for attempt in (cprng.fill_double, cprng.Stream(1).fill_double):
        with pytest.raises((TypeError, ValueError, BufferError)):
            attempt(out)


def test_other_arrays():
    """Catches other libraries' and multidimensional arrays that are refused or filled in another order."""
    expected = cprng.Stream(1).fill_double(np.empty(24))
    assert list(cprng.Stream(1).fill_double(array.array("d", bytes(192)))) == expected.tolist()
    assert np.array_equal(cprng.Stream(1).fill_double(np.empty((2, 3, 4))).ravel(), expected)
    part = np.zeros((5, 6))
    cprng.Stream(1).fill_double(part[1:3])
    assert np.array_equal(part[1:3].ravel(), expected[:12]) and not part[0].any() and not part[3:].any()
    assert cprng.fill_double(np.empty((0, 3))).shape == (0, 3)


def test_strided_arrays():
    """Catches a strided array that is refused, filled in another order than by index, or written beside its elements."""
    whole = np.zeros((8, 6))
    for out in (whole[::2, 1::2], whole[::-1].T, np.empty((4, 6), order="F")):
        whole[:] = 0
        assert cprng.Stream(1).random(out=out) is out
        assert out.ravel().tolist() == cprng.Stream(1).random(out.size).tolist()
        assert np.count_nonzero(whole) == (out.size if out.base is whole else 0)
        assert cprng.fill_normal(out) is out and np.count_nonzero(out) == out.size


@pytest.mark.parametrize("out", [np.empty(24, dtype="<f8" if sys.byteorder == "little" else ">f8"), (ctypes.c_double * 24)()])
def test_byte_orders(out):
    """Catches a refused array whose format states the machine's byte order, as ctypes does."""
    assert list(cprng.Stream(1).fill_double(out)) == cprng.Stream(1).fill_double(np.empty(24)).tolist()


@pytest.mark.parametrize("size", [5, (2, 3)])
def test_a_size_is_no_array(size):
    """Catches a call with a size whose error mentions buffers instead of the correct call."""
    for attempt in (cprng.fill_normal, cprng.Stream(1).fill_normal, cprng.fill_bytes):
        with pytest.raises(TypeError, match=re.escape(f"{size} is a size, and not an array to fill: pass numpy.empty({size})")):
            attempt(size)


def test_numbers_as_a_generator_has_them():
    """Catches a method named like one of numpy.random.Generator that takes other arguments or returns another type."""
    rng = np.random.Generator(cprng.Stream(3))
    assert cprng.Stream(3).random(7).tolist() == rng.random(7).tolist()
    floats = cprng.Stream(3).random((2, 3), dtype=np.float32)
    assert floats.dtype == np.float32 and floats.ravel().tolist() == cprng.Stream(3).fill_float(np.empty(6, np.float32)).tolist()
    out = np.empty((2, 2))
    assert cprng.Stream(3).random(out=out) is out and out.ravel().tolist() == cprng.Stream(3).random(4).tolist()
    assert cprng.Stream(3).random(size=(2, 2), out=out) is out
    stream, one = cprng.Stream(3), Single(3)
    singles = [stream.random(), stream.normal(), stream.normal(5.0, 0.5), stream.exponential(), stream.exponential(3.0)]
    expected = [one.double(), one.normal(0.0, 1.0), one.normal(5.0, 0.5), one.exponential(1.0), one.exponential(3.0)]
    assert singles == expected and {type(value) for value in singles} == {float}
    assert stream.normal(1.0, 2.0, (2, 3)).ravel().tolist() == [one.normal(1.0, 2.0) for _ in range(6)]
    assert stream.normal(size=4, threads=2).tolist() == [one.normal(0.0, 1.0) for _ in range(4)]
    assert stream.exponential(2.0, 3).tolist() == [one.exponential(2.0) for _ in range(3)]
    at = stream.offset
    for attempt in (lambda: stream.normal(0.0, -1.0), lambda: stream.normal(size=-1), lambda: stream.exponential(math.nan, 0),
                    lambda: stream.random(3, out=out), lambda: stream.normal(0.0, -1.0, 0)):  # fmt: skip
        with pytest.raises(ValueError):
            attempt()
    for attempt in (lambda: stream.random(3, dtype=int), lambda: stream.normal("a"), lambda: stream.random(out=out, dtype=np.float32)):
        with pytest.raises(TypeError):
            attempt()
    assert stream.offset == at


END = 2**64 - 1


def at(offset, seed=1):
    stream = cprng.Stream(seed)
    stream.offset = offset
    return stream


def test_the_end_of_a_stream():
    """Catches a stream that ends before 2^64 - 1 bytes, wraps or ends the process there, or is advanced by a refused call."""
    stream, one = at(END - 88), Single(1)
    one.stream.offset = END - 88
    assert stream.fill_double(np.empty(10)).tolist() == [one.double() for _ in range(10)] and stream.offset == END - 8
    assert at(END - 16).random_raw(2).tolist() == [at(END - 16).random_raw(), at(END - 8).random_raw()]
    assert at(END - 8).normal() == at(END - 8).fill_normal(np.empty(1))[0] and at(END - 3).read(3) == at(END - 4).read(4)[1:]
    assert at(END - 4).integers(5) < 5 and at(END).read(0) == b"" and at(END).offset == END
    for left, attempt in itertools.product(range(8), (
        lambda s: s.random_raw(), lambda s: s.random(), lambda s: s.normal(size=1), lambda s: s.fill_double(np.empty(1)), lambda s: s.read(8),
        lambda s: s.read(100_000), lambda s: s.fill_bytes(bytearray(8)), lambda s: s.integers(2**40, size=1), lambda s: s.integers(5, size=2),
        lambda s: s.integers([2, 3], 9), lambda s: s.shuffle([1, 2, 3]), lambda s: s.sample(9, 3), lambda s: s.sample(3, 3),
        lambda s: s.advance(1), lambda s: setattr(s, "offset", END + 1), lambda s: np.random.Generator(s).random(),
    )):  # fmt: skip
        stream = at(END - left)
        with pytest.raises(OverflowError, match=r"a stream ends after 2\*\*64 - 1 bytes"):
            attempt(stream)
        assert stream.offset == END - left
    for size in (1, 1000):
        out, stream = np.zeros(size), at(END - 8 * size + 1)
        with pytest.raises(OverflowError):
            stream.fill_double(out)
        assert not out.any() and stream.offset == END - 8 * size + 1
    assert at(END).advance(-1).offset == END - 8


def test_numbers_at_the_end_are_those_elsewhere():
    """Catches a different number from the functions that report the end, and a refused number that still fits."""
    short = 2**38

    def both(key, left, draw):
        """Whether a stream that ends after `left` bytes has the draw; if so, a longer stream with the same bytes gives the same."""
        streams = [cprng.Stream.from_key(bytes(31) + bytes([key]), bytes(size), engine="chacha20") for size in (8, 12)]
        made = []
        for stream in streams:
            stream.offset = short - left
            try:
                made.append((draw(stream), stream.offset))
            except OverflowError:
                assert stream.offset == short - left
        assert len(made) == 2 and made[0] == made[1] or len(made) == 1 and made[0][1] > short
        return len(made) == 2

    def order(stream, size):
        numbers = list(range(size))
        stream.shuffle(numbers)
        return numbers

    for draw in (lambda s: s.integers(2**31 + 1, size=7).tolist(), lambda s: s.integers([0] * 7, 2**31 + 1).tolist(), lambda s: s.sample(10, 4),
                 lambda s: s.sample(10, 7), lambda s: s.sample(2**40, 3), lambda s: order(s, 5)):  # fmt: skip
        assert {both(key, left, draw) for key in range(20) for left in (0, 10, 60, 1000)} == {True, False}
    for left in (3000, 3000 * 4, 10**6):
        assert both(0, left, lambda s: order(s, 3000)) == (left > 3000)
    # Half of the words are rejected: four words give a number, or none.
    for seed in range(50):
        stream, bound = at(END - 16, seed), 2**31 + 1
        products = [int(word) * bound for word in np.frombuffer(at(END - 16, seed).read(16), dtype="<u4")]
        taken = [product >> 32 for product in products if product % 2**32 >= 2**32 % bound]
        for numbers in (1, 2, 3, 4):
            stream.offset = END - 16
            if numbers <= len(taken):
                assert stream.integers(bound, size=numbers).tolist() == taken[:numbers]
            else:
                with pytest.raises(OverflowError):
                    stream.integers(bound, size=numbers)
                assert stream.offset == END - 16


def ctypes_of(kind, *fields, **options):
    return (type("Own", (kind,), {**options, "_fields_": fields}) * 2)()


UNION = ctypes_of(ctypes.Union, ("x", ctypes.c_double), ("object", ctypes.py_object))


def structures():
    return np.zeros(8, dtype=[("x", float), ("Object", object)])


@pytest.mark.parametrize("make, kept", [
    (lambda: np.zeros(8, dtype=bool), "truth values"), (lambda: np.zeros(8, dtype="U3"), "text"),
    (lambda: np.zeros(8, dtype=[("?", "f4"), ("on", bool)]), "truth values"), (lambda: np.zeros((2, 2), dtype=[("name", "U2", 3)]), "text"),
    (lambda: array.array("u", "abcdefgh"), "text"), (lambda: (ctypes.c_bool * 8)(), "truth values"), (lambda: (ctypes.c_wchar * 8)(), "text"),
    (lambda: (ctypes.c_char_p * 2)(b"a", b"b"), "text"), (lambda: (ctypes.c_wchar_p * 2)("a", "b"), "text"),
    (lambda: memoryview(np.zeros(8, dtype=bool)), "truth values"), (lambda: np.array([[1], {}], dtype=object), "objects"),
    (structures, "objects"), (lambda: structures()["Object"], "objects"), (lambda: (ctypes.py_object * 2)(), "objects"),
    (lambda: ctypes_of(ctypes.Union, ("x", ctypes.c_double), ("on", ctypes.c_bool)), "unknown members"),
    (lambda: ctypes_of(ctypes.Structure, ("y", ctypes.c_ubyte), ("u", type(UNION))), "unknown members"),
    (lambda: memoryview(ctypes_of(ctypes.Structure, ("u", type(UNION)))), "unknown members"),
    (lambda: ctypes_of(ctypes.Structure, ("on", ctypes.c_bool), ("x", ctypes.c_double), _pack_=1, _layout_="ms"), "(unknown members|truth values)"),
])  # fmt: skip
def test_what_not_every_byte_is_is_not_overwritten(make, kept):
    """Catches random bytes over pointers to objects, which the interpreter would follow; truth values from 0 to 255, which are
    almost always true; and text with invalid characters."""
    out = make()

    def content():
        return out.tobytes() if isinstance(out, np.ndarray) else bytes(memoryview(out).cast("B"))

    before = content()
    for attempt in (cprng.fill_bytes, cprng.Stream(1).fill_bytes):
        with pytest.raises((TypeError, ValueError), match=f"an array of {kept} is no memory for bytes|ndarray is not C-contiguous"):
            attempt(out)
    assert content() == before


def test_structures_without_objects_are_filled():
    """Catches a member's name that is mistaken for an object's format, complex numbers for text, and bytes for a union."""
    out = np.zeros(8, dtype=[("Open", float), ("O", np.int32), ("u?wz", "S3"), ("Z", complex), ("B", "u1"), ("rest", "V5")])
    assert cprng.fill_bytes(out) is out and len(np.unique(out["O"])) > 1
    out = ctypes_of(ctypes.Structure, ("B", ctypes.c_ubyte), ("row", ctypes.c_ubyte * 40))
    assert cprng.fill_bytes(out) is out and any(out[1].row)


# ------------------------------------------------------------------------------------------------------------ integers

BOUNDS = [
    (0, 1), (0, 2), (1, 7), (-5, 5), (0, 2**31 + 1), (-(2**31), 2**31), (0, 3 * 2**30), (0, 2**32 - 1), (0, 2**32), (0, 2**32 + 1),
    (-(2**63), 2**63), (-1, 3 * 2**61), (0, 2**62 + 2**61),
]  # fmt: skip


@pytest.mark.parametrize("low, high", BOUNDS)
def test_integers_are_single_numbers(low, high):
    """Catches a stream's integers that differ from the specification's, even if words are rejected."""
    stream, one = cprng.Stream(5), Single(5)
    assert stream.integers(low, high, 2000).tolist() == [low + one.uniform(high - low) for _ in range(2000)]
    assert stream.offset == one.tell()


@pytest.mark.parametrize("threads", [1, 2, 3, 7, 64])
@pytest.mark.parametrize("low, high", [(0, 10), (0, 2**31 + 1), (0, 2**40), (-(2**62) - 2**61, 2**62), (0, 2**63)])
def test_integers_do_not_depend_on_threads(threads, low, high):
    """Catches parts that are joined with a gap, repeated, or in another order after rejections."""
    stream, other = cprng.Stream(5), cprng.Stream(5)
    assert np.array_equal(stream.integers(low, high, 100_001, threads=threads), other.integers(low, high, 100_001, threads=1))
    assert stream.offset == other.offset


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32, np.int64, np.uint64, bool])
def test_types_of_integers(dtype):
    """Catches an end of a type's range that is never reached, and values that are not truncated as their type requires."""
    least, most = (0, 1) if dtype is bool else (np.iinfo(dtype).min, np.iinfo(dtype).max)
    size = 200_000 if np.dtype(dtype).itemsize <= 2 else 1000
    values = cprng.integers(least, most, size, dtype=dtype, endpoint=True)
    assert values.dtype == dtype and values.shape == (size,)
    if np.dtype(dtype).itemsize == 1:
        assert (values.min(), values.max()) == (least, most) and len(np.unique(values)) == int(most) - int(least) + 1
    middle = (int(least) + int(most)) // 2
    assert abs(float((values <= middle).mean()) - 0.5) < 9 * 0.5 / size**0.5
    same = cprng.Stream(3).integers(least, most, 50, dtype=dtype, endpoint=True)
    one = Single(3)
    assert [int(value) for value in same] == [int(least) + one.uniform(int(most) - int(least) + 1) for _ in range(50)]


def test_integers_of_draws_are_uniform():
    """Catches a bias of arrays of draws: every value of three bounds is equally likely, one of which rejects half of
    the words."""
    for bound, parts in ((13, 13), (2**31 + 1, 4), (3 * 2**62, 3)):
        values = cprng.integers(0, bound, BIG, dtype=np.uint64).astype(object) * parts // bound
        counts = np.bincount(values.astype(int), minlength=parts)
        assert len(counts) == parts and abs(counts - BIG / parts).max() < 9 * (BIG / parts) ** 0.5


def test_arguments_of_integers():
    """Catches arguments with another meaning than in numpy.random.Generator.integers()."""
    assert cprng.integers(5).dtype == np.int64 and np.ndim(cprng.integers(5)) == 0
    assert set(cprng.integers(2, size=(20, 20)).ravel()) == {0, 1}
    assert set(cprng.integers(-2, 0, 200)) == {-2, -1}
    assert set(cprng.integers(1, 2, 200, endpoint=True)) == {1, 2}
    assert cprng.integers(5, size=0).shape == (0,)
    # As in NumPy, which ignores the bounds then.
    assert cprng.integers(0, 0, size=0).shape == (0,) and cprng.integers(3, 2, (2, 0), np.int8).shape == (2, 0)
    for arguments in ((0,), (5, 5), (5, 4), (0, 300, 3, np.uint8), (-1, 3, 3, np.uint8), (0, 2**63 + 1)):
        with pytest.raises(ValueError):
            cprng.integers(*arguments)
    for arguments in ((1.5,), ("a",), (0, 5, 3, float), (0, 5, 3, ">i8")):
        with pytest.raises(TypeError):
            cprng.integers(*arguments)


def bounds():
    yield [0, 5, -3], [1, 9, 4], np.int64
    yield np.array([[0], [250]], dtype=np.uint8), [251, 256, 252], np.uint8
    yield 0, [1, 2**31 + 1, 3 * 2**30, 2**32 - 1, 2**32, 2**32 + 1, 3 * 2**61, 2**63], np.int64
    yield [-(2**63), 0], 2**63, np.int64
    yield np.array([0, 2**63 - 1], dtype=np.int64), np.array([2**64 - 1, 2**63], dtype=np.uint64), np.uint64
    yield [0, 2**64 - 1, 2**63], 2**64, np.uint64
    yield [False, True], [2, 2], bool
    yield np.arange(-5, 5, dtype=np.int8)[::2], np.int16(300), np.int32


@pytest.mark.parametrize("low, high, dtype", list(bounds()))
def test_integers_between_arrays(low, high, dtype):
    """Catches integers with individual bounds that are refused or differ from single calls, at either end of a type."""
    stream, one = cprng.Stream(5), Single(5)
    shape = np.broadcast(np.asarray(low, dtype=object), np.asarray(high, dtype=object)).shape
    lows, highs = (np.broadcast_to(np.asarray(side, dtype=object), (50, *shape)).ravel() for side in (low, high))
    expected = [int(first) + one.uniform(int(last) - int(first)) for first, last in zip(lows, highs, strict=True)]
    found = stream.integers(low, high, (50, *shape), dtype)
    assert (found.dtype, found.shape) == (np.dtype(dtype), (50, *shape))
    assert [int(value) for value in found.ravel()] == expected and stream.offset == one.tell()
    ends = np.asarray(high, dtype=object) - 1
    assert cprng.Stream(5).integers(low, ends, dtype=dtype, endpoint=True).tolist() == cprng.Stream(5).integers(low, high, dtype=dtype).tolist()
    drawn = cprng.integers(low, high, dtype=dtype)
    assert drawn.shape == shape and (drawn >= low).all() and (drawn <= ends).all()


def test_arrays_that_are_no_bounds():
    """Catches a draw from an empty range, with bounds beyond the type, or with shapes that do not fit."""
    stream = cprng.Stream(1)
    for arguments in (([0, 5], [1, 5]), ([0, 2], 1), ([-1, 0], 5, 2, np.uint8), (0, [1, 257], 2, np.uint8), ([0], [0], 1, np.uint64),
                      ([0, 1], 5, 3), ([0, 1, 2], [3, 4]), ([[0], [1]], 5, 2), ([2**64], None), (0, [2**64 + 1], 1, np.uint64)):  # fmt: skip
        with pytest.raises(ValueError):
            stream.integers(*arguments)
    for arguments in (([0, 1.5], 5), (np.zeros(2), 5), (["a"], 5), ([0, 1.5, 3], 5), (0, [None, 2])):
        with pytest.raises(TypeError):
            stream.integers(*arguments)
    assert stream.integers([0, 0], [0, 0], (0, 2)).shape == (0, 2) and stream.integers(np.array([], dtype=int)).shape == (0,)
    assert stream.offset == 0


def test_parameters_that_are_arrays():
    """Catches arrays of parameters that are refused, or whose numbers differ from single calls with these parameters."""
    means, scales = np.array([0.0, -1e300, 5.5]), np.array([[1.0], [0.0]])
    stream, one = cprng.Stream(3), Single(3)
    assert stream.normal(means, scales).tolist() == [[one.normal(m, s) for m in means] for s in (1.0, 0.0)]
    assert stream.normal([1, 2], 3, (4, 2)).tolist() == [[one.normal(m, 3.0) for m in (1, 2)] for _ in range(4)]
    assert stream.exponential([0.1, 1e300]).tolist() == [one.exponential(0.1), one.exponential(1e300)]
    assert stream.exponential(scale=[7], size=(2, 1), threads=2).tolist() == [[one.exponential(7)], [one.exponential(7)]]
    assert stream.normal(np.array(5.0), np.float32(0.5)) == one.normal(5.0, 0.5) and stream.normal([]).shape == (0,)
    for attempt in (lambda: stream.normal([0, 1], [1, -1]), lambda: stream.normal([0, math.nan]), lambda: stream.exponential([-1.0]),
                    lambda: stream.normal([0, 1], 1, 3), lambda: stream.normal([0, 1], [1, 2, 3])):  # fmt: skip
        with pytest.raises(ValueError):
            attempt()
    assert stream.offset == one.tell()


@pytest.mark.parametrize("attempt, error, message", [
    (lambda s: s.normal(math.nan), ValueError, "loc must be finite: nan"),
    (lambda s: s.normal(0, -1), ValueError, "scale must be finite and not negative: -1.0"),
    (lambda s: s.normal([0], [1, -2]), ValueError, "scale must be finite and not negative: -2.0"),
    (lambda s: s.exponential(math.inf), ValueError, "scale must be finite and not negative: inf"),
    (lambda s: s.normal("a"), TypeError, "loc must be a real number, not str"),
    (lambda s: s.fill_normal(np.empty(3), 0, -1), ValueError, "sigma must be finite and not negative"),
    (lambda s: s.fill_exponential(np.empty(3), -1), ValueError, "mean must be finite and not negative"),
    (lambda s: cprng.fill_normal(np.empty(3), math.inf), ValueError, "mu must be finite: inf"),
    (lambda s: s.fill_normal(np.empty(3), math.nan), ValueError, "mu must be finite: nan"),
    (lambda s: cprng.fill_normal(np.empty(3), 0.0, -1.0), ValueError, "sigma must be finite and not negative"),
    (lambda s: cprng.fill_exponential(np.empty(3), -1.0), ValueError, "mean must be finite and not negative"),
    (lambda s: cprng.fill_exponential(np.empty(3), "1"), TypeError, "mean must be a real number, not str"),
    (lambda s: s.random(3, threads=-1), ValueError, "threads must not be negative"),
    (lambda s: s.integers(3, size=3, threads=-1), ValueError, "threads must not be negative"),
    (lambda s: s.child(-1), OverflowError, r"index of the child must be in \[0, 2\*\*64\)"),
    (lambda s: s.sample(2**64, 1), OverflowError, r"n must be in \[0, 2\*\*64\)"),
    (lambda s: cprng.Stream(1, engine="rc4"), ValueError, "unknown engine: engine 'rc4'"),
    (lambda s: cprng.Stream.from_key(bytes(5)), ValueError, "key size not taken by the engine: engine 'chacha8', key of 5 bytes"),
    (lambda s: s.integers(3, dtype=float), TypeError, "no integers of type"),
    (lambda s: s.read(-1), ValueError, "must not be negative"), (lambda s: s.read(-(2**62)), ValueError, "must not be negative"),
    (lambda s: cprng.Stream(1, engine="chacha8\0"), ValueError, "null character"),
])  # fmt: skip
def test_errors_name_the_argument(attempt, error, message):
    """Catches an error like "invalid argument" that does not name the argument, or that comes after bytes were read."""
    stream = cprng.Stream(1)
    with pytest.raises(error, match=message):
        attempt(stream)
    assert stream.offset == 0


@pytest.mark.parametrize("kind", [np.int64, np.uint8, np.array])
def test_integers_of_other_types(kind):
    """Catches an integer of NumPy that is refused where one of Python is accepted."""
    stream, same = cprng.Stream(9), cprng.Stream(9)
    assert stream.sample(kind(10), kind(3)) == same.sample(10, 3) and stream.read(kind(5)) == same.read(5)
    stream.offset = kind(8)
    assert stream.offset == 8 and stream.advance(kind(2)).offset == 24 and stream.child(kind(7)).read(4) == same.child(7).read(4)
    assert len(stream.spawn(kind(2))) == 2 and stream.jumped(kind(1)).state["state"]["nonce"] == same.jumped(1).state["state"]["nonce"]
    assert stream.random(4, threads=kind(2)).shape == (4,) and stream.offset == 56
    state = same.state
    state["state"] |= {"offset": kind(16), "children": kind(3)}
    stream.state = state
    assert stream.state["state"]["offset"] == 16 and stream.state["state"]["children"] == 3


def test_samples():
    """Catches a sample of a sequence with other indices than a sample of its length, and an invalid population or size."""
    assert sorted(cprng.Stream(9).sample(20, 20)) == list(range(20))
    for population in (range(100, 110), "abcdefghij", list("abcdefghij"), np.arange(10) * 2, np.int64(10)):
        indices = cprng.Stream(9).sample(10, 3)
        expected = indices if isinstance(population, np.int64) else [population[index] for index in indices]
        assert cprng.Stream(9).sample(population, 3) == expected
    for population in ({1, 2, 3}, {1: 2}, 1.5, None):
        with pytest.raises(TypeError, match="n must be an integer or a sequence: of a set, take sorted"):
            cprng.Stream(9).sample(population, 1)
    for n, k in ((3, 4), (3, -1)):
        with pytest.raises(ValueError):
            cprng.Stream(9).sample(n, k)
