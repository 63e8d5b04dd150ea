# SPDX-License-Identifier: BSD-2-Clause
"""Wrong command lines: status 2, nothing on standard output, and one line that names the error."""

import os

import pytest

from command import ENGINES, refused, run

KEY = "00" * 32
STREAM = ["stream", "--engine", "chacha20", "--key"]


@pytest.mark.parametrize("arguments, culprits", [
    (["frobnicate"], ["unknown command 'frobnicate'"]),
    ([""], ["unknown command ''"]),
    (["--frobnicate"], ["unknown option '--frobnicate'"]),
    (["-x"], ["unknown option '-x'"]),
    (["-n", "5"], ["unknown option '-n'"]),
    (["byets"], ["unknown command 'byets'", "did you mean 'bytes'?"]),
    (["pass"], ["unknown command 'pass'", "did you mean 'password'?"]),
    (["uid"], ["did you mean 'uuid'?"]),
    (["bytes", "--froce", "5"], ["unknown option '--froce'", "did you mean '--force'?"]),
    (["u32", "--bellow=5"], ["unknown option '--bellow'", "did you mean '--below'?"]),
    (["bytes"], ["SIZE", "cprng bytes --help"]),
    (["hex"], ["SIZE", "cprng hex --help"]),
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
    (["stream", "5"], ["--seed is required", "--engine and --key", "cprng bytes"]),
    (["stream", "--key", KEY, "5"], ["--engine is required"]),
    (["stream", "--engine", "chacha20", "5"], ["--key is required"]),
    (["stream", "--engine", "chacha20", "--key", KEY, "--key-file", "x", "5"], ["--key", "--key-file", "exclude"]),
    (["stream", "--engine", "chacha02", "--key", KEY, "5"], ["did you mean 'chacha20'?"]),
    (["bytes", "5", "--hex", "--base64"], ["--hex", "--base64", "exclude"]),
    (["bytes", "5", "--wrap", "7"], ["--wrap", "raw"]),
    (["hex", "5", "--wrap", "-1"], ["--wrap", "negative"]),
    (["hex", "5", "--hex"], ["unknown option '--hex'"]),
    (["bytes", "5", "--strong", "--key", KEY], ["--strong", "--key", "exclude"]),
    (["bytes", "5", "--offset", "1"], ["unknown option '--offset'"]), (["base64", "5", "--yes"], ["unknown option '--yes'"]),
    (["bytes", "--base32", "-o", "/dev/full"], ["SIZE is required", "cprng bytes --help"]),
    (["int"], ["LO"]), (["int", "10"], ["HI", "'cprng int 1 10'", "'cprng int 0 10'"]),
    (["int", "6-1"], ["LO", "6 is more than 1"]), (["int", "1-x"], ["LO", "'x'"]), (["int", "1-6", "7"], ["LO", "'1-6'"]),
    (["int", "2", "1"], ["LO", "HI", "2", "1"]),
    (["int", "x", "1"], ["LO", "'x'", "not a number"]), (["int", "1", "1.5"], ["HI", "'1.5'", "whole number"]),
    (["int", "-9223372036854775809", "1"], ["LO", "less than -2^63"]),
    (["int", "0", "9223372036854775808"], ["HI", "more than 2^63 - 1"]),
    (["int", "0", "0x10"], ["HI", "hexadecimal", "write 16"]),
    (["int", "-0x10", "5"], ["LO", "'-0x10'", "hexadecimal", "write -16"]),
    (["int", "-1,000", "5"], ["LO", "'-1,000'", "separators between its digits: write -1000"]),
    (["int", "-12'345'678", "5"], ["LO", "write -12345678"]),
    (["int", "-1.5", "5"], ["LO", "'-1.5'", "whole number"]), (["int", "-1x", "5"], ["LO", "'-1x'", "whole number"]),
    (["normal", "--mean=-1,000"], ["--mean", "'-1,000'", "separators", "write -1000"]),
    (["normal", "--mean=-0x1F"], ["--mean", "'-0x1F'", "hexadecimal", "write -31"]),
    (["hex", "-1,000"], ["SIZE", "negative"]), (["u32", "--below", "-0x10"], ["--below", "negative"]),
    (["float", "5"], ["unexpected argument '5'"]),
    (["normal", "--mean", "x"], ["--mean", "'x'", "not a number"]), (["normal", "--mean", "inf"], ["--mean", "finite"]),
    (["normal", "--deviation", "-1"], ["--deviation", "negative"]), (["normal", "--mean", ""], ["--mean", "empty"]),
    (["normal", "--mean", "1e999"], ["--mean", "range of a double"]),
    (["dice"], ["DICE"]), (["dice", ""], ["DICE", "empty"]), (["dice", "x"], ["DICE", "'x'", "3d6+2"]),
    (["dice", "3d"], ["DICE", "sides"]), (["dice", "3d0"], ["DICE", "without sides"]), (["dice", "3d6+"], ["DICE", "3d6+2"]),
    (["dice", "3d6 +2"], ["DICE", "' +2'"]), (["dice", "1000001d6"], ["DICE", "1000000 dice"]),
    (["dice", "d4294967297"], ["DICE", "2^32 sides"]), (["dice", "3d6+99999999999"], ["DICE", "2^32"]),
    (["uuid", "1"], ["VERSION", "'1'", "4", "5", "7"]), (["uuid", "5"], ["--namespace", "--name"]),
    (["uuid", "5", "--namespace", "dns"], ["--name"]), (["uuid", "--name", "a"], ["version 5"]), (["uuid", "-7", "--namespace", "dns"], ["version 5"]),
    (["uuid", "5", "--namespace", "dnt", "--name", "a"], ["--namespace", "'dns'"]), (["uuid", "5", "--namespace", "", "--name", "a"], ["--namespace"]),
    (["uuid", "5", "--namespace", "6ba7b810-9dad-11d1-80b4-00c04fd430cg", "--name", "a"], ["--namespace", "hexadecimal"]),
    (["uuid", "5", "--namespace", "dns", "--name", "a", "-n", "2"], ["--count", "version 5"]), (["uuid", "-6"], ["'-6'"]),
    (["uuid", "4", "-7"], ["-4, -5 and -7 exclude"]), (["uuid", "-4", "-7"], ["-4, -5 and -7 exclude"]),
    (["password", "0"], ["LENGTH", "between 1 and 4096"]), (["password", "4097"], ["LENGTH", "between 1 and 4096"]),
    (["password", "x"], ["LENGTH", "'x'"]), (["password", "3", "--bits", "80"], ["LENGTH", "--bits", "exclude"]),
    (["password", "--bits", "0"], ["--bits", "between 1 and 1024"]), (["password", "--bits", "1025"], ["--bits", "1024"]),
    (["password", "--alphabet", "hexx"], ["--alphabet", "'hexx'", "did you mean 'hex'?", "alnum"]),
    (["password", "--characters", ""], ["--characters", "none"]),
    (["password", "--characters", "aba"], ["--characters", "'a' twice"]),
    (["password", "--characters", "ab\u200b"], ["--characters", "U+200B is invisible"]),
    (["password", "--characters", "ae\u0301"], ["--characters", "U+0301 has another form"]),
    (["password", "--characters", "a\n"], ["--characters", "U+000A"]), (["password", "--characters", "a\u212b"], ["--characters", "U+212B"]),
    (["password", "--characters", b"ab\xc3"], ["--characters", "not UTF-8"]), (["password", "--characters", b"\xc1\xa1b"], ["not UTF-8"]),
    (["password", "--characters", b"a\xf8\x90\x80\x80"], ["not UTF-8"]), (["password", "--characters", b"a\xed\xa0\x80"], ["not UTF-8"]),
    (["password", "--characters", "\u00e9a\u00e9"], ["--characters", "'\u00e9' twice"]),
    (["password", "--at-least", "digits"], ["--at-least", "'digits'", "digits=2"]), (["password", "--at-least", ""], ["--at-least"]),
    (["password", "--at-least", "digit=2"], ["--at-least", "'digits'", "others"]), (["password", "--at-least", "digits=0"], ["between 1 and 9"]),
    (["password", "--at-least", "digits=10"], ["between 1 and 9"]), (["password", "--at-least", "digits=2,"], ["--at-least", "''"]),
    (["password", "--at-least", "digits=1,digits=2"], ["digits comes twice"]), (["password", "--at-least", "others=1"], ["none of others"]),
    (["password", "3", "--at-least", "digits=2,upper=2"], ["LENGTH", "3", "4"]),
    (["password", "9", "--at-least", "digits=9"], ["--at-least", "2^20"]),
    (["dice", "4d6k5"], ["DICE", "keeps 5 of 4"]), (["dice", "d6*"], ["DICE", "3d6+2"]), (["dice", "d6/2"], ["DICE", "+, - or *"]),
    (["pick", "-w", "-i", "1-3"], ["--weighted", "--input-range"]),
    (["pick", "-w", "-r", "-n", "inf", "--json", "-e", "a=1"], ["inf", "--json"]),
    (["password", "--characters", "a", "--bits", "10"], ["--characters", "no entropy"]),
    (["password", "--characters", "a", "--alphabet", "hex"], ["--characters", "--alphabet", "exclude"]),
    (["password", "2", "--each"], ["LENGTH", "3 classes"]), (["password", "2", "--length", "2"], ["LENGTH", "--length", "exclude"]),
    (["exponential", "--mean", "-1"], ["--mean", "negative"]), (["exponential", "--mean", "x"], ["--mean", "'x'"]),
    (["hex", "245761", "-n", "2"], ["--count", "up to 245760 bytes"]), (["hex", "-n", "2"], ["SIZE is required"]),
    (["hex", "16", "-n", "18446744073709551615"], ["--count", "2^64"]), (["bytes", "16", "-n", "2"], ["'-n'", "SIZE"]),
    (["password", "-n", "inf", "--json"], ["--count", "inf", "--json"]),
    (["phrase", "0"], ["WORDS", "between 1 and 256"]), (["phrase", "257"], ["WORDS", "256"]),
    (["phrase", "3", "--bits", "80"], ["WORDS", "--bits", "exclude"]),
    (["shuffle", "a", "b"], ["unexpected argument 'b'", "--echo"]), (["pick", "a", "b"], ["unexpected argument 'b'"]),
    (["shuffle", "-r", "-e", "a"], ["--repeat", "--count"]), (["shuffle", "-r", "-n", "inf", "--json", "-e", "a"], ["inf", "--json"]),
    (["pick", "-i", "1-6", "a"], ["--input-range", "FILE"]), (["pick", "-i", "1-6", "-e"], ["--input-range", "--echo"]),
    (["pick", "-i", "6"], ["--input-range", "'6'", "LO-HI"]), (["shuffle", "-i", "6..1"], ["--input-range", "6 is more than 1"]),
    (["shuffle", "-zx"], ["unknown option '-x'"]), (["pick", "-r-h"], ["unknown option '--h'"]), (["pick", "-r="], ["unknown option '-='"]),
    (["pick", "-r=5"], ["unknown option '-=...'"]), (["--help=1"], ["--help takes no value"]), (["hex", "--help=1"], ["--help takes no value"]),
    (["u32", "--", "--"], ["unexpected argument '--'"]), (["shuffle", "--memory", "x"], ["--memory", "'x'"]), (["pick", "-n", "x"], ["--count", "'x'"]),
    (["completion"], ["SHELL"]), (["completion", "zhs"], ["SHELL", "did you mean 'zsh'?", "fish"]),
    (["stream", "--engine", "chacha20", "--key", KEY], ["SIZE is required"]),
    (["stream", "--engine"], ["--engine", "needs a value"]),
])  # fmt: skip
def test_command_line(arguments, culprits):
    """Catches a wrong command, option or argument that is accepted, or refused without its name."""
    refused(run(*arguments), 2, *culprits)


