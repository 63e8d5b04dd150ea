# SPDX-License-Identifier: BSD-2-Clause
"""Sizes on the command line."""

import pytest

from command import good, refused, run, stream

KEY = "00" * 32

UNITS = {
    "": 1, "B": 1,
    "kB": 10**3, "KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12, "PB": 10**15, "EB": 10**18,
    "KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "TiB": 2**40, "PiB": 2**50, "EiB": 2**60,
}  # fmt: skip


@pytest.mark.parametrize("text, size", [
    ("0", 0), ("0EiB", 0), ("1", 1), ("7B", 7), ("007", 7), ("4096", 4096), ("64KiB", 65536), ("64kB", 64000),
    ("64KB", 64000), ("1MB", 10**6), ("1MiB", 2**20), ("262143", 262143), ("262144", 262144), ("262145", 262145),
])  # fmt: skip
def test_size(text, size):
    """Catches a SIZE that gives one byte more or less, about the ends of the buffer too."""
    assert len(good("bytes", text)) == size
    assert len(good("bytes", "--strong", text)) == size
    assert len(stream("chacha8", KEY, text)) == size


@pytest.mark.parametrize("unit", UNITS)
def test_every_unit(unit):
    """Catches a unit with another factor.

    As an offset, because a stream goes to 2^64 - 1 without being read.
    """
    assert stream("chacha8", KEY, 32, offset=f"3{unit}") == stream("chacha8", KEY, 32, offset=str(3 * UNITS[unit]))


@pytest.mark.parametrize("text", ["15EiB", "18EB", "18446744073709551615", "18446744073709551615B"])
def test_largest(text):
    """Catches a size below 2^64 that overflows."""
    assert stream("chacha8", KEY, 0, offset=text) == b""


@pytest.mark.parametrize("text, reason", [
    ("", "empty"), ("-1", "negative"), ("-1KiB", "negative"), ("-0", "negative"),
    ("1.5GiB", "fraction"), ("1,5GiB", "fraction"), ("1.", "fraction"), (".5", "not a number"),
    ("KiB", "not a number"), ("x", "not a number"), ("+1", "not a number"), (" 1", "not a number"),
    ("-", "not a number"),
    ("1K", "'K'"), ("1k", "'k'"), ("1kib", "'kib'"), ("1kiB", "'kiB'"), ("1mb", "'mb'"), ("1 KiB", "' KiB'"),
    ("1KiBs", "'KiBs'"), ("1ZiB", "'ZiB'"), ("0x10", "'x10'"), ("1e6", "'e6'"), ("1\n", "unit"), ("1B1", "'B1'"),
    ("18446744073709551616", "more than"), ("16EiB", "more than"), ("19EB", "more than"),
    ("18014398509481984KiB", "more than"), ("99999999999999999999999999", "more than"),
    ("99999999999999999999999999KiB", "more than"),
])  # fmt: skip
def test_bad_size(text, reason):
    """Catches a size that is no size and is taken for one."""
    shown = text.replace("\n", "\\x0a")
    arguments = ["stream", "--engine", "chacha20", "--key", KEY]
    # What is written all the same fails at once: a pipe would collect exabytes.
    with open("/dev/full", "wb") as full:
        refused(run("bytes", text, stdout=full), 2, "SIZE", f"'{shown}'", reason)
        refused(run(*arguments, "--offset", text, "1", stdout=full), 2, "--offset", reason)
        refused(run(*arguments, text, stdout=full), 2, "SIZE", reason)


def test_long_argument_is_shortened():
    """Catches a message as long as the argument."""
    result = run("bytes", "1" + "q" * 5000)
    refused(result, 2, "qqq...'")
    assert len(result.stderr) < 400
