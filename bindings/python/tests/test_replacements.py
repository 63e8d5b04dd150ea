# SPDX-License-Identifier: BSD-2-Clause
"""The first table of docs/python.md: each row's two calls, and what the row says of their difference."""

import copy
import fractions
import importlib
import os
import pathlib
import random
import re
import secrets
import uuid

import pytest

np = pytest.importorskip("numpy")

import cprng  # noqa: E402

PAGE = pathlib.Path(__file__).resolve().parents[3] / "docs/python.md"
if not PAGE.is_file():
    pytest.skip("the tests are not beside the guide", allow_module_level=True)
TABLE = PAGE.read_text(encoding="utf-8").partition("|---|---|---|\n")[2].partition("\n\n")[0]
ROWS = [re.fullmatch(r"\| `(.+?)` \| `(.+?)` \| (.+) \|", line).groups() for line in TABLE.splitlines()]
N, V, A = 10, list("abcdef"), "abcdefgh"


class Tensor:
    __len__, __getitem__, __setitem__ = lambda self: 3, lambda self, index: index, lambda self, index, value: None


def raises(error, *attempts):
    for attempt in attempts:
        with pytest.raises(error):
            attempt()
    return True


def both(error, name, *arguments):
    """Whether a function of the modules secrets or random and that of cprng raise the same error."""
    theirs = getattr(secrets if hasattr(secrets, name) else random, name)
    return raises(error, lambda: theirs(*arguments), lambda: getattr(cprng, name)(*arguments))


def stream():
    return cprng.Stream(7)


