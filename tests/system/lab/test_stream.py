# SPDX-License-Identifier: BSD-2-Clause
"""cprng-lab keystream: the published answers, the models of tests/vectors/lab_models.py, and refusals.

CPRNG_LAB   path of cprng-lab
"""

import json
import os
import pathlib
import random
import subprocess
import sys

import pytest

from commands import TIMEOUT, line, refused, run, terminal

VECTORS = pathlib.Path(__file__).parents[2] / "vectors"
sys.path.insert(0, str(VECTORS))
import lab_models  # noqa: E402 pylint: disable=wrong-import-position,import-error

# Key sizes to try, and the nonce's size.
SIZES = {"rc4": ([5, 16, 33, 256], 0), "hc128": ([16], 16), "lcg": ([8], 0), "lfsr": ([4], 0),
         "xoshiro256pp": ([32], 0)}  # fmt: skip


def stream(engine, key, nonce, offset, length):
    options = ["--engine", engine, "--key", key]
    if nonce:
        options += ["--nonce", nonce]
    if offset:
        options += ["--offset", offset]
    result = subprocess.run(line("keystream", *options, length), check=False, capture_output=True, timeout=TIMEOUT,
                            stdin=subprocess.DEVNULL)
    assert (result.returncode, result.stderr) == (0, b"")
    return result.stdout.hex()


def published():
    text = (VECTORS / "lab-stream-ciphers.json").read_text(encoding="utf-8")
    return json.loads(text)["vectors"]


def test_published_answers():
    """Catches RC4 or HC-128 with another output than published."""
    vectors = published()
    assert {v["algorithm"] for v in vectors} == {"rc4", "hc128"} and len(vectors) == 126 + 40
    for v in vectors:
        got = stream(v["algorithm"], v["key"], v["nonce"], v.get("offset", 0), v["length"])
        assert got == v["keystream"], v["comment"]


@pytest.mark.parametrize("engine", SIZES)
def test_models(engine):
    """Catches an engine that fails after a wrap of its table or buffer, or at an offset.

    Other keys, across the wrap of every table and of the buffer of 64 KiB.
    """
    chance = random.Random(1)
    key_sizes, nonce_size = SIZES[engine]
    for size in key_sizes:
        key, nonce = chance.randbytes(size), chance.randbytes(nonce_size)
        for offset, length in ((0, 70001), (4097, 5), (65537, 300)):
            expected = lab_models.keystream(engine, key, nonce, offset, length)
            assert stream(engine, key.hex(), nonce.hex(), offset, length) == expected.hex(), (size, offset)


@pytest.mark.parametrize("engine", ["lfsr", "xoshiro256pp"])
def test_key_of_zeros(engine):
    """Catches an accepted all-zero key, from which these engines would return only zeros.

    From which they would give nothing but zeros.
    """
    key = bytes(SIZES[engine][0][0])
    assert stream(engine, key.hex(), "", 0, 64) == lab_models.keystream(engine, key, b"", 0, 64).hex() != 64 * "00"


def test_nonce_is_zeros_unless_given():
    """Catches a nonce that is ignored, and a missing one that is not zeros."""
    key = bytes(range(16)).hex()
    assert stream("hc128", key, "", 0, 64) == stream("hc128", key, 16 * "00", 0, 64)
    assert stream("hc128", key, "", 0, 64) != stream("hc128", key, 15 * "00" + "01", 0, 64)


KEY = 16 * "a5"


@pytest.mark.parametrize("size, length", [("0", 0), ("7B", 7), ("2kB", 2000), ("2KB", 2000), ("2KiB", 2048), ("1MB", 10**6)])
def test_sizes(size, length):
    """Catches a unit with a wrong factor."""
    assert len(stream("lcg", 8 * "a5", "", 0, size)) == 2 * length
    assert stream("lcg", 8 * "a5", "", size, 9) == stream("lcg", 8 * "a5", "", length, 9)


