# SPDX-License-Identifier: BSD-2-Clause
"""Under MPI: pi by a million darts in 50 tasks, the same to the last bit for any number of ranks.

    mpiexec -n 3 python mpi_pi.py

Tasks are numbered, and each uses the stream's child with its number. Ranks have no streams of their own, because their number
changes with the machine.
"""

import numpy as np
from mpi4py import MPI

import cprng

TASKS, DARTS = 50, 20_000
experiment = cprng.Stream("darts")


def task(number: int) -> int:
    x, y = experiment.child(number).fill_double(np.empty((2, DARTS)), threads=1)
    return int(np.count_nonzero(x * x + y * y < 1))


ranks = MPI.COMM_WORLD
mine = {number: task(number) for number in range(ranks.rank, TASKS, ranks.size)}
found = ranks.gather(mine, root=0)
if ranks.rank == 0:
    hits = {number: count for part in found for number, count in part.items()}
    assert sorted(hits) == list(range(TASKS))
    print([hits[number] for number in range(TASKS)], 4 * sum(hits.values()) / (TASKS * DARTS))
