# SPDX-License-Identifier: BSD-2-Clause
"""draws.py [TASK GENERATOR SECONDS]: the measurement of lab/peers/bindings/rust, in Python; the standard library and NumPy for comparison.

A task begins with the name of its table, of which docs/python.md shows python_calls, python_generator and python_fills, and
docs/decisions/0024-python.md python_parts.  Calls are timed with the loop around them; other tables have the time of a number.
"""

import os
import random
import secrets
import sys
import timeit
import uuid

import numpy as np

import cprng

CPUS = len(os.sched_getaffinity(0))
MILLION = 1_000_000

# Each statement is also the name of its generator.
CALLS = {
    "32 bytes": ["cprng.random_bytes(32)", "os.urandom(32)", "secrets.token_bytes(32)"],
    # From 16 KiB on, the interpreter's lock is released.
    "16,383 bytes": ["cprng.random_bytes(16383)", "os.urandom(16383)"],
    "16,384 bytes": ["cprng.random_bytes(16384)", "os.urandom(16384)"],
    "an integer below 1000": ["cprng.randbelow(1000)", "secrets.randbelow(1000)", "random.randrange(1000)"],
    "a double": ["cprng.random()", "random.random()", "system.random()"],
    "a double, by a method": ["cprng_random.random()", "mersenne.random()"],
    "a die": ["cprng.randint(1, 6)", "random.randint(1, 6)"],
    "a normal": ["cprng.gauss(0, 1)", "random.gauss(0, 1)"],
    "one of 52": ["cprng.choice(cards)", "secrets.choice(cards)", "random.choice(cards)"],
    "an order of 52": ["cprng.shuffle(cards)", "random.shuffle(cards)"],
    "a token": ["cprng.token_hex(16)", "secrets.token_hex(16)"],
    "a UUID": ["cprng.uuid4()", "uuid.uuid4()"],
}
NAMES = {"cprng": cprng, "cprng_random": cprng.Random(), "os": os, "random": random, "secrets": secrets, "uuid": uuid,
         "mersenne": random.Random(), "system": random.SystemRandom(), "cards": list(range(52)), "stream": cprng.Stream(42)}  # fmt: skip

METHODS = {"random": "random(out=out)", "standard_normal": "standard_normal(out=out)", "integers(1000)": "integers(1000, size=out.size)",
           "exponential": "standard_exponential(out=out)"}  # fmt: skip
BIT_GENERATORS = {
    "cprng.DrawBitGenerator": cprng.DrawBitGenerator, "cprng.Stream": lambda: cprng.Stream(42),
    "cprng.Stream, aes256-ctr": lambda: cprng.Stream(42, engine="aes256-ctr"), "PCG64": lambda: np.random.PCG64(42),
    "PCG64DXSM": lambda: np.random.PCG64DXSM(42), "Philox": lambda: np.random.Philox(42), "MT19937": lambda: np.random.MT19937(42),
}  # fmt: skip

# An array's numbers: NumPy's method, and cprng's call.
FILLS = {
    "a million doubles": ("random(out=out)", "fill_double(out, threads={})"),
    "a million normals": ("standard_normal(out=out)", "fill_normal(out, threads={})"),
    "a million exponentials": ("standard_exponential(out=out)", "fill_exponential(out, threads={})"),
    "a million integers below 1000": ("integers(1000, size=out.size)", "integers(1000, size=out.size, threads={})"),
    "a million integers below 2^40": ("integers(2**40, size=out.size)", "integers(2**40, size=out.size, threads={})"),
}


def threads_of(count):
    return f"{count} thread{'s'[: count > 1]}"


def rows():
    """(task, generator): (statement, numbers, a function that makes NumPy's bit generator)"""
    for task, statements in CALLS.items():
        yield from (((f"python_calls/{task}", statement), (statement, 1, None)) for statement in statements)
    for task, method in METHODS.items():
        yield from (((f"python_generator/{task}", name), (f"rng.{method}", MILLION, make)) for name, make in BIT_GENERATORS.items())
    for task, (method, call) in FILLS.items():
        yield (f"python_fills/{task}", "NumPy, PCG64"), (f"rng.{method}", MILLION, BIT_GENERATORS["PCG64"])
        for name, what in (("cprng", "cprng"), ("cprng.Stream", "stream")):
            for count in sorted({1, CPUS}):
                yield (f"python_fills/{task}", f"{name}, {threads_of(count)}"), (f"{what}.{call.format(count)}", MILLION, None)
    for power in range(16, 24):
        for count in (1, 2):
            yield ((f"python_parts/{1 << power - 10:,} KiB of doubles", f"cprng, {threads_of(count)}"),
                   (f"cprng.fill_double(out, threads={count})", 1 << power - 3, None))  # fmt: skip


def main(task, generator, seconds):
    statement, numbers, make = dict(rows())[task, generator]
    names = {**NAMES, "out": np.empty(numbers), "rng": make and np.random.Generator(make())}
    timer, count = timeit.Timer(statement, globals=names), 1
    while (elapsed := timer.timeit(count)) < float(seconds):
        count *= 2
    print(elapsed * 1e9 / count / numbers)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        main(*sys.argv[1:])
    else:
        print("\n".join("\t".join(row) for row, _ in rows()))
