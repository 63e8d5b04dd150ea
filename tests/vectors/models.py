# SPDX-License-Identifier: BSD-2-Clause
"""Second implementations of the engines, written from their specifications: slow and simple; they share nothing with src/."""

import functools
import struct

MASK32 = (1 << 32) - 1


def rotate_left(x, n):
    return (x << n | x >> (32 - n)) & MASK32


def words(data):
    return list(struct.unpack(f"<{len(data) // 4}I", data))


def constants(key):
    return words(b"expand 32-byte k" if len(key) == 32 else b"expand 16-byte k")


# ChaCha: RFC 8439, 2.1 and 2.3; Bernstein, "ChaCha, a variant of Salsa20" (2008), for 8-byte nonces and 16-byte keys


def chacha_quarter_round(x, a, b, c, d):
    for to, by, turned, n in ((a, b, d, 16), (c, d, b, 12), (a, b, d, 8), (c, d, b, 7)):
        x[to] = (x[to] + x[by]) & MASK32
        x[turned] = rotate_left(x[turned] ^ x[to], n)


@functools.lru_cache(64)
def chacha_block(key, nonce, rounds, block):
    if len(nonce) == 12:
        assert block < 1 << 32
        position = [block] + words(nonce)
    else:
        position = words(struct.pack("<Q", block % (1 << 64))) + words(nonce)
    start = constants(key) + words(key * (32 // len(key))) + position
    x = list(start)
    for i in range(rounds):
        turn = i % 2  # columns, diagonals
        for column in range(4):
            chacha_quarter_round(x, *(4 * row + (column + turn * row) % 4 for row in range(4)))
    return struct.pack("<16I", *((a + b) & MASK32 for a, b in zip(x, start)))


# Salsa20: Bernstein, "Salsa20 specification" (2005)


def salsa20_quarter_round(y0, y1, y2, y3):
    y1 ^= rotate_left((y0 + y3) & MASK32, 7)
    y2 ^= rotate_left((y1 + y0) & MASK32, 9)
    y3 ^= rotate_left((y2 + y1) & MASK32, 13)
    y0 ^= rotate_left((y3 + y2) & MASK32, 18)
    return y0, y1, y2, y3


@functools.lru_cache(64)
def salsa20_block(key, nonce, rounds, block):
    c, k = constants(key), words(key * (32 // len(key)))
    position = words(nonce + struct.pack("<Q", block % (1 << 64)))
    start = [c[0], *k[:4], c[1], *position, c[2], *k[4:], c[3]]
    x = list(start)
    for i in range(rounds):
        for line in range(4):  # column `line` from its diagonal element down, or row `line` from there to the right
            if i % 2 == 0:
                at = [4 * ((line + step) % 4) + line for step in range(4)]
            else:
                at = [4 * line + (line + step) % 4 for step in range(4)]
            for j, value in zip(at, salsa20_quarter_round(*(x[j] for j in at))):
                x[j] = value
    return struct.pack("<16I", *((a + b) & MASK32 for a, b in zip(x, start)))


# AES: FIPS 197; counter mode: SP 800-38A section 6.5


def field_multiply(a, b):
    product = 0
    for bit in range(8):
        if b >> bit & 1:
            product ^= a << bit
    for bit in range(14, 7, -1):
        if product >> bit & 1:
            product ^= 0x11B << (bit - 8)
    return product


def make_sbox():
    sbox = []
    for x in range(256):
        inverse = next((y for y in range(256) if field_multiply(x, y) == 1), 0)
        s = 0x63
        for turn in range(5):
            s ^= (inverse << turn | inverse >> (8 - turn)) & 0xFF
        sbox.append(s)
    return sbox


SBOX = make_sbox()
DOUBLE = [field_multiply(2, x) for x in range(256)]


def aes_round_keys(key):
    n = len(key) // 4
    w = [list(key[4 * i : 4 * i + 4]) for i in range(n)]
    constant = 1
    for i in range(n, 4 * (n + 7)):
        word = w[i - 1]
        if i % n == 0:
            word = [SBOX[b] for b in word[1:] + word[:1]]
            word[0] ^= constant
            constant = field_multiply(2, constant)
        elif n > 6 and i % n == 4:
            word = [SBOX[b] for b in word]
        w.append([a ^ b for a, b in zip(w[i - n], word)])
    return [sum(w[i : i + 4], []) for i in range(0, len(w), 4)]


@functools.lru_cache(64)
def aes_encrypt(key, plain):
    keys = aes_round_keys(key)
    s = [a ^ b for a, b in zip(plain, keys[0])]
    for i, round_key in enumerate(keys[1:], 1):
        s = [SBOX[s[(j + 4 * (j % 4)) % 16]] for j in range(16)]  # byte j is row j mod 4, column j div 4
        if i < len(keys) - 1:
            mixed = []
            for c in range(0, 16, 4):
                column = s[c : c + 4]
                for r in range(4):
                    a, b = column[r], column[(r + 1) % 4]
                    mixed.append(DOUBLE[a] ^ DOUBLE[b] ^ b ^ column[(r + 2) % 4] ^ column[(r + 3) % 4])
            s = mixed
        s = [a ^ b for a, b in zip(s, round_key)]
    return bytes(s)


def aesctr_block(key, nonce, rounds, block):
    assert rounds == len(key) // 4 + 6
    counter = (int.from_bytes(nonce, "big") + block) % (1 << 128)
    return aes_encrypt(key, counter.to_bytes(16, "big"))


BLOCKS = {"chacha": (chacha_block, 64), "salsa20": (salsa20_block, 64), "aesctr": (aesctr_block, 16)}


def keystream(algorithm, rounds, key, nonce, offset, length):
    """length bytes of keystream from byte offset on"""
    function, size = BLOCKS[algorithm]
    first = offset // size
    last = (offset + length - 1) // size
    data = b"".join(function(key, nonce, rounds, block) for block in range(first, last + 1))
    return data[offset - first * size :][:length]
