# SPDX-License-Identifier: BSD-2-Clause
"""What the command does for Windows itself: each subcommand, arguments and names of files, ends of lines, output files.

Numbers of seeds, encodings and keystreams are those of tests/system/cli, whose files run with this command as well."""

import os
import pathlib
import re
import signal
import stat
import subprocess
import sys
import time

import pytest

sys.path[:0] = [str(pathlib.Path(__file__).parents[1] / "cli"), str(pathlib.Path(__file__).parents[2] / "vectors")]

from command import EMULATOR, TIMEOUT, good, refused, run, start, stream, with_terminal  # noqa: E402
from stream_model import Stream  # noqa: E402

KEY = bytes(range(32)).hex()
HEX32 = b"[0-9a-f]{32}\n"


@pytest.mark.parametrize("arguments, output", [
    (["bytes", "16"], b".{16}"), (["hex", "16"], HEX32), (["base32", "20"], b"[A-Z2-7]{32}\n"),
    (["base64", "16"], b"[A-Za-z0-9+/]{22}==\n"), (["base64url", "16"], b"[A-Za-z0-9_-]{22}\n"), (["u8"], rb"\d{1,3}\n"),
    (["u16"], rb"\d+\n"), (["u32"], rb"\d+\n"), (["u64"], rb"\d+\n"), (["int", "7", "7"], b"7\n"), (["float"], rb"0\.\d+(e-\d+)?\n"),
    (["normal"], rb"-?\d+\.\d+(e-\d+)?\n"), (["exponential"], rb"\d+\.\d+(e-\d+)?\n"), (["dice", "2d6"], rb"\d+\n"),
    (["uuid"], rb"[0-9a-f-]{36}\n"), (["uuid", "7"], rb"[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f-]{21}\n"),
    (["password"], rb"[A-Za-z0-9]{20}\n"), (["phrase", "2"], b"[a-z-]+ [a-z-]+\n"), (["shuffle", "-e", "a", "a"], b"a\na\n"),
    (["pick", "-e", "a"], b"a\n"), (["stream", "--seed", "1", "16"], b".{16}"), (["info"], b".*placement +slots\n.*"),
    (["selftest"], b"ENGINE.*passed\n"),
    (["completion", "bash"], b".*_cprng.*"), (["help"], b".*Examples:\n.*"), (["version"], rb"cprng \d+\.\d+\.\d+\n"),
], ids=lambda value: value[0] if isinstance(value, list) else "")  # fmt: skip
def test_each_command(arguments, output):
    """Catches a command that does not run on Windows, and newlines that become two characters."""
    assert re.fullmatch(output, good(*arguments), re.DOTALL)


@pytest.mark.parametrize("command", [["run", "cmd", "/c", "exit"], ["invalidate"]])
def test_commands_of_unix(command):
    """Catches a command in the help that Windows lacks, and a refusal that does not say so."""
    refused(run(*command), 2, "unknown command", command[0], "Windows")
    assert not re.search(rb"^ +%s " % command[0].encode(), good("--help"), re.MULTILINE)


def test_errors(tmp_path):
    """Catches a wrong exit status, and colours or carriage returns in an error line."""
    refused(run("hex"), 2, "SIZE is required")
    refused(run("hex", "1x"), 2, "SIZE")
    refused(run("shuffle", tmp_path / "none"), 1, "No such file or directory")
    refused(run("shuffle", tmp_path), 1, "Is a directory")


@pytest.mark.parametrize("word", ["-r-", "-r-h", "-r-count=1", "-r-count", "-r-repeat=1", "-r-x", "-r-ä"])
def test_hyphen_after_a_letter(word):
    """Catches a word in which Windows's getopt_long sees a long option, or the end of the options, and the command an unknown one."""
    refused(run("pick", word, "-e", "a"), 2, "unknown option '-")


@pytest.mark.parametrize("word", ["ä€😀", 'a"b', "\\", "a\\\\\"", "", " ", "/x", "*", "[a]", "%PATH%"])
def test_arguments(word):
    """Catches an argument read in the system's code page, taken as an option, split, joined or expanded."""
    assert good("pick", "-e", word) == f"{word}\n".encode()
    assert good("phrase", "2", "--separator", word + "-").count(f"{word}-".encode()) == 1


