# SPDX-License-Identifier: BSD-2-Clause
"""-o FILE: complete or not at all, without temporary files left."""

import os
import pathlib
import re
import resource
import select
import signal
import stat
import struct
import tempfile
import threading
import time

import pytest

from command import EMULATOR, OTHER_USER, TIMEOUT, as_other_user, command_of_other_user, good, limit, refused, run, start


def state_of(process):
    """The state in /proc/PID/stat: T for stopped, Z for ended."""
    text = pathlib.Path(f"/proc/{process.pid}/stat").read_text()
    return text.rpartition(")")[2].split()[0]


def stop_while_writing(directory, **options):
    """Start a command that writes directory/out, and stop it (SIGSTOP) while the temporary file exists."""
    kept = set(os.listdir(directory))
    for doubled in range(10):
        process = start("bytes", 2**(24 + doubled), "-o", directory / "out", **options)
        deadline = time.monotonic() + TIMEOUT
        while set(os.listdir(directory)) == kept and process.poll() is None:
            assert time.monotonic() < deadline
        process.send_signal(signal.SIGSTOP)
        while process.poll() is None and state_of(process) not in "TZ":
            assert time.monotonic() < deadline
        if [name for name in os.listdir(directory) if name.startswith(".cprng-")]:
            return process
        # It finished before the signal: retry with more to write.
        process.send_signal(signal.SIGCONT)
        assert process.wait(TIMEOUT) == 0
        end(process)
        if "out" not in kept:
            os.remove(directory / "out")
        else:
            (directory / "out").write_bytes(b"kept")
    pytest.fail("never caught while it was writing")


def end(process):
    process.kill()
    process.wait()
    if process.stderr:
        process.stderr.close()


def mode_of(path):
    return stat.S_IMODE(os.stat(path).st_mode)


@pytest.mark.parametrize("option, name, size", [("-o", "{}/random.bin", 300 * 1024), ("--output", "{}/empty", 0), ("-o", "here", 10)])
def test_new_file(tmp_path, option, name, size):
    """Catches a file that is short or constant, SIZE 0 that leaves none, and a temporary file that stays or is in a wrong directory."""
    assert good("bytes", size, option, name.format(tmp_path), cwd=tmp_path) == b""
    (file,) = tmp_path.iterdir()
    assert file.name == os.path.basename(name)
    assert len(file.read_bytes()) == size
    assert size < 2**16 or len(set(file.read_bytes())) == 256


@pytest.mark.parametrize("mask, mode", [(0o022, 0o644), (0o077, 0o600), (0o002, 0o664), (0, 0o666)])
def test_new_file_has_the_mode_of_the_umask(tmp_path, mask, mode):
    """Catches a new file that keeps the temporary file's private mode."""
    good("bytes", "10", "-o", tmp_path / "new", umask=mask)
    assert mode_of(tmp_path / "new") == mode


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o666, 0o755])
def test_existing_file_keeps_its_mode(tmp_path, mode):
    """Catches a replaced file with a new file's mode."""
    file = tmp_path / "old"
    file.write_bytes(b"x" * 1000)
    file.chmod(mode)
    good("bytes", "10", "-o", file, umask=0o022)
    assert mode_of(file) == mode
    assert os.stat(file).st_size == 10
    assert os.listdir(tmp_path) == ["old"]


def group_of_another(file):
    """Make the file another group's, as far as this user may."""
    others = [group for group in os.getgroups() if group != os.getegid()]
    if os.geteuid() == 0:
        others = [23456]
    if not others:
        pytest.skip("this user has one group")
    os.chown(file, -1, others[0])


def test_another_group(tmp_path):
    """Catches a new group that gets the permissions of the old one."""
    file = tmp_path / "old"
    file.write_bytes(b"")
    file.chmod(0o664)
    group_of_another(file)
    good("bytes", 10, "-o", file)
    assert os.stat(file).st_size == 10 and mode_of(file) == 0o604


def test_file_with_an_acl(tmp_path):
    """Catches a replaced file whose group gets what the old one's ACL allowed to another user: stat(2) shows the mask as the
    group's permissions."""
    file = tmp_path / "old"
    file.write_bytes(b"")
    # Tags, permissions and users of acl(5): the group may do nothing, and user 1000 may read and write.
    entries = [(1, 6, -1), (2, 6, 1000), (4, 0, -1), (16, 6, -1), (32, 4, -1)]
    try:
        os.setxattr(file, "system.posix_acl_access", struct.pack("<I", 2) + b"".join(struct.pack("<HHi", *entry) for entry in entries))
    except OSError as error:
        pytest.skip(f"no ACLs here: {error.strerror}")
    assert mode_of(file) == 0o664
    good("bytes", 10, "-o", file)
    assert os.stat(file).st_size == 10 and mode_of(file) == 0o604


