# SPDX-License-Identifier: BSD-2-Clause
"""seed-file FILE: what the command says of an exchange, names and rights, a signal at any time, and the kernel's share.
tests/unit/process/seed_file tests the exchange itself."""

import fcntl
import os
import pathlib
import random
import select
import signal
import stat
import struct
import subprocess
import tempfile
import time
import tty

import pytest

from command import OTHER_USER, TIMEOUT, as_other_user, command_of_other_user, refused, run, start, terminal

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


@pytest.mark.parametrize("mask", [0, 0o777])
def test_missing_file_is_made(tmp_path, mask):
    """Catches a missing file that is an error, or is created silently, and content that repeats."""
    file = tmp_path / "seed"
    warnings = seed(file, umask=mask)
    assert len(warnings) == 1 and "there was no seed file" in warnings[0] and str(file) in warnings[0]
    contents = [whole(file)]
    for _ in range(10):
        assert seed(file, umask=mask) == []
        contents.append(whole(file))
    assert len(set(contents)) == 11
    only(file)


def test_one_line_for_each_remark(tmp_path):
    """Catches a remark that is missing, or hides another."""
    file = tmp_path / "seed"
    write(file, b"short", 0o644)
    warnings = seed(file)
    assert len(warnings) == 2
    assert "had less than 64 bytes" in warnings[0] and "other users could read or write" in warnings[1]
    whole(file)


def test_locked_by_a_reader(tmp_path):
    """Catches a lock with which a reader of the file blocks its owner."""
    file = tmp_path / "seed"
    old = write(file, mode=0o644)
    with open(file, "r+b") as holder:
        # In both ways: each implementation of os.h uses one.
        fcntl.flock(holder, fcntl.LOCK_EX | fcntl.LOCK_NB)
        fcntl.fcntl(holder, fcntl.F_OFD_SETLK, struct.pack("hhqqi0q", fcntl.F_WRLCK, os.SEEK_SET, 0, 0, 0))
        warnings = seed(file)
        assert len(warnings) == 2
        assert "other users could read or write" in warnings[0] and "another process held the lock" in warnings[1]
        assert whole(file) != old and seed(file) == []
    only(file)


@pytest.mark.parametrize("name", ["seed", "./seed", "sub/../seed", "link/../seed", "sub//..//seed", "-seed", " ", "s" * 255])
def test_relative_names(tmp_path, name):
    """Catches a name that loses its directory, is read as an option, or leaves a file beside it."""
    (tmp_path / "sub").mkdir()
    (tmp_path / "link").symlink_to("sub")
    seed(name, "--", cwd=tmp_path)
    assert seed(name, "--", cwd=tmp_path) == []
    whole(tmp_path / name)
    assert len(os.listdir(tmp_path)) == 3 and os.listdir(tmp_path / "sub") == []


@pytest.mark.parametrize("name, reason", [
    ("missing/seed", "No such file or directory"), ("new/", "No such file or directory"),
    ("plain/", "Not a directory"), ("plain/seed", "Not a directory"), ("x" * 256, "File name too long"),
    ("y/" * 2100 + "seed", "File name too long"), ("loop/seed", "Too many levels of symbolic links"),
    ("loop", "not a regular file"), ("directory", "not a regular file"), ("directory/", "not a regular file"),
    (".", "not a regular file"), ("/", "not a regular file"), ("long", "not a regular file of at most 64 bytes"),
    ("protected", "Permission denied"),
])  # fmt: skip
def test_impossible_name(tmp_path, name, reason):
    """Catches a wrong reason, and anything created or changed before the error."""
    old = write(tmp_path / "plain")
    write(tmp_path / "long", b"x" * 65)
    write(tmp_path / "protected", mode=0o400)
    (tmp_path / "directory").mkdir()
    (tmp_path / "loop").symlink_to("loop")
    refused(run("seed-file", name, cwd=tmp_path), 1, f"'{name[:80]}", reason)
    assert sorted(os.listdir(tmp_path)) == ["directory", "long", "loop", "plain", "protected"]
    assert os.listdir(tmp_path / "directory") == []
    assert (tmp_path / "plain").read_bytes() == (tmp_path / "protected").read_bytes() == old


