# SPDX-License-Identifier: BSD-2-Clause
"""Bit generators under numpy.random.Generator, with the bit generator tests of the installed NumPy."""

import copy
import pickle
import threading

import pytest
from single import Single

np = pytest.importorskip("numpy")

from numpy.random.tests import test_direct, test_smoke  # noqa: E402

import cprng  # noqa: E402
from cprng import _core  # noqa: E402

NUMPY_2 = int(np.__version__.split(".", maxsplit=1)[0]) >= 2


def words(seed, n):
    """The first n 64-bit words of a stream, without NumPy's interface."""
    return np.frombuffer(cprng.Stream(seed).read(8 * n), dtype="<u8").astype(np.uint64)


# Some versions of NumPy parametrize their tests by this.
if hasattr(test_smoke, "dtype"):
    dtype = test_smoke.dtype


class TestNumpyDirect(test_direct.Base):
    """NumPy's tests of its own bit generators: numbers from known words, states, pickles, interfaces."""

    @classmethod
    def setup_class(cls):
        cls.bit_generator = cprng.Stream
        cls.bits, cls.dtype = 64, np.uint64
        cls.data1 = {"seed": [12345], "data": words(12345, 1000)}
        cls.data2 = {"seed": ["another"], "data": words("another", 1000)}
        cls.seed_error_type = TypeError
        cls.invalid_init_types = [(3.2,), ([None],), (1, None), (object(),)]
        cls.invalid_init_values = [("",), (b"short",), ([-1],)]


class TestNumpySmoke(test_smoke.RNG):
    """Every distribution of numpy.random.Generator, jumps, advances and pickles, over a stream.  Omitted: that an array of one
    integer seeds like the integer.  The specification of streams defines integers as seeds; arrays go through SeedSequence."""

    @classmethod
    def _create_rng(cls):
        rng = np.random.Generator(cprng.Stream(12345))
        return test_smoke.RNGData(cprng.Stream, 2**40 + 2**31 + 1, [12345], rng, None)

    if not hasattr(test_smoke, "RNGData"):

        @classmethod
        def setup_class(cls):
            cls.bit_generator, cls.advance, cls.seed = cprng.Stream, 2**40 + 2**31 + 1, [12345]
            cls.rg = np.random.Generator(cprng.Stream(12345))
            cls.initial_state = cls.rg.bit_generator.state
            cls.seed_vector_bits = None
            cls._extra_setup()

    if not NUMPY_2:

        @pytest.mark.skip(reason="NumPy 1 makes a bit generator of a pickled Generator by a name, of a list of its own")
        def test_pickle(self):
            """Catches nothing here: pickles of streams are tested below."""


# ------------------------------------------------------------------------------------------------------ the system's


def test_system_numbers():
    """Catches a function of the capsule that gives another kind of number, a constant, or repeated numbers."""
    rng = np.random.Generator(cprng.DrawBitGenerator())
    doubles, floats = rng.random(100_000), rng.random(100_000, dtype=np.float32)
    for values in (doubles, floats):
        assert values.min() >= 0 and values.max() < 1 and abs(values.mean() - 0.5) < 9 / (12 * 100_000) ** 0.5
    assert len(np.unique(doubles)) == 100_000
    for kind in (np.uint32, np.uint64):
        values = rng.integers(0, np.iinfo(kind).max, 10_000, dtype=kind, endpoint=True)
        bits = np.bitwise_or.reduce(values), np.bitwise_and.reduce(values)
        assert bits == (np.iinfo(kind).max, 0)
    assert len(np.unique(cprng.DrawBitGenerator().random_raw(10_000))) == 10_000
    other = np.random.Generator(cprng.DrawBitGenerator())
    assert not np.array_equal(other.random(10), np.random.Generator(cprng.DrawBitGenerator()).random(10))


