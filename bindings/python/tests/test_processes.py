# SPDX-License-Identifier: BSD-2-Clause
"""Forks, processes, threads, interpreters: no repeated output, and no deadlock."""

import concurrent.futures
import ctypes
import multiprocessing
import os
import pickle
import signal
import subprocess
import sys
import sysconfig
import threading

import pytest

import cprng

FREE_THREADED = bool(sysconfig.get_config_var("Py_GIL_DISABLED"))
NEEDS_FORK = pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
WINE = sys.platform == "win32" and hasattr(ctypes.WinDLL("ntdll"), "wine_get_version")


def some():
    """Draws of every kind, each of 8 bytes or more."""
    rng = cprng.Random()
    return [
        cprng.random_bytes(8), cprng.randbelow(2**62), cprng.randbits(64), cprng.random(), rng.gauss(), rng.expovariate(1),
        cprng.strong_bytes(8), bytes(cprng.fill_bytes(bytearray(8))), cprng.token_hex(8), cprng.uuid4().int, rng.randbytes(600), rng.random(),
        cprng.text(16, "0123456789abcdef"), cprng.uuid7().int,
    ]  # fmt: skip


def in_child(work):
    """The result of work() in a forked child, as text."""
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.write(writing, repr(work()).encode())
        os._exit(0)
    os.close(writing)
    with open(reading, "rb") as file:
        text = file.read().decode()
    assert os.waitpid(pid, 0)[1] == 0
    return text


@NEEDS_FORK
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_fork():
    """Catches output shared by parent and child, two children, or a grandchild, in any kind of draw."""
    some()
    for _ in range(20):
        texts = [in_child(some), in_child(lambda: in_child(some)), in_child(some), repr(some())]
        assert "" not in texts
        values = [list(eval(eval(text) if text.startswith(("'", '"')) else text)) for text in texts]
        for column in zip(*values, strict=True):
            assert len(set(column)) == len(texts)


@NEEDS_FORK
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_fork_while_others_hold_locks():
    """Catches a child that deadlocks or continues with a half-made number if a thread of its parent was inside a stream or a
    Generator; and a refusal of streams and Generators that no other thread used."""
    np = pytest.importorskip("numpy")
    stream, far, free, mine, system = cprng.Stream(1), cprng.Stream(2), cprng.Stream(3), cprng.Stream(4), cprng.DrawBitGenerator()
    far.offset = 2**63
    rngs = {one: np.random.Generator(one) for one in (stream, far, free, mine, system)}
    held, release = threading.Event(), threading.Event()

    def hold():
        with stream.lock, far._held, system.lock:  # Generators cannot take the lock of one that is far
            held.set()
            release.wait()

    def refused(attempt):
        with pytest.raises(RuntimeError, match="another thread was using this stream when the process forked"):
            attempt()

    def child():
        # Only a hung child is still alive then.
        signal.alarm(60)
        for one in (stream, far):
            for attempt in (rngs[one].random, rngs[one].bit_generator.random_raw, one.random, lambda s=one: s.read(1), lambda s=one: repr(s),
                            lambda s=one: s.state, lambda s=one: s.child(1), lambda s=one: s.shuffle([1, 2]), lambda s=one: s.sample(5, 2),
                            lambda s=one: pickle.dumps(s), lambda s=one: s.advance(1), one.lock.acquire):  # fmt: skip
                refused(attempt)
        return rngs[free].random(), free.offset, mine.random(), rngs[mine].random(), len({*rngs[system].random(9), system.random_raw()})

    thread = threading.Thread(target=hold)
    thread.start()
    held.wait()
    try:
        with mine.lock:
            texts = {in_child(child), eval(in_child(lambda: in_child(child)))}
    finally:
        release.set()
        thread.join()
    double = cprng.Stream(4).random(2).tolist()
    assert texts == {repr((cprng.Stream(3).random(), 8, *double, 10))}
    assert stream.random() == cprng.Stream(1).random() and far.read(1)


# --------------------------------------------------------------------------------- the block of a DrawBitGenerator

LINUX = pytest.mark.skipif(
    sys.platform != "linux" or cprng.info()["fork_guard"] == "unbuffered", reason="a block needs a page that Linux wipes on a fork"
)
BLOCK = 4096  # bytes


class Draws(ctypes.Structure):
    """The beginning of what NumPy's functions get as their state (native/bitgen.c)."""

    _fields_ = [("next", ctypes.c_ssize_t), ("end", ctypes.c_void_p)]