RNG = np.random.default_rng(7)
# By the first cell: whether the two results are as the row says, beyond equal types and sizes.
CASES = {
    "os.urandom(32)": lambda a, b: raises(ValueError, lambda: os.urandom(-1), lambda: cprng.random_bytes(-1)),
    "secrets.token_bytes(32)": lambda a, b: len(cprng.token_bytes()) == cprng.DEFAULT_ENTROPY == secrets.DEFAULT_ENTROPY == 32,
    "secrets.token_hex(16)": None, "secrets.token_urlsafe(16)": None,
    "secrets.randbelow(n)": lambda a, b: both(ValueError, "randbelow", 0) and both(ValueError, "randbelow", -1),
    "secrets.randbits(128)": lambda a, b: both(ValueError, "randbits", -1),
    "secrets.choice(v)": lambda a, b: both(IndexError, "choice", []),
    'secrets.compare_digest("a", "b")': lambda a, b: cprng.compare_digest is secrets.compare_digest,
    "uuid.uuid4()": lambda a, b: a.version == b.version == 4,
    "uuid.uuid7()": lambda a, b: b.version == 7 and b < cprng.uuid7(),
    '"".join(secrets.choice(a) for _ in range(21))': lambda a, b: raises(ValueError, lambda: cprng.text(1, ""), lambda: cprng.text(1, 257 * "a")),
    "random.SystemRandom()": lambda a, b: raises(TypeError, lambda: cprng.Random(42)) and b.gauss() and b.gauss_next is None,
    "random.Random(42)": lambda a, b: a.random() != b.random() == cprng.Stream(42).random(),
    "random.seed(42)": lambda a, b: a is b is cprng.SystemRandom().seed(42), "random.getstate()": lambda a, b: b is NotImplementedError,
    "random.random()": lambda a, b: 0 <= b < 1 and (b * 2**53).is_integer(),
    "random.getrandbits(64)": None, "random.randbytes(16)": None,
    "random.randrange(1, n)": lambda a, b: both(ValueError, "randrange", 1, 1) and both(ValueError, "randrange", 0),
    "random.randint(1, 6)": lambda a, b: both(ValueError, "randint", 6, 1),
    "random.uniform(1, 2)": None, "random.gauss(0, 1)": None,
    "random.expovariate(2)": lambda a, b: both(ZeroDivisionError, "expovariate", 0),
    "random.choices(v, k=3)": lambda a, b: both(IndexError, "choices", []),
    "random.choices(range(3), [70, 25, 5])[0]": lambda a, b: raises(ValueError, lambda: cprng.Weights([0, 0])) and raises(TypeError, lambda: cprng.Weights([0.5])),
    "random.random() < 0.25": lambda a, b: cprng.bernoulli(fractions.Fraction(1, 3)) in (True, False),
    "random.sample(v, 2)": lambda a, b: both(ValueError, "sample", V, 7),
    "random.shuffle(v)": lambda a, b: both(TypeError, "shuffle", (1, 2)) and random.shuffle(Tensor()) is None and raises(TypeError, lambda: cprng.shuffle(Tensor())),
    "np.random.default_rng()": lambda a, b: raises(TypeError, lambda: b.bit_generator.state) and copy.copy(b.bit_generator).random_raw() != b.bit_generator.random_raw(),
    "np.random.default_rng(42)": lambda a, b: a.random() != b.random() and cprng.default_rng("text").random() != cprng.default_rng(bytes(16)).random(),
    "np.random.PCG64()": lambda a, b: raises(TypeError, lambda: cprng.DrawBitGenerator(42)),
    "np.random.PCG64(42)": lambda a, b: b.advance(3) is b and b.offset == 24 and raises(OverflowError, lambda: b.advance(2**61)),
    "np.random.SeedSequence(42).spawn(3)": lambda a, b: len(a) == len(b) and b[2].read(8) == cprng.Stream(42).child(2).read(8),
    "np.random.RandomState(42)": lambda a, b: a.random() != b.random() and pytest.importorskip("sklearn.utils").check_random_state(b) is b,
    "rng.random(n)": None,
    "rng.random(out=out)": lambda a, b: b is cprng.fill_double(b) and cprng.fill_double(np.zeros((4, 4))[::2]).all(),
    "rng.normal(0, 1, n)": lambda a, b: raises(ValueError, lambda: RNG.normal(0, -1), lambda: stream().normal(0, -1)),
    "rng.exponential(1, n)": lambda a, b: raises(ValueError, lambda: RNG.exponential(-1), lambda: stream().exponential(-1)),
    "rng.integers(0, 10, n)": lambda a, b: raises(ValueError, *(lambda s=s: s.integers(5, 5) for s in (RNG, cprng, stream()))),
    "rng.choice(n, 3, replace=False)": lambda a, b: raises(ValueError, lambda: RNG.choice(2, 3, replace=False), lambda: stream().sample(2, 3)),
    "rng.shuffle(out)": lambda a, b: raises(TypeError, lambda: stream().shuffle(Tensor())),
    "rng.bytes(16)": lambda a, b: b == stream().read(16),
    "dask.array.random.default_rng(42)": lambda a, b: b.random(4, chunks=2).compute()[2] == cprng.Stream(42).child(0).child(1).random(),
}  # fmt: skip
OTHER_TYPES = {"random.Random(42)", "random.SystemRandom()", "random.getstate()", "np.random.PCG64()", "np.random.PCG64(42)",
               "np.random.SeedSequence(42).spawn(3)", "rng.choice(n, 3, replace=False)", "dask.array.random.default_rng(42)"}  # fmt: skip


def test_each_row_has_a_case():
    """Catches a row that no case runs, and a case for a row that is no longer there."""
    assert [row[0] for row in ROWS] == list(CASES) and OTHER_TYPES < CASES.keys()


@pytest.mark.parametrize("theirs, ours, _", ROWS, ids=[row[1] for row in ROWS])
def test_row(theirs, ours, _):
    """Catches a call of the table that fails, returns another type or size than today's, or differs otherwise than the row says."""
    names = {"cprng": cprng, "np": np, "os": os, "random": random, "secrets": secrets, "uuid": uuid, "n": N, "v": V.copy(), "a": A,
             "rng": np.random.default_rng(7), "stream": stream(), "out": np.zeros(N)}  # fmt: skip
    if "dask" in theirs:
        pytest.importorskip("dask.array")
        names |= {"dask": importlib.import_module("dask.array.random") and importlib.import_module("dask")}
        importlib.import_module("cprng.dask")
    old = None if theirs == "uuid.uuid7()" and not hasattr(uuid, "uuid7") else eval(theirs, names)
    try:
        new = eval(ours, names)
    except NotImplementedError as error:
        new = type(error)
    if theirs not in OTHER_TYPES and old is not None:
        assert type(new) is type(old)
        assert not hasattr(old, "__len__") or "choice" in theirs or np.shape(new) == np.shape(old) and len(new) == len(old)
    assert CASES[theirs] is None or CASES[theirs](old, new)