@pytest.mark.parametrize("arguments, culprits", [
    (["-hex", "16"], ["unknown option '-hex'", "cprng hex"]), (["bytes", "16", "-hex"], ["'-hex'; did you mean '--hex'?"]),
    (["password", "-hv"], ["-h stands alone"]), (["password", "-vh"], ["-h stands alone"]), (["-Vh"], ["stands alone"]),
    (["-VV"], ["-V stands alone"]), (["frobnicate", "--help"], ["unknown command 'frobnicate'"]),
    (["frobnicate", "-h"], ["'frobnicate'"]), (["frobnicate", "--version"], ["'frobnicate'"]),
    (["--help", "frobnicate"], ["'frobnicate'"]), (["--version", "frobnicate"], ["'frobnicate'"]),
    (["bytes", "5", "6", "--help"], ["unexpected argument '6'"]), (["bytes", "--help", "--frobnicate"], ["'--frobnicate'"]),
    (["help", "frobnicate"], ["unknown command 'frobnicate'"]), (["help", "bytes", "hex"], ["'hex'"]), (["version", "5"], ["'5'"]),
    (["bytes", "16", "-output", "x"], ["unknown option '-output'", "'--output'"]), (["hex", "4", "-out=x"], ["'-out'", "'--output'"]),
])  # fmt: skip
def test_no_help_beside_an_error(arguments, culprits, tmp_path):
    """Catches help, a version or a file caused by half an option in a script's request for something else: KEY=$(cprng
    rand -hex 16)."""
    refused(run(*arguments, cwd=tmp_path), 2, *culprits)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("typed, hint", [
    ("rand -hex 16", "write cprng bytes SIZE, or cprng hex SIZE"), ("openssl rand -base64 32", "cprng base64 SIZE"),
    ("rand --help", "write cprng bytes"), ("shuf -n 3 -e a b", "write cprng shuffle"), ("pwgen 20 5", "write cprng password"),
    ("uuidgen -t", "write cprng uuid"), ("--base64 32", "write cprng base64"), ("bytes -n 16", "SIZE only"),
    ("shuffle --random-source=x -e a", "write --seed SEED"), ("shuffle --head-count=1 -e a", "write -n COUNT"),
    ("password -y 20", "write --alphabet graph"), ("password -B", "write --alphabet clear"), ("uuid -t", "write -7"),
    ("uuid --random", "write -4"), ("hex 16 --out key", "write -o FILE"), ("int 1 6 3", "-n COUNT"), ("float 5", "-n COUNT prints several"),
    ("hex 16 5", "-n COUNT prints several"), ("normal 100 15", "--mean sets the mean"),
])  # fmt: skip
def test_habits(typed, hint, tmp_path):
    """Catches a command line of openssl rand, shuf, pwgen or uuidgen that is refused without naming the equivalent command."""
    refused(run(*typed.split(), cwd=tmp_path), 2, hint)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name, shown", [
    (b"\xc2\x80\xc2\x9b31m\xc2\x9f", b"\\xc2\\x80\\xc2\\x9b31m\\xc2\\x9f"), (b"\x9b31m", b"\\x9b31m"),
    (b"\xe9\x9b31m", b"\xe9\\x9b31m"), (b"a\xc2", b"a\xc2"), (b"\x1b[31m\x7f", b"\\x1b[31m\\x7f"),
    ("\u00a0\u00db\u0440\u2019\U0001f6df".encode(), "\u00a0\u00db\u0440\u2019\U0001f6df".encode()),
])  # fmt: skip
def test_control_characters(name, shown):
    """Catches a control character that a terminal obeys: of ASCII, or U+0080 to U+009F, encoded or as a byte; and a letter
    that is not shown because its encoding has such a byte."""
    result = run("shuffle", os.fsdecode(b"./" + name))
    assert (result.returncode, result.stderr) == (1, b"cprng: './" + shown + b"': No such file or directory\n")