DISTRIBUTIONS = {
    (): "random standard_cauchy standard_exponential standard_normal",
    (0.4,): "chisquare exponential geometric logseries pareto poisson power rayleigh standard_gamma standard_t weibull",
    (2.0, 5.0): "beta f gamma gumbel laplace logistic lognormal noncentral_chisquare normal uniform vonmises wald",
    (10, 0.3): "binomial negative_binomial", (8, 9, 7): "hypergeometric", (0.0, 1.0, 2.0): "triangular",
    (3.0, 9.0, 1.0): "noncentral_f", (3.0,): "zipf",
}  # fmt: skip


@pytest.mark.parametrize("arguments, name", [(arguments, name) for arguments, names in DISTRIBUTIONS.items() for name in names.split()])
def test_system_distributions(arguments, name):
    """Catches a distribution that fails over the system's draws or gives a constant: NumPy's own tests need a state or a seed."""
    numbers = getattr(np.random.Generator(cprng.DrawBitGenerator()), name)(*arguments, size=(40, 50))
    assert np.isfinite(numbers).all() and len(np.unique(numbers)) > (1 if numbers.dtype.kind == "i" else 1900)


def test_system_interfaces():
    """Catches an unconnected ctypes interface, and a class that NumPy does not accept as a bit generator."""
    bit_generator = cprng.DrawBitGenerator()
    assert isinstance(bit_generator, np.random.BitGenerator)
    interface = bit_generator.ctypes
    assert len({interface.next_uint64(interface.state) for _ in range(10)}) == 10
    assert 0 <= interface.next_double(interface.state) < 1
    assert np.random.default_rng(bit_generator).bit_generator is bit_generator
    assert len({child.bytes(16) for child in np.random.Generator(bit_generator).spawn(2)}) == 2


@pytest.mark.parametrize("attempt", [lambda b: b.state, lambda b: setattr(b, "state", {}), lambda b: type(b)(42), lambda b: b.__getstate__()])
def test_system_has_no_state(attempt):
    """Catches a state or seed that suggests that the system's numbers are reproducible."""
    with pytest.raises(TypeError, match=r"cprng\.Stream"):
        attempt(cprng.DrawBitGenerator())


AGAIN = [copy.copy, copy.deepcopy, *(lambda s, p=p: pickle.loads(pickle.dumps(s, p)) for p in range(pickle.HIGHEST_PROTOCOL + 1))]


@pytest.mark.parametrize("again", AGAIN)
def test_copies_of_the_systems_are_others(again):
    """Catches a stateless generator that cannot be copied, or whose copy or pickle repeats numbers or shares its lock."""
    one = cprng.DrawBitGenerator()
    made = again(one)
    assert type(made) is cprng.DrawBitGenerator and made is not one and made.lock is not one.lock
    assert not {*one.random_raw(99).tolist()} & {*made.random_raw(99).tolist()}
    if NUMPY_2:
        rngs = [again(cprng.default_rng()) for _ in range(2)]
        assert rngs[0].random(9).tolist() != rngs[1].random(9).tolist()


@pytest.mark.skipif(not NUMPY_2, reason="NumPy 1 copies a Generator by the state of its bit generator")
def test_scipy_over_the_systems():
    """Catches a class of SciPy that refuses a generator without a seed: SciPy copies it to return to it, or to keep it."""
    stats, sampling = pytest.importorskip("scipy.stats"), pytest.importorskip("scipy.stats.sampling")

    class Normal:
        def pdf(self, x):
            return np.exp(-0.5 * x * x)

        def dpdf(self, x):
            return -x * np.exp(-0.5 * x * x)

    for make in (stats.qmc.Sobol, stats.qmc.Halton, stats.qmc.LatinHypercube, stats.qmc.PoissonDisk):
        points = [make(d=2, rng=cprng.default_rng()).random(8) for _ in range(2)]
        assert points[0].shape == (8, 2) and not np.array_equal(*points)
    assert len(set(sampling.TransformedDensityRejection(Normal(), random_state=cprng.default_rng()).rvs(50))) == 50


