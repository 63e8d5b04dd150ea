# SPDX-License-Identifier: BSD-2-Clause
"""seed-file FILE: replaced completely at each use, or left unchanged."""

import os
import pathlib
import resource
import select
import shutil
import socket
import stat
import subprocess
import tempfile
import tty

import pytest

from command import EMULATOR, TIMEOUT, line, refused, run, terminal
from seed_files import SIZE, only, seed, whole, write

ROOT_ONLY = pytest.mark.skipif(os.geteuid() != 0, reason="only root can do this")
UNPRIVILEGED = 65534
SANITIZED = "-fsanitize" in os.environ.get("CC", "")


class Unprivileged:
    """Runs the command as a user subject to permissions: an unprivileged one if the tests run as root."""

    def __init__(self, directory):
        self.directory = directory

    def give(self, path):
        """Gives path to the user that the command runs as."""
        if os.geteuid() == 0:
            os.chown(path, UNPRIVILEGED, UNPRIVILEGED)

    def run(self, *arguments):
        def drop():
            os.setgroups([])
            os.setgid(UNPRIVILEGED)
            os.setuid(UNPRIVILEGED)

        if os.geteuid() != 0:
            return run(*arguments)
        command = [*line()[:-1], str(self.directory.parent / "cprng"), *map(str, arguments)]
        return subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              timeout=TIMEOUT, check=False, preexec_fn=drop)  # fmt: skip


@pytest.fixture
def unprivileged():
    # Not tmp_path, which others may not search; and a copy of the command, whose directory they may not search either.
    top = pathlib.Path(tempfile.mkdtemp(prefix="cprng-test-"))
    try:
        top.chmod(0o755)
        (top / "seeds").mkdir()
        user = Unprivileged(top / "seeds")
        user.give(top / "seeds")
        shutil.copy(line()[-1], top / "cprng")
        try:
            if user.run("--version").returncode != 0:
                pytest.skip("another user cannot run the command here")
        except PermissionError:
            pytest.skip("no other user here")
        yield user
    finally:
        (top / "seeds").chmod(0o755)
        shutil.rmtree(top)


# ------------------------------------------------------------------------------------------------------ it is replaced


def test_missing_file_is_made(tmp_path):
    """Catches a missing file that is an error, or is created silently."""
    file = tmp_path / "seed"
    warnings = seed(file)
    assert len(warnings) == 1 and "there was no seed file" in warnings[0] and str(file) in warnings[0]
    whole(file)
    only(file)


def test_every_content_is_new(tmp_path):
    """Catches content that repeats, completely or in a word."""
    file = tmp_path / "seed"
    seed(file)
    contents = [whole(file)]
    for _ in range(50):
        assert seed(file) == []
        contents.append(whole(file))
    assert len(set(contents)) == 51
    # Nor do halves move or words repeat.
    words = [content[i : i + 8] for content in contents for i in range(0, SIZE, 8)]
    assert len(set(words)) == len(words)
    only(file)


def test_same_content_twice_gives_different_ones(tmp_path):
    """Catches new content that follows from the old alone."""
    file = tmp_path / "seed"
    contents = []
    for _ in range(3):
        old = write(file)
        assert seed(file) == []
        contents.append(whole(file))
    assert len({old, *contents}) == 4


@pytest.mark.parametrize("length", [65, 128, 100_000])
def test_too_long(tmp_path, length):
    """Catches a file that is overwritten although it is no seed file."""
    file = tmp_path / "notes"
    write(file, b"x" * length)
    refused(run("seed-file", file), 1, "notes'", "not a regular file of at most 64 bytes")
    assert file.read_bytes() == b"x" * length
    only(file)


@pytest.mark.parametrize("length", [0, 1, 32, 63])
def test_too_short(tmp_path, length):
    """Catches a short file that is accepted without a warning, or stays short."""
    file = tmp_path / "seed"
    write(file, b"x" * length)
    warnings = seed(file)
    assert len(warnings) == 1 and "had less than 64 bytes" in warnings[0]
    whole(file)
    only(file)
    assert seed(file) == []


@pytest.mark.parametrize("mode", [0o604, 0o602, 0o640, 0o620, 0o644, 0o666, 0o610, 0o701])
def test_exposed(tmp_path, mode):
    """Catches a file accessible to others that is used without a warning, or stays accessible."""
    file = tmp_path / "seed"
    old = write(file, mode=mode)
    warnings = seed(file)
    assert len(warnings) == 1 and "other users could read or write" in warnings[0]
    assert whole(file) != old
    only(file)
    assert seed(file) == []


def test_one_line_for_each_remark(tmp_path):
    """Catches a remark that hides another."""
    file = tmp_path / "seed"
    write(file, b"short", 0o644)
    warnings = seed(file)
    assert len(warnings) == 2
    assert "64 bytes" in warnings[0] and "other users" in warnings[1]
    whole(file)


