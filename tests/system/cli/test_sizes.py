# SPDX-License-Identifier: BSD-2-Clause
"""Sizes on the command line."""

import subprocess

import pytest

from command import ends_quietly, good, refused, run, start, stream

KEY = "00" * 32

UNITS = {
    "": 1, "B": 1,
    "kB": 10**3, "KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12, "PB": 10**15, "EB": 10**18,
    "K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40, "P": 2**50, "E": 2**60,
    "KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "TiB": 2**40, "PiB": 2**50, "EiB": 2**60,
}  # fmt: skip


@pytest.mark.parametrize("text, size", [
    ("0", 0), ("0EiB", 0), ("1", 1), ("7B", 7), ("007", 7), ("4096", 4096), ("64KiB", 65536), ("64kB", 64000),
    ("64KB", 64000), ("64K", 65536), ("1M", 2**20), ("1MB", 10**6), ("1MiB", 2**20), ("262143", 262143), ("262144", 262144), ("262145", 262145),
])  # fmt: skip
def test_size(text, size):
    """Catches a SIZE that gives one byte more or less, also near the buffer's ends."""
    assert len(good("bytes", text)) == size
    assert len(good("bytes", "--strong", text)) == size
    assert len(stream("chacha8", KEY, text)) == size


@pytest.mark.parametrize("unit", UNITS)
def test_every_unit(unit):
    """Catches a unit with a wrong factor.

    As an offset, because a stream goes to 2^64 - 1 without being read.
    """
    assert stream("chacha8", KEY, 32, offset=f"3{unit}") == stream("chacha8", KEY, 32, offset=str(3 * UNITS[unit]))


@pytest.mark.parametrize("text", ["15EiB", "18EB", "18446744073709551615", "18446744073709551615B"])
def test_largest(text):
    """Catches a size below 2^64 that overflows."""
    assert stream("chacha8", KEY, 0, offset=text) == b""


@pytest.mark.parametrize("text, reason", [
    ("", "empty"), ("-1", "negative"), ("-1KiB", "negative"), ("-0", "negative"),
    ("1.5GiB", "fraction"), ("1,5GiB", "fraction"), ("1,000", "separators between its digits: write 1000"), ("1,0000", "fraction"), ("1.", "fraction"), (".5", "not a number"),
    ("KiB", "not a number"), ("x", "not a number"), ("+1", "not a number"), (" 1", "not a number"),
    ("-", "not a number"),
    ("1k", "'k'"), ("16b", "512 bytes in head(1); did you mean 'B'? Write 16B, or 8192"), ("18446744073709551615b", "'b'"), ("1kib", "'kib'; did you mean 'KiB'?"), ("1kiB", "'kiB'; did you mean 'KiB'?"), ("1mb", "'mb'; did you mean 'MB'?"), ("1 KiB", "' KiB'"),
    ("1KiBs", "'KiBs'"), ("1ZiB", "'ZiB'"), ("0x10", "is hexadecimal; numbers are decimal: write 16"), ("0x", "'x'"), ("0xg", "'xg'"), ("Inf", "not a number"), ("1e6", "has an exponent: write 1000000"), ("1.5E+3", "write 1500"), ("0e0", "write 0"), ("1e3x", "'e3x'"),
    ("1.25e1", "fraction"), ("1e20", "'e20'"), ("1e19", "write 10000000000000000000"), ("1Ki", "write 1K"), ("2Mi", "write 2M"), ("3ki", "write 3K"), ("1Zi", "'Zi'"), ("1\n", "unit"), ("1B1", "'B1'"),
    ("18446744073709551616", "more than"), ("16EiB", "more than"), ("19EB", "more than"),
    ("18014398509481984KiB", "more than"), ("99999999999999999999999999", "more than"),
    ("99999999999999999999999999KiB", "more than"),
])  # fmt: skip
def test_bad_size(text, reason):
    """Catches an invalid size that is accepted."""
    shown = text.replace("\n", "\\x0a")
    arguments = ["stream", "--engine", "chacha20", "--key", KEY]
    # If it writes anything it fails at once: a pipe would collect exabytes.
    with open("/dev/full", "wb") as full:
        refused(run("bytes", text, stdout=full), 2, "SIZE", f"'{shown}'", reason)
        refused(run(*arguments, "--offset", text, "1", stdout=full), 2, "--offset", reason)
        refused(run(*arguments, text, stdout=full), 2, "SIZE", reason)


@pytest.mark.parametrize("unit", ["K", "KiB", "KB"])
def test_counts_have_units(unit):
    """Catches a count whose unit differs from head(1)'s."""
    assert good("u8", "-n", f"3{unit}").count(b"\n") == 3 * UNITS[unit]
    assert len(good("pick", "-n", f"1{unit}", "--echo", *range(2000)).split()) == UNITS[unit]


@pytest.mark.parametrize("arguments", [["bytes", "inf"], ["hex", "inf"], ["hex", 16, "-n", "inf"], ["u8", "-n", "inf"], ["uuid", "-n", "inf"],
                                       ["password", "-n", "inf"]])
def test_endless(arguments):
    """Catches an output that ends before its reader goes, after more than any buffer holds."""
    process = start(*arguments, stdout=subprocess.PIPE)
    assert len(process.stdout.read(2**22)) == 2**22
    ends_quietly(process)


def test_long_argument_is_shortened():
    """Catches a message as long as the argument."""
    result = run("bytes", "1" + "q" * 5000)
    refused(result, 2, "qqq...'")
    assert len(result.stderr) < 400