def test_names_of_files(tmp_path):
    """Catches a file name read in the system's code page."""
    made = tmp_path / "ä€😀.key"
    assert good("hex", 32, "-o", made) == b""
    assert os.listdir(tmp_path) == [made.name]
    assert good("bytes", 100, "--key-file", made) == stream("chacha20", made.read_text().strip(), 100)
    refused(run("phrase", "--list", tmp_path / "ö"), 1, "ö", "No such file")


def test_binary(tmp_path):
    """Catches translated newlines and a Ctrl-Z that ends the input: bytes must be written and read unchanged."""
    expected = Stream.of_seed(42, "chacha8").read(5000)
    assert b"\n" in expected and b"\x1a" in expected and b"\r" in expected
    assert good("stream", "--seed", 42, 5000) == expected
    lines = b"before\x1aafter\n"
    (tmp_path / "lines").write_bytes(lines)
    assert good("shuffle", input=lines, stdin=None) == good("shuffle", tmp_path / "lines") == lines


@pytest.mark.parametrize("command", [["shuffle", "--seed", "5"], ["pick", "-n", "9", "--seed", "5"], ["pick", "-n", "9"]])
def test_ends_of_lines(tmp_path, command):
    """Catches a carriage return at a line's end that becomes part of the line, and one elsewhere that is lost."""
    file = tmp_path / "lines"
    file.write_bytes(b"one\r\ntw\ro\r\n\r\nfour\nfi\r\r\nsix\r")
    found = good(*command, file)
    assert sorted(found.split(b"\n")) == sorted([b"one", b"tw\ro", b"", b"four", b"fi\r", b"six\r", b""])
    if "--seed" in command:
        file.write_bytes(b"one\ntw\ro\n\nfour\nfi\r\r\nsix\r\n")
        assert good(*command, input=file.read_bytes().replace(b"\n", b"\r\n"), stdin=None).count(b"\n") == 6
    file.write_bytes(b"a\r\n\0")
    assert good(*command, "-z", file) == b"a\r\n\0"


def test_list_of_words(tmp_path):
    """Catches a carriage return in a phrase."""
    (tmp_path / "words").write_bytes(b"\xef\xbb\xbfeins\r\nzwei\r\n")
    assert re.fullmatch(rb"(eins|zwei) (eins|zwei)\n", good("phrase", 2, "--list", tmp_path / "words"))


def test_temporary_files(tmp_path):
    """Catches lines that are lost or changed in temporary files, and temporary files that stay."""
    text = b"".join(b"%d\r\n" % i for i in range(20_000))
    (tmp_path / "lines").write_bytes(text)
    (tmp_path / "work").mkdir()
    found = good("shuffle", tmp_path / "lines", "--memory", "100K", "--directory", tmp_path / "work").split(b"\n")
    assert found != text.split(b"\r\n") and sorted(found) == sorted(text.split(b"\r\n"))
    assert os.listdir(tmp_path / "work") == []
    refused(run("shuffle", tmp_path / "lines", "--memory", 1, "--directory", tmp_path / "none"), 1, "none")


def test_seed_file(tmp_path):
    """Catches a seed file that is not replaced, and a warning about the kernel, which accepts no bytes here."""
    file = tmp_path / "ä.seed"
    result = run("seed-file", file)
    assert (result.returncode, result.stdout) == (0, b"") and re.fullmatch(rb"cprng: warning: .*there was no seed file.*\n", result.stderr)
    first = file.read_bytes()
    assert good("seed-file", file) == b"" and len(first) == len(file.read_bytes()) == 64 and first != file.read_bytes()


# -------------------------------------------------------------------------------------------------------------- output


@pytest.fixture
def old(tmp_path):
    """A file that must not be lost."""
    file = tmp_path / "old"
    file.write_bytes(b"kept\n")
    return file


def test_output_file(old):
    """Catches a file with only part of the output, or with rights other than those of the file that it replaces."""
    old.chmod(0o600)
    before = old.stat()
    assert good("bytes", 1_000_000, "-o", old, "--key", KEY) == b""
    assert old.read_bytes() == stream("chacha20", KEY, 1_000_000)
    assert old.stat().st_ino != before.st_ino
    # Checked by wine's translation of the access list.
    assert old.stat().st_mode & stat.S_IRWXO == 0
    good("hex", 1, "-o", "new", cwd=old.parent)
    assert sorted(os.listdir(old.parent)) == ["new", "old"]
    assert good("hex", 1, "-o", "NUL", cwd=old.parent) == b""
    assert good("hex", 1, "-o", "-", cwd=old.parent) != b""
    assert sorted(os.listdir(old.parent)) == ["new", "old"]


