# SPDX-License-Identifier: BSD-2-Clause
"""-o FILE where the file cannot be replaced: it is overwritten."""

import contextlib
import os
import pathlib
import resource
import shlex
import shutil
import subprocess
import tempfile

import pytest

from command import OTHER_USER, TIMEOUT, as_other_user, command_of_other_user, good, limit, line, refused, run


@pytest.fixture(name="directory")
def closed_directory():
    """A directory that the command cannot change, with a file in it that it can write."""
    # Below /tmp, since pytest's directories are closed to other users.
    with tempfile.TemporaryDirectory() as name:
        path = pathlib.Path(name)
        (path / "old").write_bytes(b"kept\n" * 200)
        (path / "bytes").write_bytes(b"a\n\xff\n" * 10)
        (path / "old").chmod(0o640)
        if os.geteuid() == 0:
            os.chown(path / "old", OTHER_USER, OTHER_USER)
        path.chmod(0o555)
        yield path
        path.chmod(0o755)


def as_user(more=lambda: None):
    """Options of run: root may write everywhere."""
    if os.geteuid() != 0:
        return {"preexec_fn": more}
    return {"preexec_fn": as_other_user(more), "command": command_of_other_user()}


def shown(path):
    status = os.stat(path)
    return status.st_ino, status.st_mode, status.st_uid, status.st_size


@pytest.mark.parametrize("size", [0, 10, 1000, 300_000])
def test_closed_directory(directory, size):
    """Catches a writable file that is refused for its directory, remains of the old contents, and another mode or
    owner."""
    before = shown(directory / "old")
    good("bytes", size, "-o", "old", cwd=directory, **as_user())
    assert shown(directory / "old") == (*before[:3], size)
    assert b"kept" not in (directory / "old").read_bytes()
    assert sorted(os.listdir(directory)) == ["bytes", "old"]


def test_lines_in_a_closed_directory(directory):
    """Catches an input that is truncated before it was read."""
    (directory / "old").write_bytes(b"1\n2\n3\n")
    good("shuffle", "old", "-o", "old", cwd=directory, **as_user())
    assert sorted((directory / "old").read_bytes().split()) == [b"1", b"2", b"3"]
    good("pick", "old", "-o", "old", cwd=directory, **as_user())
    assert (directory / "old").read_bytes() in (b"1\n", b"2\n", b"3\n")


@pytest.mark.parametrize("arguments, status", [
    (["bytes", "x"], 2), (["bytes", "1E"], 1), (["bytes", "inf"], 1), (["hex", "5", "-n", "x"], 2), (["shuffle", "missing"], 1),
    (["shuffle", "--json", "bytes"], 1), (["pick", "--json", "-n", "inf", "bytes"], 1), (["pick", "-i", "6-1"], 2),
    (["shuffle", "--json", "-r", "-n", "9", "bytes"], 1), (["shuffle", "-n", "x", "bytes"], 2),
])  # fmt: skip
def test_bad_input_leaves_it_as_it_was(directory, arguments, status):
    """Catches a file that is truncated or partly written before all arguments and input are checked."""
    before = shown(directory / "old"), (directory / "old").read_bytes()
    refused(run(*arguments, "-o", "old", cwd=directory, **as_user()), status)
    assert (shown(directory / "old"), (directory / "old").read_bytes()) == before


def test_failed_write_is_told(directory):
    """Catches a failure during writing that is reported as if the old contents were intact."""
    result = run("pick", "-n", "inf", "-i", "10000-19999", "-o", "old", cwd=directory,
                 **as_user(limit(resource.RLIMIT_FSIZE, 5000)))  # fmt: skip
    refused(result, 1, "'old'", "File too large", "after 5000 bytes", "in place")


@pytest.fixture(name="replaced")
def replaced_functions(preload):
    """The environment in which no directory seems writable, and with other functions, as C."""

    def build(functions):
        return preload(f"""
            int faccessat(int fd, const char *path, int mode, int flags)
            {{
                (void)fd; (void)mode; (void)flags;
                errno = EACCES;
                return path[0] == '.' ? -1 : 0;
            }}
            {functions}
            """)

    return build


@pytest.mark.parametrize("end, status", [("errno = ENOSPC; return -1;", 1), ("return 0;", 1), ("return raise(SIGTERM);", -15)])
def test_reserved_space_is_given_back(tmp_path, replaced, end, status):
    """Catches reserved blocks that stay behind the end: after a reservation that fails, a failed write, and a signal."""
    environment = replaced(f"""
        int fallocate(int fd, int mode, off_t offset, off_t size)
        {{
            NEXT(fallocate)(fd, mode, offset, size);
            {end}
        }}
        SAME(fallocate64, fallocate);
        """)
    (tmp_path / "old").write_bytes(b"kept" * 2**10)
    result = run("bytes", "8MiB", "-o", "old", cwd=tmp_path, env=environment,
                 preexec_fn=limit(resource.RLIMIT_FSIZE, 2**20))  # fmt: skip
    assert result.returncode == status
    after = os.stat(tmp_path / "old")
    assert after.st_size == (2**20 if "return 0" in end else 2**12)
    assert after.st_blocks * 512 <= 2 * 2**20
    good("bytes", "8MiB", "-o", "old", cwd=tmp_path, env=replaced(""))
    assert os.stat(tmp_path / "old").st_size == 8 * 2**20


