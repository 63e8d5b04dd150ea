# SPDX-License-Identifier: BSD-2-Clause
"""Where the output goes: pipes, terminals, full disks, closed descriptors."""

import os
import shlex
import shutil
import subprocess
import threading
import time

import pytest

from command import TIMEOUT, closed_pipe, ends_quietly, good, line, refused, run, start, stream, terminal, with_terminal

KEY = "00" * 32
STREAM = ["stream", "--engine", "chacha8", "--key", KEY]

WRITERS = [
    ["bytes", "1TiB"], ["bytes", "--strong", "1TiB"], [*STREAM, "1TiB"], ["u32", "-n", "100000000000"],
    ["u64", "-n", "100000000000"],
]  # fmt: skip


@pytest.mark.parametrize("arguments", WRITERS)
def test_closed_pipe_is_quiet(arguments):
    """Catches an error after the reader has closed the pipe, and a command that continues to write.

    cprng bytes 1TiB | head -c 10
    """
    process = start(*arguments, stdout=subprocess.PIPE)
    assert len(process.stdout.read(10)) == 10
    ends_quietly(process)


@pytest.mark.parametrize("reader, status", [("head -c 5", 0), ("{ head -c 5; exit 3; }", 3), ("{ head -c 5; kill -KILL $BASHPID; }", 137)])
def test_pipefail(reader, status):
    """Catches a failure status when the reader closes the pipe early; a failed reader determines the pipeline's status."""
    if shutil.which("bash") is None:
        pytest.skip("no bash")
    script = f"set -o pipefail; {shlex.join(line('bytes', 'inf'))} | {reader}"
    result = subprocess.run(["bash", "-c", script], capture_output=True, timeout=TIMEOUT, check=False)
    assert (result.returncode, len(result.stdout)) == (status, 5)


@pytest.mark.parametrize("arguments", [*WRITERS, ["info"], ["selftest", "--json"], ["--help"], ["--version"]])
def test_pipe_that_was_closed_before(arguments):
    """Catches a first write to a closed pipe that ends with an error or signal."""
    with closed_pipe() as writing:
        good(*arguments, stdout=writing)


TEXTS = [
    ["--help"], ["--version"], ["stream", "--help"], ["info"], ["info", "--json"], ["selftest"], ["selftest", "--json"],
    ["uuid"], ["password"], ["shuffle", "-e", "a"], ["completion", "bash"], ["int", "1", "6", "--json"],
]  # fmt: skip


@pytest.mark.parametrize("arguments", [["bytes", "1"], *WRITERS, *TEXTS])
def test_full_disk(arguments):
    """Catches a failed write that is reported as success."""
    with open("/dev/full", "wb") as full:
        refused(run(*arguments, stdout=full), 1, "standard output", "No space left on device")


@pytest.mark.parametrize("arguments", [["bytes", "1"], ["u32"], ["info"], ["--version"]])
def test_closed_standard_output(arguments):
    """Catches a closed standard output that is not reported."""
    result = run(*arguments, stdout=None, preexec_fn=lambda: os.close(1))
    refused(result, 1, "standard output", "Bad file descriptor")


@pytest.mark.parametrize("arguments", [["bytes", "0"], [*STREAM, "0"], ["u32", "-n", "0"]])
def test_nothing_to_write(arguments):
    """Catches a write of no bytes, which would fail on a full disk.

    Not even an attempt, which a full disk would refuse.
    """
    with open("/dev/full", "wb") as full:
        good(*arguments, stdout=full)


def test_non_blocking_pipe():
    """Catches bytes that are lost or duplicated after a partial write.

    Another process has made the pipe non-blocking, and its reader is slow.
    """
    size = 2**20 + 3
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    received = bytearray()

    def read():
        time.sleep(0.2)
        while True:
            data = os.read(reading, 50_000)
            if not data:
                return
            received.extend(data)

    reader = threading.Thread(target=read)
    reader.start()
    try:
        good(*STREAM, size, stdout=writing)
    finally:
        os.close(writing)
        reader.join()
        os.close(reading)
    assert bytes(received) == stream("chacha8", KEY, size)


def run_on_terminal(*arguments):
    """Runs with a terminal as standard output; returns the result and the terminal's output."""
    return with_terminal(lambda end, _: run(*arguments, stdout=end))


@pytest.mark.parametrize("arguments", [["bytes", "100"], ["bytes", "0"], [*STREAM, "100"]])
def test_terminal_is_refused(arguments):
    """Catches raw bytes that are written to a terminal without --force."""
    result, received = run_on_terminal(*arguments)
    assert received == b""
    refused(result, 2, "terminal", "--force")


def test_terminal_by_name_is_refused():
    """Catches a terminal named with -o that receives raw bytes."""
    master, slave = terminal()
    try:
        refused(run("bytes", "100", "-o", os.ttyname(slave)), 2, "terminal", "--force")
    finally:
        os.close(master)
        os.close(slave)


def test_terminal_by_force():
    """Catches a --force that is ignored, or changes what is written."""
    result, received = run_on_terminal("bytes", "--force", "100")
    assert (result.returncode, result.stderr, len(received)) == (0, b"", 100)
    result, received = run_on_terminal(*STREAM, "--force", "100")
    assert (result.returncode, result.stderr) == (0, b"")
    assert received == stream("chacha8", KEY, 100)


@pytest.mark.parametrize("arguments", [["u32"], ["u64"], ["info"], ["--version"]])
def test_text_may_go_to_a_terminal(arguments):
    """Catches text that is refused as if it were raw bytes."""
    result, received = run_on_terminal(*arguments)
    assert (result.returncode, result.stderr) == (0, b"")
    assert received.endswith(b"\n")


@pytest.mark.parametrize("threads", [0, 1])
def test_threads_that_cannot_be_made(threads, preload):
    """Catches an output that fails because a limit on processes leaves no thread, or one of several.

    setrlimit RLIMIT_NPROC
    """
    environment = preload(f"""
        #include <pthread.h>
        #include <sched.h>
        int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *), void *argument)
        {{
            static int made;
            return made++ < {threads} ? NEXT(pthread_create)(thread, attributes, run, argument) : EAGAIN;
        }}
        int sched_getaffinity(pid_t process, size_t size, cpu_set_t *set)
        {{
            memset(set, 0, size);
            for (int i = 0; i < 4; i++)
                CPU_SET(i, set);
            return 0;
        }}
        """)
    assert good(*STREAM, 3_000_000, env=environment) == good(*STREAM, 3_000_000)
    assert len(good("hex", 3_000_000, env=environment)) == 6_000_001