@pytest.mark.parametrize("arguments, status, reason", [
    (["bytes", "1E"], 1, "No space left on device"),
    (["shuffle", "none"], 1, "none"),
])  # fmt: skip
def test_failed_output_leaves_the_old_file(old, arguments, status, reason):
    """Catches an old file that a command replaces although it fails."""
    # A command that begins to write would fill the disk.
    refused(run(*arguments, "-o", old, cwd=old.parent, timeout=60), status, reason)
    assert os.listdir(old.parent) == ["old"] and old.read_bytes() == b"kept\n"


@pytest.mark.parametrize("name, reason", [
    ("", "empty"), (".", "Is a directory"), ("sub/", "Is a directory"), ("none/file", "No such file or directory"),
    ("old:stream", "a stream of a file"), ("new:stream", "a stream of a file"),
])  # fmt: skip
def test_impossible_output(old, name, reason):
    """Catches a file that is written although none was named."""
    refused(run("bytes", 10, "-o", name, cwd=old.parent), 1, reason)
    assert os.listdir(old.parent) == ["old"]


def test_protected_file(old):
    """Catches a file that is replaced although its owner has made it read-only."""
    old.chmod(0o444)
    refused(run("bytes", 10, "-o", old), 1, "Permission denied")
    assert old.read_bytes() == b"kept\n"


def test_file_in_use(old):
    """Catches the loss of a file that another program has open, which Windows does not let others replace."""
    with subprocess.Popen([*EMULATOR, "cmd", "/c", f"pause >> {old.name}"], cwd=old.parent, stdin=subprocess.PIPE,
                          stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as holder:  # fmt: skip
        wait_until(lambda: old.stat().st_size > 5)
        refused(run("bytes", 10, "-o", old), 1, "another program has it open")
        holder.communicate(b"\n", TIMEOUT)
    assert old.read_bytes().startswith(b"kept\n") and os.listdir(old.parent) == ["old"]


def test_file_that_is_standard_output(old):
    """Catches the loss of what standard output has written: `cprng hex 1 -o old >> old`."""
    command = os.environ["CPRNG_COMMAND"].replace("/", "\\")
    subprocess.run([*EMULATOR, "cmd", "/c", f"Z:{command} hex 16 -o old >> old"], cwd=old.parent, check=True, timeout=TIMEOUT)
    assert re.fullmatch(b"kept\n" + HEX32, old.read_bytes())


def wait_until(holds):
    """Waits until the condition is true; fails the test if it never is."""
    until = time.monotonic() + TIMEOUT
    while not holds():
        assert time.monotonic() < until
        time.sleep(0.01)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL], ids=["ctrl-c", "ended"])
def test_interrupted_command_leaves_nothing(old, number):
    """Catches a temporary file that stays, or an old file that is lost, when the command is ended."""
    process = start("pick", "-r", "-n", "inf", "-e", "line", "-o", old)
    try:
        wait_until(lambda: any(file.stat().st_size > 1_000_000 for file in old.parent.glob(".cprng-*")))
        process.send_signal(number)
        process.wait(TIMEOUT)
    finally:
        process.kill()
        process.wait()
        process.stderr.close()
    wait_until(lambda: os.listdir(old.parent) == ["old"])
    assert old.read_bytes() == b"kept\n"


def test_closed_pipe_is_quiet():
    """Catches an error when the reader closes the pipe early."""
    process = start("bytes", "inf", stdout=subprocess.PIPE)
    assert len(process.stdout.read(10)) == 10
    process.stdout.close()
    assert (process.wait(TIMEOUT), process.stderr.read()) == (0, b"")
    process.stderr.close()


def test_console():
    """Catches raw bytes written to a console, and text that arrives there in a wrong encoding."""
    result, _ = with_terminal(lambda slave, _: run("bytes", 100, stdin=slave, stdout=slave))
    refused(result, 2, "terminal")
    # wine's console cannot show characters of two UTF-16 units.
    result, shown = with_terminal(lambda slave, _: run("pick", "-e", "ä€", stdin=slave, stdout=slave))
    assert result.returncode == 0 and "ä€" in shown.decode()
