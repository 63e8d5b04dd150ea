# SPDX-License-Identifier: BSD-2-Clause
"""Streams once more, from docs/streams-specification.md alone: slow, plain, and sharing nothing with src/.  The constants
are read from that page.  Python's floats are IEEE doubles, and it fuses no operations."""

import hashlib
import pathlib
import re
import struct

import models

PAGE = pathlib.Path(__file__).resolve().parent.parent.parent / "docs/streams-specification.md"

ENGINES = {  # name: algorithm, rounds, key sizes, nonce sizes
    "chacha20": ("chacha", 20, (32, 16), (8, 12)),
    "chacha12": ("chacha", 12, (32, 16), (8, 12)),
    "chacha8": ("chacha", 8, (32, 16), (8, 12)),
    "salsa20": ("salsa20", 20, (32, 16), (8,)),
    "salsa20-12": ("salsa20", 12, (32, 16), (8,)),
    "salsa20-8": ("salsa20", 8, (32, 16), (8,)),
    "aes256-ctr": ("aesctr", 14, (32,), (16,)),
    "aes128-ctr": ("aesctr", 10, (16,), (16,)),
}


def read_constants():
    """The tables of the page, by the lines above them."""
    pattern = r"^([a-z0-9, ]+[A-Za-z]):\n\n((?:    [-0-9a-fx.p+ ]+\n)+)"
    tables = re.findall(pattern, PAGE.read_text(encoding="utf-8") + "\n", flags=re.MULTILINE | re.IGNORECASE)
    return {label: [float.fromhex(number) for number in text.split()] for label, text in tables}


CONSTANTS = read_constants()


def bits_of(x):
    return struct.unpack("<Q", struct.pack("<d", x))[0]


def double_of(bits):
    return struct.unpack("<d", struct.pack("<Q", bits))[0]


def polynomial(c, x):
    x2 = x * x
    x4 = x2 * x2
    return ((c[0] + c[1] * x) + (c[2] + c[3] * x) * x2) + ((c[4] + c[5] * x) + (c[6] + c[7] * x) * x2) * x4


def minus_log(p, near=None):
    root = 0x3FE6A09E667F3BCD
    k = (bits_of(p) >> 52) - 1023
    m = double_of((bits_of(p) & ((1 << 52) - 1)) | 1023 << 52)  # of [1, 2)
    if bits_of(m / 2) >= root:
        k, m = k + 1, m / 2
    f = near if near is not None and k == 0 else m - 1.0
    c = CONSTANTS["logarithm c"]
    high, low = CONSTANTS["log 2, high and low"]
    s = f / (2.0 + f)
    z = s * s
    z2 = z * z
    z4 = z2 * z2
    r = z * (((c[0] + c[1] * z) + (c[2] + c[3] * z) * z2) + ((c[4] + c[5] * z) + c[6] * z2) * z4)
    h = 0.5 * f * f
    return ((h - (s * (h + r) + k * low)) - f) - k * high


def exponential(x):
    w = x | 1
    return minus_log(float(w) * 2.0**-64, -(float((1 << 64) - w) * 2.0**-64))


def normal(x):
    w = x | 1
    w -= (w >> 63) << 64
    q = float(w) * 2.0**-64
    r = 0.180625 - q * q
    if r >= 0:
        return q * polynomial(CONSTANTS["centre P"], r) / polynomial(CONSTANTS["centre Q"], r)
    log = minus_log(float((1 << 63) - abs(w)) * 2.0**-64)
    part, first = ("near", 2.5) if log < 8 else ("middle", 8.0) if log < 20 else ("far", 20.0)
    z = polynomial(CONSTANTS[part + " P"], log - first) / polynomial(CONSTANTS[part + " Q"], log - first)
    return -z if w < 0 else z


def seed_key(engine, kind, follows):
    digest = hashlib.sha256(b"cprng stream key" + kind + engine.encode().ljust(16, b"\0") + follows).digest()
    return digest[: ENGINES[engine][2][0]]


class Stream:
    def __init__(self, engine, key, nonce=None):
        self.engine, self.key, self.offset = engine, key, 0
        self.algorithm, self.rounds, _, nonces = ENGINES[engine]
        self.nonce = nonce if nonce is not None else bytes(nonces[0])

    @classmethod
    def seeded(cls, engine, seed):
        def with_length(data):
            return struct.pack("<Q", len(data)) + data

        if isinstance(seed, int):
            size = (abs(seed).bit_length() + 7) // 8
            return cls(engine, seed_key(engine, b"n" if seed < 0 else b"i", with_length(abs(seed).to_bytes(size, "little"))))
        if isinstance(seed, str):
            assert seed
            return cls(engine, seed_key(engine, b"s", with_length(seed.encode())))
        assert len(seed) >= 16
        return cls(engine, seed_key(engine, b"b", with_length(seed)))

    def spawn(self, index):
        follows = bytes([len(self.key), len(self.nonce)]) + self.key + self.nonce + struct.pack("<Q", index)
        return Stream(self.engine, seed_key(self.engine, b"c", follows))

    def checkpoint(self):
        body = b"cprngstr" + bytes([1, len(self.key), len(self.nonce), 0, 0, 0, 0, 0])
        body += self.engine.encode().ljust(16, b"\0") + self.key.ljust(32, b"\0") + self.nonce.ljust(16, b"\0")
        body += struct.pack("<QQ", self.offset, 0)
        return body + hashlib.sha256(body).digest()

    def read(self, n):
        data = models.keystream(self.algorithm, self.rounds, self.key, self.nonce, self.offset, n)
        self.offset += n
        return data

    def seek(self, offset):
        self.offset = offset

    def bits(self, width):
        return int.from_bytes(self.read(width // 8), "little")

    def bool(self):
        return self.bits(8) % 2

    def float(self):
        return (self.bits(32) >> 8) * 2.0**-24

    def double(self):
        return (self.bits(64) >> 11) * 2.0**-53

    def lemire(self, bound, width):
        while True:
            product = self.bits(width) * bound
            if bound == 0 or product % 2**width >= 2**width % bound:
                return product >> width

    def uniform32(self, bound):
        return self.lemire(bound, 32)

    def uniform64(self, bound):
        return self.lemire(bound, 32 if bound < 1 << 32 else 64)

    def range64(self, lo, hi):
        lo, hi = sorted((lo, hi))
        return self.bits(64) if hi - lo == 2**64 - 1 else lo + self.uniform64(hi - lo + 1)

    def int_range(self, lo, hi):
        lo, hi = sorted((lo, hi))
        return lo + self.range64(0, hi - lo)

    def normal(self, mu, sigma):
        return normal(self.bits(64)) * sigma + mu

    def exponential(self, mean):
        return exponential(self.bits(64)) * mean

    def shuffle(self, v):
        for n in range(len(v), 1, -1):
            at = self.uniform64(n)
            v[n - 1], v[at] = v[at], v[n - 1]

    def sample(self, k, n):
        v = []
        if k > n // 2:
            i = 0
            while len(v) < k:
                if self.uniform64(n - i) < k - len(v):
                    v.append(i)
                i += 1
        while len(v) < k:
            v = sorted(set(v + [self.uniform64(n) for _ in range(k - len(v))]))
        self.shuffle(v)
        return v