def test_symbolic_link_stays(tmp_path):
    """Catches a link replaced by a file, and an unchanged target."""
    (tmp_path / "files").mkdir()
    (tmp_path / "files" / "target").write_bytes(b"old")
    (tmp_path / "link").symlink_to("files/target")
    good("bytes", "10", "-o", tmp_path / "link")
    assert (tmp_path / "link").is_symlink()
    assert os.stat(tmp_path / "files" / "target").st_size == 10
    assert os.listdir(tmp_path / "files") == ["target"]


def test_file_that_is_exchanged_for_a_link(tmp_path, preload):
    """Catches a file that another user exchanges, after the command has looked at it, for a link to a file of root's, which
    would get the contents and the mode of the other user's."""
    environment = preload("""
        ssize_t readlink(const char *restrict path, char *restrict place, size_t size)
        {
            renameat2(AT_FDCWD, "x", AT_FDCWD, "link", RENAME_EXCHANGE);
            return NEXT(readlink)(path, place, size);
        }
        """)
    (tmp_path / "victim").mkdir()
    shadow = tmp_path / "victim" / "shadow"
    shadow.write_bytes(b"kept" * 10)
    shadow.chmod(0o600)
    (tmp_path / "x").write_bytes(b"")
    (tmp_path / "x").chmod(0o666)
    (tmp_path / "link").symlink_to("victim/shadow")
    before = os.stat(shadow)
    result = run("bytes", 10, "-o", "x", cwd=tmp_path, env=environment)
    assert (tmp_path / "x").is_symlink()  # They were exchanged.
    after = os.stat(shadow)
    assert (after.st_ino, after.st_mode, shadow.read_bytes()) == (before.st_ino, before.st_mode, b"kept" * 10)
    assert os.listdir(tmp_path / "victim") == ["shadow"]
    refused(result, 1, "'x'", "another file took its place")


def test_link_to_nowhere(tmp_path):
    """Catches a file created at a dangling link's target."""
    (tmp_path / "link").symlink_to("nowhere")
    refused(run("bytes", "10", "-o", tmp_path / "link"), 1, "link'", "dangling")
    assert os.listdir(tmp_path) == ["link"]


@pytest.mark.parametrize("name", ["log", "link"])
def test_file_that_is_standard_output(tmp_path, name):
    """Catches `-o /dev/stdout >> log` that replaces the log."""
    (tmp_path / "log").write_bytes(b"kept\n")
    (tmp_path / "link").symlink_to("/proc/self/fd/1")
    with open(tmp_path / "log", "ab") as log:
        assert run("hex", 4, "-o", tmp_path / name, stdout=log).returncode == 0
        os.write(log.fileno(), b"later\n")
    assert re.fullmatch(rb"kept\n[0-9a-f]{8}\nlater\n", (tmp_path / "log").read_bytes())
    assert sorted(os.listdir(tmp_path)) == ["link", "log"] and (tmp_path / "link").is_symlink()


def test_deleted_file(tmp_path):
    """Catches a link such as /dev/stdout that is itself replaced by a file, when the file it leads to has no name."""
    with tempfile.TemporaryFile(dir=tmp_path) as deleted:
        (tmp_path / "1").symlink_to("/proc/self/fd/1")
        assert run("hex", 4, "-o", tmp_path / "1", stdout=deleted).returncode == 0
        assert deleted.seek(0, os.SEEK_END) == 9
        (tmp_path / "other").symlink_to(f"/proc/self/fd/{deleted.fileno()}")
        refused(run("hex", 4, "-o", tmp_path / "other", pass_fds=[deleted.fileno()]), 1, "other'", "No such file")
    assert all((tmp_path / name).is_symlink() for name in ["1", "other"])
    assert sorted(os.listdir(tmp_path)) == ["1", "other"]


def test_fifo_is_written_directly(tmp_path):
    """Catches a FIFO that is replaced by a file."""
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    received = []
    reader = threading.Thread(target=lambda: received.append(fifo.read_bytes()), daemon=True)
    reader.start()
    good("bytes", "200KiB", "-o", fifo)
    reader.join(10)
    assert not reader.is_alive()
    assert len(received[0]) == 200 * 1024
    assert stat.S_ISFIFO(os.stat(fifo).st_mode)
    assert os.listdir(tmp_path) == ["fifo"]