# Errors name options by their long form, and operands by their names in the help.
COUNTED = ["u8", "u16", "u32", "u64", "float", "normal", "uuid", "password", "phrase", "pick"]
NOT_NUMBERS = [
    ("", "empty"), ("x", "not a number"), ("-1", "negative"), ("+5", "not a number"),
    ("0x5", "hexadecimal; numbers are decimal: write 5"), ("0X1f", "write 31"),
    ("1e3", "exponent: write 1000"), ("1.5E+3", "exponent: write 1500"),
    ("1,000", "separators between its digits: write 1000"), ("1_000_000", "write 1000000"), ("12'345", "write 12345"),
    ("18446744073709551616", "more than"),
]  # fmt: skip


@pytest.mark.parametrize("command", COUNTED)
@pytest.mark.parametrize("text, reason", [*NOT_NUMBERS, ("1.5", "fraction"), ("5x", "unit 'x'"), ("5 ", "unit")])
def test_count(command, text, reason):
    """Catches an invalid count that is accepted, and a message that names another argument."""
    refused(run(command, "-n", text), 2, "--count", f"'{text}'", reason)


@pytest.mark.parametrize("command", ["u8", "u16", "u32", "u64"])
@pytest.mark.parametrize("text, reason", [
    *NOT_NUMBERS, ("1.5", "whole number"), ("5x", "whole number"), ("1KiB", "whole number"), ("1K", "whole number"),
    ("5 ", "whole number"), ("inf", "not a number"),
])  # fmt: skip
def test_below(command, text, reason):
    """Catches a bound that is accepted although it is no whole 64-bit number."""
    refused(run(command, "--below", text), 2, "--below", f"'{text}'", reason)


