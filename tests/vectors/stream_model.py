# SPDX-License-Identifier: BSD-2-Clause
"""docs/streams-specification.md as a program, written only from its text: it shares nothing with src/.  It reads the tables of
engines and constants from the page, so an error in them is an error here.  The ciphers are those of models.py, which published
vectors confirm.  Python's floats are IEEE doubles, and Python fuses no operations.

Requests that must be refused according to the page raise Refused."""

import hashlib
import math
import pathlib
import re
from uuid import UUID

import models

TEXT = (pathlib.Path(__file__).resolve().parents[2] / "docs/streams-specification.md").read_text(encoding="utf-8")
VERSION = int(re.search(r"^# Streams: the specification, version (\d+)$", TEXT, re.MULTILINE).group(1))


class Refused(Exception):
    """Raised if a stream, number or offset does not exist."""


# ---------------------------------------------------------------------------------------------------- the page's tables

ROW = re.compile(r"^\| `([a-z0-9-]+)` \| (ChaCha|Salsa20|AES) \| (\d+) \| ([\d or]+) \| ([\d or]+) \|$", re.MULTILINE)


def sizes(cell):
    return [int(size) for size in cell.split(" or ")]


CIPHERS = {"ChaCha": "chacha", "Salsa20": "salsa20", "AES": "aesctr"}  # in models.py
ENGINES = {name: (CIPHERS[cipher], int(rounds), sizes(keys), sizes(nonces)) for name, cipher, rounds, keys, nonces in ROW.findall(TEXT)}


def constants(label):
    """The indented numbers below a line `label:`."""
    block = re.search(rf"(?m)^{re.escape(label)}:\n\n((?:    .*\n)+)", TEXT).group(1)
    return [float.fromhex(word) for word in block.split()]


LOG = constants("logarithm c")
LOG2_HIGH, LOG2_LOW = constants("log 2, high and low")
PARTS = {part: (constants(f"{part} P"), constants(f"{part} Q")) for part in ("centre", "near", "middle", "far")}

# ------------------------------------------------------------------------------------------------------ floating point


def polynomial(c, x):
    x2 = x * x
    x4 = x2 * x2
    low = (c[0] + c[1] * x) + (c[2] + c[3] * x) * x2
    high = (c[4] + c[5] * x) + (c[6] + c[7] * x) * x2
    return low + high * x4


def minus_log(p, near=None):
    m, k = math.frexp(p)  # of [1/2, 1)
    if m < float.fromhex("0x1.6a09e667f3bcdp-1"):
        m, k = 2 * m, k - 1
    f = near if k == 0 and near is not None else m - 1
    s = f / (2 + f)
    z = s * s
    z2 = z * z
    z4 = z2 * z2
    c = LOG
    R = z * (((c[0] + c[1] * z) + (c[2] + c[3] * z) * z2) + ((c[4] + c[5] * z) + c[6] * z2) * z4)
    h = 0.5 * f * f
    return ((h - (s * (h + R) + k * LOG2_LOW)) - f) - k * LOG2_HIGH


def standard_exponential(u64):
    w = u64 | 1
    return minus_log(math.ldexp(float(w), -64), -math.ldexp(float(2**64 - w), -64))


def rational(part, x):
    P, Q = PARTS[part]
    return polynomial(P, x) / polynomial(Q, x)


def standard_normal(u64):
    w = u64 | 1
    if w >= 2**63:
        w -= 2**64
    q = math.ldexp(float(w), -64)
    r = 0.180625 - q * q
    if r >= 0:
        return q * polynomial(PARTS["centre"][0], r) / polynomial(PARTS["centre"][1], r)
    L = minus_log(math.ldexp(float(2**63 - abs(w)), -64))
    if L < 8:
        z = rational("near", L - 2.5)
    elif L < 20:
        z = rational("middle", L - 8)
    else:
        z = rational("far", L - 20)
    return math.copysign(z, w)


# ----------------------------------------------------------------------------------------------------- single choices


def alias_table(w):
    n, S = len(w), sum(w)
    if S == 0 or n * S >= 2**64:
        raise Refused
    share, other = [S] * n, list(range(n))
    large = [i for i in range(n) if n * w[i] > S]
    small = [i for i in range(n) if n * w[i] <= S]
    if large:
        j = large.pop(0)
        left = n * w[j]
        while True:
            if left > S:
                i = small.pop(0)
                share[i], other[i] = n * w[i], j
                left -= S - share[i]
            elif large:
                k = large.pop(0)
                share[j], other[j] = left, k
                left += n * w[k] - S
                j = k
            else:
                break
    return share, other


def marked(uuid, version):
    uuid = bytearray(uuid)
    uuid[6] = uuid[6] % 16 | version << 4
    uuid[8] = uuid[8] % 64 | 2 << 6
    return str(UUID(bytes=bytes(uuid)))


# ------------------------------------------------------------------------------------------------------------- streams


def le64(integer):
    return integer.to_bytes(8, "little")


def derived(engine, kind, follows):
    message = b"cprng stream key" + kind + engine.encode("ascii").ljust(16, b"\0") + follows
    return hashlib.sha256(message).digest()[: ENGINES[engine][2][0]]