def drawing(numbers):
    """A Generator over draws that has made so many numbers, the state of its functions, and the module numpy."""
    np = pytest.importorskip("numpy")
    rng = cprng.default_rng()
    rng.random(numbers)
    return rng, Draws.from_address(rng.bit_generator.ctypes.state_address), np


def content(draws):
    return ctypes.string_at(draws.end - BLOCK, BLOCK)


@LINUX
def test_short_lived_generators_have_no_block():
    """Catches a page for each bit generator that a program makes, copies or spawns."""
    rng, draws, _ = drawing(1024)
    assert (draws.next, draws.end) == (0, None)
    rng.random(1)
    assert draws.next == -BLOCK and len(set(content(draws))) == 256


@LINUX
def test_block_serves_each_byte_once():
    """Catches served bytes that stay in the block, bytes that are served twice or from outside the block, and a number of 8 bytes
    made of the last 4."""
    rng, draws, np = drawing(1025)
    for at in range(0, BLOCK // 4 - 2, 2):
        words = np.frombuffer(content(draws), dtype=np.uint32)
        assert words[:at].tolist() == [0] * at and np.count_nonzero(words[at:]) > 0
        if at % 3:
            assert rng.integers(0, 2**32, 2, dtype=np.uint32).tolist() == words[at : at + 2].tolist()
        else:
            assert rng.bit_generator.ctypes.next_uint64(rng.bit_generator.ctypes.state_address) == int(words[at : at + 2].view(np.uint64)[0])
    last = content(draws)[-8:]
    rng.integers(0, 2**32, dtype=np.uint32)
    assert draws.next == -4
    assert rng.bit_generator.ctypes.next_uint64(rng.bit_generator.ctypes.state_address) >> 32 != int.from_bytes(last[4:], sys.byteorder)
    assert draws.next == -BLOCK and len(set(content(draws))) == 256


@LINUX
def test_block_is_dropped():
    """Catches numbers of a block from before an invalidation."""
    for forget in (cprng.invalidate, cprng.reseed):
        rng, draws, np = drawing(2000)
        before = {*np.frombuffer(content(draws), dtype=np.uint64).tolist()} - {0}
        assert len(before) == -draws.next // 8 > 1
        forget()
        raw = rng.integers(0, 2**64 - 1, 1000, dtype=np.uint64, endpoint=True).tolist()
        assert not before & {*raw} and len({*raw}) == 1000


@LINUX
@NEEDS_FORK
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_block_after_a_fork():
    """Catches a child that has its parent's block: its bytes, its numbers, or zeros in their place."""
    rng, draws, np = drawing(2000)

    def child():
        inherited = any(content(draws))
        return [inherited, *rng.random(1000).tolist(), *rng.random(500).tolist()]

    assert any(content(draws))
    texts = [in_child(child), in_child(lambda: eval(in_child(child)))]
    found = [eval(text) for text in texts]
    assert [one.pop(0) for one in found] == [False, False]
    assert len({*found[0], *found[1], *rng.random(1500).tolist()}) == 4500
    # Among 1500 numbers of 24 bits and as many others, 0.13 equal pairs are expected.
    singles = {*eval(in_child(lambda: rng.random(1500, dtype=np.float32).tolist()))}
    assert len(singles & {*rng.random(1500, dtype=np.float32).tolist()}) < 12 and len(singles) > 1480


def memory_with(flag):
    """Beginning and size of the process's memory that has a flag of smaps."""
    with open("/proc/self/smaps") as file:
        for line in file:
            words = line.split()
            if not words[0].endswith(":"):
                begin, end = (int(number, 16) for number in words[0].split("-"))
            elif words[0] == "VmFlags:" and flag in words:
                yield begin, end - begin


@LINUX
def test_the_page_of_a_block():
    """Catches a block that a child of another kind of fork, a core file or a swapped page would keep."""
    rng, draws, _ = drawing(1025)
    for flag in ("wf", "dd", *(["lo"] if cprng.info()["memory_lock"] == "locked" else [])):
        assert any(begin <= draws.end - BLOCK < begin + size for begin, size in memory_with(flag)), (rng, flag)


COPY_CALLS = {"x86_64": (57,), "aarch64": (220, 17, 0, 0, 0, 0)}  # fork, and clone with SIGCHLD, which Windows lacks


def copied(work):
    """The result of work() here and in a copy of the process that nothing reports: no page is wiped."""
    libc = ctypes.PyDLL(None, use_errno=True)
    for begin, size in list(memory_with("wf")):
        # MADV_KEEPONFORK.  The vDSO's memory refuses it.
        libc.madvise(ctypes.c_void_p(begin), ctypes.c_size_t(size), 19)
    reading, writing = os.pipe()
    pid = libc.syscall(*map(ctypes.c_long, COPY_CALLS[os.uname().machine]))
    if pid == 0:
        os.write(writing, work())
        os._exit(0)
    os.close(writing)
    with open(reading, "rb") as file:
        data = file.read()
    assert pid > 0 and os.waitpid(pid, 0)[1] == 0
    return data, work()


COPIES = """
import sys, test_processes as tests
rng, draws, np = tests.drawing(int(sys.argv[1]))
first = tests.cprng.invalidate if sys.argv[2] == "invalidate" else int
one, other = tests.copied(lambda: (first(), rng.integers(0, 2**64 - 1, 4096, dtype=np.uint64, endpoint=True))[1].tobytes())
assert len(one) == len(other) == 8 * 4096
print(-draws.next // 8, len(np.intersect1d(np.frombuffer(one, dtype=np.uint64), np.frombuffer(other, dtype=np.uint64))))
"""


@LINUX
@pytest.mark.skipif(os.uname().machine not in COPY_CALLS if hasattr(os, "uname") else True, reason="another number of the system call")
@pytest.mark.parametrize("numbers", [1025, 1400])
def test_blocks_of_two_copies(numbers):
    """Catches two copies of a process that have more numbers in common than a block's and one for each later block, or any number after
    an invalidation (docs/snapshots.md)."""
    pytest.importorskip("numpy")

    def in_common(first):
        command = [sys.executable, "-c", COPIES, str(numbers), first]
        here = os.path.dirname(__file__)
        return int(subprocess.run(command, cwd=here, capture_output=True, text=True, check=True).stdout.split()[1])

    left = BLOCK // 8 - (numbers - 1025)
    assert left <= in_common("") <= left + 4096 // 512
    assert in_common("invalidate") == 0


# mmap, madvise, mlock; write, exit_group, getrandom, and brk and munmap of Python's own memory.
CALLS = {"x86_64": (9, 28, 149, 1, 231, 318, 12, 11), "aarch64": (222, 233, 228, 64, 94, 278, 214, 215)}
SANDBOX = """
import ctypes, os, struct, sys, test_processes as tests
rng, draws, _ = tests.drawing(1023)
draw, state = rng.bit_generator.ctypes.next_uint64, rng.bit_generator.ctypes.state_address
calls, allow, other = tests.CALLS[os.uname().machine], 0x7fff0000, int(sys.argv[1], 16)
listed, rest = (calls, (other, allow)) if len(sys.argv) > 2 else (calls[:3], (allow, other))
filters = [(0x20, 0, 0, 0), *((0x15, len(listed) - i, 0, call) for i, call in enumerate(listed)), *((6, 0, 0, end) for end in rest)]
program = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *one) for one in filters))
head = ctypes.create_string_buffer(struct.pack("HP", len(filters), ctypes.addressof(program)))
libc = ctypes.CDLL(None)
assert libc.prctl(38, 1, 0, 0, 0) == 0 and libc.prctl(22, 2, head) == 0  # PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP
numbers = [draw(state)]
os.write(1, b"1024 numbers")
numbers += [draw(state) for _ in range(3000)]
os.write(1, b", %d, %s" % (len(set(numbers)), b"no block" if draws.end is None else b"a block"))
os._exit(0)
"""


@LINUX
@pytest.mark.skipif(os.uname().machine not in CALLS if hasattr(os, "uname") else True, reason="other numbers of the system calls")
def test_block_in_a_sandbox():
    """Catches a block whose refusal ends the process or repeats numbers, and a call for it that docs/python.md does not name."""
    pytest.importorskip("numpy")

    def under(*arguments):
        done = subprocess.run([sys.executable, "-c", SANDBOX, *arguments], cwd=os.path.dirname(__file__), capture_output=True, check=False)
        return done.returncode, done.stdout.decode(), done.stderr.decode()

    refuse, kill = "50001", "80000000"  # SECCOMP_RET_ERRNO with EPERM, SECCOMP_RET_KILL_PROCESS
    assert under(refuse) == (0, "1024 numbers, 3001, no block", "")
    assert under(kill) == (-signal.SIGSYS, "1024 numbers", "")
    assert under(kill, "all but the listed ones") == (0, "1024 numbers, 3001, a block", "")


def of_worker(_):
    return some()


@pytest.mark.parametrize("method", multiprocessing.get_all_start_methods())
def test_multiprocessing(method):
    """Catches workers that draw the same as another worker or the parent."""
    cprng.random_bytes(1)
    with multiprocessing.get_context(method).Pool(2) as pool:
        found = pool.map(of_worker, range(16), chunksize=1) + [some()]
    for column in zip(*found, strict=True):
        assert len(set(column)) == 17


@pytest.mark.skipif(WINE, reason="wine 8 hangs in ProcessPoolExecutor, without this package too")
def test_executor():
    """Catches a process pool that repeats another pool's draws."""
    seen = []
    for _ in range(2):
        with concurrent.futures.ProcessPoolExecutor(2, multiprocessing.get_context("spawn")) as pool:
            seen += pool.map(cprng.random_bytes, [16] * 8)
    assert len(set(seen)) == 16


def test_threads():
    """Catches bytes that two threads both receive while they shuffle lists."""
    found = [[] for _ in range(8)]
    shared = list(range(1000))
    barrier = threading.Barrier(len(found))

    def work(mine):
        barrier.wait()
        for i in range(3000):
            mine.append(cprng.random_bytes(16))
            mine.append(cprng.randbits(128))
            if i % 100 == 0:
                cprng.shuffle(shared)
                cprng.choice(shared)

    threads = [threading.Thread(target=work, args=(mine,)) for mine in found]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({one for mine in found for one in mine}) == 8 * 6000
    # Interleaved exchanges may lose an element, but create none.
    assert len(shared) == 1000 and set(shared) <= set(range(1000))
    if not FREE_THREADED:
        assert sorted(shared) == list(range(1000))


def test_others_run_during_long_draws():
    """Catches a long draw that keeps the interpreter's lock: no other thread would run before the last draw ends."""
    draws, started, stop = [0], threading.Event(), []
    switch = sys.getswitchinterval()

    def draw():
        started.set()
        while not stop and draws[0] < 20_000:
            cprng.random_bytes(2**20)
            draws[0] += 1

    thread = threading.Thread(target=draw)
    # Keep the interpreter from switching threads between two calls.
    sys.setswitchinterval(1000)
    try:
        thread.start()
        started.wait()
        stop.append(True)
    finally:
        sys.setswitchinterval(switch)
        thread.join()
    assert draws[0] < 20_000


SUBINTERPRETERS = """
import sys
try:
    import _interpreters as interpreters
    own = [interpreters.create() for _ in range(3)]
except ModuleNotFoundError:
    import _xxsubinterpreters as interpreters
    own = [interpreters.create(**({"isolated": True})) for _ in range(3)]
import os
reading, writing = os.pipe()
code = f'''
import os, sys
import cprng
assert 0 <= cprng.randbelow(10) < 10
stream = cprng._core.Stream("chacha8", bytes(32))
stream.child(1)
os.write({writing}, cprng.random_bytes(16))
'''
import cprng
for _ in range(2):
    for one in own:
        problem = interpreters.run_string(one, code)
        assert problem is None, problem
for one in own:
    interpreters.destroy(one)
os.write(writing, cprng.random_bytes(16))
data = os.read(reading, 1000)
assert len(data) == 16 * 7 and len({data[i:i + 16] for i in range(0, len(data), 16)}) == 7
print("done")
"""


def test_subinterpreters():
    """Catches a module that other interpreters cannot import, that fails when one ends, or that repeats its output there."""
    # In a separate process, so that an interpreter's remains do not affect the next test.
    run = subprocess.run([sys.executable, "-c", SUBINTERPRETERS], capture_output=True, text=True, check=False)
    assert run.stdout.strip() == "done", run.stderr


OWN_LOCK = """
import _interpreters as interpreters
one = interpreters.create("isolated")
assert interpreters.run_string(one, "import cprng._core as core; core.random_bytes(8)") is None
"""


@pytest.mark.skipif(sys.version_info < (3, 13), reason="interpreters with locks of their own can be made from 3.13 on")
def test_interpreter_with_its_own_lock():
    """Catches a module that interpreters with their own lock refuse."""
    subprocess.run([sys.executable, "-c", OWN_LOCK], check=True)


@pytest.mark.skipif(not FREE_THREADED, reason="this interpreter is not free-threaded")
def test_the_lock_stays_off():
    """Catches a module that makes a free-threaded interpreter enable its lock."""
    assert not sys._is_gil_enabled()


def test_modules_are_apart():
    """Catches state shared by two loads of the module in one interpreter: each has its own types."""
    code = """
import sys, cprng._core as first
del sys.modules["cprng._core"]
import importlib; second = importlib.import_module("cprng._core")
assert first is not second and first.Stream is not second.Stream
try:
    second.fill(first.Stream("chacha8", bytes(32)), 0, bytearray(8), 0.0, 0.0, 1)
except TypeError:
    print("apart")
"""
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip() == "apart"
