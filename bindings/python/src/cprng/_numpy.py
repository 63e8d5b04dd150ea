# SPDX-License-Identifier: BSD-2-Clause
"""For NumPy: streams."""

from __future__ import annotations

import operator
from collections.abc import Mapping, MutableSequence, Sequence
from typing import TYPE_CHECKING, Any, SupportsIndex, TypeVar, cast, overload

import numpy as np
from numpy.random.bit_generator import SeedSequence

from . import _core, _orders, _seeds
from ._choices import Choices
from ._docs import ELEMENTS, END, FINITE, RANGE, sections
from ._fills import fill, number
from ._integers import Integers, Shape, common_shape, integers_of, random_raw
from ._locks import FarLock, Held, Lock, new_lock

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray
    from typing_extensions import Self

    from ._fills import Array

Seed = SupportsIndex | str | bytes | bytearray | memoryview | Sequence[int] | SeedSequence
Real = TypeVar("Real", np.float32, np.float64)
T = TypeVar("T")
_WORD = 2**64
_SINGLE = (int, float)  # no arrays, as is found without looking at the shape


@sections(seed="int, str, bytes, array_like of int or SeedSequence, optional", ValueError="If it is no seed, or there is no such engine.")
class Stream(Choices, np.random.BitGenerator):
    """Reproducible numbers of a seed, the same as those of the C library on every machine.

    A stream is a bit generator: numpy.random.Generator(Stream(42)) computes NumPy's distributions from its words.  The
    stream's own methods, normal() and the others, return the same numbers as in C and all other languages.

    A seed is an integer of any size, a string, 16 bytes or more, a SeedSequence, or anything that makes one, such as an
    array of integers; the array [1] and the integer 1 are different seeds.  None takes random bytes.  Equal engine and
    seed give equal numbers permanently.  For simulations and tests, not for secrets.

    >>> import numpy as np
    >>> np.random.Generator(Stream(42)).random(2)
    array([0.63857091, 0.08297606])
    >>> Stream(42).fill_normal(np.empty(2))
    array([-1.08676244,  0.20951289])
    """

    _stream: _core.Stream
    _children: int
    _lock: Lock  # of Generators
    _held: Lock | Held  # the same, of the stream's own methods

    def __init__(self, seed: Seed | None = None, *, engine: str = _seeds.DEFAULT_ENGINE) -> None:
        sequence = None
        if seed is None:
            seed = _core.random_bytes(32)
        elif isinstance(seed, (bytearray, memoryview)):
            seed = bytes(seed)
        elif not isinstance(seed, (str, bytes)):
            try:
                seed = operator.index(cast(SupportsIndex, seed))
            except TypeError:
                # Other inputs that NumPy accepts.  An array is copied, since the program may change it afterwards.
                entropy = cast(Any, seed.tolist() if isinstance(seed, np.ndarray) else seed)
                sequence = seed if isinstance(seed, SeedSequence) else SeedSequence(entropy)
                seed = sequence.generate_state(8, np.uint32).astype("<u4").tobytes()
        self._begin(_seeds.stream_of(seed, engine), 0, sequence)

    def _begin(self, stream: _core.Stream, children: int = 0, sequence: SeedSequence | None = None) -> Self:
        if hasattr(self, "_stream"):
            raise RuntimeError("a stream is initialised once")
        if sequence is None:
            # For users of a seed sequence: as reproducible as the stream, and different for another key, nonce or engine.
            sequence = SeedSequence(int.from_bytes(_seeds.fields(stream).name(), "little"))
        super().__init__(sequence)
        self._stream, self._children = stream, children
        self._held = self._lock = new_lock(stream)
        self._moved()
        _core.connect(self.capsule, stream)
        return self

    def _moved(self) -> None:
        """Call this after setting the offset: from there a program may be able to read to the end."""
        far = self._stream.is_far()
        if far != isinstance(self._lock, FarLock):
            self._lock.__class__ = FarLock if far else Lock
            self._held = Held(self._lock) if far else self._lock

    @property
    def lock(self) -> Lock:  # type: ignore[override]
        """The stream's lock, which numpy.random.Generator takes as well.

        A signal handler may interrupt the thread that holds the lock, and take it again: NumPy's own lock permits that
        since version 2.4.  In a forked child the lock of a stream that another thread was using raises RuntimeError.
        """
        return self._lock

    def __repr__(self) -> str:
        with self._held:
            now = _seeds.fields(self._stream)
        return f"<{type(self).__name__}: engine {now.engine}, offset {now.offset}, name {now.name().hex()[:8]}>"

    @classmethod
    @sections("Stream", ValueError="If the engine takes no such key or nonce.")
    def from_key(cls, key: bytes, nonce: bytes = b"", *, engine: str = _seeds.DEFAULT_ENGINE) -> Self:
        """Return the keystream for a key and a nonce, zero by default, as other implementations of the cipher compute it.

        >>> Stream.from_key(bytes(32), engine="chacha20").read(8).hex()
        '76b8e0ada0f13d90'
        """
        return cls.__new__(cls)._begin(_core.Stream(engine, key, nonce))

    # ------------------------------------------------------------------------------------------------------- places

    @property
    def offset(self) -> int:
        """The number of the next byte of the stream, which may be set, in constant time.

        >>> stream = Stream(42)
        >>> stream.offset = 8 * 10**15
        >>> later = stream.read(8)
        >>> Stream(42).advance(10**15).read(8) == later
        True
        """
        with self._held:
            return self._stream.tell()

    @offset.setter
    def offset(self, offset: SupportsIndex) -> None:
        with self._held:
            self._seek(operator.index(offset))

    def _seek(self, offset: int) -> None:
        if offset < 0:
            raise ValueError("there is nothing before the beginning of a stream")
        if offset >= _WORD:
            raise OverflowError("a stream ends after 2**64 - 1 bytes")
        self._stream.seek(offset)
        self._moved()

    @sections("Stream\n    This one.", ValueError="If that is before the beginning.", OverflowError="If it is behind the end.")
    def advance(self, delta: SupportsIndex) -> Self:
        """Skip delta 64-bit numbers in constant time."""
        with self._held:
            self._seek(self._stream.tell() + 8 * operator.index(delta))
        return self

    @sections("Stream", OverflowError="If there is no such child.")
    def child(self, index: SupportsIndex) -> Self:
        """Return child number index, independent of this stream and of its other children.

        It does not depend on the offset.  Number a computation's tasks, not its workers: then the numbers do not depend
        on which worker takes which task.

        >>> Stream(42).child(7).read(4) == Stream(42).child(7).read(4)
        True
        """
        index = operator.index(index)
        with self._held:
            stream = self._stream.child(index)
        return type(self).__new__(type(self))._begin(stream)

    @sections("list of Stream", ValueError="If n_children is negative.", OverflowError="If the children are used up.")
    def spawn(self, n_children: int) -> list[Self]:
        """Return the next n_children children, as NumPy's bit generators do: their numbers follow those of the last
        call.

        The count is part of the stream's state, copies and pickles.
        """
        count = operator.index(n_children)
        if count < 0:
            raise ValueError("the number of children must not be negative")
        with self._held:
            first = self._children
            if first + count > _WORD:
                raise OverflowError("a stream has 2**64 children")
            self._children += count
        return [self.child(index) for index in range(first, first + count)]

    @sections("Stream")
    def jumped(self, jumps: int = 1) -> Self:
        """Return a stream as if this one had advanced by jumps * 2**64 cipher blocks: with another nonce, at the same
        offset.

        >>> Stream(1).jumped().jumped().read(8) == Stream(1).jumped(2).read(8)
        True
        """
        with self._held:
            now, children = _seeds.fields(self._stream), self._children
        # AES counts in its nonce, whose last 8 bytes count the blocks of one stream.  The first 4 of 12 bytes are the upper half of
        # ChaCha's counter.
        order, start = ("big", 0) if len(now.nonce) == 16 else ("little", len(now.nonce) - 8)
        word = int.from_bytes(now.nonce[start : start + 8], order) + operator.index(jumps)  # type: ignore[arg-type]
        nonce = now.nonce[:start] + (word % _WORD).to_bytes(8, order) + now.nonce[start + 8 :]  # type: ignore[arg-type]
        made = _core.Stream(now.engine, now.key, nonce)
        made.seek(now.offset)
        return type(self).__new__(type(self))._begin(made, children)

    # -------------------------------------------------------------------------------------------------------- state

    @property
    def state(self) -> dict[str, Any]:
        """The whole stream, as secret as its key, in the form of NumPy's bit generators.

        >>> stream = Stream(42)
        >>> before = stream.state
        >>> first = stream.read(8)
        >>> stream.state = before
        >>> stream.read(8) == first
        True
        """
        with self._held:
            now, children = _seeds.fields(self._stream), self._children
        state = {"engine": now.engine, "key": now.key.hex(), "nonce": now.nonce.hex(), "offset": now.offset, "children": children}
        return {"bit_generator": type(self).__name__, "state": state}

    @state.setter
    def state(self, value: Mapping[str, Any]) -> None:
        if not isinstance(value, Mapping):
            raise TypeError("state must be a dictionary")
        if value.get("bit_generator") != type(self).__name__:
            raise ValueError(f"state must be for a {type(self).__name__}")
        fields = value["state"]
        made = _core.Stream(fields["engine"], bytes.fromhex(fields["key"]), bytes.fromhex(fields["nonce"]))
        made.seek(fields["offset"])
        children = operator.index(fields["children"])
        if not 0 <= children <= _WORD:
            raise ValueError("the number of children must be in [0, 2**64]")
        with self._held:
            self._stream.restore(made.save())
            self._moved()
            self._children = children

    @sections("bytes")
    def checkpoint(self) -> bytes:
        """Return the 128 bytes that cprng_stream_save(3) writes, as secret as the key.

        They do not say how many children spawn() has made: state and pickles do.

        >>> stream = Stream(42)
        >>> Stream.from_checkpoint(stream.checkpoint()).read(8) == stream.read(8)
        True
        """
        with self._held:
            return self._stream.save()

    @classmethod
    @sections("Stream", ValueError="If the checkpoint is damaged.")
    def from_checkpoint(cls, checkpoint: bytes | bytearray | memoryview) -> Self:
        """Continue from a checkpoint of any language.

        spawn() begins with child 0 again, and so repeats earlier children: use child(number), or keep the stream's
        state or a pickle, which count them.

        >>> stream = Stream(42)
        >>> (first,) = stream.spawn(1)
        >>> Stream.from_checkpoint(stream.checkpoint()).spawn(1)[0].read(8) == first.read(8)
        True
        """
        # The key is replaced below.
        stream = _core.Stream("chacha8", bytes(32))
        stream.restore(checkpoint)
        return cls.__new__(cls)._begin(stream)

    def __reduce__(self) -> Any:
        with self._held:
            arguments = (type(self), self._stream.save(), self._children, self.seed_seq)
        if type(self).__getstate__ is not np.random.BitGenerator.__getstate__:
            return _unpickled, arguments, self.__getstate__()
        # What a subclass or a program has added.
        state = cast(Any, object).__getstate__(self)
        attributes, slots = state if isinstance(state, tuple) else (state, {})
        added = {name: value for name, value in {**attributes, **slots}.items() if name not in _OWN_ATTRIBUTES}
        return _unpickled, arguments, _Added(added) if added else None

    def __setstate__(self, state: Any) -> None:
        if not isinstance(state, _Added):
            cast(Any, super()).__setstate__(state)
            return
        for name, value in state.items():
            setattr(self, name, value)

    # ------------------------------------------------------------------------------------------------------ numbers

    @sections("bytes", ValueError="If n is negative.", **END)
    def read(self, n: int) -> bytes:
        """Return the next n bytes.

        A stream ends after 2**64 - 1 bytes, with a nonce of 12 bytes after 2**38.  numpy.random.Generator, whose calls cannot report
        the end, raises OverflowError from offset 2**63 on, and for such a nonce.
        """
        with self._held:
            return self._stream.read(n)

    @sections("int, or numpy.ndarray of uint64", **END)
    def random_raw(self, size: Any = None, output: bool = True) -> Any:
        """Return words of 64 bits, as NumPy's bit generators do."""
        with self._held:
            if size is None and output:
                return self._stream.u64()
            return random_raw(self._stream, size, output)

    # numpy.random.Generator's methods, with the numbers of the streams specification.

    def _new(self, kind: int, size: Shape | None, a: float, b: float, threads: int, dtype: Any = np.float64) -> Any:
        out: NDArray[Any] = np.empty(() if size is None else cast(Any, size), dtype=dtype)
        self._fill(kind, out, a, b, threads)
        return out.item() if size is None else out

    def _of_arrays(self, kind: int, size: Any, threads: int, **parameters: tuple[Any, float]) -> Any:
        """Numbers with individual parameters: arrays by name, each with its least permitted value."""
        arrays = [_numbers(name, *one) for name, one in parameters.items()]
        out = np.empty(common_shape(size, *arrays))
        # One NumPy operation for each of the specification's, so that the numbers equal those of single calls.
        self._fill(kind, out, *((1.0, 0.0) if kind == _core.EXPONENTIAL else (0.0, 1.0)), threads)
        out *= arrays[-1]
        if kind == _core.NORMAL:
            out += arrays[0]
        return out

    @overload
    def random(self, size: None = None, dtype: Any = ..., out: None = None, *, threads: int = 0) -> float: ...
    @overload
    def random(self, size: Shape, dtype: type[Real], out: None = None, *, threads: int = 0) -> NDArray[Real]: ...
    @overload
    def random(self, size: Shape, *, threads: int = 0) -> NDArray[np.float64]: ...
    @overload
    def random(self, size: Shape | None = None, dtype: Any = ..., *, out: Array, threads: int = 0) -> Array: ...
    @sections("numpy.ndarray, or float if size and out are None", **END)
    def random(self, size: Any = None, dtype: Any = np.float64, out: Any = None, *, threads: int = 0) -> Any:
        """Return uniform numbers in [0, 1), as numpy.random.Generator.random() does.

        >>> Stream(42).random(2)
        array([0.63857091, 0.08297606])
        """
        kind = {np.dtype(np.float64): _core.DOUBLE, np.dtype(np.float32): _core.FLOAT}.get(np.dtype(dtype))
        if kind is None:
            raise TypeError(f"no uniform numbers of type {dtype!r}")
        if out is None:
            return self._new(kind, size, 0.0, 0.0, threads, dtype)
        if size is not None and np.shape(out) != np.empty(size, dtype=np.bool_).shape:
            raise ValueError("size must match that of out")
        return self._fill(kind, out, 0.0, 0.0, threads)

    @overload
    def normal(self, loc: float = 0.0, scale: float = 1.0, size: None = None, *, threads: int = 0) -> float: ...
    @overload
    def normal(self, loc: float = 0.0, scale: float = 1.0, *, size: Shape, threads: int = 0) -> NDArray[np.float64]: ...
    @overload
    def normal(self, loc: float, scale: float, size: Shape, *, threads: int = 0) -> NDArray[np.float64]: ...
    @overload
    def normal(self, loc: ArrayLike = 0.0, scale: ArrayLike = 1.0, size: Shape | None = None, *, threads: int = 0) -> Any: ...
    @sections("numpy.ndarray, or float if size is None", **FINITE, **END)
    def normal(self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None, *, threads: int = 0) -> Any:
        """Return normally distributed numbers: those of fill_normal(), in a new array.

        >>> Stream(42).normal(size=2)
        array([-1.08676244,  0.20951289])
        """
        if not (isinstance(loc, _SINGLE) and isinstance(scale, _SINGLE)) and (np.ndim(loc) or np.ndim(scale)):
            return self._of_arrays(_core.NORMAL, size, threads, loc=(loc, -np.inf), scale=(scale, 0.0))
        return self._new(_core.NORMAL, size, number("loc", loc), number("scale", scale, 0.0), threads)

    @overload
    def exponential(self, scale: float = 1.0, size: None = None, *, threads: int = 0) -> float: ...
    @overload
    def exponential(self, scale: float = 1.0, *, size: Shape, threads: int = 0) -> NDArray[np.float64]: ...
    @overload
    def exponential(self, scale: float, size: Shape, *, threads: int = 0) -> NDArray[np.float64]: ...
    @overload
    def exponential(self, scale: ArrayLike = 1.0, size: Shape | None = None, *, threads: int = 0) -> Any: ...
    @sections("numpy.ndarray, or float if size is None", **FINITE, **END)
    def exponential(self, scale: Any = 1.0, size: Any = None, *, threads: int = 0) -> Any:
        """Return exponentially distributed numbers: those of fill_exponential(), in a new array.

        >>> bool(Stream(42).exponential(size=2).min() > 0)
        True
        """
        if not isinstance(scale, _SINGLE) and np.ndim(scale):
            return self._of_arrays(_core.EXPONENTIAL, size, threads, scale=(scale, 0.0))
        return self._new(_core.EXPONENTIAL, size, number("scale", scale, 0.0), 0.0, threads)

    def _fill(self, kind: int, out: Array, a: float, b: float, threads: int) -> Array:
        with self._held:
            return fill(self._stream, kind, out, a, b, threads)

    @sections("out", TypeError="If not every byte is valid in an element: objects, text, truth values.", **END)
    def fill_bytes(self, out: Array, *, threads: int = 0) -> Array:
        """Fill an array with bytes of the stream, and return it."""
        return self._fill(_core.BYTES, out, 0.0, 0.0, threads)

    @sections("out", **ELEMENTS, **END)
    def fill_double(self, out: Array, *, threads: int = 0) -> Array:
        """Fill an array of doubles with uniform numbers in [0, 1), and return it."""
        return self._fill(_core.DOUBLE, out, 0.0, 0.0, threads)

    @sections("out", **ELEMENTS, **END)
    def fill_float(self, out: Array, *, threads: int = 0) -> Array:
        """Fill an array of floats of 32 bits with uniform numbers in [0, 1), and return it."""
        return self._fill(_core.FLOAT, out, 0.0, 0.0, threads)

    @sections("out", **ELEMENTS, **FINITE, **END)
    def fill_normal(self, out: Array, mu: float = 0.0, sigma: float = 1.0, *, threads: int = 0) -> Array:
        """Fill an array of doubles with normally distributed numbers, and return it."""
        return self._fill(_core.NORMAL, out, number("mu", mu), number("sigma", sigma, 0.0), threads)

    @sections("out", **ELEMENTS, **FINITE, **END)
    def fill_exponential(self, out: Array, mean: float = 1.0, *, threads: int = 0) -> Array:
        """Fill an array of doubles with exponentially distributed numbers, and return it."""
        return self._fill(_core.EXPONENTIAL, out, number("mean", mean, 0.0), 0.0, threads)

    if TYPE_CHECKING:
        integers: Integers
    else:

        @sections("numpy.ndarray, or a scalar of the type if size is None", **RANGE, **END)
        def integers(self, low, high=None, size=None, dtype=np.int64, endpoint=False, *, threads=0):
            """Return uniform integers, as the function cprng.integers() does: those of cprng_stream_range64(3)."""
            with self._held:
                return integers_of(self._stream, low, high, size, dtype, endpoint, threads)

    @sections(TypeError="If it is neither.", ValueError="If an array cannot be written.", **END)
    def shuffle(self, sequence: MutableSequence[Any] | NDArray[Any]) -> None:
        """Put a mutable sequence into a random order, in place: that of cprng_stream_shuffle(3).

        In arrays the rows are shuffled.

        >>> import numpy as np
        >>> rows = np.arange(6).reshape(3, 2)
        >>> Stream(42).shuffle(rows)
        >>> sorted(rows.tolist())
        [[0, 1], [2, 3], [4, 5]]
        """
        with self._held:
            _orders.shuffle(sequence, self._stream)

    @overload
    def sample(self, n: SupportsIndex, k: SupportsIndex) -> list[int]: ...
    @overload
    def sample(self, n: Sequence[T] | NDArray[Any], k: SupportsIndex) -> list[T]: ...
    @sections("list", n="int or sequence\n    Of a sequence, the elements at these indices are returned.", ValueError="If k is negative, or above the size.", **END)
    def sample(self, n: Any, k: SupportsIndex) -> list[Any]:
        """Return k distinct integers of [0, n), in random order: those of cprng_stream_sample(3).

        >>> Stream(42).sample("abc", 3) == ["abc"[index] for index in Stream(42).sample(3, 3)]
        True
        """
        try:
            population, bound = None, operator.index(n)
        except TypeError:
            if not isinstance(n, (Sequence, np.ndarray)):
                raise TypeError("n must be an integer or a sequence: of a set, take sorted(n)") from None
            population, bound = n, len(n)
        with self._held:
            indices = self._stream.sample(k, bound)
        return indices if population is None else [population[index] for index in indices]


_OWN_ATTRIBUTES = frozenset(Stream.__annotations__)


class _Added(dict[str, Any]):
    """Attributes in a pickle."""


def _numbers(name: str, values: Any, least: float) -> NDArray[np.float64]:
    """As number(), of an array."""
    array = np.asarray(values, dtype=np.float64)
    for wrong in array[~(np.isfinite(array) & (array >= least))][:1]:
        number(name, wrong, least)
    return array


def _unpickled(cls: type[Stream], checkpoint: bytes, children: int, sequence: SeedSequence) -> Stream:
    stream = _core.Stream("chacha8", bytes(32))
    stream.restore(checkpoint)
    return cls.__new__(cls)._begin(stream, children, sequence)
