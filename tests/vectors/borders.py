# SPDX-License-Identifier: BSD-2-Clause
"""The borders of docs/streams-specification.md: streams, and steps whose numbers lie on either side of a border.

With aes128-ctr and the nonce AES^-1(block) the keystream begins with `block`, so 16 bytes of a stream can be chosen.  Every
language opens such a stream from a checkpoint.  Steps are those of make-numbers.py without results, which
result_of() computes with a model."""

import hashlib
import math
import struct

from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from stream_model import Refused, Stream

KEY = bytes(range(1, 17))


def nonce_for(block):
    return Cipher(algorithms.AES(KEY), modes.ECB()).decryptor().update(block)


def result_of(stream, kind, *arguments):
    """A model's result for a step, in the file's format."""
    if kind == "read":
        return stream.read(arguments[0]).hex()
    if kind == "seek":
        stream.seek(int(arguments[0]))
        return arguments[0]
    if kind in ("u8", "u16", "u32", "u64"):
        return str(stream.bits(int(kind[1:])))
    if kind in ("bool", "uniform32", "uniform64", "range64", "int_range"):
        return str(getattr(stream, kind)(*map(int, arguments)))
    if kind in ("float", "double", "normal", "exponential"):
        made = getattr(stream, kind)(*map(float.fromhex, arguments))
        return "nan" if math.isnan(made) else made.hex()
    if kind == "shuffle":
        order = list(range(int(arguments[0])))
        stream.shuffle(order)
        return list(map(str, order))
    if kind == "sample":
        return list(map(str, stream.sample(*map(int, arguments))))
    if kind in ("normals", "exponentials", "doubles", "floats"):
        one = {"normals": lambda: stream.normal(0.0, 1.0), "exponentials": lambda: stream.exponential(1.0),
               "doubles": stream.double, "floats": stream.float}[kind]  # fmt: skip
        made = [one() for _ in range(arguments[0])]
        return hashlib.sha256(struct.pack(f"<{len(made)}{'f' if kind == 'floats' else 'd'}", *made)).hexdigest()
    if kind == "bernoulli":
        return str(stream.bernoulli(float.fromhex(arguments[0])))
    if kind == "bernoulli_ratio":
        return str(stream.bernoulli_ratio(*map(int, arguments)))
    if kind == "weighted":
        return [str(stream.weighted(list(map(int, arguments[0])))) for _ in range(arguments[1])]
    if kind == "text":
        return stream.text(arguments[0], bytes.fromhex(arguments[1])).hex()
    if kind in ("uuid4", "uuid7"):
        return getattr(stream, kind)(*map(int, arguments))
    if kind == "checkpoint":
        return stream.checkpoint().hex()
    assert kind == "tell"
    return str(stream.offset)


def steps_of(stream, steps):
    """The steps with a model's results, in the file's format."""
    for one in steps:
        offset = stream.offset
        try:
            result = result_of(stream, *one)
            yield one if one[0] == "seek" else [*one, result]
        except Refused:
            # The model handles such a request number by number, but the request is refused as a whole.
            stream.offset = offset
            yield [*one, "refused"]


# ------------------------------------------------------------------------------------------- real numbers from 64 bits

# Where a normal's r is 0, and where -log of the tail passes 8 and 20: the first w of the outer part.
CENTRE_ENDS, NEAR_ENDS, MIDDLE_ENDS = 0x6CCCCCCCCCCCCE00, 0x7FEA03DEFBEFD851, 0x7FFFFFF725BCD507
# The next double above sqrt(1/2), where the exponent changes between two p: times 2^64, and half of that for tails.
ROOT = 0xB504F333F9DE6800
ENDS = [w for end in (CENTRE_ENDS, NEAR_ENDS, MIDDLE_ENDS) for at in (end - 2, end - 1, end, end + 1) for w in (at, 2**64 - at)]


def telling_words():
    top = 2**63
    yield from (0, 1, 2, 3, top - 2, top - 1, top, top + 1, 2**64 - 2, 2**64 - 1)
    yield from ENDS
    # Step back by a unit or two, one in each part that does.
    yield from (0x7FFBB269A005BBE5, 0x7FFBB269A005BBE7)
    # p on both sides of sqrt(1/2), of 1/2 and of 1, and where fl() rounds a tie: to even, down and up.
    for at in (ROOT, ROOT >> 1, top, top >> 1):
        yield from (at - 2048, at - 1024, at - 1, at, at + 1, at + 1024)
    for w in (top - (ROOT >> 1), top - (ROOT >> 2)):
        yield from (w - 1, w, w + 1)
    yield from (2**64 - 1024, 2**64 - 1025, 2**64 - 2049, 2**53 + 1, 2**53 + 3, 2**54 + 2, 2**54 + 3)
    # The bits that a double and a float drop.
    yield from (2047, 2048, 255, 256, (255 << 32) | 256, 2**64 - 2048, 2**64 - 256, (2**32 - 256) << 32)