@pytest.mark.parametrize("arguments, culprits", [
    (["u8", "--below", "257"], ["257", "more than 256"]), (["u16", "--below", "65537"], ["65537", "more than 65536"]),
    (["u32", "--below", "0"], ["below 0"]),
    (["u64", "--below", "0"], ["below 0"]),
    (["u32", "--below", "00"], ["below 0"]),
    (["u32", "--below", "4294967297"], ["4294967297", "more than 4294967296"]),
    (["u32", "--below", "18446744073709551615"], ["18446744073709551615", "more than 4294967296"]),
])  # fmt: skip
def test_bound(arguments, culprits):
    """Catches a bound of 0 or above the width that is accepted, even if no number is drawn."""
    refused(run(*arguments), 2, "--below", *culprits)
    refused(run(*arguments, "-n", "0"), 2, "--below", *culprits)


@pytest.mark.parametrize("name", [
    "rot13", "", "ChaCha20", "chacha", "chacha20 ", "chacha2", "aes-256-ctr", "salsa20-20",
])  # fmt: skip
def test_engine(name):
    """Catches an engine accepted by part of its name or in other case, and a refusal without the list."""
    refused(run("stream", "--engine", name, "--key", KEY, "5"), 2, "--engine", f"'{name}'", *ENGINES)