# ----------------------------------------------------------------------------------------------------------- streams


def test_generator_takes_the_streams_numbers():
    """Catches a Generator over a stream whose doubles are not the specification's."""
    rng, one = np.random.Generator(cprng.Stream(42)), Single(42)
    assert [rng.random() for _ in range(300)] == [one.double() for _ in range(300)]
    assert rng.bit_generator.offset == 2400
    # NumPy keeps no half of a word; otherwise the offset would not determine the next number.
    raw = rng.integers(0, 2**32, 3, dtype=np.uint32)
    assert raw.tolist() == [one.word(4) for _ in range(3)] and rng.bit_generator.offset == 2412


@pytest.mark.parametrize("engine", ["chacha8", "chacha20", "salsa20", "aes256-ctr", "aes128-ctr"])
def test_advance(engine):
    """Catches an advance that is off by one number, in either direction and across the ends of buffers."""
    for steps in (0, 1, 127, 128, 129, 10_000):
        here = cprng.Stream(7, engine=engine)
        here.random_raw(steps)
        there = cprng.Stream(7, engine=engine)
        assert there.advance(steps) is there
        assert there.offset == here.offset == 8 * steps
        assert there.random_raw() == here.random_raw()
        there.advance(-steps - 1)
        assert there.random_raw() == cprng.Stream(7, engine=engine).random_raw()
    far = cprng.Stream(7, engine=engine).advance(2**58)
    assert far.offset == 2**61
    for wrong in (-(2**58) - 1, 2**61):
        with pytest.raises((ValueError, OverflowError)):
            far.advance(wrong)
    assert far.offset == 2**61


@pytest.mark.parametrize("engine", ["chacha8", "salsa20-12", "aes256-ctr", "aes128-ctr"])
def test_jumped(engine):
    """Catches a jump that overlaps, loses the offset, or does not add up."""
    stream = cprng.Stream(7, engine=engine).advance(3)
    first = stream.jumped()
    assert first.offset == 24 and stream.offset == 24
    assert first.jumped().state == stream.jumped(2).state == stream.jumped(3).jumped(-1).state
    assert stream.jumped(2**64).state == stream.state == stream.jumped(0).state
    raws = [one.random_raw(100).tolist() for one in (stream, first, stream.jumped(2), stream.jumped(2**63))]
    assert len({word for raw in raws for word in raw}) == 400


def test_jump_of_aes_is_far():
    """Catches a jump in the part of AES's counter that one stream's blocks use: streams would overlap."""
    stream = cprng.Stream.from_key(bytes(32), bytes(16), engine="aes256-ctr")
    assert stream.jumped().state["state"]["nonce"] == "0000000000000001" + "00" * 8


def test_children():
    """Catches children that depend on the offset, on the order of calls or on each other, or that differ from C's.
    """
    stream = cprng.Stream(42)
    early = [child.random_raw(4).tolist() for child in stream.spawn(3)]
    stream.advance(1000)
    later = [stream.child(index).random_raw(4).tolist() for index in range(3)]
    assert early == later and len({tuple(one) for one in early}) == 3
    assert [child.state["state"]["key"] for child in stream.spawn(2)] == [stream.child(index).state["state"]["key"] for index in (3, 4)]
    for wrong in (-1, 2**64):
        with pytest.raises(OverflowError):
            stream.child(wrong)


def test_spawn_of_generator():
    """Catches a Generator whose spawn() does not give the stream's children."""
    rng = np.random.Generator(cprng.Stream(42))
    rngs = rng.spawn(2) + rng.spawn(1)
    assert [one.bit_generator.state["state"]["key"] for one in rngs] == [cprng.Stream(42).child(i).state["state"]["key"] for i in range(3)]


