#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""NumPy arrays of 1 MiB, for cprng-lab streams.

Prints NumPy's version, or an empty line without NumPy.  Then answers each line "GENERATOR doubles|normals SECONDS" on
standard input with the speed in bytes a second.
"""

import sys
import time

ARRAY_BYTES = 1 << 20

try:
    import numpy
except ImportError:
    print("", flush=True)
    sys.exit()

print(numpy.__version__, flush=True)
array = numpy.empty(ARRAY_BYTES // 8)
generators = {}
for line in sys.stdin:
    name, work, seconds = line.split()
    if name not in generators:
        generators[name] = numpy.random.Generator(getattr(numpy.random, name)(1))
    fill = {"doubles": generators[name].random, "normals": generators[name].standard_normal}[work]
    fill(out=array)
    done = 0
    begin = time.perf_counter()
    while True:
        fill(out=array)
        done += ARRAY_BYTES
        took = time.perf_counter() - begin
        if took >= float(seconds):
            break
    print(done / took, flush=True)
