# SPDX-License-Identifier: BSD-2-Clause
"""Random bytes as text: the same bytes as raw output, in the encodings of RFC 4648."""

import base64
import re
import subprocess

import pytest

from command import ends_quietly, good, start, stream

KEY = bytes(range(32)).hex()

FORMS = {
    "hex": lambda data: data.hex().encode(),
    "base32": base64.b32encode,
    "base64": base64.b64encode,
    # Without padding, which a URL would have to escape.
    "base64url": lambda data: base64.urlsafe_b64encode(data).rstrip(b"="),
}

# Every remainder of every group, and more than one piece of the output (240 KiB).
LENGTHS = [*range(1, 32), 4095, 4096, 4097, 245759, 245760, 245761, 500_003]


def lines(text, width):
    """With the line breaks of base64(1); 0 for one line."""
    width = width or len(text)
    return b"".join(text[i : i + width] + b"\n" for i in range(0, len(text), width))


@pytest.mark.parametrize("form", FORMS)
def test_text_of_known_bytes(form):
    """Catches a wrong character or padding, and pieces in the wrong order."""
    whole = stream("chacha20", KEY, max(LENGTHS))
    for length in LENGTHS:
        text = good("bytes", length, f"--{form}", "--key", KEY)
        assert text == FORMS[form](whole[:length]) + b"\n"


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("width", [1, 4, 7, 64, 76, 100_000, 10**9])
def test_lines(form, width):
    """Catches a misplaced line end where two pieces meet."""
    for length in [1, 57, 58, 114, 500_003]:
        text = good("bytes", length, f"--{form}", "--key", KEY, "--wrap", width)
        assert text == lines(FORMS[form](stream("chacha20", KEY, length)), width)


@pytest.mark.parametrize("form", FORMS)
def test_nothing(form):
    """Catches texts of no bytes without the end of their line."""
    for arguments in [[form, 0], [form, 0, "-w", 10], ["bytes", 0, f"--{form}"], ["bytes", 0, f"--{form}", "--key", KEY]]:
        assert good(*arguments) == b"\n"
    assert good(form, 0, "-n", 500_000) == b"\n" * 500_000
    assert good(form, 0, "-n", 0) == b""
    process = start(form, 0, "-n", "inf", stdout=subprocess.PIPE)
    assert process.stdout.read(2**20) == b"\n" * 2**20
    ends_quietly(process)


@pytest.mark.parametrize("form, letters, length", [
    ("hex", "[0-9a-f]", 32), ("base32", "[A-Z2-7]", 26), ("base64", "[A-Za-z0-9+/]", 22), ("base64url", r"[A-Za-z0-9_-]", 22),
])  # fmt: skip
def test_short_form(form, letters, length):
    """Catches a short form with another encoding, or repeated bytes."""
    texts = [good(form, 16).decode() for _ in range(3)]
    assert len(set(texts)) == 3
    padding = {"base32": "={6}", "base64": "=="}.get(form, "")
    for text in [*texts, good(form, 16, "--strong").decode()]:
        assert re.fullmatch(rf"{letters}{{{length}}}{padding}\n", text)


@pytest.mark.parametrize("form", FORMS)
def test_file(tmp_path, form):
    """Catches reserved space that is not used: exactly the text's size must be reserved."""
    for width in [0, 10]:
        file = tmp_path / f"text-{width}"
        assert good(form, 10_000, "-w", width, "-o", file) == b""
        assert file.stat().st_size == len(lines(FORMS[form](bytes(10_000)), width))


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("size, count, width", [
    (1, 3, 0), (16, 40_000, 0), (7, 50_000, 0), (20, 1000, 7), (1, 20_000, 1), (245_760, 3, 0), (100_001, 5, 76), (0, 5, 0), (16, 0, 0),
])  # fmt: skip
def test_count(tmp_path, form, size, count, width):
    """Catches a text that is truncated, padded or duplicated where pieces meet, and reserved space that is not used.
    """
    file = tmp_path / "texts"
    assert good(form, size, "-n", count, "-w", width, "-o", file) == b""
    text = file.read_bytes()
    one = lines(FORMS[form](bytes(size)), width) if size else b"\n"
    assert len(text) == len(one) * count
    texts = [text[i : i + len(one)] for i in range(0, len(text), len(one))]
    assert [len(line) for line in texts[-1].split(b"\n")] == [len(line) for line in one.split(b"\n")] if texts else True
    if size >= 16:
        assert len(set(texts)) == count
    decode = {"hex": bytes.fromhex, "base32": base64.b32decode, "base64": base64.b64decode, "base64url": base64.urlsafe_b64decode}[form]
    assert {len(decode(one.replace(b"\n", b"").decode() + ("==" if form == "base64url" else ""))) for one in texts} <= {size}


def test_keyed_bytes():
    """Catches a thread with another part of the keystream: cprng bytes --key equals cprng stream, from any thread.
    """
    size = 5_000_001
    assert good("bytes", size, "--key", KEY) == stream("chacha20", KEY, size)
    assert good("bytes", 1000, "--engine", "aes256-ctr", "--key", KEY) == stream("aes256-ctr", KEY, 1000)
    nonce = "0102030405060708"
    assert good("bytes", 1000, "--key", KEY, "--nonce", nonce) == stream("chacha20", KEY, 1000, nonce)


def test_key_file(tmp_path):
    """Catches a line end that is read as a digit."""
    file = tmp_path / "key"
    for text in [KEY, KEY.upper() + "\n", KEY + "\r\n"]:
        file.write_text(text)
        assert good("bytes", 100, "--key-file", file) == stream("chacha20", KEY, 100)
        assert good("stream", "--engine", "chacha20", "--key-file", file, 100) == stream("chacha20", KEY, 100)
