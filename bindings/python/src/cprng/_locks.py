# SPDX-License-Identifier: BSD-2-Clause
"""Locks of bit generators, which numpy.random.Generator keeps: after a fork, and at the end of a stream."""

from __future__ import annotations

import _thread
import os
import weakref
from typing import Any, NoReturn, cast

from . import _core

class Lock(_thread.RLock):  # type: ignore[misc]  # final only in typeshed
    """A bit generator's lock.  Its Generators keep a reference, so changing the lock's class makes them raise, too."""

    stream: _core.Stream | None = None


class FarLock(Lock):  # type: ignore[misc]
    """Refuses a Generator, whose functions abort the process at the end of a stream."""

    def __enter__(self) -> NoReturn:  # type: ignore[override]
        raise OverflowError(
            "a stream ends after 2**64 - 1 bytes, or after 2**38 with a nonce of 12 bytes, which numpy.random.Generator cannot "
            "report: it takes offsets below 2**63, and no such nonce"
        )


class Held:
    """The same lock for the stream's own methods, which report the end themselves."""

    def __init__(self, lock: Lock) -> None:
        self._lock = lock

    def __enter__(self) -> None:
        self._lock.acquire()

    def __exit__(self, *_: object) -> None:
        self._lock.release()


class _BrokenLock(Lock):  # type: ignore[misc]
    def acquire(self, blocking: bool = True, timeout: float = -1) -> NoReturn:
        raise RuntimeError("another thread was using this stream when the process forked: give each process a child")

    __enter__ = acquire


_locks: set[weakref.ref[Lock]] = set()


def new_lock(stream: _core.Stream | None) -> Lock:
    lock = Lock()
    lock.stream = stream
    _locks.add(weakref.ref(lock, _locks.discard))
    return lock


def _new_locks() -> None:
    """In a forked child: the thread that held a lock does not exist, and may have left a number half made."""
    for lock in filter(None, [reference() for reference in list(_locks)]):
        if Lock.acquire(lock, blocking=False):
            lock.release()
        else:
            cast(Any, lock)._at_fork_reinit()
            # Draws, unlike streams, have no half-made state in a child.
            if lock.stream is not None:
                lock.__class__ = _BrokenLock


if hasattr(os, "register_at_fork"):  # not on Windows, which has no fork
    os.register_at_fork(after_in_child=_new_locks)