def test_seed_sequences():
    """Catches a SeedSequence that is ignored, or whose words depend on the byte order."""
    sequence = np.random.SeedSequence(42)
    stream = cprng.Stream(sequence)
    assert stream.seed_seq is sequence
    material = b"".join(int(word).to_bytes(4, "little") for word in sequence.generate_state(8))
    assert stream.read(8) == cprng.Stream(material).read(8)
    assert cprng.Stream([1, 2]).read(8) == cprng.Stream(np.random.SeedSequence([1, 2])).read(8) != cprng.Stream([2, 1]).read(8)
    assert len({cprng.Stream(child).read(8) for child in sequence.spawn(4)}) == 4


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_pickles(protocol):
    """Catches a pickle that loses the offset, the children, the engine or the subclass."""
    stream = cprng.Stream("a", engine="salsa20").advance(5)
    stream.spawn(3)
    again = pickle.loads(pickle.dumps(stream, protocol))
    assert type(again) is cprng.Stream and again.state == stream.state and again is not stream
    assert again.random_raw() == stream.random_raw()
    assert [one.state for one in again.spawn(1)] == [one.state for one in stream.spawn(1)]
    for made in (copy.copy(stream), copy.deepcopy(stream)):
        assert made.random_raw() == pickle.loads(pickle.dumps(stream)).random_raw()
        made.random_raw(10)
    assert stream.offset == 48


@pytest.mark.skipif(not NUMPY_2, reason="NumPy 1 pickles both by the name of the bit generator, of a list of its own")
@pytest.mark.parametrize("kind", [np.random.Generator, np.random.RandomState])
def test_copies_of_generators(kind):
    """Catches a Generator that cannot be sent to another process, and a RandomState that cannot be copied, as scikit-learn's clone does."""
    old = kind(cprng.Stream(42))
    old.standard_normal(3)
    made = [copy.deepcopy(old), pickle.loads(pickle.dumps(old))]
    assert len({tuple(one.standard_normal(5)) for one in [old, *made]}) == 1


def test_state():
    """Catches a partly set state: an error leaves the stream unchanged."""
    stream = cprng.Stream(42).advance(3)
    before = stream.state
    other = cprng.Stream(1, engine="aes256-ctr").state
    for name, value in (("engine", "rc4"), ("key", "00"), ("nonce", "0000"), ("offset", 2**64)):
        with pytest.raises((ValueError, OverflowError)):
            stream.state = {**other, "state": {**other["state"], name: value}}
        assert stream.state == before
    with pytest.raises(ValueError):
        stream.state = {**other, "bit_generator": "PCG64"}
    for name, value, error in (("children", "7", TypeError), ("children", None, TypeError), ("children", -1, ValueError),
                               ("offset", "0", TypeError), ("engine", None, TypeError)):  # fmt: skip
        with pytest.raises(error):
            stream.state = {**other, "state": {**other["state"], name: value}}
        assert stream.state == before
    for name in other:
        with pytest.raises((KeyError, ValueError)):
            stream.state = {key: value for key, value in other.items() if key != name}
        assert stream.state == before
    for name in other["state"]:
        with pytest.raises(KeyError):
            stream.state = {**other, "state": {key: value for key, value in other["state"].items() if key != name}}
        assert stream.state == before
    rng = np.random.Generator(stream)
    spawned = cprng.Stream(1)
    spawned.spawn(7)
    stream.state = spawned.state
    assert stream.state["state"]["children"] == 7 and stream.spawn(1)[0].state == cprng.Stream(1).child(7).state
    stream.state = other
    assert rng.bit_generator.random_raw() == cprng.Stream(1, engine="aes256-ctr").random_raw()


