# SPDX-License-Identifier: BSD-2-Clause
"""Second implementations of the lab's engines, from their descriptions; share nothing with lab/.  Each is an endless stream."""

import struct

MASK32 = (1 << 32) - 1
MASK64 = (1 << 64) - 1


def rc4(key, nonce):
    assert not nonce
    s = list(range(256))
    j = 0
    for i in range(256):
        j = (j + s[i] + key[i % len(key)]) % 256
        s[i], s[j] = s[j], s[i]
    i = j = 0
    while True:
        i = (i + 1) % 256
        j = (j + s[i]) % 256
        s[i], s[j] = s[j], s[i]
        yield bytes([s[(s[i] + s[j]) % 256]])


# HC-128: Wu, "The Stream Cipher HC-128" (2008), with >>> as in there


def right(x, n):
    return (x >> n | x << (32 - n)) & MASK32


def left(x, n):
    return right(x, 32 - n)


def hc128(key, nonce):
    w = list(struct.unpack("<4I", key)) * 2 + list(struct.unpack("<4I", nonce)) * 2
    for i in range(16, 1280):
        a, b = w[i - 2], w[i - 15]
        f2 = right(a, 17) ^ right(a, 19) ^ a >> 10
        f1 = right(b, 7) ^ right(b, 18) ^ b >> 3
        w.append((f2 + w[i - 7] + f1 + w[i - 16] + i) & MASK32)
    p, q = w[256:768], w[768:1280]

    def step(table, other, turn, j):
        x, y, z = table[j - 3], table[j - 10], table[(j + 1) % 512]
        table[j] = (table[j] + (turn(x, 10) ^ turn(z, 23)) + turn(y, 8)) & MASK32
        last = struct.pack("<I", table[j - 12])
        return (other[last[0]] + other[256 + last[2]] & MASK32) ^ table[j]

    for j in range(512):
        p[j] = step(p, q, right, j)
    for j in range(512):
        q[j] = step(q, p, left, j)
    while True:
        for j in range(512):
            yield struct.pack("<I", step(p, q, right, j))
        for j in range(512):
            yield struct.pack("<I", step(q, p, left, j))


# The others are in lab/origins/engines/simple.hpp.


def lcg(key, nonce):
    assert not nonce
    x = int.from_bytes(key, "little")
    while True:
        x = (6364136223846793005 * x + 1442695040888963407) & MASK64
        yield (x >> 32).to_bytes(4, "little")


def lfsr(key, nonce):
    """Uses the recurrence of the output instead of the register: bit n+32 is the sum of bits n, n+10, n+30, n+31."""
    assert not nonce
    register = int.from_bytes(key, "little") or 1
    bits = []
    for _ in range(32):
        bits.append(register & 1)
        register = register >> 1 ^ (0x80200003 if register & 1 else 0)
    while True:
        yield sum(bit << i for i, bit in enumerate(bits)).to_bytes(4, "little")
        for _ in range(32):
            bits.append(bits[0] ^ bits[10] ^ bits[30] ^ bits[31])
            del bits[0]


def xoshiro256pp(key, nonce):
    assert not nonce
    s = list(struct.unpack("<4Q", key))
    if not any(s):
        s[0] = 1

    def turned(x, n):
        return (x << n | x >> (64 - n)) & MASK64

    while True:
        yield ((turned((s[0] + s[3]) & MASK64, 23) + s[0]) & MASK64).to_bytes(8, "little")
        t = s[1] << 17 & MASK64
        s[2] ^= s[0]
        s[3] ^= s[1]
        s[1] ^= s[2]
        s[0] ^= s[3]
        s[2] ^= t
        s[3] = turned(s[3], 45)


STREAMS = {"rc4": rc4, "hc128": hc128, "lcg": lcg, "lfsr": lfsr, "xoshiro256pp": xoshiro256pp}


def keystream(algorithm, key, nonce, offset, length):
    """length bytes of keystream from byte offset on"""
    data = bytearray()
    for piece in STREAMS[algorithm](key, nonce):
        if len(data) >= offset + length:
            break
        data += piece
    return bytes(data[offset : offset + length])
