# SPDX-License-Identifier: BSD-2-Clause
"""Wrong command lines: status 2, nothing on standard output, one line that names what was wrong."""

import pytest

from command import ENGINES, refused, run

KEY = "00" * 32
STREAM = ["stream", "--engine", "chacha20", "--key"]


@pytest.mark.parametrize("arguments, culprits", [
    ([], ["command is missing", "cprng --help"]),
    (["frobnicate"], ["unknown command 'frobnicate'"]),
    ([""], ["unknown command ''"]),
    (["--frobnicate"], ["unknown option '--frobnicate'"]),
    (["-x"], ["unknown option '-x'"]),
    (["-n", "5"], ["unknown option '-n'"]),
    (["bytes"], ["SIZE", "cprng bytes --help"]),
    (["bytes", "--frobnicate", "5"], ["unknown option '--frobnicate'"]),
    (["bytes", "--frobnicate"], ["unknown option '--frobnicate'"]),
    (["bytes", "5", "6"], ["unexpected argument '6'"]),
    (["bytes", "5", "u32"], ["unexpected argument 'u32'"]),
    (["bytes", "5", "line\nfeed"], ["line\\x0afeed"]),
    (["bytes", "5", "-o"], ["-o", "needs a value"]),
    (["bytes", "5", "-o", "a", "-o", "b"], ["-o", "more than once"]),
    (["bytes", "--force=no", "5"], ["--force", "takes no value"]),
    (["bytes", "5", "--json"], ["'--json'"]),
    (["bytes", "--version"], ["'--version'"]),
    (["bytes", "--strong=yes", "5"], ["--strong", "takes no value"]),
    (["seed-file"], ["FILE", "cprng seed-file --help"]),
    (["seed-file", "--no-kernel"], ["FILE", "cprng seed-file --help"]),
    (["seed-file", "a", "b"], ["unexpected argument 'b'"]),
    (["seed-file", "--no-kernel=yes", "a"], ["--no-kernel", "takes no value"]),
    (["seed-file", "--kernel", "a"], ["unknown option '--kernel'"]),
    (["u32", "5"], ["unexpected argument '5'"]),
    (["u32", "-n"], ["-n", "needs a value"]),
    (["u32", "--below"], ["--below", "needs a value"]),
    (["u32", "-n", "1", "-n", "2"], ["-n", "more than once"]),
    (["info", "all"], ["unexpected argument 'all'"]),
    (["info", "--json=yes"], ["--json", "takes no value"]),
    (["info", "--xml"], ["unknown option '--xml'"]),
    (["selftest", "chacha20"], ["unexpected argument 'chacha20'"]),
    (["stream", "5"], ["--engine is required"]),
    (["stream", "--key", KEY, "5"], ["--engine is required"]),
    (["stream", "--engine", "chacha20", "5"], ["--key is required"]),
    (["stream", "--engine", "chacha20", "--key", KEY], ["SIZE is required"]),
    (["stream", "--engine"], ["--engine", "needs a value"]),
])  # fmt: skip
def test_command_line(arguments, culprits):
    """Catches a wrong command, option or argument that is taken, or refused without its name."""
    refused(run(*arguments), 2, *culprits)


@pytest.mark.parametrize("command", ["u32", "u64"])
@pytest.mark.parametrize("option, name", [("-n", "COUNT"), ("--count", "COUNT"), ("--below", "--below")])
@pytest.mark.parametrize("text, reason", [
    ("", "empty"), ("x", "not a number"), ("-1", "negative"), ("1.5", "whole number"), ("5x", "whole number"),
    ("1KiB", "whole number"), ("0x5", "whole number"), ("5 ", "whole number"), ("+5", "not a number"),
    ("18446744073709551616", "more than"),
])  # fmt: skip
def test_number(command, option, name, text, reason):
    """Catches a COUNT or bound that is no whole number of 64 bits and is taken for one."""
    refused(run(command, option, text), 2, name, f"'{text}'", reason)