def test_generators_near_the_end():
    """Catches a Generator that ends the process at the end of a stream, even if it was made before the stream got there."""
    stream = cprng.Stream(42)
    rng, old = np.random.Generator(stream), np.random.RandomState(stream)
    stream.offset = 2**63 - 8
    made = [pickle.loads(pickle.dumps(stream)), copy.deepcopy(stream), cprng.Stream.from_checkpoint(stream.checkpoint()), cprng.Stream(1)]
    made[3].state = stream.state
    rngs = [rng, *map(np.random.Generator, [*made, stream.jumped(0)])]
    assert len({one.random() for one in rngs}) == 1 and stream.offset == 2**63
    for one in [stream, *made]:
        one.offset = 2**63
    for one in [*rngs[:-1], old, np.random.Generator(pickle.loads(pickle.dumps(stream)))]:
        with pytest.raises(OverflowError, match="which numpy.random.Generator cannot report"):
            one.random(2)
    assert stream.offset == 2**63
    # The stream's own numbers still work, and so does going back.
    assert stream.random() == made[0].random() and stream.advance(-2).offset == 2**63 - 8
    assert rng.random() == np.random.Generator(made[0].advance(-2)).random()


def test_generators_over_short_streams():
    """Catches a Generator over a stream with a nonce of 12 bytes that ends the process, however the stream was made; and a jump of
    such a stream to another stream's nonce."""
    key, nonce = bytes(range(32)), bytes(range(12))
    stream = cprng.Stream.from_key(key, nonce, engine="chacha20")
    made = [pickle.loads(pickle.dumps(stream)), copy.deepcopy(stream), cprng.Stream.from_checkpoint(stream.checkpoint()), cprng.Stream(1)]
    rngs = [*map(np.random.Generator, made)]
    made[3].state = stream.state
    for attempt in (*(lambda rng=rng: rng.random(2) for rng in rngs), lambda: np.random.RandomState(stream).random(2)):
        with pytest.raises(OverflowError, match="with a nonce of 12 bytes"):
            attempt()
    assert {one.read(9) for one in made} == {stream.read(9)}
    long = cprng.Stream.from_key(key, nonce[4:], engine="chacha20").jumped()
    long.offset = int.from_bytes(nonce[:4], "little") * 2**38 + 9
    assert stream.jumped().read(9) == long.read(9)


class Kept(cprng.Stream):
    """A subclass with its own attributes, one of them in a slot."""

    __slots__ = ("slot",)

    def __init__(self, seed, label):
        super().__init__(seed)
        self.label, self.slot, self.itself = label, [label], self


class Chosen(cprng.Stream):
    def __getstate__(self):
        return {"chosen": 1}

    def __setstate__(self, state):
        self.restored = state


@pytest.mark.parametrize("again", AGAIN)
def test_attributes_of_subclasses(again):
    """Catches a pickle or copy of a subclass without its attributes, or with the lock or the numbers of the original."""
    stream = Kept(42, "label").advance(3)
    made = again(stream)
    assert type(made) is Kept and (made.label, made.slot, made.state) == ("label", ["label"], stream.state)
    assert made.itself is (stream if again is copy.copy else made) and made.lock is not stream.lock
    assert made.read(8) == stream.read(8) and made.offset == stream.offset == 32
    plain = cprng.Stream(1)
    plain.note = "added"
    assert again(plain).note == "added"
    assert again(Chosen(1)).restored == {"chosen": 1}


def test_the_number_of_children_is_bounded():
    """Catches a state or a call with more children than a stream has, after which spawn() always fails, or with fewer than none, after
    which later children repeat earlier ones."""
    stream = cprng.Stream(42)
    for wrong, error in ((-1, ValueError), (-2, ValueError), (1.0, TypeError)):
        with pytest.raises(error):
            stream.spawn(wrong)
    assert stream.spawn(1)[0].state == cprng.Stream(42).child(0).state
    state = stream.state
    state["state"]["children"] = 2**70
    with pytest.raises(ValueError, match=r"children must be in \[0, 2\*\*64\]"):
        stream.state = state
    state["state"]["children"] = 2**64 - 1
    stream.state = state
    with pytest.raises(OverflowError):
        stream.spawn(2)
    assert stream.state["state"]["children"] == 2**64 - 1
    assert stream.spawn(1)[0].state == cprng.Stream(42).child(2**64 - 1).state and stream.spawn(0) == []
    with pytest.raises(OverflowError):
        stream.spawn(1)


