# SPDX-License-Identifier: BSD-2-Clause
"""The drawing program (programs/draw.c) and its records in the memory shared with the test.

CPRNG_VM_DRAW   path of the program
"""

import dataclasses
import mmap
import os
import pathlib
import struct

import pytest

# programs/shared.h
THREADS_MAX, HEAD, RECORDS, RECORD = 4, 4096, 1 << 18, 32
SIZE = HEAD + THREADS_MAX * RECORDS * RECORD
# A device's region has a power of two as size; this one has room for several copies.
DEVICE_SIZE = 4 << SIZE.bit_length() - 1
THREADS_AT, COMMAND_AT, AWAITED_AT, LIMIT_AT, NOTICED_AT, INVALIDATED_AT = 0, 4, 8, 16, 24, 32
STAMPS_AT, NANOSECONDS_AT, MARK_AT = 40, 56, 72
COUNT_AT = MARK_AT + 8 * THREADS_MAX
GO_ON, INVALIDATE, INVALIDATE_WHEN_NOTICED = range(3)
NOTICED, INVALIDATED = 1, 2


def program():
    path = os.environ.get("CPRNG_VM_DRAW")
    if not path:
        pytest.exit("CPRNG_VM_DRAW must be the path of the drawing program", returncode=2)
    return pathlib.Path(path)


@dataclasses.dataclass
class Outputs:
    """The outputs drawn after the mark: output -> time stamp of the draw's beginning.  Stamps are CPU counter values."""
    after: dict
    noticed: int  # 0: never
    invalidated: int
    stamps_per_ms: float

    def ms(self, stamp):
        """Milliseconds from the first draw after the mark."""
        return (stamp - min(self.after.values())) / self.stamps_per_ms


class Shared:
    """The shared memory, or a copy that `draw put` has left there."""

    def __init__(self, path, create=False, copy=0):
        if create:
            with open(path, "wb") as file:
                file.truncate(DEVICE_SIZE)
        with open(path, "r+b") as file:
            self._map = mmap.mmap(file.fileno(), SIZE, offset=copy * SIZE)

    def _get(self, form, at):
        return struct.unpack_from(form, self._map, at)[0]

    @property
    def threads(self):
        return self._get("<I", THREADS_AT)

    def counts(self):
        """The number of records of each thread."""
        return [self._get("<Q", COUNT_AT + 8 * t) for t in range(self.threads)]

    def mark(self, limit, command, awaited):
        """To be called while nothing draws: sets the command, and the records that each thread makes after the awaited events."""
        for thread, count in enumerate(self.counts()):
            struct.pack_into("<Q", self._map, MARK_AT + 8 * thread, count)
        struct.pack_into("<II", self._map, COMMAND_AT, command, awaited)
        struct.pack_into("<Q", self._map, LIMIT_AT, limit)

    def outputs(self, unit):
        """The outputs of `unit` bytes each; fails if an output is repeated."""
        after, before, repeats = {}, set(), 0
        for thread, count in enumerate(self.counts()):
            mark = self._get("<Q", MARK_AT + 8 * thread)
            base = HEAD + thread * RECORDS * RECORD
            for index in range(max(0, count - RECORDS), count):
                at = base + index % RECORDS * RECORD
                stamp, index_there = struct.unpack_from("<QQ", self._map, at + 16)
                assert index_there == index, "a record is at the wrong place"
                for part in range(at, at + 16, unit):
                    output = self._map[part:part + unit]
                    if index >= mark:
                        repeats += output in after
                        after[output] = stamp
                    else:
                        repeats += output in before
                        before.add(output)
        assert repeats == 0, f"{repeats} outputs are repeated in one machine"
        assert not before & after.keys(), "an output from before the state was saved is repeated after it"
        stamps = [self._get("<Q", STAMPS_AT + 8 * i) for i in (0, 1)]
        clock = [self._get("<Q", NANOSECONDS_AT + 8 * i) for i in (0, 1)]
        return Outputs(after, self._get("<Q", NOTICED_AT), self._get("<Q", INVALIDATED_AT),
                       (stamps[1] - stamps[0]) / (clock[1] - clock[0]) * 1e6)

    def close(self):
        self._map.close()


def shared_bytes(one, other, begun_after=0):
    """The number of bytes in both that come from draws that began after this stamp of `one`."""
    return sum(len(o) for o, stamp in one.after.items() if stamp > begun_after and o in other.after)


def last_shared(one, other):
    """Stamp of the last draw of `one` that `other` has, too; None if they share none."""
    return max((stamp for o, stamp in one.after.items() if o in other.after), default=None)
