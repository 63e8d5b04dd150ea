# SPDX-License-Identifier: BSD-2-Clause
"""The kinds of NumPy's numpy/random/tests/test_smoke.py, written for generators of secrets as well, which have no seed or state:
that file is inherited for streams (test_numpy_bit_generators.py), and some installations of NumPy lack it."""

import pytest

np = pytest.importorskip("numpy")

import cprng  # noqa: E402

# Arguments, and whether the numbers are whole, not negative.
DISTRIBUTIONS = {
    "beta": ((2.0, 3.0), False), "binomial": ((10, 0.3), True), "chisquare": ((4.0,), False), "exponential": ((2.0,), False),
    "f": ((3.0, 8.0), False), "gamma": ((2.5, 1.5), False), "geometric": ((0.4,), True), "gumbel": ((0.0, 1.0), None),
    "hypergeometric": ((8, 9, 7), True), "laplace": ((0.0, 1.0), None), "logistic": ((0.0, 1.0), None),
    "lognormal": ((0.0, 0.5), False), "logseries": ((0.7,), True), "negative_binomial": ((6, 0.4), True),
    "noncentral_chisquare": ((4.0, 1.0), False), "noncentral_f": ((3.0, 9.0, 1.0), False), "normal": ((1.0, 2.0), None),
    "pareto": ((3.0,), False), "poisson": ((4.0,), True), "power": ((2.0,), False), "random": ((), False),
    "rayleigh": ((1.0,), False), "standard_cauchy": ((), None), "standard_exponential": ((), False),
    "standard_gamma": ((2.0,), False), "standard_normal": ((), None), "standard_t": ((5.0,), None),
    "triangular": ((0.0, 1.0, 2.0), False), "uniform": ((2.0, 5.0), False), "vonmises": ((0.0, 4.0), None),
    "wald": ((1.0, 2.0), False), "weibull": ((1.5,), False), "zipf": ((3.0,), True),
}  # fmt: skip


@pytest.fixture(name="rng", params=["system", "stream"])
def generator(request):
    return cprng.default_rng() if request.param == "system" else cprng.default_rng(12345)


@pytest.mark.parametrize("name", DISTRIBUTIONS)
def test_distributions(rng, name):
    """Catches a distribution that fails over the bit generator, gives a constant, or gives what is no number of its range."""
    arguments, whole = DISTRIBUTIONS[name]
    method = getattr(rng, name)
    one, many = method(*arguments), method(*arguments, size=(40, 50))
    assert np.ndim(one) == 0 and many.shape == (40, 50)
    assert np.isfinite(many).all() and len(np.unique(many)) > (1 if whole else 1900)
    if whole is not None:
        assert many.min() >= 0
    assert (many.dtype.kind == "i") == (whole is True)
    if arguments:  # one number for each element of an argument
        assert method(np.full((5, 1), arguments[0]), *arguments[1:], size=(5, 6)).shape == (5, 6)


def test_several_numbers_at_once(rng):
    """Catches vectors of a distribution with another shape or sum."""
    assert (rng.multinomial(20, [0.1, 0.2, 0.7], size=9).sum(axis=1) == 20).all()
    assert rng.multivariate_hypergeometric([5, 6, 7], 9, size=4).sum(axis=1).tolist() == [9] * 4
    assert np.allclose(rng.dirichlet([1.0, 2.0, 3.0], size=8).sum(axis=1), 1)
    assert rng.multivariate_normal([0.0, 1.0], [[1.0, 0.2], [0.2, 2.0]], size=7).shape == (7, 2)


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"])
@pytest.mark.parametrize("endpoint", [False, True])
def test_integers(rng, dtype, endpoint):
    """Catches an integer outside of its range, an end that never comes, and a whole range that is refused."""
    low, high = (0, 1) if dtype == "bool" else (np.iinfo(dtype).min, np.iinfo(dtype).max)
    every = rng.integers(low, high, size=5000, dtype=dtype, endpoint=True)
    assert every.dtype == dtype and every.min() < low + (high - low) / 100 + 1 and every.max() > high - (high - low) / 100 - 1
    few = rng.integers(0, 2 if dtype == "bool" else 5, size=5000, dtype=dtype, endpoint=endpoint and dtype != "bool")
    assert set(few.tolist()) == set(range(2 if dtype == "bool" else 6 if endpoint else 5))
    bounds = np.array([1, 2] if dtype == "bool" else [1, 2, 50])
    assert (rng.integers(0, bounds, size=(300, len(bounds)), dtype=dtype) < bounds).all()
    with pytest.raises(ValueError):
        rng.integers(low - 1, high, dtype=dtype)
    with pytest.raises(ValueError):
        rng.integers(3, 2)


@pytest.mark.parametrize("name", ["random", "standard_normal", "standard_exponential", "standard_gamma"])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_filled_arrays(rng, name, dtype):
    """Catches an output array that is not filled, or that is filled although its type or shape is another."""
    method, arguments = getattr(rng, name), (2.0,) if name == "standard_gamma" else ()
    out = np.full((30, 40), np.nan, dtype=dtype)
    assert method(*arguments, out=out, dtype=dtype) is out
    assert np.isfinite(out).all() and len(np.unique(out)) > 1000
    with pytest.raises(TypeError):
        method(*arguments, out=np.zeros(3, dtype="float32" if dtype == "float64" else "float64"), dtype=dtype)
    with pytest.raises(ValueError):
        method(*arguments, out=np.zeros(3, dtype=dtype), size=4, dtype=dtype)
    with pytest.raises(ValueError):
        method(*arguments, out=np.zeros((8, 8), dtype=dtype)[::2, ::2], dtype=dtype)


def test_orders(rng):
    """Catches a shuffle, permutation or choice that loses elements, doubles them or leaves them where they are."""
    original = np.arange(1000)
    mixed = original.copy()
    rng.shuffle(mixed)
    table = rng.permuted(np.tile(original, (3, 1)), axis=1)
    for order in (mixed, rng.permutation(1000), rng.permutation(original), *table):
        assert sorted(order.tolist()) == original.tolist() and order.tolist() != original.tolist()
    assert not np.array_equal(table[0], table[1])
    chosen = rng.choice(1000, 300, replace=False)
    assert len(set(chosen.tolist())) == 300
    assert set(rng.choice(["a", "b"], 200, p=[0.0, 1.0]).tolist()) == {"b"}
    assert len(rng.bytes(77)) == 77 and rng.bytes(77) != rng.bytes(77)


@pytest.mark.parametrize("half", [np.uint32, np.float32])
def test_state_between_halves_of_words(half):
    """Catches a stream whose restored state loses or repeats half of a word."""
    def numbers(rng, count):
        return (rng.integers(0, 2**32, count, dtype=half) if half is np.uint32 else rng.standard_normal(count, dtype=half)).tolist()

    rng = cprng.default_rng(5)
    numbers(rng, 7)
    saved = rng.bit_generator.state
    first = numbers(rng, 9)
    rng.bit_generator.state = saved
    assert numbers(rng, 9) == first
    again = cprng.default_rng(5)
    again.bit_generator.state = saved
    assert numbers(again, 9) == first
