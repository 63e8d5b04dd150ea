#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""NumPy's choices for cprng-lab choices; choices.hpp has the requests.

Prints NumPy's version, or an empty line without NumPy.
"""

import sys
import time

try:
    import numpy
except ImportError:
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
    return {
        "sample": lambda: generator.choice(of, count, replace=False),
        "bounded": lambda: generator.integers(0, of, count, "u4"),
        "double": lambda: generator.random(out=array),
        "normal": lambda: generator.standard_normal(out=array),
        "exponential": lambda: generator.standard_exponential(out=array),
    }.get(kind)


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
    values = (array if array.dtype.names is None else array["value"]).astype(float)
    moved = int((values != numpy.arange(count)).sum())
    return f"{took / times / count * 1e9} {values.min()} {values.max()} {len(numpy.unique(values))} {moved}"


print("NumPy", numpy.__version__, flush=True)
generator = numpy.random.default_rng()
for line in sys.stdin:
    kind, of, count, seconds = line.split()
    work = work_of(generator, kind, int(of), int(count))
    print(measured(work, int(count), float(seconds)) if work else "-", flush=True)