def test_seeds_that_are_arrays():
    """Catches a seed that depends on an array's memory: it would change with the array, be shown differently, or differ from the
    list's seed.  Also catches bytes of another type whose content an error shows."""
    seed = np.array([1, 2])
    stream = cprng.Stream(seed)
    seed[:] = 9
    assert repr(stream) == repr(cprng.Stream([1, 2])) and stream.read(8) == cprng.Stream([1, 2]).read(8)
    assert stream.seed_seq.entropy == [1, 2] and stream.seed_seq.spawn(1)[0].entropy == [1, 2]
    assert cprng.Stream(np.array([1])).read(8) == cprng.Stream([1]).read(8) != cprng.Stream(1).read(8) == cprng.Stream(np.array(1)).read(8)
    for kind in (bytearray, memoryview):
        assert cprng.Stream(kind(b"secret" * 6)).read(8) == cprng.Stream(b"secret" * 6).read(8)
    with pytest.raises(ValueError, match="16 or more"):
        cprng.Stream(bytearray(b"short"))


def test_seed_sequences_of_streams():
    """Catches streams with different nonces or engines but the same SeedSequence, whose users would repeat numbers.
    """
    nonces = [cprng.Stream.from_key(bytes(32), bytes([n]) + bytes(7)) for n in range(3)]
    engines = [cprng.Stream.from_key(bytes(32), engine=name) for name in ("chacha12", "salsa20", "aes256-ctr")]
    streams = [*nonces, *engines, nonces[0].jumped(5), nonces[0].child(0), cprng.Stream(42)]
    assert len({tuple(one.seed_seq.generate_state(4)) for one in streams}) == len(streams)
    assert cprng.Stream(42).seed_seq.generate_state(4).tolist() == cprng.Stream(42).advance(5).seed_seq.generate_state(4).tolist()


@pytest.mark.parametrize("make, shown", [
    (lambda: cprng.Stream(42), "engine chacha8, offset 0"), (lambda: cprng.Stream("a", engine="salsa20").advance(2), "engine salsa20, offset 16"),
    (lambda: cprng.Stream.from_key(b"secret" * 5 + b"!!"), "engine chacha8, offset 0"), (lambda: cprng.Stream(b"secret" * 6).child(1), "engine chacha8, offset 0"),
])  # fmt: skip
def test_representation(make, shown):
    """Catches a stream that does not show its place, or that shows a seed or bytes of a key."""
    stream = make()
    text = repr(stream)
    assert text.startswith(f"<Stream: {shown}, name ") and text.endswith(">") and len(text) < 80
    assert stream.state["state"]["key"][:8] not in text and "secret" not in text


def test_names_in_representations():
    """Catches streams with different keys, nonces or engines that look the same."""
    stream = cprng.Stream.from_key(bytes(32))
    others = [stream.jumped(), cprng.Stream.from_key(bytes(31) + b"1"), cprng.Stream.from_key(bytes(32), engine="chacha12")]
    assert len({repr(one).rpartition("name")[2] for one in [stream, *others]}) == 4
    assert repr(stream).rpartition("name")[2] == repr(copy.copy(stream).advance(5)).rpartition("name")[2]


def test_default_rng():
    """Catches a default_rng() that refuses an argument that NumPy's accepts, or that uses NumPy's own generator."""
    assert cprng.default_rng(42).normal(size=3).tolist() == np.random.Generator(cprng.Stream(42)).normal(size=3).tolist()
    for seed in ("text", [1, 2], np.random.SeedSequence(5)):
        assert cprng.default_rng(seed).random() == cprng.Stream(seed).random()
    system = cprng.default_rng()
    assert isinstance(system.bit_generator, cprng.DrawBitGenerator)
    assert cprng.default_rng(system) is system
    stream = cprng.Stream(1)
    assert cprng.default_rng(stream).bit_generator is stream
    with pytest.raises((TypeError, ValueError)):
        cprng.default_rng(1.5)


