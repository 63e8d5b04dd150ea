# SPDX-License-Identifier: BSD-2-Clause
"""The library on other CPUs: the backends that it chooses, and their correctness.

CPRNG_VM_COMMAND, CPRNG_VM_UNIT, CPRNG_VM_ERASURE   paths of the command and of two test programs"""

import json
import os
import pathlib
import re

import pytest

from guests import bochs, initramfs

ROOT = pathlib.Path(__file__).resolve().parents[2]

# By model: the backends that chacha20, salsa20 and aes256-ctr choose, and the engine of draws.  Each level with code of its own
# has a CPU here, except VAES with 256-bit vectors, which is not the best level of any CPU in Bochs 2.7.
ENGINES = ("chacha20", "salsa20", "aes256-ctr")
TAKEN = {
    "athlon64_venice": ("sse2", "sse2", "portable", "chacha20"),
    "core2_penryn_t9600": ("ssse3", "sse2", "ssse3", "chacha20"),
    "corei5_arrandale_m520": ("ssse3", "sse2", "aesni", "aes256-ctr"),
    "corei7_haswell_4770": ("avx2", "avx2", "aesni", "aes256-ctr"),
    "corei7_skylake_x": ("avx512", "avx512", "aesni", "aes256-ctr"),
    "corei7_icelake_u": ("avx512", "avx512", "vaes512", "aes256-ctr"),
}


def program(name):
    path = os.environ.get(f"CPRNG_VM_{name.upper()}")
    if not path:
        pytest.exit(f"CPRNG_VM_{name.upper()} must be the path of a program", returncode=2)
    return initramfs.Program(pathlib.Path(path))


@pytest.fixture(name="boot")
def _boot(backports, tmp_path):
    """boot(model, script, contents): returns the console's lines.  In Bochs 2.7, Linux 6.1 jumps to a wrong address after it has
    patched itself; 6.12 does not."""
    if bochs.missing():
        pytest.skip(f"not installed: {bochs.missing()}")

    def boot(model, script, contents):
        root = initramfs.build(tmp_path, contents, f"{script} && pass\nfail $?")
        return bochs.run(backports, root, tmp_path, model)

    return boot


def objects(lines):
    """The JSON objects printed at the beginning of lines, in order."""
    text, decoder = "\n".join(lines), json.JSONDecoder()
    while (begin := text.find("{\n")) >= 0:
        found, end = decoder.raw_decode(text[begin:])
        yield found
        text = text[begin + end:]


@pytest.mark.parametrize("model", TAKEN)
def test_backends(boot, model, report):
    """Catches a backend chosen on a CPU without its instructions, or not chosen on a CPU with them, and a wrong backend."""
    selftest, info = objects(boot(model, "cprng selftest --json && cprng info --json", [program("command")]))
    rows = selftest["results"]
    taken = {row["engine"]: row["backend"] for row in rows if row["selected"]}
    assert (*(taken[engine] for engine in ENGINES), info["engine"]) == TAKEN[model]
    assert info["backend"] == taken[info["engine"]]
    assert sum(row["failed"] for row in rows) == 0
    report(f"{model}: {', '.join(TAKEN[model])}; {sum(row['usable'] for row in rows)} backends pass their self-test")


# Only tests that depend on the instructions: the others take hours in Bochs and compute the same with any backend.
CASES = ["backends:*", "self-test:*", "select:*", "cprng_selftest:*", "known vectors", "stream arrays:*"]
# Excluded: long outputs repeat the same loops for a minute and a half.
EXCLUDED = "backends: long outputs*"
# With every AES backend, and the widest one of the other engines.
WIDEST = "corei7_icelake_u"


def test_unit(boot, report):
    """Catches an error in code for AVX-512, and registers that it does not clear; runs on machines without AVX-512, too."""
    vectors = [initramfs.File(file, str(file)) for file in sorted((ROOT / "tests" / "vectors").glob("*"))]
    # Bochs 2.7 rounds 2^63 + 1025 down and 3.0 up when it converts unsigned numbers to doubles (VCVTUQQ2PD);
    # exponentials use that.
    left_out = "--subcase-exclude=exponentials" if bochs.version() < (3, 0) else ""
    lines = boot(WIDEST, f"unit --no-colors=true '--test-case={','.join(CASES)}' '--test-case-exclude={EXCLUDED}' {left_out}",
                 [program("unit"), *vectors])
    text = "\n".join(lines)
    assert "chacha20/avx512 " in text and "salsa20/avx512 " in text and "aes256-ctr/vaes512 " in text
    assert "skipped: " not in text
    report(f"{WIDEST}: unit: {next(line for line in lines if 'test cases:' in line)}")


def test_erasure(boot, report):
    """Catches keys and served bytes that are left anywhere, vector registers included, by the backends of AVX-512."""
    erasure = "erasure --no-colors=true '--test-case=whole memory: nothing is left? with every backend' --backend="
    lines = boot(WIDEST, f"{erasure}vaes512 && {erasure}avx512", [program("erasure")])
    text = "\n".join(lines)
    for backend in ("aes256-ctr/vaes512", "chacha20/avx512"):
        assert re.search(rf"{backend}: [1-9]\d* looks at \d+ MB; left behind: 0$", text, re.MULTILINE)
    assert "skipped: " not in text
    report(f"{WIDEST}: nothing is left in memory by vaes512 and avx512")