@pytest.mark.parametrize("hole", [True, False])
def test_space_that_the_file_has(tmp_path, replaced, hole):
    """Catches blocks behind a hole that count as space for bytes in the hole, and a full disk on which no file can be
    overwritten."""
    environment = replaced("""
        int fstatvfs(int fd, struct statvfs *space)
        {
            (void)fd;
            *space = (struct statvfs){ .f_frsize = 4096, .f_blocks = 1000, .f_bfree = 10, .f_bavail = 10 };
            return 0;
        }
        SAME(fstatvfs64, fstatvfs);
        """)
    with open(tmp_path / "old", "wb") as file:
        file.seek(2**20 if hole else 0)
        file.write(bytes(2**20))
    if hole and os.stat(tmp_path / "old").st_blocks * 512 >= 2**21:
        pytest.skip("no files with holes here")
    if hole:
        refused(run("bytes", "1MiB", "-o", "old", cwd=tmp_path, env=environment), 1, "No space left", "40960", "are free")
    else:
        good("bytes", "1MiB", "-o", "old", cwd=tmp_path, env=environment)
        refused(run("bytes", "2MiB", "-o", "old", cwd=tmp_path, env=environment), 1, "No space left", "40960", "are free")


def test_read_only_file_is_kept(directory):
    """Catches a file that is overwritten despite its mode."""
    (directory / "old").chmod(0o440)
    refused(run("bytes", 10, "-o", "old", cwd=directory, **as_user()), 1, "'old'", "Permission denied")
    refused(run("bytes", 10, "-o", "new", cwd=directory, **as_user()), 1, "'new'", "Permission denied")
    assert (directory / "old").read_bytes() == b"kept\n" * 200


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
def test_file_in_a_sticky_directory(directory):
    """Catches another user's file in a directory such as /tmp, over which no file can be renamed."""
    os.chown(directory / "old", 0, OTHER_USER)
    (directory / "old").chmod(0o660)
    directory.chmod(0o1777)
    good("bytes", 10, "-o", "old", cwd=directory, **as_user())
    assert os.stat(directory / "old").st_size == 10 and os.stat(directory / "old").st_uid == 0
    assert sorted(os.listdir(directory)) == ["bytes", "old"]


def test_atomic_where_it_can_be(directory):
    """Catches a file that is overwritten although it could be replaced."""
    with contextlib.suppress(PermissionError):
        os.chown(directory, OTHER_USER, OTHER_USER)
    directory.chmod(0o755)
    before = os.stat(directory / "old").st_ino
    good("bytes", 10, "-o", "old", cwd=directory, **as_user())
    assert os.stat(directory / "old").st_ino != before


@pytest.mark.parametrize("read_only", [False, True])
def test_file_that_is_mounted(tmp_path, read_only):
    """Catches a bind-mounted file, as in containers, that is refused; here also on a read-only system."""
    unshare = ["unshare", "--mount", *([] if os.geteuid() == 0 else ["--map-root-user"])]
    if shutil.which("unshare") is None or subprocess.run([*unshare, "true"], check=False, capture_output=True).returncode != 0:
        pytest.skip("no namespaces of mounts")
    (tmp_path / "other").write_bytes(b"kept" * 100)
    (tmp_path / "place").mkdir()
    (tmp_path / "place" / "file").write_bytes(b"")
    script = f"""
        set -e
        cd {shlex.quote(str(tmp_path))}
        {"mount --bind place place && mount -o remount,bind,ro place" if read_only else ":"}
        mount --bind other place/file
        {shlex.join(line("bytes", 10, "-o", "place/file"))}
        ls -A place
        {shlex.join(line("bytes", "10E", "-o", "place/file"))} 2>/dev/null || echo refused
        """
    result = subprocess.run([*unshare, "sh", "-c", script], capture_output=True, text=True, timeout=TIMEOUT, check=False)
    if "permission denied" in result.stderr.lower() and "mount" in result.stderr:
        pytest.skip("no bind mounts here")
    assert (result.stdout, result.stderr, result.returncode) == ("file\nrefused\n", "", 0)
    assert len((tmp_path / "other").read_bytes()) == 10
    assert (tmp_path / "place" / "file").read_bytes() == b""
