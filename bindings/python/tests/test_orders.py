# SPDX-License-Identifier: BSD-2-Clause
"""Shuffles in place: every element once, in every container, or a refusal before anything is drawn."""

import array
import collections

import pytest
from single import Single

np = pytest.importorskip("numpy")

import cprng  # noqa: E402

N = 40
SHUFFLES = {"cprng": cprng.shuffle, "Random": cprng.Random().shuffle, "Stream": lambda x: cprng.Stream("orders").shuffle(x)}


def filled(sequence, values):
    for index, value in enumerate(values):
        sequence[index] = value
    return sequence


def records(shape=(N,)):
    made = np.zeros(shape, dtype=[("x", np.int64), ("y", "f4")])
    made["x"].flat = range(made.size)
    made["y"].flat = range(made.size)
    return made


def objects():
    made = np.empty(N, dtype=object)
    made[:] = [[index] for index in range(N)]
    return made


def mapped(tmp_path):
    return filled(np.memmap(tmp_path / "rows", dtype=np.int32, mode="w+", shape=(N, 3)), np.arange(3 * N).reshape(N, 3))


def masked(*shape):
    return np.ma.masked_where(np.arange(N * 4).reshape(shape) % 3 == 0, np.arange(N * 4).reshape(shape))


def values_of_a_frame():
    pandas = pytest.importorskip("pandas")
    return pandas.DataFrame({"a": range(N), "b": [str(n) for n in range(N)]}).to_numpy(copy=True)


class Observed(list):
    """It accepts only assignments by index."""

    def __setitem__(self, index, value):
        assert isinstance(index, int)
        super().__setitem__(index, value)


CONTAINERS = {
    "list": lambda _: list(range(N)),
    "list that observes": lambda _: Observed(range(N)),
    "subclass of list": lambda _: type("Own", (list,), {})(range(N)),
    "list of views": lambda _: list(np.arange(2 * N).reshape(N, 2)),
    "deque": lambda _: collections.deque(range(N)),
    "deque with an end": lambda _: collections.deque(range(N), N),
    "array.array": lambda _: array.array("d", range(N)),
    "bytearray": lambda _: bytearray(range(N)),
    "UserList": lambda _: collections.UserList([index] for index in range(N)),
    "vector": lambda _: np.arange(N),
    "every second": lambda _: np.arange(2 * N)[::2],
    "backwards": lambda _: np.arange(N)[::-1],
    "texts": lambda _: np.array([str(n) for n in range(N)]),
    "days": lambda _: np.arange(N).astype("datetime64[D]"),
    "objects": lambda _: objects(),
    "rows of objects": lambda _: np.stack([objects(), objects()], axis=1),
    "rows": lambda _: np.arange(2 * N).reshape(N, 2),
    "columns": lambda _: np.asfortranarray(np.arange(2 * N).reshape(N, 2)),
    "part": lambda _: np.arange(8 * N).reshape(2 * N, 4)[::2, 1:3],
    "three dimensions": lambda _: np.arange(12 * N).reshape(N, 3, 4),
    "no columns": lambda _: np.empty((N, 0)),
    "structures": lambda _: records(),
    "rows of structures": lambda _: records((N, 2)),
    "record array": lambda _: records().view(np.recarray),
    "matrix": lambda _: np.matrix(np.arange(2 * N).reshape(N, 2)),
    "masked": lambda _: masked(N * 4)[:N],
    "masked rows": lambda _: masked(N, 4),
    "hard mask of none": lambda _: np.ma.array(np.arange(2 * N).reshape(N, 2), mask=False, hard_mask=True),
    "memmap": mapped,
    "data frame": lambda _: values_of_a_frame(),
}


def elements(container):
    """The contents of a container, as values."""
    if isinstance(container, np.ma.MaskedArray):
        return list(zip(container.data.tolist(), np.ma.getmaskarray(container).tolist(), strict=True))
    return [one.tolist() if isinstance(one, (np.ndarray, np.generic)) else one for one in container]


@pytest.mark.filterwarnings("ignore:the matrix subclass:PendingDeprecationWarning")
@pytest.mark.parametrize("how", SHUFFLES)
@pytest.mark.parametrize("name", CONTAINERS)
def test_every_element_once(name, how, tmp_path):
    """Catches an element that is repeated or lost because elements are views and one is overwritten."""
    container = CONTAINERS[name](tmp_path)
    before = elements(container)
    assert len(before) == N
    assert SHUFFLES[how](container) is None
    after = elements(container)
    assert sorted(map(repr, after)) == sorted(map(repr, before))
    if name != "no columns":
        assert after != before
    if how == "Stream":
        assert after == [before[index] for index in Single("orders").order(N)]
    if isinstance(container, collections.deque):
        assert container.maxlen in (None, N)


