# SPDX-License-Identifier: BSD-2-Clause
"""The class Random: CPython's own tests of SystemRandom, from the interpreter's test package, and further ones."""

import _random
import copy
import inspect
import random
import secrets
import statistics
import unittest

import pytest

import cprng

test_random = pytest.importorskip("test.test_random", reason="the interpreter's test package is not installed")


class Basics(test_random.SystemRandom_TestBasicOps):
    gen = cprng.Random()


@pytest.mark.parametrize("name", unittest.TestLoader().getTestCaseNames(Basics))
def test_of_cpython(name):
    """Catches the same as CPython's tests of random.SystemRandom."""
    result = unittest.TestResult()
    Basics(name).run(result)
    assert result.testsRun == 1
    assert not result.errors + result.failures + result.unexpectedSuccesses, result


def test_there_are_tests_of_cpython():
    """Catches an interpreter whose tests have other names, so that none would run."""
    assert len(unittest.TestLoader().getTestCaseNames(Basics)) >= 25


def test_no_method_takes_the_twister():
    """Catches a method that draws from the base class's Mersenne twister: equal states would give equal numbers."""
    drawn = [
        lambda r: r.random(), lambda r: r.getrandbits(64), lambda r: r.randbytes(8), lambda r: r.randrange(10**18),
        lambda r: r.uniform(0, 1), lambda r: r.gauss(), lambda r: r.normalvariate(), lambda r: r.expovariate(1.0),
        lambda r: r.betavariate(1, 2), lambda r: r.gammavariate(2, 1), lambda r: r.triangular(0, 1),
        lambda r: r.vonmisesvariate(0, 4), lambda r: r.paretovariate(1), lambda r: r.weibullvariate(1, 1),
        lambda r: r.lognormvariate(0, 1), lambda r: tuple(r.sample(range(10**9), 3)), lambda r: tuple(r.choices(range(10**9), k=3)),
        lambda r: r.choice(range(10**18)),
    ]  # fmt: skip
    for draw in drawn:
        rng, seen = cprng.Random(), set()
        for _ in range(2):
            _random.Random.seed(rng, 1)
            seen.add(draw(rng))
        assert len(seen) == 2


def test_nothing_is_kept_for_the_next_call():
    """Catches a stored normal, which a forked process would inherit."""
    rng = cprng.Random()
    rng.gauss(0, 1)
    assert rng.gauss_next is None and not [key for key in vars(rng) if key != "gauss_next"]


@pytest.mark.parametrize("method, mean, deviation", [
    (lambda r: r.gauss(3, 2), 3, 2), (lambda r: r.normalvariate(-1, 0.5), -1, 0.5), (lambda r: r.expovariate(4), 0.25, 0.25),
    (lambda r: r.uniform(0, 12), 6, 12**0.5),
])  # fmt: skip
def test_distributions(method, mean, deviation):
    """Catches parameters that are swapped or lost: the mean of 10,000 may be off by nine standard deviations."""
    rng = cprng.Random()
    values = [method(rng) for _ in range(10_000)]
    assert abs(statistics.fmean(values) - mean) < 9 * deviation / 100
    assert 0.8 * deviation < statistics.pstdev(values) < 1.2 * deviation


def test_parameters_of_the_base_class():
    """Catches a subclass that cannot be defined as usual, and invalid sigma or rates that the base class accepts.
    """

    class Own(cprng.Random):
        def __init__(self, extra=None):
            super().__init__()
            self.extra = extra

    assert Own(extra=5).extra == 5 and cprng.Random().seed(7) is None
    assert cprng.Random().gauss(1.5, 0) == 1.5
    with pytest.raises(ZeroDivisionError):
        cprng.Random().expovariate(0)


def test_copies():
    """Catches a copy, which would suggest that it has its own state."""
    for make in (copy.copy, copy.deepcopy):
        with pytest.raises(NotImplementedError):
            make(cprng.Random())