def test_fifo_whose_reader_goes_is_quiet(tmp_path):
    """Catches an error about a FIFO whose reader has gone, and a command that continues to write."""
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    # A blocking open would hang if the command does not open the FIFO.
    reader = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)
    process = start("bytes", "1TiB", "-o", fifo, preexec_fn=limit(resource.RLIMIT_FSIZE, 2**30))
    try:
        assert select.select([reader], [], [], TIMEOUT)[0] and len(os.read(reader, 10)) == 10
        os.close(reader)
        assert process.wait(TIMEOUT) == 0
        assert process.stderr.read() == b""
    finally:
        end(process)


def test_full_device(tmp_path):
    """Catches a device replaced by a file, and a failed write reported as success."""
    # A separate node: a command that replaced /dev/full would harm the machine when the tests run as root.
    device = tmp_path / "full"
    try:
        os.mknod(device, stat.S_IFCHR | 0o666, os.makedev(1, 7))
        os.close(os.open(device, os.O_WRONLY))
    except PermissionError:
        if os.geteuid() == 0:
            pytest.skip("no device nodes here")
        device = "/dev/full"
    refused(run("bytes", "10", "-o", device), 1, str(device), "No space left on device")
    assert stat.S_ISCHR(os.stat(device).st_mode)


@pytest.mark.parametrize("name, reason", [
    (".", "Is a directory"), ("sub", "Is a directory"), ("sub/", "Is a directory"), ("new/", "Is a directory"),
    ("missing/file", "No such file or directory"), ("plain/file", "Not a directory"), ("plain/", "Not a directory"),
    ("x" * 300, "File name too long"), ("sub/../missing/x", "No such file or directory"),
])  # fmt: skip
def test_impossible_file(tmp_path, name, reason):
    """Catches a wrong reason, and anything created or changed before the error."""
    (tmp_path / "sub").mkdir()
    (tmp_path / "plain").write_bytes(b"kept")
    refused(run("bytes", "10", "-o", name, cwd=tmp_path), 1, f"'{name[:80]}", reason)
    assert sorted(os.listdir(tmp_path)) == ["plain", "sub"]
    assert os.listdir(tmp_path / "sub") == []
    assert (tmp_path / "plain").read_bytes() == b"kept"


def test_block_device(tmp_path):
    """Catches a disk that is overwritten, or replaced by a file."""
    device = tmp_path / "disk"
    try:
        os.mknod(device, stat.S_IFBLK | 0o600, os.makedev(7, 255))
    except PermissionError:
        pytest.skip("no device nodes here")
    refused(run("bytes", 10, "-o", device), 1, "disk'", "a block device is not overwritten")
    assert stat.S_ISBLK(os.stat(device).st_mode)


def test_empty_name(tmp_path):
    """Catches an empty name that is interpreted as the directory or standard output."""
    refused(run("bytes", "10", "-o", "", cwd=tmp_path), 1, "name", "empty")
    assert os.listdir(tmp_path) == []


def test_file_with_a_line_feed_in_its_name(tmp_path):
    """Catches a name that breaks a message into two lines."""
    refused(run("bytes", "10", "-o", tmp_path / "missing\n" / "x"), 1, "missing\\x0a")


def in_directory(tmp_path, **options):
    """Run as a user without the rights of root, in a directory of root's, if this is root."""
    if os.geteuid() != 0:
        return run("bytes", 10, "-o", "x", cwd=tmp_path, **options)
    os.chown(tmp_path / "x", OTHER_USER, OTHER_USER)
    return run("bytes", 10, "-o", "x", preexec_fn=as_other_user(lambda: os.chdir(tmp_path)), command=command_of_other_user(), **options)


def test_read_only_directory(tmp_path):
    """Catches a writable file that is lost, or is refused without what to write instead, where nothing can be put beside it."""
    (tmp_path / "x").write_bytes(b"kept")
    tmp_path.chmod(0o555)
    try:
        refused(in_directory(tmp_path), 1, "'x'", "Permission denied", "'>' writes the file itself")
        assert os.listdir(tmp_path) == ["x"] and (tmp_path / "x").read_bytes() == b"kept"
    finally:
        tmp_path.chmod(0o755)


