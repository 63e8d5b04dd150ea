# SPDX-License-Identifier: BSD-2-Clause
"""cprng-lab levels: the rows exist, every library is limited to its level, and ratios are within a repetition."""

import os
import platform
import subprocess

import pytest
from commands import document_of, line, refused, rows_of, run

# The best backend at each level, by cipher; for "all" it depends on the CPU.
BACKENDS = {
    "vaes256": ["vaes256", "avx2", "avx2"],
    "avx2-aesni": ["aesni", "avx2", "avx2"],
    "aesni": ["aesni", "ssse3", "sse2"],
    "avx2": ["avx2", "avx2", "avx2"],
    "ssse3": ["ssse3", "ssse3", "sse2"],
    "sse2": ["portable", "sse2", "sse2"],
}
CIPHERS = ["aes256-ctr", "chacha20", "salsa20"]
# OpenSSL's feature bits, in CPUID's 32-bit words: (the level, whether it has the bit).
AES, SSSE3, AVX, AVX2, AVX512F, VAES = (0, 57), (0, 41), (0, 60), (1, 5), (1, 16), (1, 41)
LACKING = {
    "vaes256": [AVX512F],
    "avx2-aesni": [AVX512F, VAES],
    "aesni": [AVX512F, VAES, AVX2, AVX],
    "avx2": [AVX512F, VAES, AES],
    "ssse3": [AVX512F, VAES, AVX2, AVX, AES],
    "sse2": [AVX512F, VAES, AVX2, AVX, AES, SSSE3],
}
HAVING = {"vaes256": [VAES, AVX2, AES], "avx2-aesni": [AVX2, AES], "aesni": [AES, SSSE3], "avx2": [AVX2, SSSE3],
          "ssse3": [SSSE3], "sse2": []}  # fmt: skip


@pytest.fixture(scope="module", name="document")
def quick_run():
    return document_of("levels")


def test_rows(document):
    """Catches a missing level or cipher, and a backend that a level lacks."""
    levels = list(dict.fromkeys(row["level"] for row in rows_of(document, "levels")))
    assert levels[0] == "all"
    assert set(levels) <= {"all", *BACKENDS}
    if platform.machine() == "x86_64":
        assert levels[-1] == "sse2"
    for level in levels:
        here = [row for row in rows_of(document, "levels") if row["level"] == level]
        assert [row["cipher"] for row in here] == CIPHERS
        if level in BACKENDS:
            assert [row["backend"] for row in here] == BACKENDS[level]
            draws = "aes256-ctr" if "aes" in level else "chacha20"
            assert [row["cipher"] for row in here if row["draws"]] == [draws]


def test_values(document):
    """Catches a missing figure, and a ratio of different repetitions."""
    kept = document["repetitions"]["levels"]
    for row, values in zip(rows_of(document, "levels"), kept, strict=True):
        assert (row["level"], row["cipher"]) == (values["level"], values["cipher"])
        assert len(values["cprng"]) == 2
        for name in ("openssl", "libsodium"):
            quotients = sorted(mine / its for mine, its in zip(values["cprng"], values[name]))
            if quotients:
                assert row[f"over_{name}"]["median"] == pytest.approx(sum(quotients) / 2)
            else:
                assert row[f"over_{name}"] is None


def has(features, bit):
    return features[bit[0]] >> bit[1] & 1


def test_openssl_is_held(document):
    """Catches an OpenSSL with more than its level, or less."""
    for level, text in document["settings"]["openssl"].items():
        if level not in LACKING or "OPENSSL_ia32cap=" not in text:
            continue
        features = [int(word, 16) for word in text.split("=")[1].split()[0].split(":")[:2]]
        assert [bit for bit in LACKING[level] if has(features, bit)] == []
        assert [bit for bit in HAVING[level] if not has(features, bit)] == []


@pytest.mark.skipif(platform.machine() != "x86_64", reason="levels of x86-64")
def test_libsodium_asks_the_lab():
    """Catches a libsodium that ignores the lab's features, for example one linked differently."""
    request = "time chacha20 libsodium 0.001\n"
    environment = {**os.environ, "LD_DEBUG": "bindings"}
    result = subprocess.run(line("levels-child", "sse2"), input=request, env=environment, capture_output=True,
                            text=True, check=True, timeout=900)
    if result.stdout.strip() == "-":
        pytest.skip("the lab has no libsodium")
    bound = [text for text in result.stderr.splitlines() if "`sodium_runtime_has_avx2'" in text and "libsodium" in text]
    assert bound
    assert all("cprng-lab" in text.split(" to ")[1] for text in bound)


def test_refusals():
    """Catches an unknown level that is taken for another."""
    refused(run("levels-child", "avx1024"), 2, "avx1024")