@pytest.mark.parametrize("make", [lambda: cprng.Random(42), lambda: cprng.SystemRandom("a"), lambda: cprng.Random(x=0)])
def test_seeds_are_refused(make):
    """Catches a seed that is accepted and ignored: the program would seem reproducible."""
    with pytest.raises(TypeError, match=r"cprng\.Random takes no seed: cprng\.Stream\(seed\)"):
        make()
    assert cprng.Random(None).random() < 1


class Half(cprng.Random):
    def random(self):
        return 0.5


class Ones(cprng.Random):
    def getrandbits(self, k):
        return 1


class Five(Half):
    def _randbelow(self, n):
        return 5


def test_a_subclass_with_its_own_random():
    """Catches integers made from the subclass's random(): a sample with it would never end."""
    for rng in (Half(), type("Further", (Half,), {})(), type("Other", (cprng.Random,), {"random": lambda self: 0.25})()):
        assert len(set(rng.sample(range(1000), 30))) == 30
        assert len({rng.randrange(10**9) for _ in range(10)}) > 5 and len({rng.choice(range(10**9)) for _ in range(10)}) > 5
    # The functions documented as using random().
    assert Half().uniform(0, 10) == 5 and Half().choices([1, 2, 3], k=2) == [2, 2] and Half().triangular(0, 1) == 0.5
    # Functions that use getrandbits(), and a subclass's _randbelow().
    assert {Ones().randrange(10) for _ in range(5)} == {1} and Five().randrange(100) == 5


FUNCTIONS = [(module, name, cprng) for module in (random, secrets) for name in module.__all__]
METHODS = random.SystemRandom()
FUNCTIONS += [(METHODS, name, cprng.Random()) for name in dir(METHODS) if not name.startswith("_") and callable(getattr(METHODS, name))]


@pytest.mark.parametrize("theirs, name, ours", FUNCTIONS, ids=[f"{getattr(of, '__name__', 'Random')}.{name}" for of, name, _ in FUNCTIONS])
def test_names_and_arguments(theirs, name, ours):
    """Catches a name of the modules random and secrets that is missing, or whose arguments have other names, places or
    defaults, for a program that changes its import."""
    assert theirs is METHODS or name in cprng.__all__
    if isinstance(getattr(theirs, name), type):
        return  # Random and SystemRandom, which refuse seeds: below
    expected, found = (inspect.signature(getattr(place, name)).parameters.values() for place in (theirs, ours))
    if [one.kind for one in expected] == [inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD]:
        # SystemRandom's signatures accept anything: compare with those of random.Random.
        expected = inspect.signature(getattr(random.Random(), name)).parameters.values()
    # More arguments may have names or defaults here, such as expovariate's, which has a default from 3.12 on.
    assert [one.name for one in expected] == [one.name for one in found]
    for one, other in zip(expected, found, strict=True):
        assert one.default in (other.default, inspect.Parameter.empty) and other.kind in (one.kind, inspect.Parameter.POSITIONAL_OR_KEYWORD)


def test_calls_by_name():
    """Catches a signature with a name that the call refuses, and a call that accepts a wrong name."""
    rng, cards = cprng.Random(), list(range(10))
    for of in (cprng, rng):
        assert of.choice(seq=[5]) == 5 and of.shuffle(x=cards) is None and sorted(cards) == list(range(10))
        assert of.getrandbits(k=1) in (0, 1) and len(of.randbytes(n=7)) == 7
        assert of.seed(a=1, version=1) is None
        for call in (of.getstate, lambda of=of: of.setstate(state=())):
            with pytest.raises(NotImplementedError):
                call()
        for wrong in (lambda of=of: of.choice(sequence=[5]), lambda of=of: of.choice([5], seq=[5]), lambda of=of: of.shuffle(), lambda of=of: of.getrandbits(1, 2)):
            with pytest.raises(TypeError, match="takes 1 arguments|has no argument"):
                wrong()
    assert cprng.randbelow(exclusive_upper_bound=1) == 0 and cprng.randbits(k=0) == 0