def real_steps():
    """Single numbers.  tests/unit/numbers compares arrays with them; all languages test those at the ends."""
    zero, one = (0.0).hex(), (1.0).hex()
    for kind, *arguments in (["normal", zero, one], ["exponential", one], ["double"]):
        yield [kind, *arguments]
        yield [kind, *arguments]
        yield ["seek", "0"]
    yield from (["float"], ["float"], ["float"], ["float"])


# ------------------------------------------------------------------------------------------------------ Lemire's rule


def telling_tries(bound, width):
    """x whose product is the last rejected and the first accepted one, and the ends."""
    size = 2**width
    first = size % bound
    step = math.gcd(bound, size)
    inverse = pow(bound // step, -1, size // step)

    def with_rest(rest):
        return rest // step * inverse % (size // step)

    refused = [with_rest(first - step)] if first else []
    return [*refused, with_rest(first), size - 1, 0]


def bounded(bound, width):
    """Steps for a bound: numbers from all first tries, and the offsets where they end."""
    last = bound - 1
    for kind, *arguments in (
        *([["uniform32", str(bound)]] if width == 32 else []),
        ["uniform64", str(bound)], ["range64", "5", str(5 + last)] if last <= 2**64 - 6 else ["range64", "0", str(last)],
        ["int_range", str(-(2**63)), str(last - 2**63)],
    ):  # fmt: skip
        yield from (["seek", "0"], *[[kind, *arguments]] * (3 if width == 32 else 2), ["tell"])


NARROW = (1, 2, 3, 6, 255, 256, 10**9 + 7, 2**31, 2**31 + 1, 2**32 - 2, 2**32 - 1)
WIDE = (2**32, 2**32 + 1, 3 << 32, 2**53 - 1, 2**53, 2**63, 2**63 + 1, 2**64 - 2, 2**64 - 1)


def whole_ranges():
    least, most = str(-(2**63)), str(2**63 - 1)
    for kind, lo, hi in (
        ("range64", "0", str(2**64 - 1)), ("range64", str(2**64 - 1), "0"), ("range64", "1", str(2**64 - 1)),
        ("range64", "0", "0"), ("range64", str(2**64 - 1), str(2**64 - 1)), ("range64", "0", str(2**32 - 1)),
        ("range64", "0", str(2**32 - 2)), ("range64", str(2**64 - 2**32), str(2**64 - 1)),
        ("int_range", least, most), ("int_range", most, least), ("int_range", least, str(2**63 - 2)),
        ("int_range", least, least), ("int_range", most, most), ("int_range", "-1", "0"), ("int_range", "0", "0"),
        ("int_range", str(-(2**31)), str(2**31 - 1)), ("int_range", str(-(2**31)), str(2**31 - 2)),
    ):  # fmt: skip
        yield from ([kind, lo, hi], ["tell"], ["seek", "0"])
    yield from (["uniform32", "0"], ["tell"], ["uniform64", "0"], ["tell"], ["uniform64", "1"], ["tell"])


def orders():
    for n in (0, 1, 2, 3, 5, 17):
        yield from (["seek", "0"], ["shuffle", str(n)], ["tell"])
    for k, n in ((0, 0), (0, 9), (1, 1), (1, 2), (1, 3), (2, 3), (2, 4), (3, 4), (2, 5), (3, 5), (3, 6), (4, 6), (7, 7), (3, 40),
                 (4, 8), (5, 8), (2, 2**32 - 1), (2, 2**32), (3, 2**53), (3, 2**64 - 1), (2, 2**63 + 1)):  # fmt: skip
        yield from (["seek", "0"], ["sample", str(k), str(n)], ["tell"])


# ------------------------------------------------------------------------------------------------------------- streams


def chosen():
    """(block, steps) of streams that begin with the block."""
    words = list(telling_words())
    for pair in zip(words[::2], words[1::2] + words[:1]):
        arrays = [["seek", "0"], ["normals", 9]] if pair[0] in ENDS else []
        yield struct.pack("<2Q", *pair), [*real_steps(), *arrays]
    for width, bounds, layout in ((32, NARROW, "<4I"), (64, WIDE, "<2Q")):
        for bound in bounds:
            tries = telling_tries(bound, width)
            yield struct.pack(layout, *(tries + tries)[: 128 // width]), list(bounded(bound, width))
    for block in (bytes(16), b"\xff" * 16):
        yield block, list(whole_ranges())
    for block in (b"\xff" * 16, struct.pack("<4I", 2**31, 2**31, 2**31, 5)):
        yield block, list(orders())
    yield bytes((0, 1, 127, 128, 254, 255)) + bytes(10), [["bool"], ["u8"]] * 3 + [["u16"], ["tell"], ["u32"], ["u64"]]
    zeros = [(0.0).hex(), (-0.0).hex()]
    yield bytes(16), [["exponential", zeros[1]], *[["normal", zero, zeros[1]] for zero in zeros], ["tell"]]


def keys_and_counters():
    """(engine, key, nonce, path, steps): sizes of keys, children of such streams, counters that carry."""
    some = [["read", 40], ["u64"], ["checkpoint"]]
    for engine, cipher_nonce in (("chacha20", 8), ("chacha12", 8), ("chacha8", 8), ("salsa20", 8), ("salsa20-12", 8), ("salsa20-8", 8),
                                 ("aes256-ctr", 16), ("aes128-ctr", 16)):  # fmt: skip
        for size in {"aes256-ctr": (32,), "aes128-ctr": (16,)}.get(engine, (32, 16)):
            key, nonce = bytes(range(100, 100 + size)), bytes(range(200, 200 + cipher_nonce))
            for path in ([], [0], [2**64 - 1, 1]):
                yield engine, key, nonce, path, some
            if cipher_nonce == 8:
                yield engine, key, nonce, [], [["seek", str(2**38 - 20)], ["read", 40], ["seek", str(2**62 - 3)], ["u64"], ["tell"]]
    for nonce in (b"\xff" * 16, b"\xff" * 15 + b"\xfe", bytes(8) + b"\xff" * 8, bytes(12) + b"\xff" * 4):
        for engine, size in (("aes256-ctr", 32), ("aes128-ctr", 16)):
            yield engine, bytes(size), nonce, [], [["u8"], ["read", 70], ["seek", "12"], ["u64"], ["double"], ["seek", "15"], ["u32"]]


def all_streams():
    for block, steps in chosen():
        yield "aes128-ctr", KEY, nonce_for(block), [], steps
    yield from keys_and_counters()


# ----------------------------------------------------------------------------------------------------- single choices

PROBABILITIES = (0.1, 0.5, 0.75, 1 / 3, 1 - 2**-53, 2**-12 + 2**-64, 2**-64, 2**-65, 3 * 2**-70, 2**-100 + 2**-150, 5e-324)
CERTAIN = (0.0, -0.0, -1.0, -5e-324, 1.0, 1.5, 1e300)
WEIGHTS = [
    [1], [2**63], [1, 1], [0, 5, 0], [3, 1], [1, 3], [70, 25, 5], [5, 25, 70], [1] * 7, [0] * 9 + [1], [8, 1, 1, 8, 1, 1, 8],
    [1, 2, 3, 4, 5, 6, 7, 8], [2**32 - 2, 1, 0], [2**30, 2**30, 2**30 - 1], [2**61, 1, 2**62 - 1], [2**64 // 5, 2**62 // 5],
    [13, 0, 2, 900, 41, 41, 41, 1, 2**40, 3, 2**39],
]  # fmt: skip
LETTERS = bytes(range(97, 123))
ALPHABETS = (b"A", b"01", b"abc", b"0123456789", LETTERS, LETTERS + LETTERS.upper() + b"0123456789", bytes(range(33, 127)),
             bytes(range(128)), bytes(range(129)), bytes(range(255)), bytes(range(256)))  # fmt: skip
A_TIME = str(0x017F22E279B0)  # of RFC 9562, appendix A.6


def digits(p):
    """The first 64 binary digits of p, and the next."""
    scaled = math.ldexp(p, 64)
    first = int(scaled)
    return first, int(math.ldexp(scaled - first, 64))


def chosen_choices():
    """(block, steps) of streams that begin with the block."""
    for p in PROBABILITIES:
        first, second = digits(p)
        for words in ((first - 1, 0), (first + 1, 0), (first, second - 1), (first, second), (first, second + 1)):
            if min(words) >= 0:
                yield struct.pack("<2Q", *words), [["bernoulli", p.hex()], ["tell"]]
    for block in (bytes(16), b"\xff" * 16):
        yield block, [step for p in (*PROBABILITIES, *CERTAIN) for step in (["seek", "0"], ["bernoulli", p.hex()], ["tell"])]
        ratios = ((0, 0), (1, 0), (0, 1), (1, 1), (0, 7), (1, 7), (6, 7), (7, 7), (8, 7), (2**64 - 2, 2**64 - 1), (1, 2**64 - 1))
        yield block, [step for n, d in ratios for step in (["seek", "0"], ["bernoulli_ratio", str(n), str(d)], ["tell"])]
    for weights in WEIGHTS:
        bound = len(weights) * sum(weights)
        width, layout = (32, "<4I") if bound < 2**32 else (64, "<2Q")
        tries = telling_tries(bound, width)
        step = ["weighted", list(map(str, weights))]
        yield struct.pack(layout, *(tries + tries)[: 128 // width]), [[*step, 1], ["tell"], [*step, 40], ["tell"]]
    for alphabet in ALPHABETS:
        tries = [*telling_tries(len(alphabet), 8), *range(1, 9)]
        for length in (0, 1, 2, 21, 300):
            yield bytes((tries * 4)[:16]), [["text", length, alphabet.hex()], ["tell"]]
    yield bytes(16), [["text", 3, ""], ["text", 3, bytes(257).hex()], ["tell"]]
    for block in (bytes(16), b"\xff" * 16, bytes(range(16))):
        yield block, [["uuid4"], ["tell"], ["seek", "0"], ["uuid7", A_TIME], ["tell"], ["seek", "0"], ["uuid7", "0"], ["seek", "0"],
                      ["uuid7", str(2**48 - 1)], ["uuid7", str(2**48)], ["tell"]]  # fmt: skip


CHOICES_AT_THE_END = [
    ["bernoulli", (0.5).hex()], ["bernoulli", (0.0).hex()], ["bernoulli_ratio", "1", "6"],
    ["bernoulli_ratio", str(2**63), str(2**63 + 1)], ["weighted", ["1", "2"], 1], ["weighted", [str(2**61), str(2**61 + 1)], 1],
    ["text", 0, LETTERS.hex()], ["text", 3, LETTERS.hex()], ["text", 5, bytes(range(129)).hex()], ["uuid4"], ["uuid7", A_TIME],
]  # fmt: skip


def choices():
    """(engine, key, nonce, path, steps) with the steps of single choices."""
    for block, steps in chosen_choices():
        yield "aes128-ctr", KEY, nonce_for(block), [], steps
    for engine, key, nonce, steps in ends(CHOICES_AT_THE_END):
        yield engine, key, nonce, [], steps


# ---------------------------------------------------------------------------------------------------------------- ends

AT_THE_END = [
    ["read", 5], ["u8"], ["u16"], ["u32"], ["u64"], ["bool"], ["float"], ["double"], ["normal", (0.0).hex(), (1.0).hex()],
    ["exponential", (1.0).hex()], ["uniform32", str(2**31 + 1)], ["uniform64", "6"], ["uniform64", str(2**63 + 1)],
    ["range64", "7", str(2**31 + 7)], ["range64", "0", str(2**64 - 1)], ["int_range", str(-(2**62)), str(2**62)],
    ["shuffle", "1"], ["shuffle", "5"], ["sample", "0", "9"], ["sample", "1", "9"], ["sample", "3", "9"], ["sample", "5", "9"],
    ["sample", "2", str(2**63 + 1)], ["floats", 3], ["doubles", 2], ["normals", 2], ["exponentials", 2],
]  # fmt: skip


def ending_steps(stream, kinds=tuple(AT_THE_END)):
    """Each kind of number where just enough bytes are left and where one is missing; and where a try or a choice is made before
    the end refuses the next."""
    end = stream.end
    for one in kinds:
        moved = {0}
        for left in range(200):
            stream.offset = end - left
            try:
                result_of(stream, *one)
            except Refused:
                moved = {*moved, left} if stream.offset > end - left else moved
                continue
            for at in sorted({left, max(left - 1, 0), min(moved), max(moved)}):
                yield from (["seek", str(end - at)], one, ["tell"])
            break
    # Narrow numbers, then wider ones.
    for widths in ((8, 32), (8, 16, 64), (16, 8, 32, 64), (8, 8, 16, 64)):
        yield ["seek", str(end - sum(widths) // 8)]
        yield from ([f"u{width}"] for width in widths)
        yield from (["u8"], ["tell"])
    if end < 2**64 - 1:
        yield from (["seek", str(end + 1)], ["seek", str(2**64 - 1)], ["tell"])


def ends(kinds=tuple(AT_THE_END)):
    """(engine, key, nonce, steps): streams whose last words, of 4 and of 8 bytes, wide bounds reject."""
    for engine, size in (("chacha8", 8), ("chacha20", 12)):
        for first in range(256):
            stream = Stream(engine, bytes(range(32)), bytes((first,)) + bytes(size - 1))
            tries = []
            for kind, bound, width in (("uniform32", 2**31 + 1, 4), ("uniform64", 2**63 + 1, 8)):
                stream.offset = stream.end - width
                tries.append([*steps_of(stream, [[kind, str(bound)]])][0][-1])
            if tries == ["refused"] * 2:
                yield engine, stream.key, stream.nonce, list(ending_steps(stream, kinds))
                break