@pytest.mark.parametrize("text, culprits", [
    ("0", ["odd", "1"]), ("0" * 63, ["odd", "63"]),
    ("g" + "0" * 63, ["'g'", "position 1 "]), ("0" * 63 + "x", ["'x'", "position 64"]),
    ("0x" + KEY, ["'x'", "position 2"]),
    ("00 00", ["' '", "position 3"]), ("00:00", ["':'", "position 3"]), ("0\n", ["byte 0x0a", "position 2"]),
    ("00\u00e9", ["byte 0xc3", "position 3"]), ("--nonce", ["'-'", "position 1"]), ("0G", ["'G'", "position 2"]),
])  # fmt: skip
def test_hexadecimal(text, culprits):
    """Catches a key or nonce with a skipped character, and a refusal that names another place."""
    refused(run(*STREAM, text, "5"), 2, "--key", *culprits)
    refused(run(*STREAM, KEY, "--nonce", text, "5"), 2, "--nonce", *culprits)


def test_key_is_not_repeated():
    """Catches a key in a message: standard error may be a log file."""
    result = run(*STREAM, "a1b2c3d4" * 7 + "a1b2c3dz", "5")
    refused(result, 2, "'z'", "position 64")
    assert b"a1b2" not in result.stderr


@pytest.mark.parametrize("typed, shown", [
    ("--kye=A1B2C3", "'--kye'; did you mean '--key'?"), ("--kyeA1B2C3", "'--kye...'"), ("--keyA1B2C3", "'--key...'"),
    ("--keyA1", "'--key...'; did you mean '--key'?"), ("--=A1B2C3", "'--'"), ("-kA1B2C3", "'-k...'"), ("-k=A1B2C3", "'-k'"),
    ("-key=A1B2C3", "'-key'; did you mean '--key'?"), ("-\u00e4A1B2C3", "'-\u00e4...'"), ("--force=A1B2C3", "--force"),
    ("--json=A1B2C3", "'--json'"),
])  # fmt: skip
@pytest.mark.parametrize("place", [[], ["bytes", "5"], ["bytes"], ["password", "-v"]], ids=["alone", "behind", "before", "other"])
def test_value_of_an_unknown_option_is_not_repeated(typed, shown, place):
    """Catches a message with the text after a mistyped option, which may be a key."""
    result = run(*place, typed)
    refused(result, 2)
    assert b"A1" not in result.stderr
    if place == ["bytes", "5"]:
        assert shown in result.stderr.decode()


@pytest.mark.parametrize("engine, taken, wrong", [
    ("chacha20", "16 or 32", [0, 1, 15, 17, 24, 31, 33, 64]), ("chacha12", "16 or 32", [31]),
    ("chacha8", "16 or 32", [31]),
    ("salsa20", "16 or 32", [8, 24, 31]), ("salsa20-12", "16 or 32", [31]), ("salsa20-8", "16 or 32", [31]),
    ("aes256-ctr", "32", [0, 16, 24, 31, 33]), ("aes128-ctr", "16", [0, 15, 17, 24, 32]),
])  # fmt: skip
def test_key_length(engine, taken, wrong):
    """Catches a key that is truncated or padded to a valid length."""
    for length in wrong:
        result = run("stream", "--engine", engine, "--key", "00" * length, "5")
        refused(result, 2, "--key", engine, f"of {taken} bytes, not {length}")


@pytest.mark.parametrize("engine, key, taken, wrong", [
    ("chacha20", 32, "8 or 12", [0, 1, 7, 9, 11, 13, 16, 24]), ("chacha8", 32, "8 or 12", [16]),
    ("salsa20", 32, "8", [0, 7, 12, 16]), ("salsa20-8", 32, "8", [12]),
    ("aes256-ctr", 32, "16", [0, 8, 12, 15, 17]), ("aes128-ctr", 16, "16", [12]),
])  # fmt: skip
def test_nonce_length(engine, key, taken, wrong):
    """Catches a nonce that is truncated or padded to a valid length."""
    for length in wrong:
        result = run("stream", "--engine", engine, "--key", "00" * key, "--nonce", "00" * length, "5")
        refused(result, 2, "--nonce", engine, f"of {taken} bytes, not {length}")