@pytest.mark.parametrize("mask", [0, 0o022, 0o077, 0o177, 0o777])
def test_mode_does_not_depend_on_the_umask(tmp_path, mask):
    """Catches a seed file that the umask opens to others, or closes to its owner."""
    file = tmp_path / "seed"
    seed(file, umask=mask)
    first = whole(file)
    assert seed(file, umask=mask) == []
    assert whole(file) != first
    only(file)


@pytest.mark.parametrize("name", ["seed", "./seed", "sub/../seed", "sub//..//seed", "-seed", " ", "s" * 255])
def test_relative_names(tmp_path, name):
    """Catches a name that loses its directory, is read as an option, or leaves a file beside it."""
    (tmp_path / "sub").mkdir()
    seed(name, "--", cwd=tmp_path)
    assert seed(name, "--", cwd=tmp_path) == []
    whole(tmp_path / name)
    assert len(os.listdir(tmp_path)) == 2 and os.listdir(tmp_path / "sub") == []


def test_link_among_the_directories_is_followed(tmp_path):
    """Catches a refused link that is only a directory on the path."""
    (tmp_path / "there").mkdir()
    (tmp_path / "link").symlink_to("there")
    seed(tmp_path / "link" / "seed")
    whole(tmp_path / "there" / "seed")
    only(tmp_path / "there" / "seed")


@ROOT_ONLY
def test_own_file_of_another_user(unprivileged):
    """Catches a command that works only for root, and a file that is not its caller's."""
    file = unprivileged.directory / "seed"
    for warning in [b"there was no seed file", b""]:
        result = unprivileged.run("seed-file", file)
        assert result.returncode == 0 and warning in result.stderr and bool(warning) == bool(result.stderr)
        assert os.stat(file).st_uid == UNPRIVILEGED
    whole(file)


@ROOT_ONLY
def test_file_of_root_that_the_caller_may_write(unprivileged):
    """Catches a refusal of root's file whose mode admits the caller, and its use without a warning."""
    file = unprivileged.directory / "seed"
    write(file, mode=0o666)
    result = unprivileged.run("seed-file", file)
    assert result.returncode == 0 and b"other users could" in result.stderr
    whole(file)


# ---------------------------------------------------------------------------------------------------- it is left alone


@pytest.mark.parametrize("make, is_kind", [
    (lambda name: os.symlink("target", name), stat.S_ISLNK), (lambda name: os.symlink("nowhere", name), stat.S_ISLNK),
    (os.mkfifo, stat.S_ISFIFO), (lambda name: socket.socket(socket.AF_UNIX).bind(name), stat.S_ISSOCK),
    (lambda name: os.mknod(name, stat.S_IFCHR | 0o666, os.makedev(1, 3)), stat.S_ISCHR),
], ids=["link", "link to nowhere", "FIFO", "socket", "device"])  # fmt: skip
def test_other_kinds(tmp_path, monkeypatch, make, is_kind):
    """Catches a link that is followed or counts as a missing file, a FIFO that is opened, which would wait for a writer, and any of
    these or a device that is replaced."""
    monkeypatch.chdir(tmp_path)
    old = write(tmp_path / "target")
    try:
        make("seed")
    except PermissionError:
        pytest.skip("no device nodes here")
    refused(run("seed-file", "seed", timeout=TIMEOUT), 1, "'seed'", "not a regular file")
    assert is_kind(os.lstat("seed").st_mode) and (tmp_path / "target").read_bytes() == old
    assert sorted(os.listdir(tmp_path)) == ["seed", "target"]


def test_second_name(tmp_path):
    """Catches a file with a second link, under which the old content would survive and be used again."""
    old = write(tmp_path / "seed")
    os.link(tmp_path / "seed", tmp_path / "other")
    refused(run("seed-file", tmp_path / "seed"), 1, "seed'", "under one name")
    assert (tmp_path / "seed").read_bytes() == old
    (tmp_path / "other").unlink()
    assert seed(tmp_path / "seed") == []


@pytest.mark.parametrize("name", ["directory", "directory/", "directory/.", ".", "..", "/"])
def test_directory(tmp_path, name):
    """Catches a directory that counts as a seed file, or receives one."""
    (tmp_path / "directory").mkdir()
    refused(run("seed-file", name, cwd=tmp_path), 1, f"'{name}'", "not a regular file")
    only(tmp_path / "directory")
    assert os.listdir(tmp_path / "directory") == []


@pytest.mark.parametrize("mode", [0o400, 0o444, 0o000, 0o020, 0o500])
def test_read_only_file(tmp_path, mode):
    """Catches a rename over a file that its owner has protected.

    Its owner has protected it, and a rename would change it; this binds root as well.
    """
    file = tmp_path / "seed"
    write(file)
    file.chmod(mode)
    inode = os.stat(file).st_ino
    refused(run("seed-file", file), 1, "seed'", "Permission denied")
    assert (os.stat(file).st_ino, stat.S_IMODE(os.stat(file).st_mode)) == (inode, mode)
    file.chmod(0o600)
    assert file.read_bytes() == bytes(range(SIZE))
    only(file)