@pytest.mark.parametrize("error", ["EBUSY", "EPERM"])
def test_file_that_cannot_be_replaced(tmp_path, preload, error):
    """Catches a mount point, or another user's file in a sticky directory, that leaves the temporary file behind."""
    (tmp_path / "x").write_bytes(b"kept")
    environment = preload(f"""
        int renameat(int from, const char *old, int to, const char *name)
        {{
            (void)from; (void)old; (void)to; (void)name;
            errno = {error};
            return -1;
        }}
        """)
    refused(run("bytes", 10, "-o", "x", cwd=tmp_path, env=environment), 1, "'x'", "it cannot be replaced; '>' writes the file itself")
    assert os.listdir(tmp_path) == ["x"] and (tmp_path / "x").read_bytes() == b"kept"


def test_read_only_file_is_not_replaced(tmp_path):
    """Catches a rename over a file that its owner has protected."""
    file = tmp_path / "x"
    file.write_bytes(b"kept")
    file.chmod(0o444)
    tmp_path.chmod(0o777)
    refused(in_directory(tmp_path), 1, "Permission denied")
    assert file.read_bytes() == b"kept"


@pytest.mark.parametrize("size", ["x", "-1", "1.5KiB", "16EiB"])
def test_bad_size_touches_nothing(tmp_path, size):
    """Catches a file that is opened before SIZE is read."""
    (tmp_path / "old").write_bytes(b"kept")
    refused(run("bytes", size, "-o", tmp_path / "old"), 2, size)
    refused(run("bytes", size, "-o", tmp_path / "new"), 2, size)
    assert os.listdir(tmp_path) == ["old"]
    assert (tmp_path / "old").read_bytes() == b"kept"


@pytest.mark.parametrize("old", [False, True])
def test_failed_write_leaves_nothing(tmp_path, old):
    """Catches a partial file that a failed write leaves or puts in place: as on a full disk, the limit lets 1 MiB pass.
    """
    if old:
        (tmp_path / "out").write_bytes(b"kept")
    refused(run("bytes", "2MiB", "-o", tmp_path / "out", preexec_fn=limit(resource.RLIMIT_FSIZE, 2**20)), 1, "out'", "File too large")
    assert os.listdir(tmp_path) == (["out"] if old else [])
    assert not old or (tmp_path / "out").read_bytes() == b"kept"


def more_than_free(path):
    """Twice as much, since other programs may free space meanwhile."""
    status = os.statvfs(path)
    if status.f_bavail == 0:
        pytest.skip("nothing is free here")
    return 2 * status.f_bavail * status.f_frsize


@pytest.mark.parametrize("size", ["15E", 2**63 - 1, "inf", "1E"])
def test_more_than_fits(tmp_path, size):
    """Catches a disk that is filled before the failure.

    Refused before anything is written, with what is wanted and what is free.
    """
    (tmp_path / "old").write_bytes(b"kept")
    for name in ["old", "new"]:
        result = run("bytes", size, "-o", tmp_path / name, preexec_fn=limit(resource.RLIMIT_FSIZE, 2**20))
        refused(result, 1, f"{name}'", "are needed", "are free")
    assert os.listdir(tmp_path) == ["old"]
    assert (tmp_path / "old").read_bytes() == b"kept"


def reservation(body):
    """For preload: a fallocate(2) that does this."""
    return f"int fallocate(int fd, int mode, off_t offset, off_t size) {{ {body} }} SAME(fallocate64, fallocate);"


def test_full_file_system_is_noticed_before(tmp_path, preload):
    """Catches a reservation of more than is free: on ext4 fallocate(2) then takes all of it from other programs for a while.
    """
    environment = preload(reservation("abort();"))
    size = more_than_free(tmp_path)
    result = run("bytes", size, "-o", tmp_path / "out", env=environment)
    refused(result, 1, "out'", "No space left on device", f"{size} bytes", "are needed", "are free")
    assert os.listdir(tmp_path) == []
    assert run("bytes", 10, "-o", tmp_path / "out", env=environment).returncode == -signal.SIGABRT  # It is replaced.


@pytest.mark.parametrize("available, size, fits", [(10, 40960, True), (10, 40961, False), (2**62, 40961, True)])
def test_free_space(tmp_path, preload, available, size, fits):
    """Catches user 0 of a container that reserves the blocks kept for root, and an unlimited size that is taken for 0."""
    free = max(available, 2**51)
    environment = preload(f"""
        int fstatvfs(int fd, struct statvfs *space)
        {{
            (void)fd;
            *space = (struct statvfs){{ .f_frsize = 4096, .f_blocks = {free}, .f_bfree = {free}, .f_bavail = {available} }};
            return 0;
        }}
        SAME(fstatvfs64, fstatvfs);
        """)
    result = run("bytes", size, "-o", tmp_path / "out", env=environment)
    if fits:
        assert (result.returncode, result.stderr) == (0, b"")
    else:
        refused(result, 1, "No space left on device", f"{size} bytes", "40960 (40.0 KiB) are free")
    assert os.listdir(tmp_path) == (["out"] if fits else [])


