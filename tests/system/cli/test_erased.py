# SPDX-License-Identifier: BSD-2-Clause
"""Passwords, phrases, UUIDs and keys are not in the command's memory when it has ended, even after an error.

A preloaded library keeps freed memory unchanged, and searches all writable memory when the command has ended.
"""

import os
import pathlib
import re
import resource
import signal
import subprocess

import pytest

from command import EMULATOR, good, run, start, stream

KEY = "8f1c5a0be37d924661a2d90f3bc57e1804f3b6a59dc27e8810ab34cd56ef7812"

SEARCH = r"""
/* The memory of the search itself, which is not searched. */
static struct {
	char output[1 << 16], wanted[1 << 16], maps[1 << 18];
	size_t size, wanted_size;
} own;

void free(void *memory)
{
	(void)memory;
}

ssize_t write(int fd, const void *data, size_t size)
{
	if (fd == 1 && size <= sizeof(own.output) - own.size) {
		memcpy(own.output + own.size, data, size);
		own.size += size;
	}
	return syscall(SYS_write, fd, data, size);
}

static size_t read_file(const char *name, char *to, size_t room)
{
	size_t size = 0;
	ssize_t got;
	int fd = open(name, O_RDONLY);

	while (fd >= 0 && (got = read(fd, to + size, room - size)) > 0)
		size += (size_t)got;
	close(fd);
	return size;
}

static void search(const char *begin, const char *end, const char *wanted, size_t size, const char *line)
{
	for (; (begin = memmem(begin, (size_t)(end - begin), wanted, size)) != NULL; begin++)
		if (begin < (char *)&own || begin >= (char *)(&own + 1))
			dprintf(2, "left: %zu bytes in %.*s\n", size, (int)strcspn(line, "\n"), line);
}

/* Each wanted text has its length before it, in two bytes; without a file it is the last value of the output. */
static void collect(void)
{
	const char *file = getenv("WANTED");

	if (file != NULL) {
		own.wanted_size = read_file(file, own.wanted, sizeof(own.wanted));
		return;
	}
	while (own.size > 0 && strchr("\n\"]}", own.output[own.size - 1]) != NULL)
		own.size--;
	for (size_t i = own.size; i > 0 && own.output[i - 1] != '\n' && own.output[i - 1] != '"'; i--)
		own.wanted_size++;
	memcpy(own.wanted + 2, own.output + own.size - own.wanted_size, own.wanted_size);
	own.wanted[0] = (char)(own.wanted_size & 0xff);
	own.wanted[1] = (char)(own.wanted_size >> 8);
	own.wanted_size += 2;
}

__attribute__((destructor)) static void look(void)
{
	size_t length, used = read_file("/proc/self/maps", own.maps, sizeof(own.maps) - 1);

	collect();
	for (size_t i = 0; i < own.wanted_size; i += 2 + length) {
		length = (unsigned char)own.wanted[i] | (size_t)(unsigned char)own.wanted[i + 1] << 8;
		dprintf(2, "looked for %zu bytes\n", length);
		for (char *line = own.maps; line < own.maps + used; line = strchr(line, '\n') + 1) {
			unsigned long begin, end;
			char rights[2];

			if (sscanf(line, "%lx-%lx %2c", &begin, &end, rights) == 3 && memcmp(rights, "rw", 2) == 0)
				search((char *)begin, (char *)end, own.wanted + i + 2, length, line);
		}
	}
}
"""


@pytest.fixture(name="search", scope="module")
def make_search(preload):
    return preload(SEARCH)


def left(search, *arguments, wanted=None, **options):
    """Run it; returns the result, the number of copies of the secret left, and their bytes."""
    # With lazy binding, a function's first call saves vector registers, which may contain copied bytes, on the stack.
    environment = {**search, "LD_BIND_NOW": "1"}
    if wanted is not None:
        environment["WANTED"] = str(wanted)
    result = run(*arguments, env=environment, **options)
    text = result.stderr.decode()
    return result, re.findall(r"left: .*", text), [int(size) for size in re.findall(r"looked for (\d+) bytes", text)]