@pytest.mark.parametrize("arguments, culprits", [
    ([], ["--engine"]),
    (["--engine", "rc4", "16"], ["--key"]),
    (["--engine", "rc4", "--key", KEY], ["SIZE"]),
    (["--engine", "chacha20", "--key", KEY, "16"], ["--engine", "chacha20", "rc4 hc128", "cprng stream"]),
    (["--engine", "rc4", "--key", "a5a5a5a5", "16"], ["--key", "rc4", "5 to 256", "not 4"]),
    (["--engine", "rc4", "--key", 257 * "a5", "16"], ["--key", "5 to 256", "not 257"]),
    (["--engine", "hc128", "--key", KEY + "a5", "16"], ["--key", "hc128", "16 bytes", "not 17"]),
    (["--engine", "hc128", "--key", KEY, "--nonce", "a5", "16"], ["--nonce", "16 bytes", "not 1"]),
    (["--engine", "hc128", "--key", KEY, "--nonce", "", "16"], ["--nonce", "16 bytes", "not 0"]),
    (["--engine", "rc4", "--key", KEY, "--nonce", KEY, "16"], ["--nonce", "0 bytes", "not 16"]),
    (["--engine", "rc4", "--key", KEY + "a", "16"], ["--key", "odd", "33"]),
    (["--engine", "rc4", "--key", KEY[:-1] + "x", "16"], ["--key", "position 32"]),
    (["--engine", "rc4", "--key", "x" + KEY[1:], "16"], ["--key", "position 1 "]),
    (["--engine", "rc4", "--key", KEY, "3parsecs"], ["SIZE", "parsecs"]),
    (["--engine", "rc4", "--key", KEY, "--offset", "-1", "16"], ["--offset", "-1"]),
    (["--engine", "rc4", "--key", KEY, "-1"], ["-1"]),
    (["--engine", "rc4", "--key", KEY, "16777216TiB"], ["SIZE", "2^64 - 1"]),
    (["--engine", "rc4", "--key", KEY, "18446744073709551616"], ["SIZE", "2^64 - 1"]),
    (["--engine", "rc4", "--key", KEY, "1iB"], ["SIZE", "iB"]),
    (["--engine", "rc4", "--key", KEY, "16", "17"], ["17"]),
])  # fmt: skip
def test_bad_command_line(arguments, culprits):
    """Catches a wrong command line that is accepted, and a key in a message."""
    result = run("keystream", *arguments)
    refused(result, 2, *culprits)
    assert "a5a5a5" not in result.stderr, "a key in a log"


def test_terminal_is_spared():
    """Catches raw bytes that are written to a terminal without --force."""
    ours, theirs = terminal()
    command = line("keystream", "--engine", "rc4", "--key", KEY)
    for more, status in (([], 2), (["--force"], 0)):
        result = subprocess.run([*command, *more, "8"], check=False, stdout=theirs, stderr=subprocess.PIPE,
                                timeout=TIMEOUT)
        assert result.returncode == status and (b"terminal" in result.stderr) == (status == 2)
    os.close(theirs)
    os.close(ours)


def test_closed_pipe_is_no_error():
    """Catches an error after the reader has closed the pipe."""
    with subprocess.Popen(line("keystream", "--engine", "rc4", "--key", KEY, "1GB"), stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE) as process:
        assert len(process.stdout.read(1000)) == 1000
        process.stdout.close()
        assert (process.wait(timeout=TIMEOUT), process.stderr.read()) == (0, b"")


def test_full_output():
    """Catches a failed write that is reported as success."""
    with open("/dev/full", "wb") as full:
        result = subprocess.run(line("keystream", "--engine", "hc128", "--key", KEY, "64"), check=False, stdout=full,
                                stderr=subprocess.PIPE, text=True, timeout=TIMEOUT)
    refused_text = "cprng-lab: cannot write to standard output: No space left on device\n"
    assert (result.returncode, result.stderr) == (1, refused_text)
