#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""check-numbers.py [COUNT]: normals and exponentials of the model against the distribution functions in 60 digits, at COUNT
places (default 600) of each part: is the relative error below the bounds of docs/streams-specification.md?  And are the values
right that sentences of that page state?"""

import decimal
import random
import re
import sys
from decimal import Decimal

from stream_model import TEXT, standard_exponential, standard_normal

decimal.getcontext().prec = 60
decimal.getcontext().Emin = -10**6
TWO64 = Decimal(2**64)

BOUNDS = {"normal": Decimal(2) ** -50, "exponential": Decimal(2) ** -51}


def check_examples():
    split, = re.findall(r"0\.180625 .*the double (0x[0-9a-f.p+-]+)\)", TEXT)
    assert float.fromhex(split) == 0.180625
    words = re.findall(r"0x([0-9a-f]{16}) (?:z|it) is (0x1\.[0-9a-f]+p\+\d)", TEXT)
    assert [standard_normal(int(word, 16)).hex() for word, _ in words] == [z for _, z in words]
    (less, z), (more, other) = words
    assert less < more and float.fromhex(z) > float.fromhex(other)


def arctan_inverse(n):
    total, power, k = Decimal(0), Decimal(1) / n, 1
    while abs(power) > Decimal(10) ** -65:
        total += power / k
        power /= -n * n
        k += 2
    return total


PI = 4 * (4 * arctan_inverse(5) - arctan_inverse(239))
ROOT = (2 * PI).sqrt()


def half_mass(z):
    """The probability of (0, z): phi(z) (z + z^3 / 3 + z^5 / (3 5) + ...), all terms positive."""
    term = total = z
    k = 1
    while term > total * Decimal(10) ** -60:
        k += 2
        term *= z * z / k
        total += term
    return total * (-z * z / 2).exp() / ROOT


def normal_error(x):
    """Uses one step of Newton's method from the result; the step's own error is of second order."""
    w = x | 1
    w -= (w >> 63) << 64
    z = Decimal(abs(standard_normal(x)))
    density = (-z * z / 2).exp() / ROOT
    step = (Decimal(abs(w)) / TWO64 - half_mass(z)) / density
    return abs(step / (z + step))


def exponential_error(x):
    true = -(Decimal(x | 1) / TWO64).ln()
    return abs(Decimal(standard_exponential(x)) / true - 1)


def places(choose, count):
    """Places in each part of the functions."""
    top = 1 << 63

    def beyond(log):  # a normal whose tail has the probability e^-log
        return top - max(1, int(Decimal(-log).exp() * TWO64))

    parts = {
        "anywhere": lambda: choose.getrandbits(64),
        "centre": lambda: choose.randrange(int(0.425 * 2**64)),
        "small": lambda: choose.getrandbits(choose.randrange(1, 62)),
        "near": lambda: beyond(choose.uniform(2.59, 8)),
        "middle": lambda: beyond(choose.uniform(8, 20)),
        "far": lambda: beyond(choose.uniform(20, 44.3)),
        "end of the tail": lambda: top - 1 - choose.getrandbits(choose.randrange(1, 30)),
        "near 1": lambda: 2**64 - 1 - choose.getrandbits(choose.randrange(1, 63)),
    }
    for name, place in parts.items():
        yield name, [place() for _ in range(count)]


def main():
    check_examples()
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 600
    choose = random.Random(int.from_bytes(random.SystemRandom().randbytes(8), "big"))
    wrong = 0
    for name, xs in places(choose, count):
        for what, error in (("normal", normal_error), ("exponential", exponential_error)):
            worst, at = max((error(x), x) for x in xs)
            print(f"{name:16} {what:12} {float(worst * 2**53):6.2f} 2^-53, at {at:#x}")
            wrong += worst >= BOUNDS[what]
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