@pytest.mark.parametrize("arguments, size", [
    (["password", 12], 12), (["password", 40], 40), (["password", 40, "--json"], 40), (["password", 30, "-n", 3, "--json"], 30),
    (["password", 9, "--each", "--alphabet", "safe"], 9), (["password", 30, "--characters", "\u00e9\u4e2da1", "--at-least", "digits=2"], 30), (["phrase", 9, "--capitals"], 9 * 4), (["phrase", 9, "--json"], 9 * 4),
    (["phrase", 100, "--separator", "/", "-n", 5], 400), (["uuid"], 36), (["uuid", 7, "-n", 3], 36), (["uuid", "--json"], 36),
    (["hex", 32], 64), (["base64", 33], 44), (["base32", 19], 30),
])  # fmt: skip
def test_secrets(search, arguments, size):
    """Catches a secret that stays in freed memory or on the stack, also after a failed write."""
    result, found, looked = left(search, *arguments)
    assert result.returncode == 0
    assert len(looked) == 1 and looked[0] >= size
    assert found == []
    with open("/dev/full", "wb") as full:
        result, found, looked = left(search, *arguments, stdout=full)
    assert result.returncode == 1
    assert len(looked) == 1 and looked[0] >= size
    assert found == []


def wanted(file, *texts):
    file.write_bytes(b"".join(len(text).to_bytes(2, "little") + text for text in texts))
    return file


@pytest.mark.parametrize("behind, status", [("", 0), ("\n", 0), ("x", 2), ("0", 2), ("00", 2), ("g" * 4000, 2), ("0" * 5000, 1)],
                         ids=["key", "line", "no-digit", "odd", "long", "no-digits", "longer"])  # fmt: skip
@pytest.mark.parametrize("command", ["bytes", "stream"])
def test_key_file(search, tmp_path, command, behind, status):
    """Catches a key that stays in memory as digits or bytes, also after an error in the file."""
    file = tmp_path / "key"
    file.write_text(KEY + behind)
    arguments = {"bytes": [100], "stream": ["--engine", "chacha20", 100]}[command]
    result, found, looked = left(search, command, "--key-file", file, *arguments,
                                 wanted=wanted(tmp_path / "wanted", KEY.encode(), bytes.fromhex(KEY)))  # fmt: skip
    assert result.returncode == status
    assert looked == [64, 32]
    assert found == []


def dumps_core(directory, *arguments, **options):
    """Whether the kernel dumps the core of the command, once it has written something, into the directory."""

    def limit():
        most = resource.getrlimit(resource.RLIMIT_CORE)[1]
        resource.setrlimit(resource.RLIMIT_CORE, (most, most))

    with start(*arguments, cwd=directory, stdout=subprocess.PIPE, preexec_fn=limit, **options) as process:
        assert process.stdout.read(1)
        process.send_signal(signal.SIGQUIT)
        status = os.waitpid(process.pid, 0)[1]
        process.returncode = 0
    assert os.WTERMSIG(status) == signal.SIGQUIT
    return os.WCOREDUMP(status)


def test_key_in_a_core_file(tmp_path):
    """Catches a key in a core file."""
    pattern = pathlib.Path("/proc/sys/kernel/core_pattern").read_text(encoding="utf-8")
    if EMULATOR or not pattern.strip() or re.search("[|/]", pattern):
        pytest.skip("the kernel writes no core file into the working directory")
    if not dumps_core(tmp_path, "bytes", "inf"):
        pytest.skip("the kernel has not dumped core (a hard limit of RLIMIT_CORE?)")
    for core in tmp_path.iterdir():
        core.unlink()
    (tmp_path / "key").write_text(KEY, encoding="ascii")
    for arguments in [["bytes", "inf"], ["stream", "--engine", "aes256-ctr", "inf"]]:
        for key in [["--key-file", "key"], ["--key", KEY]]:
            assert not dumps_core(tmp_path, *arguments, *key)
    assert [path.name for path in tmp_path.iterdir()] == ["key"]


def test_what_is_left_is_found(search, tmp_path):
    """Catches a search that finds nothing: lines to be shuffled are not secret and must remain in memory."""
    result, found, _ = left(search, "shuffle", "-e", "left-where-it-was-1", "left-where-it-was-2")
    assert result.returncode == 0 and found
    key = "07" * 32
    assert good("stream", "--engine", "chacha20", "--key", key, 0) == b""
    _, found, _ = left(search, "stream", "--engine", "chacha20", "--key", key, 0, wanted=wanted(tmp_path / "wanted", key.encode()))
    assert found
