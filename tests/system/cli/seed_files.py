# SPDX-License-Identifier: BSD-2-Clause
"""Seed files, and the command's use of them."""

import fcntl
import os
import stat
import struct

from command import run

SIZE = 64


def seed(path, *options, **others):
    """Run, which must succeed; returns the warnings."""
    result = run("seed-file", *options, path, **others)
    assert (result.returncode, result.stdout) == (0, b"")
    lines = result.stderr.decode().splitlines()
    assert all(line.startswith("cprng: warning: ") for line in lines)
    return lines


def write(path, data=bytes(range(SIZE)), mode=0o600):
    path.write_bytes(data)
    path.chmod(mode)
    return data


def whole(path):
    """Checks mode and size; returns the content."""
    status = os.lstat(path)
    assert stat.S_ISREG(status.st_mode) and stat.S_IMODE(status.st_mode) == 0o600
    data = path.read_bytes()
    assert len(data) == SIZE
    # About 57 different values in 64 bytes; below 35 once in 10^20.
    assert len(set(data)) > 35
    return data


def only(path):
    assert os.listdir(path.parent) == [path.name]


def lock(file, operation=fcntl.LOCK_EX):
    """Lock an open file (for LOCK_EX, open for writing) in both ways; each implementation of os.h uses one."""
    kind = fcntl.F_WRLCK if operation == fcntl.LOCK_EX else fcntl.F_RDLCK
    fcntl.flock(file, operation | fcntl.LOCK_NB)
    fcntl.fcntl(file, fcntl.F_OFD_SETLK, struct.pack("hhqqi0q", kind, os.SEEK_SET, 0, 0, 0))