@pytest.mark.parametrize("size", [16383, 16384, 100_000])
def test_long_reads(size):
    """Catches a long read, without the interpreter's lock, whose bytes differ from short ones'."""
    whole, parts = cprng.Stream(42), cprng.Stream(42)
    assert whole.read(size) == b"".join(parts.read(1) for _ in range(size))
    assert whole.offset == parts.offset == size


def test_known_cipher():
    """Catches a key or nonce used differently than in other implementations: ChaCha20 of zeros, AES of SP 800-38A."""
    zeros = cprng.Stream.from_key(bytes(32), engine="chacha20")
    assert zeros.read(32).hex() == "76b8e0ada0f13d90405d6ae55386bd28bdd219b8a08ded1aa836efcc8b770dc7"
    key = bytes.fromhex("603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4")
    aes = cprng.Stream.from_key(key, bytes(range(0xF0, 0x100)), engine="aes256-ctr")
    assert aes.read(16).hex() == "0bdf7df1591716335e9a8b15c860c502"


def test_a_stream_is_initialised_once():
    """Catches a second initialisation, after which generators would point to freed memory."""
    stream = cprng.Stream(42)
    rng = np.random.Generator(stream)
    with pytest.raises(RuntimeError):
        stream.__init__(43)
    assert rng.random() == np.random.Generator(cprng.Stream(42)).random()


def test_generator_outlives_what_made_it():
    """Catches a stream that is freed while a Generator or a capsule still points to it."""
    rng = np.random.Generator(cprng.Stream(42))
    capsule = cprng.Stream(42).capsule
    garbage = [cprng.Stream(i) for i in range(100)]
    del garbage
    assert rng.random() == np.random.Generator(cprng.Stream(42)).random()
    assert capsule is not None
    bit_generator = cprng.Stream(42)
    with pytest.raises(ValueError):
        _core.connect(bit_generator.capsule, _core.Stream("chacha8", bytes(32)))
    with pytest.raises(ValueError):
        _core.connect(object(), None)


def test_threads_share_a_stream():
    """Catches numbers that are lost or that two threads both receive when they share a stream, also without the interpreter's lock."""
    stream, found = cprng.Stream(42), []
    rng, barrier = np.random.Generator(stream), threading.Barrier(8)

    def words():
        yield rng.random(100)
        yield stream.fill_double(np.empty(100))
        yield (stream.random_raw(50) >> np.uint64(11)) / 2**53
        yield (np.frombuffer(stream.read(400), "<u8") >> np.uint64(11)) / 2**53
        yield [stream.random() for _ in range(10)]
        # Calls that change no offset, or restore it.
        assert stream.child(3).read(8) == CHILD and repr(stream) and stream.jumped() and pickle.dumps(stream)

    def work():
        barrier.wait()
        mine = [one for _ in range(50) for one in words()]
        found.extend(mine)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    expected = cprng.Stream(42).fill_double(np.empty(8 * 50 * 310))
    assert np.array_equal(np.sort(np.concatenate(found)), np.sort(expected))


CHILD = cprng.Stream(42).child(3).read(8)


def test_random_state():
    """Catches a RandomState with other numbers than that over the stream, or whose draws are repeated."""
    assert cprng.random_state(42).standard_normal(5).tolist() == np.random.RandomState(cprng.Stream(42)).standard_normal(5).tolist()
    stream = cprng.Stream(1)
    assert type(cprng.random_state(stream)) is np.random.RandomState and cprng.random_state(stream).random() == cprng.Stream(1).random()
    assert cprng.random_state().random() != cprng.random_state().random()