def test_orders_are_permanent():
    """Catches a stream's order that has changed, or differs from cprng_stream_shuffle(3)'s."""
    ten, letters, stream = list(range(10)), np.array(list("ABCDEFG")), cprng.Stream(9)
    stream.shuffle(ten)
    assert (ten, stream.offset) == ([2, 7, 8, 0, 1, 5, 4, 3, 6, 9], 36)
    stream = cprng.Stream(1, engine="aes256-ctr").child(5)
    stream.shuffle(letters)
    assert ("".join(letters), stream.offset) == ("EBDCAGF", 24)
    # Long enough to be shuffled without the interpreter's lock.
    many, stream = np.arange(300_000), cprng.Stream("x")
    stream.shuffle(many)
    one = Single("x")
    assert many.tolist() == one.order(300_000) and stream.offset == one.tell()


@pytest.mark.parametrize("size", [0, 1])
@pytest.mark.parametrize("make", [list, collections.deque, bytearray, lambda v: np.array(v), lambda v: np.zeros((len(v), 2))])
def test_nothing_to_order(make, size):
    """Catches a number drawn for a choice with a single candidate, which shifts the stream's later numbers."""
    stream = cprng.Stream(1)
    stream.shuffle(make(list(range(size))))
    cprng.shuffle(make(list(range(size))))
    assert stream.offset == 0


class Tensor:
    """Like PyTorch's tensors: elements are views, so that exchanges would lose some."""

    def __init__(self, values):
        self.storage = list(values)

    def __len__(self):
        return len(self.storage)

    def __getitem__(self, index):
        raise AssertionError("read")

    __setitem__ = __getitem__


def read_only(values):
    values.flags.writeable = False
    return values


@pytest.mark.parametrize("how", SHUFFLES)
@pytest.mark.parametrize("make, contents", [
    (lambda: Tensor(range(N)), lambda t: t.storage), (lambda: tuple(range(N)), list), (lambda: "abcdef", list), (lambda: range(N), list),
    (lambda: b"abcdef", list), (lambda: dict(enumerate("abcd")), list), (lambda: {1, 2, 3}, sorted),
    (lambda: memoryview(bytearray(range(N))), bytes), (lambda: read_only(np.arange(N)), list),
    (lambda: read_only(np.zeros((N, 2))), np.ndarray.tolist), (lambda: np.broadcast_to(np.arange(2), (N, 2)), np.ndarray.tolist),
    (lambda: np.lib.stride_tricks.as_strided(np.arange(2.0 * N), (N, 2), (8, 8)), np.ndarray.tolist), (lambda: masked(N, 4).harden_mask(), repr),
    # These rows do not overlap, but that takes a search.
    (lambda: np.lib.stride_tricks.as_strided(np.arange(8.0), (2, 3), (24, 16)), np.ndarray.tolist),
    (lambda: records().view(np.ma.MaskedArray).harden_mask(), repr),
    (lambda: np.lib.stride_tricks.as_strided(np.zeros(N), (N, 2), (0, 8)), np.ndarray.tolist), (lambda: np.array(5), np.ndarray.tolist), (lambda: 5, int), (lambda: None, str),
])  # fmt: skip
def test_refused_before_anything_is_drawn(make, contents, how):
    """Catches a sequence left with repeated elements, or a stream that has advanced, if the order cannot be written.
    """
    sequence, stream = make(), cprng.Stream(1)
    before = contents(sequence)
    with pytest.raises((TypeError, ValueError), match="neither a mutable|read-only|may overlap|len\\(\\)"):
        (stream.shuffle if how == "Stream" else SHUFFLES[how])(sequence)
    assert contents(sequence) == before and stream.offset == 0


@pytest.mark.parametrize("shuffle", SHUFFLES.values())
def test_tuples_are_arguments(shuffle):
    """Catches a tuple taken as the list of arguments: its element would be shuffled, and an empty one would be too short."""
    inner = list(range(N))
    assert shuffle((inner,)) is None and inner == list(range(N))
    # Like random.shuffle, which does nothing for these.
    assert shuffle(()) is None and shuffle("") is None and shuffle(range(1)) is None
    with pytest.raises(TypeError, match="'tuple' object is neither a mutable sequence nor an array of NumPy"):
        shuffle((inner, inner))


@pytest.mark.parametrize("draw", [cprng.choice, lambda x: cprng.choices(x, k=2), lambda x: cprng.sample(list(x), 2)])
def test_nothing_else_writes(draw):
    """Catches a choice or sample that changes its population."""
    rows = np.arange(12).reshape(6, 2)
    draw(rows)
    assert rows.tolist() == np.arange(12).reshape(6, 2).tolist()