@pytest.mark.parametrize("error, text", [("ENOSPC", "No space left on device"), ("EDQUOT", "Disk quota exceeded")])
def test_refused_reservation(tmp_path, preload, error, text):
    """Catches a missing reservation, and an answer to it that is ignored."""
    result = run("bytes", 10, "-o", tmp_path / "out", env=preload(reservation(f"errno = {error}; return -1;")))
    refused(result, 1, "out'", text, "10 bytes", "are needed", "are free")
    assert os.listdir(tmp_path) == []


def test_file_system_without_reservation(tmp_path, preload):
    """Catches a file system without fallocate(2) that is filled, or not written to at all.

    The command looks at the free space itself; and what fits is written.
    """
    environment = preload(reservation("errno = EOPNOTSUPP; return -1;"))
    size = more_than_free(tmp_path)
    refused(run("bytes", size, "-o", tmp_path / "out", env=environment), 1, "No space left", f"{size} bytes", "are free")
    assert os.listdir(tmp_path) == []
    good("bytes", "1M", "-o", tmp_path / "out", env=environment)
    assert os.stat(tmp_path / "out").st_size == 2**20


def test_dash_is_standard_output(tmp_path):
    """Catches a file named "-"."""
    assert len(good("bytes", "100", "-o", "-", cwd=tmp_path)) == 100
    assert good("shuffle", "-o", "-", "-e", "a", cwd=tmp_path) == b"a\n"
    assert os.listdir(tmp_path) == []
    good("bytes", "100", "-o", "./-", cwd=tmp_path)
    assert os.listdir(tmp_path) == ["-"]


@pytest.mark.parametrize("number, old", [
    *((number, old) for number in [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT] for old in [False, True]),
    *((number, False) for number in [signal.SIGALRM, signal.SIGVTALRM, signal.SIGPROF, signal.SIGIO, signal.SIGPWR]),
    *((number, False) for number in [signal.SIGUSR2, signal.SIGXCPU, signal.SIGABRT, *([] if EMULATOR else [signal.SIGRTMIN])]),
])  # fmt: skip
def test_interrupted_command_leaves_nothing(tmp_path, number, old):
    """Catches a temporary file left by any signal that ends the command, and an exit status that hides the signal."""

    if old:
        (tmp_path / "out").write_bytes(b"kept")
    # A core file would be one file too many.
    process = stop_while_writing(tmp_path, preexec_fn=limit(resource.RLIMIT_CORE, 0))
    try:
        process.send_signal(number)
        process.send_signal(signal.SIGCONT)
        assert process.wait(TIMEOUT) == -number
        # An emulator prints its own message about core-dumping signals.
        assert re.fullmatch(rb"(qemu: .*\n)*", process.stderr.read())
    finally:
        end(process)
    assert os.listdir(tmp_path) == (["out"] if old else [])
    assert not old or (tmp_path / "out").read_bytes() == b"kept"


def test_ignored_signal_stays_ignored(tmp_path):
    """Catches a handler that undoes nohup: `nohup cprng bytes ... -o FILE`."""

    process = stop_while_writing(tmp_path, preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
    try:
        process.send_signal(signal.SIGHUP)
        process.send_signal(signal.SIGCONT)
        assert process.wait(TIMEOUT) == 0
    finally:
        end(process)
    assert os.listdir(tmp_path) == ["out"]
    assert os.stat(tmp_path / "out").st_size >= 2**24


@pytest.mark.parametrize("closed", [[0], [1], [2], [0, 1, 2]])
def test_closed_descriptors(tmp_path, closed):
    """Catches an opened file that becomes the command's standard output or error and receives messages."""

    def prepare():
        for descriptor in closed:
            os.close(descriptor)

    process = stop_while_writing(tmp_path, stderr=None, preexec_fn=prepare)
    try:
        for descriptor in closed:
            assert os.readlink(f"/proc/{process.pid}/fd/{descriptor}") == "/dev/null"
    finally:
        process.terminate()
        process.send_signal(signal.SIGCONT)
        process.wait(TIMEOUT)
        end(process)
    assert os.listdir(tmp_path) == []