class Stream:
    def __init__(self, engine, key, nonce=None):
        if engine not in ENGINES:
            raise Refused
        self.cipher, self.rounds, keys, nonces = ENGINES[engine]
        if nonce is None:
            nonce = bytes(nonces[0])
        if len(key) not in keys or len(nonce) not in nonces:
            raise Refused
        self.engine, self.key, self.nonce, self.offset = engine, key, nonce, 0
        self.end = 2**38 if len(nonce) == 12 else 2**64 - 1

    @classmethod
    def of_seed(cls, seed, engine="chacha8"):
        if engine not in ENGINES:
            raise Refused
        if isinstance(seed, int):
            kind = b"i" if seed >= 0 else b"n"
            data = abs(seed).to_bytes(-(-abs(seed).bit_length() // 8), "little")
        elif isinstance(seed, str):
            kind, data = b"s", seed.encode()
            if not data or 0 in data:
                raise Refused
        else:
            kind, data = b"b", seed
            if len(data) < 16:
                raise Refused
        return cls(engine, derived(engine, kind, le64(len(data)) + data))

    def spawn(self, index):
        follows = bytes((len(self.key), len(self.nonce))) + self.key + self.nonce + le64(index)
        return Stream(self.engine, derived(self.engine, b"c", follows))

    def checkpoint(self):
        body = b"cprngstr" + bytes((VERSION, len(self.key), len(self.nonce))) + bytes(5)
        body += self.engine.encode("ascii").ljust(16, b"\0") + self.key.ljust(32, b"\0") + self.nonce.ljust(16, b"\0")
        body += le64(self.offset) + bytes(8)
        return body + hashlib.sha256(body).digest()

    def seek(self, offset):
        if not 0 <= offset <= self.end:
            raise Refused
        self.offset = offset

    def read(self, count):
        if count > self.end - self.offset:
            raise Refused
        data = models.keystream(self.cipher, self.rounds, self.key, self.nonce, self.offset, count)
        self.offset += count
        return data

    def bits(self, width):
        return int.from_bytes(self.read(width // 8), "little")

    def bool(self):
        return self.bits(8) % 2

    def lemire(self, bound, w):
        while True:
            x = self.bits(w)
            if bound < 2 or x * bound % 2**w >= 2**w % bound:
                return x * bound // 2**w

    def uniform32(self, bound):
        return self.lemire(bound, 32)

    def uniform64(self, bound):
        return self.uniform32(bound) if bound < 2**32 else self.lemire(bound, 64)

    def range64(self, lo, hi):
        lo, hi = min(lo, hi), max(lo, hi)
        if hi - lo == 2**64 - 1:
            return self.bits(64)
        return lo + self.uniform64(hi - lo + 1)

    def int_range(self, lo, hi):
        lo, hi = min(lo, hi), max(lo, hi)
        return lo + self.range64(0, hi - lo)

    def float(self):
        return math.ldexp(self.bits(32) // 2**8, -24)

    def double(self):
        return math.ldexp(self.bits(64) // 2**11, -53)

    def normal(self, mu, sigma):
        if not (math.isfinite(mu) and math.isfinite(sigma) and sigma >= 0):
            return math.nan
        return standard_normal(self.bits(64)) * sigma + mu

    def exponential(self, mean):
        if not (math.isfinite(mean) and mean >= 0):
            return math.nan
        return standard_exponential(self.bits(64)) * mean

    def bernoulli(self, p):
        p = min(max(p, 0.0), 1.0) if p == p else 0.0
        while True:
            t = int(math.ldexp(p, 64))
            x = self.bits(64)
            if x != t or t == math.ldexp(p, 64):
                return int(x < t)
            p = math.ldexp(p, 64) - t

    def bernoulli_ratio(self, n, d):
        return int(self.uniform64(d) < n)

    def weighted(self, w):
        share, other = alias_table(w)
        r = self.uniform64(len(w) * sum(w))
        c = r // sum(w)
        return c if r % sum(w) < share[c] else other[c]

    def text(self, length, alphabet):
        if not 1 <= len(alphabet) <= 256:
            raise Refused
        return bytes(alphabet[self.lemire(len(alphabet), 8)] for _ in range(length))

    def uuid4(self):
        return marked(self.read(16), 4)

    def uuid7(self, ms):
        if ms >= 2**48:
            raise Refused
        return marked(ms.to_bytes(6, "big") + self.read(10), 7)

    def shuffle(self, v):
        n = len(v)
        while n >= 2:
            other = self.uniform64(n)
            v[n - 1], v[other] = v[other], v[n - 1]
            n -= 1

    def sample(self, k, n):
        if k > n:
            raise Refused
        taken = []
        if k > n // 2:
            i = 0
            while len(taken) < k:
                if self.uniform64(n - i) < k - len(taken):
                    taken.append(i)
                i += 1
        else:
            while len(taken) < k:
                taken += [self.uniform64(n) for _ in range(k - len(taken))]
                taken = sorted(set(taken))
        self.shuffle(taken)
        return taken
