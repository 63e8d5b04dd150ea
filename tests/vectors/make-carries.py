#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Make carries.json: counters that carry, wrap and end, from the models of models.py.

make-carries.py > carries.json
"""

import json

import models

KEY = bytes((29 * i + 3) % 256 for i in range(32))
NONCE = bytes((53 * i + 17) % 256 for i in range(16))
LENGTH = 40 * 64


def vector(algorithm, rounds, comment, key, nonce, offset, length):
    data = models.keystream(algorithm, rounds, key, nonce, offset, length)
    return {
        "algorithm": algorithm,
        "comment": comment,
        "key": key.hex(),
        "nonce": nonce.hex(),
        "rounds": rounds,
        "offset": offset,
        "keystream": data.hex(),
        "length": length,
    }


def make():
    vectors = []
    for algorithm, all_rounds in (("chacha", (20, 12, 8)), ("salsa20", (20, 12, 8))):
        for rounds in all_rounds:
            comment, block = "counter carries over 2^32 after 23 blocks, high word not 0", (0x2345 << 32) - 23
            vectors.append(vector(algorithm, rounds, comment, KEY, NONCE[:8], 64 * block, LENGTH))
            vectors.append(
                vector(algorithm, rounds, "counter passes 2^31", KEY[:16], NONCE[:8], 64 * ((1 << 31) - 5), 12 * 64)
            )
            vectors.append(
                vector(algorithm, rounds, "the last bytes of 2^64 - 1", KEY, NONCE[:8], (1 << 64) - 200, 199)
            )
        for rounds in all_rounds if algorithm == "chacha" else ():
            for key in KEY, KEY[:16]:
                comment, left = "the last bytes of a 12-byte nonce's 2^32 blocks", 35 * 64 + 7
                vectors.append(vector(algorithm, rounds, comment, key, NONCE[:12], (1 << 38) - left, left))
    for key in KEY, KEY[:16]:
        for comment, start, blocks in (
            ("counter carries over 2^32", 0x0123456789ABCDEF_02468ACEFFFFFFF3, 80),
            ("counter carries over 2^64", 0x01234567FFFFFFFF_FFFFFFFFFFFFFFDD, 80),
            ("counter wraps at 2^128", (1 << 128) - 29, 80),
            ("counter is 2^128 - 1", (1 << 128) - 1, 2),
        ):
            rounds = len(key) // 4 + 6
            vectors.append(vector("aesctr", rounds, comment, key, start.to_bytes(16, "big"), 0, 16 * blocks))
        for comment, start, offset, length in (
            ("offset carries over 2^64", (1 << 64) - (1 << 40) - 9, 16 << 40, 333),
            ("the last bytes of 2^64 - 1", 0xFEDCBA9876543210_FEDCBA9876543210, (1 << 64) - 200, 199),
        ):
            vectors.append(vector("aesctr", rounds, comment, key, start.to_bytes(16, "big"), offset, length))
    return vectors


def main():
    about = (
        "Counters that carry, wrap and end; made by make-carries.py from models that share nothing with the library. "
        "Field names as in stream-ciphers.json."
    )
    print('{\n "about": ' + json.dumps(about) + ',\n "vectors": [\n  ' + ",\n  ".join(map(json.dumps, make())) + "\n ]\n}")


if __name__ == "__main__":
    main()