@ROOT_ONLY
def test_file_of_another_user(tmp_path):
    """Catches content chosen by another user that root uses."""
    file = tmp_path / "seed"
    old = write(file)
    os.chown(file, 12345, 0)
    refused(run("seed-file", file), 1, "seed'", "belongs to another user")
    assert file.read_bytes() == old and os.stat(file).st_uid == 12345
    only(file)


@ROOT_ONLY
@pytest.mark.parametrize("owner, mode, reason", [
    (12345, 0o666, b"belongs to another user"), (12345, 0o600, b"belongs to another user"),
    (0, 0o600, b"Permission denied"), (0, 0o644, b"Permission denied"),
])  # fmt: skip
def test_file_of_another_user_unprivileged(unprivileged, owner, mode, reason):
    """Catches another user's file that an unprivileged caller uses or replaces."""
    file = unprivileged.directory / "seed"
    old = write(file, mode=mode)
    os.chown(file, owner, 0)
    result = unprivileged.run("seed-file", file)
    assert result.returncode == 1 and reason in result.stderr
    assert file.read_bytes() == old and os.stat(file).st_uid == owner
    only(file)


def test_unreadable_file(unprivileged):
    """Catches an unreadable file that is replaced all the same."""
    file = unprivileged.directory / "seed"
    write(file, mode=0o200)
    unprivileged.give(file)
    refused(unprivileged.run("seed-file", file), 1, "seed'", "Permission denied")
    file.chmod(0o600)
    assert file.read_bytes() == bytes(range(SIZE))
    only(file)


@pytest.mark.parametrize("old", [False, True])
def test_read_only_directory(unprivileged, old):
    """Catches content that is used although it cannot be replaced."""
    file = unprivileged.directory / "seed"
    if old:
        write(file)
        unprivileged.give(file)
    unprivileged.directory.chmod(0o555)
    refused(unprivileged.run("seed-file", file), 1, "seed'", "Permission denied")
    assert os.listdir(unprivileged.directory) == (["seed"] if old else [])
    assert not old or file.read_bytes() == bytes(range(SIZE))


@pytest.mark.parametrize("name, reason", [
    ("missing/seed", "No such file or directory"), ("new/", "No such file or directory"),
    ("plain/", "Not a directory"), ("plain/seed", "Not a directory"), ("x" * 256, "File name too long"),
    ("y/" * 2100 + "seed", "File name too long"), ("loop/seed", "Too many levels of symbolic links"),
])  # fmt: skip
def test_impossible_name(tmp_path, name, reason):
    """Catches a wrong reason, and anything created or changed before the error."""
    old = write(tmp_path / "plain")
    (tmp_path / "loop").symlink_to("loop")
    refused(run("seed-file", name, cwd=tmp_path), 1, f"'{name[:80]}", reason)
    assert sorted(os.listdir(tmp_path)) == ["loop", "plain"]
    assert (tmp_path / "plain").read_bytes() == old


def test_empty_name(tmp_path):
    """Catches an empty name that is interpreted as the directory."""
    refused(run("seed-file", "", cwd=tmp_path), 1, "name", "empty")
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("limit", [0, 1, 63])
@pytest.mark.parametrize("old", [False, True])
def test_full_disk(tmp_path, old, limit):
    """Catches an incompletely written new file that is put in place."""
    file = tmp_path / "seed"
    if old:
        write(file)
    result = run("seed-file", file, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))
    refused(result, 1, "seed'", "File too large")
    assert os.listdir(tmp_path) == (["seed"] if old else [])
    assert not old or file.read_bytes() == bytes(range(SIZE))


@pytest.mark.skipif(bool(EMULATOR) or SANITIZED, reason="emulators and sanitizers need descriptors of their own")
@pytest.mark.parametrize("free", [1, 2])
def test_no_descriptors(tmp_path, free):
    """Catches a failure to open one of the three files that loses the old content.

    Directory, old file, new file: the second or third is one too many.
    """
    file = tmp_path / "seed"
    write(file)
    result = run("seed-file", file, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (3 + free, 3 + free)))
    refused(result, 1, "seed'", "Too many open files")
    assert file.read_bytes() == bytes(range(SIZE))
    only(file)


# ---------------------------------------------------------------------------------------------------- the kernel's pool

REDIRECT = """
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
int open(const char *path, int flags, ...)
{
	return (int)syscall(SYS_openat, AT_FDCWD, strcmp(path, "/dev/urandom") == 0 ? getenv("POOL") : path, flags, 0);
}
"""


@pytest.fixture(scope="module")
def kernel(preload):
    """Run the command with a replacement for /dev/urandom, which all processes share."""
    library = preload(REDIRECT)

    def run_with(pool, *arguments):
        environment = {**os.environ, "LD_PRELOAD": str(library), "POOL": str(pool)}
        return seed(*arguments, env=environment)

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
