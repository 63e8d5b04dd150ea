#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""NumPy's choices for cprng-lab choices, or those of `secrets` and `uuid`; choices.hpp has the requests.

    choices.py [secrets]

Prints the version, or an empty line without NumPy.
"""

import platform
import secrets
import sys
import time
import uuid

SECRETS = sys.argv[1:] == ["secrets"]
try:
    import numpy
except ImportError:
    if not SECRETS:
        print("", flush=True)
        sys.exit()

ELEMENTS = {4: "u4", 8: "u8", 24: [("value", "u8"), ("more", "u8", 2)]}


def work_of(generator, kind, of, count):
    """A function that makes the choices once, and returns the array; or nothing."""
    if kind == "shuffle":
        array = numpy.zeros(count, ELEMENTS[of])
        (array["value"] if of == 24 else array)[:] = numpy.arange(count)
        return lambda: generator.shuffle(array) or array
    array = numpy.empty(count)
    weights = numpy.arange(1, of + 1) / (of * (of + 1) / 2) if kind == "weighted" else None
    return {
        "sample": lambda: generator.choice(of, count, replace=False),
        "bounded": lambda: generator.integers(0, of, count, "u4"),
        "double": lambda: generator.random(out=array),
        "normal": lambda: generator.standard_normal(out=array),
        "exponential": lambda: generator.standard_exponential(out=array),
        "bernoulli": lambda: generator.random(count) < 0.3,
        "weighted": lambda: generator.choice(of, count, p=weights),
    }.get(kind)


def secret_of(kind, count):
    """The same for what Python's programs take from the kernel, with the value of an element; a text has 22 characters."""
    one = {"text": lambda: secrets.token_urlsafe(16), "uuid4": uuid.uuid4}.get(kind)
    return one and (lambda: [one() for _ in range(count)])


def value_of_secret(one):
    return int.from_bytes(one[:8].encode(), "big") if isinstance(one, str) else one.int & (1 << 64) - 1


def measured(work, count, seconds):
    work()
    times = 1
    while True:
        begin = time.thread_time()
        for _ in range(times):
            array = work()
        took = time.thread_time() - begin
        if took >= seconds / 2:
            break
        times *= 2
    if isinstance(array, list):
        values = [float(value_of_secret(one)) for one in array]
    else:
        values = (array if array.dtype.names is None else array["value"]).astype(float).tolist()
    moved = sum(value != i for i, value in enumerate(values))
    return f"{took / times / count * 1e9} {min(values)} {max(values)} {len(set(values))} {moved}"


print(f"Python {platform.python_version()}" if SECRETS else f"NumPy {numpy.__version__}", flush=True)
generator = None if SECRETS else numpy.random.default_rng()
for line in sys.stdin:
    kind, of, count, seconds = line.split()
    work = secret_of(kind, int(count)) if SECRETS else work_of(generator, kind, int(of), int(count))
    print(measured(work, int(count), float(seconds)) if work else "-", flush=True)
