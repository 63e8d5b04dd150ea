# SPDX-License-Identifier: BSD-2-Clause
"""Known answers through `cprng stream`, offsets, and the ends of streams."""

import json

import pytest

from command import ENGINES, VECTORS, refused, run, stream

KEY = bytes(range(32)).hex()
# RFC 8439, 2.4.2
NONCE12 = "000000000000004a00000000"
END12 = 2**38
END = 2**64 - 1


def engine_of(vector):
    algorithm, rounds = vector["algorithm"], vector["rounds"]
    if algorithm == "aesctr":
        return {10: "aes128-ctr", 14: "aes256-ctr"}[rounds]
    if algorithm == "salsa20":
        return {20: "salsa20", 12: "salsa20-12", 8: "salsa20-8"}[rounds]
    return f"chacha{rounds}"


def vectors():
    for name in ["stream-ciphers", "rfc8439", "sp800-38a", "fips197", "carries", "acvp", "wycheproof"]:
        found = json.loads((VECTORS / f"{name}.json").read_text())["vectors"]
        assert found
        for number, vector in enumerate(found):
            yield pytest.param(vector, id=f"{name}-{number}-{engine_of(vector)}")


def xor_of_blocks(data):
    assert len(data) % 64 == 0
    digest = 0
    for i in range(0, len(data), 64):
        digest ^= int.from_bytes(data[i : i + 64], "big")
    return digest.to_bytes(64, "big").hex()


@pytest.mark.parametrize("vector", list(vectors()))
def test_known_answer(vector):
    """Catches an engine's keystream, counter or offset that is not the published one."""
    data = stream(engine_of(vector), vector["key"], vector["length"], vector["nonce"], vector.get("offset"))
    assert len(data) == vector["length"]
    judged = False
    if "keystream" in vector:
        assert data.hex() == vector["keystream"]
        judged = True
    if "xor_digest_64" in vector:
        assert xor_of_blocks(data) == vector["xor_digest_64"]
        judged = True
    assert judged


def test_all_engines_have_answers():
    """Catches an engine without a vector."""
    assert {engine_of(parameter.values[0]) for parameter in vectors()} == set(ENGINES)


# Two answers in the test itself, so that a damaged vector file is noticed.
def test_rfc_8439_block():
    """Catches a vector file that was damaged together with ChaCha20."""
    block = stream("chacha20", KEY, 64, nonce="000000090000004a00000000", offset=64)
    assert block[:16].hex() == "10f1e7e4d13b5915500fdd1fa32071c4"
    assert block[-4:].hex() == "a2503c4e"


def test_sp_800_38a_block():
    """Catches a vector file that was damaged together with AES."""
    key = "603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4"
    block = stream("aes256-ctr", key, 16, nonce="f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff")
    assert block.hex() == "0bdf7df1591716335e9a8b15c860c502"


@pytest.mark.parametrize("engine, key", [
    ("chacha20", KEY), ("salsa20", KEY), ("aes256-ctr", KEY), ("aes128-ctr", KEY[:32]),
])  # fmt: skip
def test_pieces_make_the_whole(engine, key):
    """Catches an offset that starts elsewhere.

    Every split of the output by --offset gives the same bytes; larger than the command's buffer of 256 KiB.
    """
    size = 600 * 1024 + 5
    whole = stream(engine, key, size)
    assert len(whole) == size
    cuts = [0, 1, 15, 16, 17, 63, 64, 65, 1000, 262143, 262144, 262145, 524289, size]
    pieces = [stream(engine, key, b - a, offset=a) for a, b in zip(cuts, cuts[1:])]
    assert b"".join(pieces) == whole


@pytest.mark.parametrize("engine, key, nonce", [
    ("chacha20", KEY, 8), ("chacha8", KEY, 8), ("salsa20", KEY, 8), ("aes256-ctr", KEY, 16),
    ("aes128-ctr", KEY[:32], 16),
])  # fmt: skip
def test_no_nonce_is_zeros_of_the_first_size(engine, key, nonce):
    """Catches a missing nonce that is not zeros."""
    assert stream(engine, key, 200) == stream(engine, key, 200, nonce="00" * nonce)


def test_hex_in_either_case():
    """Catches a digit whose value depends on its case."""
    assert stream("chacha20", "AbCdEf01" * 8, 64) == stream("chacha20", "aBcDeF01" * 8, 64)
    assert stream("chacha20", "abcdef01" * 8, 64) != stream("chacha20", "abcdef02" * 8, 64)


def test_key_of_16_bytes():
    """Catches a short key that is used as a long one by repeating it."""
    assert stream("chacha20", KEY[:32], 64) != stream("chacha20", KEY[:32] * 2, 64)


@pytest.mark.parametrize("engine, key, nonce, end", [
    ("chacha20", KEY, NONCE12, END12), ("chacha8", KEY, NONCE12, END12),
    ("chacha20", KEY, "00" * 8, END), ("salsa20", KEY, "00" * 8, END), ("aes256-ctr", KEY, "ff" * 16, END),
])  # fmt: skip
def test_end_of_the_stream(engine, key, nonce, end):
    """Catches a stream that wraps at its end, and a request beyond it that is partly served."""
    last = stream(engine, key, 100, nonce=nonce, offset=end - 100)
    assert len(last) == 100
    assert stream(engine, key, 1, nonce=nonce, offset=end - 1) == last[-1:]
    assert stream(engine, key, 0, nonce=nonce, offset=end) == b""
    # The last: the library refuses only the fifth buffer, after four were written.
    past = [(end, 1), (end - 100, 101), (0, end + 1), (end + 1, 0), (end - 100, 2**64 - 1), (end - 2**20, 2**20 + 1)]
    for offset, size in past:
        if max(offset, size) >= 2**64:
            continue
        arguments = ["stream", "--engine", engine, "--key", key, "--nonce", nonce, "--offset", offset, size]
        with open("/dev/full", "wb") as full:
            refused(run(*arguments, stdout=full), 2, "end of the stream", str(end))
