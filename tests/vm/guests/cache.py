# SPDX-License-Identifier: BSD-2-Clause
"""The directory for downloads: CPRNG_VM_CACHE, or build/vm-cache of the checkout."""

import contextlib
import fcntl
import os
import pathlib

ROOT = pathlib.Path(__file__).parent.parent.parent.parent


def directory():
    path = pathlib.Path(os.environ.get("CPRNG_VM_CACHE") or ROOT / "build" / "vm-cache").absolute()
    path.mkdir(parents=True, exist_ok=True)
    return path


@contextlib.contextmanager
def locked(name):
    """Held by one process at a time: two test runs may share the cache."""
    with open(directory() / f"{name}.lock", "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
