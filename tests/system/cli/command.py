# SPDX-License-Identifier: BSD-2-Clause
"""Starts the command under test and checks how it ends.

CPRNG_COMMAND   path of the command
CPRNG_EMULATOR  what to start it with, if anything: "qemu-s390x-static"
"""

import atexit
import contextlib
import functools
import os
import pathlib
import pty
import resource
import shlex
import shutil
import subprocess
import tempfile
import tty

import pytest

ROOT = pathlib.Path(__file__).parent.parent.parent.parent
VECTORS = ROOT / "tests" / "vectors"

EMULATOR = shlex.split(os.environ.get("CPRNG_EMULATOR", ""))
# Long enough for an emulator on a busy machine; costs nothing otherwise.
TIMEOUT = 900

COMMANDS = [
    "bytes", "hex", "base32", "base64", "base64url", "u8", "u16", "u32", "u64", "int", "float", "normal", "exponential", "dice", "uuid",
    "password", "phrase", "shuffle", "pick", "stream", "seed-file", "invalidate", "info", "selftest", "run", "completion",
    "help", "version",
]  # fmt: skip
ENGINES = ["chacha20", "chacha12", "chacha8", "salsa20", "salsa20-12", "salsa20-8", "aes256-ctr", "aes128-ctr"]


def terminal():
    """A pseudo-terminal's two ends, if available: some containers have none."""
    try:
        return pty.openpty()
    except OSError as error:
        pytest.skip(f"no pseudo-terminals: {error.strerror}")


def with_terminal(use):
    """Call use(slave, master) with a terminal in raw mode; returns its result and what the terminal showed, but for what
    use itself read.

    A terminal holds 4 KiB before a writer waits.  It is read when use has returned, because the end of what was written
    may be lost where a reader meets the close."""
    master, slave = terminal()
    try:
        try:
            tty.setraw(slave)
            result = use(slave, master)
        finally:
            os.close(slave)
        shown = b""
        # To the end, which is an error: written bytes may still be in transit.
        with contextlib.suppress(OSError):
            while data := os.read(master, 4096):
                shown += data
        return result, shown
    finally:
        os.close(master)


def line(*arguments, command=None):
    """The command line as a list for subprocess."""
    command = command or os.environ.get("CPRNG_COMMAND")
    if not command:
        pytest.exit("CPRNG_COMMAND must be the path of the command", returncode=2)
    return [*EMULATOR, command, *(word if isinstance(word, bytes) else str(word) for word in arguments)]


def run(*arguments, **options):
    """Run to the end; standard output and error are collected as bytes unless they are given."""
    options.setdefault("stdin", subprocess.DEVNULL)
    options.setdefault("stdout", subprocess.PIPE)
    options.setdefault("stderr", subprocess.PIPE)
    options.setdefault("timeout", TIMEOUT)
    command = line(*arguments, command=options.pop("command", None))
    result = subprocess.run(command, check=False, **options)
    # One wine process in thousands ends like this, in the host's loader, after the command has ended.
    if EMULATOR == ["wine"] and b"ld.so: dl-fini.c" in (result.stderr or b""):
        result = subprocess.run(command, check=False, **options)
    return result


def start(*arguments, **options):
    options.setdefault("stdin", subprocess.DEVNULL)
    options.setdefault("stderr", subprocess.PIPE)
    return subprocess.Popen(line(*arguments), **options)


def limit(what, size):
    """For preexec_fn: a limit of the system."""
    return lambda: resource.setrlimit(what, (size, size))


# A user and a group that the system need not know.
OTHER_USER = 12345


def as_other_user(more=lambda: None):
    """For preexec_fn: root may write everywhere."""

    def drop():
        more()
        os.setgroups([])
        os.setresgid(OTHER_USER, OTHER_USER, OTHER_USER)
        os.setresuid(OTHER_USER, OTHER_USER, OTHER_USER)

    return drop


@functools.cache
def command_of_other_user():
    """A copy that the user can execute: the build may lie in a home of mode 0700, and have that mode itself."""
    directory = tempfile.mkdtemp(prefix="cprng-test-")
    atexit.register(shutil.rmtree, directory)
    copy = shutil.copy(line()[-1], directory)
    os.chmod(directory, 0o755)
    os.chmod(copy, 0o755)
    try:
        run("--version", command=copy, cwd="/", preexec_fn=as_other_user()).check_returncode()
    except (OSError, subprocess.SubprocessError) as error:
        pytest.skip(f"no other user can execute a program in {tempfile.gettempdir()}: {error}")
    return copy


def in_environment(**variables):
    return {**os.environ, **{name: str(value) for name, value in variables.items()}}


def ends_quietly(process):
    """Ends without an error after its reader has closed the pipe."""
    process.stdout.close()
    assert process.wait(TIMEOUT) == 0
    assert process.stderr.read() == b""
    process.stderr.close()


@contextlib.contextmanager
def closed_pipe():
    """A pipe's writing end without a reader."""
    reading, writing = os.pipe()
    os.close(reading)
    try:
        yield writing
    finally:
        os.close(writing)


def good(*arguments, **options):
    """Run, which must succeed silently; returns standard output."""
    result = run(*arguments, **options)
    assert (result.returncode, result.stderr) == (0, b"")
    return result.stdout


def refused(result, status, *culprits):
    """Checks that it wrote only one line, which names the culprits."""
    assert result.returncode == status
    assert result.stdout in (b"", None)
    text = result.stderr.decode()
    assert text.startswith("cprng: ")
    assert text.endswith("\n") and text.count("\n") == 1
    assert all(c == "\n" or c.isprintable() for c in text)
    for culprit in culprits:
        assert culprit in text


def stream(engine, key, size, nonce=None, offset=None):
    """The output of `cprng stream`."""
    arguments = ["stream", "--engine", engine, "--key", key]
    if nonce is not None:
        arguments += ["--nonce", nonce]
    if offset is not None:
        arguments += ["--offset", offset]
    return good(*arguments, size)
