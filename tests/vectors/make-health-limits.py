#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Compute the cut-offs of the health tests of SP 800-90B, 4.4, as they stand in src/fortuna/health.c.

    make-health-limits.py
    make-health-limits.py --check src/fortuna/health.c

Computes in integers.  The probability 2^-H is irrational if H is not an integer; it is rounded down and rounded up at
256 bits, and both values must give the same cut-off.
"""

import math
import sys

ALPHA_BITS = 40  # alpha = 2^-40; src/fortuna/health.c says why
WINDOW = 512  # for samples of more than one bit
PRECISION = 256

# name: min-entropy of a sample in sixteenths of a bit
LIMITS = {"jitter": 2, "word": 64 * 16}

# The table of the jitterentropy library (jitterentropy-health.c) for H = 1, 1/2, 1/3, ... and alpha = 2^-30.  It takes
# the first sample of a window, which always equals itself, out of the trials: 2 + critbinom(511, ...).
OTHER_ALPHA_BITS = 30
OTHER = [325, 422, 459, 477, 488, 494, 499, 502]


def probability(numerator, denominator):
    """2^-(numerator/denominator) * 2^PRECISION, rounded down and up."""
    power = 1 << (denominator * PRECISION - numerator)
    low, high = 0, 1 << PRECISION
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if middle**denominator <= power else (low, middle - 1)
    return (low, low) if low**denominator == power else (low, low + 1)


def critical_binomial(trials, p, alpha_bits):
    """The smallest k with P(X <= k) >= 1 - alpha, for X of `trials` trials of probability p / 2^PRECISION."""
    q = (1 << PRECISION) - p
    one = 1 << (PRECISION * trials)
    above = 0  # P(X > k)
    for k in range(trials, 0, -1):
        above += math.comb(trials, k) * p**k * q ** (trials - k)
        if above << alpha_bits > one:
            return k
    return 0


def exact(trials, numerator, denominator, alpha_bits):
    down, up = (critical_binomial(trials, p, alpha_bits) for p in probability(numerator, denominator))
    assert down == up, (numerator, denominator)
    return down


def repetition(sixteenths):
    """1 + ceil(-log2(alpha) / H)"""
    return 1 + -(-ALPHA_BITS * 16 // sixteenths)


def proportion(sixteenths):
    """1 + critbinom(W, 2^-H, 1 - alpha); at least 2, since the first sample of a window equals itself."""
    return max(2, 1 + exact(WINDOW, sixteenths, 16, ALPHA_BITS))


def confirm():
    for i, cutoff in enumerate(OTHER):
        assert 2 + exact(WINDOW - 1, 1, i + 1, OTHER_ALPHA_BITS) == cutoff, (i, cutoff)


def make():
    return "".join(
        f"const struct cprng_health_limits cprng_health_{name} = "
        f"{{ .entropy = {entropy}, .repetition = {repetition(entropy)}, .proportion = {proportion(entropy)} }};\n"
        for name, entropy in LIMITS.items()
    )


def main():
    confirm()
    text = make()
    if len(sys.argv) == 3 and sys.argv[1] == "--check":
        with open(sys.argv[2], encoding="utf-8") as file:
            if text not in file.read():
                sys.exit(f"{sys.argv[2]}: has not these lines:\n{text}")
    elif len(sys.argv) == 1:
        sys.stdout.write(text)
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
