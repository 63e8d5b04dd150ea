#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Make the known answers of the self-test, src/engine/known_answers.c, from the models of models.py.

    make-known-answers.py > src/engine/known_answers.c
    make-known-answers.py --check src/engine/known_answers.c

Published answers are listed below, and the models must agree with them.  If the Python package
`cryptography` is installed, its ChaCha20 and AES must agree with the models on all of the long answers.
"""

import struct
import sys

import models

MASK64 = (1 << 64) - 1

# The pieces of a run in src/engine/engine.c, in blocks, by the size of a block
PIECES = {64: [33, 1, 2, 3, 5, 0, 0, 11, 17, 33], 16: [70, 1, 2, 3, 5, 11, 35, 40, 17, 70]}
ALL = len(PIECES[64])
ORDINARY = 7  # those before the pieces of streaming stores, which wait for memory

COUNT_KEY = bytes(range(32))
LONG_KEY = bytes((31 * i + 7) % 256 for i in range(32))
ZERO = bytes(32)
ESTREAM = b"\x80" + bytes(31)

# Salsa20 and ChaCha with 64-bit counters: block 21 of the run, or block 11, is the first after a carry over 2^32.  Both
# are in the first piece, where batches are widest: two sets of 4, 8 or 16 lanes.  For each width, one of them is in the
# first set and the other in the second, and neither is in the first lane.
CARRIES32 = [((0x89ABCDEF << 32) + (1 << 32) - 21, ALL), ((0x0F0F0F0F << 32) + (1 << 32) - 11, 1)]
# AES, the counter block as one number: a carry over 2^32 alone, one over 2^64 and 2^96 at once, both in the first
# piece; and, after a carry that sets the position, a wrap of the whole in the last piece, that of streaming stores.
AES_POSITIONS = [
    (bytes.fromhex(nonce), block, pieces)
    for nonce, block, pieces in (
        ("0123456789abcdef 13579bdfffffffeb", 0, ALL),
        ("01234567ffffffff ff00000000000000", 0x00FFFFFFFFFFFFEB, ORDINARY),
        ("fffffffffffffffe fffffffffffffff0", 0xFFFFFFFFFFFFFF43, ALL),
    )
]


CTR_START = bytes(range(0xF0, 0x100))  # SP 800-38A, F.5

# engine: family, rounds, first blocks [(key, nonce, block, source, published hex or a beginning of it)],
# long answers [(key, nonce, block, pieces)]
DRAFT = "draft-strombergson-chacha-test-vectors, TC1"
ECRYPT = "ECRYPT Salsa20 vectors, set 1, vector 0"
NONCE8 = bytes.fromhex("f1e2d3c4b5a69788")
ENGINES = {
    "chacha20": (
        "chacha",
        20,
        [
            (
                COUNT_KEY,
                bytes.fromhex("000000090000004a00000000"),
                1,
                "RFC 8439, 2.3.2",
                "10f1e7e4d13b5915500fdd1fa32071c4c7d1f4c733c068030422aa9ac3d46c4e"
                "d2826446079faa0914c2d705d98b02a2b5129cd1de164eb9cbd083e8a2503c4e",
            ),
            (ZERO[:16], ZERO[:8], 0, DRAFT, "89670952608364fd00b2f90936f031c8e756e15dba04b8493d00429259b20f46"),
        ],
        [(LONG_KEY, NONCE8, *carry) for carry in CARRIES32],
    ),
    "chacha12": (
        "chacha",
        12,
        [
            (ZERO, ZERO[:8], 0, DRAFT, "9bf49a6a0755f953811fce125f2683d50429c3bb49e074147e0089a52eae155f"),
            (ZERO[:16], ZERO[:8], 0, DRAFT, "e1047ba9476bf8ff312c01b4345a7d8c"),
        ],
        [(LONG_KEY, NONCE8, *carry) for carry in CARRIES32],
    ),
    "chacha8": (
        "chacha",
        8,
        [
            (ZERO, ZERO[:8], 0, DRAFT, "3e00ef2f895f40d67f5bb8e81f09a5a1"),
            (ZERO[:16], ZERO[:8], 0, DRAFT, "e28a5fa4a67f8c5defed3e6fb7303486"),
        ],
        [(LONG_KEY, NONCE8, *carry) for carry in CARRIES32],
    ),
    "salsa20": (
        "salsa20",
        20,
        [
            (ESTREAM, ZERO[:8], 0, ECRYPT, "e3be8fdd8beca2e3ea8ef9475b29a6e7"),
            (ESTREAM[:16], ZERO[:8], 0, ECRYPT, "4dfa5e481da23ea09a31022050859936da52fcee"),
        ],
        [(LONG_KEY, NONCE8, *carry) for carry in CARRIES32],
    ),
    "salsa20-12": (
        "salsa20",
        12,
        [
            (ESTREAM, ZERO[:8], 0, "the model alone", ""),
            (ESTREAM[:16], ZERO[:8], 3, ECRYPT, "4b62a4881fa1af9560586510d5527ed48a51ecaf"),
        ],
        [(LONG_KEY, NONCE8, *carry) for carry in CARRIES32],
    ),
    "salsa20-8": (
        "salsa20",
        8,
        [
            (ESTREAM, ZERO[:8], 0, "the model alone", ""),
            (ESTREAM[:16], ZERO[:8], 3, ECRYPT, "bb5b6bb2cc8b8a0222dccc1753ed4aeb"),
        ],
        [(LONG_KEY, NONCE8, *carry) for carry in CARRIES32],
    ),
    "aes256-ctr": (
        "aesctr",
        14,
        [
            (
                bytes.fromhex("603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4"),
                CTR_START,
                0,
                "SP 800-38A, F.5.5",
                "0bdf7df1591716335e9a8b15c860c5025a6e699d536119065433863c8f657b94",
            ),
        ],
        [(LONG_KEY, *position) for position in AES_POSITIONS],
    ),
    "aes128-ctr": (
        "aesctr",
        10,
        [
            (
                bytes.fromhex("2b7e151628aed2a6abf7158809cf4f3c"),
                CTR_START,
                0,
                "SP 800-38A, F.5.1",
                "ec8cdf7398607cb0f2d21675ea9ea1e4362b7c3c6773516318a077d7fc5073ae",
            ),
        ],
        [(LONG_KEY[:16], *position) for position in AES_POSITIONS],
    ),
}


def rotate_left(x, n):
    return (x << n | x >> (64 - n)) & MASK64


def checksum(data):
    """As in src/engine/engine.c: every step is a bijection of (a, b), and order counts."""
    a = b = 0
    for first, second in struct.iter_unpack("<2Q", data):
        a = ((rotate_left(a, 23) ^ first) * 0x243F6A8885A308D3) & MASK64
        b = ((rotate_left(b, 41) ^ second) * 0xB7E151628AED2A6B + a) & MASK64
    return a, b


def confirm(family, rounds, key, nonce, block, data):
    """Compares with another implementation if one is installed."""
    try:
        from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
    except ImportError:
        return
    if family == "aesctr":
        counter = (int.from_bytes(nonce, "big") + block) % (1 << 128)
        cipher = Cipher(algorithms.AES(key), modes.CTR(counter.to_bytes(16, "big")))
    elif family == "chacha" and rounds == 20 and len(key) == 32:
        # The other library takes words 12 to 15 as 16 bytes and does not carry out of word 12, so go block by block.
        for i in range(0, len(data), 64):
            position = (block + i // 64).to_bytes(8, "little") + nonce if len(nonce) == 8 else None
            position = position or (block + i // 64).to_bytes(4, "little") + nonce
            other = Cipher(algorithms.ChaCha20(key, position), None).encryptor().update(bytes(64))
            assert other == data[i : i + 64], (family, block, i)
        return
    else:
        return
    assert cipher.encryptor().update(bytes(len(data))) == data, (family, nonce.hex())


def c_bytes(name, data):
    lines = [f"\t\t.{name} = {{\n"]
    for i in range(0, len(data), 16):
        lines.append("\t\t\t" + ", ".join(f"0x{b:02x}" for b in data[i : i + 16]) + ",\n")
    return "".join(lines) + "\t\t},\n"


def c_input(key, nonce, block):
    return (
        f"\t\t.key_size = {len(key)},\n"
        f"\t\t.nonce_size = {len(nonce)},\n"
        f"\t\t.block = 0x{block:x},\n" + c_bytes("key", key) + c_bytes("nonce", nonce)
    )


# In a kernel, the table of engines ends here (src/core/port.h).
FIRST_OF_OTHERS = "#ifndef CPRNG_CHACHA_ALONE\n"


def make():
    out = [
        "/* SPDX-License-Identifier: BSD-2-Clause */\n"
        "/*\n"
        " * Made by tests/vectors/make-known-answers.py from models that share nothing with the engines; do not edit.\n"
        " */\n"
        '#include "engine/known_answers.h"\n\n'
        "const struct cprng_known_answers cprng_known_answers[] = {\n"
    ]
    for name, (family, rounds, firsts, longs) in ENGINES.items():
        if family != "chacha" and FIRST_OF_OTHERS not in out:
            out.append(FIRST_OF_OTHERS)
        row = "\t[CPRNG_ENGINE_" + name.replace("-", "_").upper() + "]"
        size = models.BLOCKS[family][1]
        for i, (key, nonce, block, source, published) in enumerate(firsts):
            data = models.keystream(family, rounds, key, nonce, block * size, 64)
            assert data.hex().startswith(published), (name, source)
            confirm(family, rounds, key, nonce, block, data)
            out.append(f"{row}.literal[{i}] = {{ /* {source} */\n" + c_input(key, nonce, block))
            out.append(c_bytes("keystream", data) + "\t},\n")
        for i, (key, nonce, block, pieces) in enumerate(longs):
            data = models.keystream(family, rounds, key, nonce, block * size, sum(PIECES[size][:pieces]) * size)
            confirm(family, rounds, key, nonce, block, data)
            a, b = checksum(data)
            out.append(f"{row}.run[{i}] = {{\n" + c_input(key, nonce, block))
            out.append(f"\t\t.pieces = {pieces},\n\t\t.checksum = {{ 0x{a:016x}, 0x{b:016x} }},\n\t}},\n")
    out.append("#endif\n};\n")
    return "".join(out)


def main():
    text = make()
    if len(sys.argv) == 3 and sys.argv[1] == "--check":
        with open(sys.argv[2], encoding="utf-8") as file:
            if file.read() != text:
                sys.exit(f"{sys.argv[2]}: differs from what the models give")
    elif len(sys.argv) == 1:
        sys.stdout.write(text)
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