def test_empty_name(tmp_path):
    """Catches an empty name that is interpreted as the directory."""
    refused(run("seed-file", "", cwd=tmp_path), 1, "name", "empty")
    assert os.listdir(tmp_path) == []


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can do this")
def test_unprivileged():
    """Catches a command that works only for root, and a file of another user that it uses or replaces."""

    def unprivileged(*arguments):
        return run(*arguments, preexec_fn=as_other_user(), command=command_of_other_user())

    # Not tmp_path, which others may not search.
    with tempfile.TemporaryDirectory(prefix="cprng-test-") as name:
        top = pathlib.Path(name)
        top.chmod(0o755)
        file = top / "seeds/seed"
        file.parent.mkdir()
        os.chown(file.parent, OTHER_USER, OTHER_USER)
        for warning in [b"there was no seed file", b""]:
            result = unprivileged("seed-file", file)
            assert result.returncode == 0 and warning in result.stderr and bool(warning) == bool(result.stderr)
            whole(file)
            assert os.stat(file).st_uid == OTHER_USER
        for owner, mode, reason in [(OTHER_USER + 1, 0o666, b"belongs to another user"), (0, 0o644, b"Permission denied")]:
            old = write(file, mode=mode)
            os.chown(file, owner, 0)
            result = unprivileged("seed-file", file)
            assert result.returncode == 1 and reason in result.stderr
            assert file.read_bytes() == old and os.stat(file).st_uid == owner
        file.chmod(0o666)
        result = unprivileged("seed-file", file)
        assert result.returncode == 0 and b"other users could" in result.stderr
        only(file)


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
@pytest.mark.parametrize("old", [False, True])
def test_ended_at_any_time(tmp_path, number, old):
    """Catches a file that is neither old nor new at any moment, and a temporary one left by a signal.

    The old file or the new one, whole.  Only SIGKILL leaves something else: one temporary file, which the next process removes if
    there is an old file.
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
        left = [name for name in os.listdir(tmp_path) if name != "seed"]
        assert not left or (len(left) == 1 and left[0].startswith(".cprng-") and number == signal.SIGKILL)
        if not old:
            for name in left:
                os.unlink(tmp_path / name)
    assert ended > 0
    assert seed(file) == []
    assert os.listdir(tmp_path) == ["seed"]


# ---------------------------------------------------------------------------------------------------- the kernel's pool

REDIRECT = """
int open(const char *path, int flags, ...)
{
	return (int)syscall(SYS_openat, AT_FDCWD, strcmp(path, "/dev/urandom") == 0 ? getenv("POOL") : path, flags, 0);
}
"""


@pytest.fixture(scope="module")
def kernel(preload):
    """Run the command with a replacement for /dev/urandom, which all processes share."""
    environment = preload(REDIRECT)

    def run_with(pool, *arguments):
        return seed(*arguments, env={**environment, "POOL": str(pool)})

    return run_with


def received(master, wanted):
    """That many bytes, which may still be in transit, and any more that are there."""
    data = b""
    while select.select([master], [], [], TIMEOUT if len(data) < wanted else 0)[0]:
        data += os.read(master, 4096)
    return data


def test_the_kernel_gets_64_bytes(tmp_path, kernel):
    """Catches a kernel that receives nothing, the same twice, the file itself, or bytes despite --no-kernel.

    A terminal is a device that can be looked into.
    """
    file = tmp_path / "seed"
    write(file)
    master, slave = terminal()
    try:
        tty.setraw(slave)
        given = []
        for _ in range(3):
            assert kernel(os.ttyname(slave), file) == []
            given.append(received(master, SIZE))
            assert len(given[-1]) == SIZE and given[-1] != whole(file)
        assert len(set(given)) == 3
        assert kernel(os.ttyname(slave), file, "--no-kernel") == []
        assert received(master, 0) == b""
    finally:
        os.close(master)
        os.close(slave)


@pytest.mark.parametrize("pool, reason", [
    ("/nonexistent", "No such file or directory"), ("/dev/full", "No space left on device"), ("plain", "No such device"),
])  # fmt: skip
def test_kernel_that_takes_nothing_is_a_warning(tmp_path, kernel, pool, reason):
    """Catches a kernel's refusal that is fatal, or not reported."""
    file = tmp_path / "seed"
    old = write(file)
    if pool == "plain":
        pool = tmp_path / "plain"
        pool.write_bytes(b"kept")
    warnings = kernel(pool, file)
    assert len(warnings) == 1 and "/dev/urandom" in warnings[0] and reason in warnings[0]
    assert whole(file) != old
    assert pool != tmp_path / "plain" or pool.read_bytes() == b"kept"
    assert kernel(pool, file, "--no-kernel") == []
