# SPDX-License-Identifier: BSD-2-Clause
"""seed-file FILE: other processes use the file, or hold its lock."""

import fcntl
import os
import random
import signal
import subprocess
import time

import pytest

from command import TIMEOUT, refused, run, start
from seed_files import SIZE, lock, only, seed, whole, write


def test_eight_at_once(tmp_path):
    """Catches a moment without a complete file, and content that two processes use.

    Each process comes through without a warning, so none saw half a file, or none at all.
    """
    file = tmp_path / "seed"
    seen = [write(file)]
    for _ in range(5):
        processes = [start("seed-file", "--no-kernel", file) for _ in range(8)]
        try:
            while any(process.poll() is None for process in processes):
                now = file.read_bytes()
                assert len(now) == SIZE
                if now != seen[-1]:
                    seen.append(now)
            for process in processes:
                assert (process.wait(TIMEOUT), process.stderr.read()) == (0, b"")
        finally:
            for process in processes:
                process.kill()
                process.wait()
                process.stderr.close()
        only(file)
    seen.append(whole(file))
    if seen[-1] == seen[-2]:
        seen.pop()
    assert len(set(seen)) == len(seen) >= 6


def test_eight_at_once_without_a_file(tmp_path):
    """Catches a process that fails because another has created the file first."""
    file = tmp_path / "seed"
    processes = [start("seed-file", "--no-kernel", file) for _ in range(8)]
    said = []
    for process in processes:
        _, errors = process.communicate(timeout=TIMEOUT)
        assert process.returncode == 0
        said += errors.splitlines()
    assert said and all(b"there was no seed file" in line for line in said)
    whole(file)
    only(file)


def test_waits_for_its_turn(tmp_path):
    """Catches a process that does not wait for the lock, or continues with the replaced file.

    And finds that what it has opened was replaced meanwhile.
    """
    file = tmp_path / "seed"
    write(file)
    with open(file, "r+b") as holder:
        lock(holder)
        process = start("seed-file", file)
        try:
            time.sleep(0.2)
            assert process.poll() is None
            write(tmp_path / "new", b"n" * SIZE, 0o644)
            os.rename(tmp_path / "new", file)
            holder.close()
            _, errors = process.communicate(timeout=TIMEOUT)
        finally:
            process.kill()
    # The remark concerns the new file.
    assert process.returncode == 0 and b"other users could" in errors
    whole(file)
    only(file)


@pytest.mark.parametrize("mode", [0o644, 0o640, 0o604])
@pytest.mark.parametrize("operation", [fcntl.LOCK_EX, fcntl.LOCK_SH])
def test_locked_by_a_reader(tmp_path, mode, operation):
    """Catches a lock with which a reader of the file blocks its owner.

    A user that may read the file keeps no process waiting: a new, private one is made, and the next call is as usual.
    """
    file = tmp_path / "seed"
    old = write(file, mode=mode)
    with open(file, "r+b") as holder:
        lock(holder, operation)
        warnings = seed(file)
        assert len(warnings) == 2
        assert "other users could read or write" in warnings[0] and "another process held the lock" in warnings[1]
        new = whole(file)
        assert new != old
        assert seed(file) == []
        assert whole(file) != new
    only(file)


NO_SLEEP = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
int nanosleep(const struct timespec *duration, struct timespec *rest)
{
	(void)duration;
	(void)rest;
	return write(atoi(getenv("SLEEPS")), "s", 1) == 1 ? 0 : -1;
}
long syscall(long number, ...)
{
	long (*real)(long, ...) = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
	long argument[6];
	va_list list;
	va_start(list, number);
	for (int i = 0; i < 6; i++)
		argument[i] = va_arg(list, long);
	va_end(list);
	if (number == SYS_nanosleep)
		return nanosleep(NULL, NULL); // the one above
	return real(number, argument[0], argument[1], argument[2], argument[3], argument[4], argument[5]);
}
"""


def test_locked_private_file(tmp_path, preload):
    """Catches an endless wait, and one that gives up at once.

    As by a user that opened it when it was not private yet.  The sleeps are counted, and not slept.
    """
    library = preload(NO_SLEEP)
    file = tmp_path / "seed"
    old = write(file)
    (tmp_path / "sleeps").touch()
    with open(file, "r+b") as holder, open(tmp_path / "sleeps", "ab") as sleeps:
        lock(holder)
        environment = {**os.environ, "LD_PRELOAD": str(library), "SLEEPS": str(sleeps.fileno())}
        result = run("seed-file", "--no-kernel", file, env=environment, pass_fds=[sleeps.fileno()])
    refused(result, 1, "seed'", "another process holds the lock of the file")
    assert 500 <= (tmp_path / "sleeps").stat().st_size <= 10_000
    (tmp_path / "sleeps").unlink()
    assert file.read_bytes() == old
    only(file)
    assert seed(file) == []


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
@pytest.mark.parametrize("old", [False, True])
def test_ended_at_any_time(tmp_path, number, old):
    """Catches a file that is neither old nor new at any moment, and a temporary one left by a signal.

    The old file or the new one, whole; and a signal that can be held up leaves nothing else behind.
    """
    file = tmp_path / "seed"
    begin = time.monotonic()
    seed(file)
    duration = time.monotonic() - begin
    ended = 0
    for turn in range(1000):
        # More often only if every process was faster than its signal.
        if turn >= 100 and ended > 0:
            break
        if old:
            before = file.read_bytes()
        else:
            file.unlink()
        process = start("seed-file", "--no-kernel", file, stderr=subprocess.DEVNULL)
        time.sleep(random.uniform(0, 1.2 * duration))
        process.send_signal(number)
        ended += process.wait(TIMEOUT) == -number
        if old or file.exists():
            after = whole(file)
        else:
            write(file)
        assert not old or process.returncode != 0 or after != before
        for name in os.listdir(tmp_path):
            if name != "seed":
                assert name.startswith(".cprng-") and number == signal.SIGKILL
                os.unlink(tmp_path / name)
    assert ended > 0
    assert seed(file) == []