@pytest.mark.parametrize("arguments, culprits", [
    (["u32", "--below", "0"], ["below 0"]),
    (["u64", "--below", "0"], ["below 0"]),
    (["u32", "--below", "00"], ["below 0"]),
    (["u32", "--below", "4294967297"], ["4294967297", "more than 4294967296"]),
    (["u32", "--below", "18446744073709551615"], ["18446744073709551615", "more than 4294967296"]),
])  # fmt: skip
def test_bound(arguments, culprits):
    """Catches a bound of 0 or above the width that is taken, also where no number is drawn."""
    refused(run(*arguments), 2, "--below", *culprits)
    refused(run(*arguments, "-n", "0"), 2, "--below", *culprits)


@pytest.mark.parametrize("name", [
    "rot13", "", "ChaCha20", "chacha", "chacha20 ", "chacha2", "aes-256-ctr", "salsa20-20",
])  # fmt: skip
def test_engine(name):
    """Catches an engine that is taken by a part of its name or in other case, and a refusal without the list."""
    refused(run("stream", "--engine", name, "--key", KEY, "5"), 2, "--engine", f"'{name}'", *ENGINES)


@pytest.mark.parametrize("text, culprits", [
    ("0", ["odd", "1"]), ("0" * 63, ["odd", "63"]),
    ("g" + "0" * 63, ["'g'", "position 1 "]), ("0" * 63 + "x", ["'x'", "position 64"]),
    ("0x" + KEY, ["'x'", "position 2"]),
    ("00 00", ["' '", "position 3"]), ("00:00", ["':'", "position 3"]), ("0\n", ["byte 0x0a", "position 2"]),
    ("00\u00e9", ["byte 0xc3", "position 3"]), ("--nonce", ["'-'", "position 1"]), ("0G", ["'G'", "position 2"]),
])  # fmt: skip
def test_hexadecimal(text, culprits):
    """Catches a key or nonce with a character that is skipped, and a refusal that names another place."""
    refused(run(*STREAM, text, "5"), 2, "--key", *culprits)
    refused(run(*STREAM, KEY, "--nonce", text, "5"), 2, "--nonce", *culprits)


def test_key_is_not_repeated():
    """Catches a key that stands in a message: standard error may be a log file."""
    result = run(*STREAM, "a1b2c3d4" * 7 + "a1b2c3dz", "5")
    refused(result, 2, "'z'", "position 64")
    assert b"a1b2" not in result.stderr


@pytest.mark.parametrize("engine, taken, wrong", [
    ("chacha20", "16 or 32", [0, 1, 15, 17, 24, 31, 33, 64]), ("chacha12", "16 or 32", [31]),
    ("chacha8", "16 or 32", [31]),
    ("salsa20", "16 or 32", [8, 24, 31]), ("salsa20-12", "16 or 32", [31]), ("salsa20-8", "16 or 32", [31]),
    ("aes256-ctr", "32", [0, 16, 24, 31, 33]), ("aes128-ctr", "16", [0, 15, 17, 24, 32]),
])  # fmt: skip
def test_key_length(engine, taken, wrong):
    """Catches a key that is cut or padded to a length that the engine takes."""
    for length in wrong:
        result = run("stream", "--engine", engine, "--key", "00" * length, "5")
        refused(result, 2, "--key", engine, f"of {taken} bytes, not {length}")


@pytest.mark.parametrize("engine, key, taken, wrong", [
    ("chacha20", 32, "8 or 12", [0, 1, 7, 9, 11, 13, 16, 24]), ("chacha8", 32, "8 or 12", [16]),
    ("salsa20", 32, "8", [0, 7, 12, 16]), ("salsa20-8", 32, "8", [12]),
    ("aes256-ctr", 32, "16", [0, 8, 12, 15, 17]), ("aes128-ctr", 16, "16", [12]),
])  # fmt: skip
def test_nonce_length(engine, key, taken, wrong):
    """Catches a nonce that is cut or padded to a length that the engine takes."""
    for length in wrong:
        result = run("stream", "--engine", engine, "--key", "00" * key, "--nonce", "00" * length, "5")
        refused(result, 2, "--nonce", engine, f"of {taken} bytes, not {length}")
