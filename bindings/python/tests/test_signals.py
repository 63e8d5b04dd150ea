# SPDX-License-Identifier: BSD-2-Clause
"""Signal handlers, and other threads, during long calls."""

import signal
import sys
import threading

import pytest

np = pytest.importorskip("numpy")

import cprng  # noqa: E402
from cprng import _core  # noqa: E402

TIMES = 50


class Stop(Exception):
    """Simulates Ctrl-C."""


@pytest.fixture
def every_millisecond():
    """Calls a function every millisecond, by a handler of SIGALRM, if the interpreter lets handlers run."""

    def start(function):
        signal.signal(signal.SIGALRM, lambda *_: function())
        signal.setitimer(signal.ITIMER_REAL, 0.001, 0.001)

    if not hasattr(signal, "setitimer"):
        pytest.skip("no interval timers")
    before = signal.getsignal(signal.SIGALRM)
    yield start
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)


def stopped(work, every_millisecond, seen):
    """Whether a handler that raises Stop halfway ends the work.  Retries if the timer misses the work."""
    working = []

    def look():
        if working and seen():
            working.clear()
            raise Stop

    every_millisecond(look)
    for _ in range(TIMES):
        try:
            working.append(True)
            work()
            working.clear()
        except Stop:
            signal.setitimer(signal.ITIMER_REAL, 0)
            return True
    return False


BYTES = 64 * 2**20
FILLS = {
    "fill_bytes": (cprng.fill_bytes, np.uint8), "fill_double": (lambda out: cprng.fill_double(out, threads=1), float),
    "fill_normal": (lambda out: cprng.fill_normal(out, threads=2), float),
}  # fmt: skip


@pytest.mark.parametrize("name", FILLS)
def test_fills_are_stopped(name, every_millisecond):
    """Catches an array of draws that reacts to Ctrl-C only at its end."""
    fill, kind = FILLS[name]
    out = np.zeros(BYTES // np.dtype(kind).itemsize, dtype=kind)

    def work():
        out[:] = 0
        fill(out)

    assert stopped(work, every_millisecond, lambda: out[:100].any() and not out[-100:].any())
    assert out[:100].any() and not out[-100:].any()


@pytest.mark.parametrize("how", ["fill_double", "integers", "fill_bytes"])
def test_streams_are_stopped(how, every_millisecond):
    """Catches a stream's array that reacts to Ctrl-C only at its end, or after which numbers are repeated or skipped."""
    stream, out = cprng.Stream(42), np.zeros(BYTES // 8, dtype=np.int64 if how == "integers" else float)

    def work():
        out[:] = 0
        stream.offset = 0
        if how == "integers":
            _core.integers(stream._stream, out, 1, 2**63, 1)
        else:
            getattr(stream, how)(out, threads=1)

    assert stopped(work, every_millisecond, lambda: out[:100].any() and not out[-100:].any())
    words = stream.offset // 8
    assert 0 < words < len(out) and not out[words:].any()
    again = np.zeros(len(out), dtype=out.dtype)
    stream.offset = 0
    if how == "integers":
        _core.integers(stream._stream, again, 1, 2**63, 1)
    else:
        getattr(stream, how)(again)
    assert again.view(np.uint64)[:words].tobytes() == out.view(np.uint64)[:words].tobytes()


def counted(every_millisecond, work):
    """Whether the handler runs during one piece of work; it always runs once afterwards.  Retries like stopped()."""
    runs = []
    every_millisecond(lambda: runs.append(True))
    for _ in range(TIMES):
        runs.clear()
        work()
        if len(runs) >= 2:
            return True
    return False


LONG = list(range(1_500_000))
READ = _core.Stream("chacha8", bytes(32))


@pytest.mark.parametrize("work", [
    lambda: cprng.shuffle(LONG), lambda: cprng.Random().shuffle(LONG), lambda: cprng.Stream(1).shuffle(LONG),
    lambda: cprng.random_bytes(BYTES), lambda: cprng.strong_bytes(BYTES), lambda: READ.read(BYTES),
])  # fmt: skip
def test_handlers_run_meanwhile(work, every_millisecond):
    """Catches a long shuffle or read that no signal handler can stop."""
    assert counted(every_millisecond, work)


def test_a_shuffle_is_stopped(every_millisecond):
    """Catches a lost or repeated element when a handler ends a shuffle."""
    elements, runs = list(range(1_500_000)), []

    def fourth():
        runs.append(True)
        if len(runs) >= 4:
            signal.setitimer(signal.ITIMER_REAL, 0)
            raise Stop

    with pytest.raises(Stop):
        every_millisecond(fourth)
        for _ in range(TIMES):
            runs.clear()
            cprng.shuffle(elements)
    assert sorted(elements) == list(range(1_500_000)) != elements


def test_others_run_during_a_shuffle():
    """Catches a long shuffle that keeps the interpreter's lock: another thread would see only its beginning and end."""
    elements, stop, seen = list(range(1_500_000)), [], set()

    def look():
        while not stop:
            seen.add(tuple(elements[:50]))

    thread, switch = threading.Thread(target=look), sys.getswitchinterval()
    sys.setswitchinterval(0.0005)
    try:
        thread.start()
        for _ in range(TIMES):
            seen.clear()
            cprng.shuffle(elements)
            if len(seen) >= 5:
                break
    finally:
        sys.setswitchinterval(switch)
        stop.append(True)
        thread.join()
    assert len(seen) >= 5


def test_a_handler_uses_the_stream_that_it_interrupts():
    """Catches a lock for which the signal handler waits while the interrupted thread holds it."""
    stream = cprng.Stream(42)
    rng, found = np.random.Generator(stream), []

    def handler(*_):
        found.extend([stream.read(8), stream.random_raw(), rng.random(), stream.normal(), repr(stream)])

    # Otherwise the handler would deadlock, as with NumPy 1.26 to 2.3.
    with stream.lock:
        assert stream.lock.acquire(blocking=False)
        stream.lock.release()
    before = signal.signal(signal.SIGTERM, handler)
    try:
        with stream.lock:
            signal.raise_signal(signal.SIGTERM)
    finally:
        signal.signal(signal.SIGTERM, before)
    assert len(found) == 5 and stream.offset == 32


def test_the_lock_is_that_of_the_generator():
    """Catches a Generator with another lock than the stream's own methods: two threads would receive the same numbers."""
    stream = cprng.Stream(42)
    held, release, drawn = threading.Event(), threading.Event(), []

    def hold():
        with stream.lock:
            held.set()
            release.wait()
            drawn.append("first")

    def draw(how):
        how()
        drawn.append("later")

    rng = np.random.Generator(stream)
    threads = [threading.Thread(target=hold)]
    threads[0].start()
    held.wait()
    for how in (rng.random, stream.random_raw, lambda: stream.read(1), lambda: stream.shuffle([1, 2])):
        threads.append(threading.Thread(target=draw, args=(how,)))
        threads[-1].start()
    release.set()
    for thread in threads:
        thread.join()
    assert drawn == ["first"] + ["later"] * 4
