# SPDX-License-Identifier: BSD-2-Clause
"""The headers of include/cprng/adapters, each in a program with the library that it is for.

Each program is run twice: with calls.c in the place of the library, which shows what is called and where its bytes go; and with
the library, whose values differ from run to run.
"""

import os
import pathlib
import re
import subprocess

import pytest

from dropin import built, distinct, good, run

HERE = pathlib.Path(__file__).parent / "adapters"
INCLUDE = HERE.parent.parent.parent / "include"


def compiled(tmp_path, name, with_library, *options):
    """The program NAME; skips where the headers that it needs are missing."""
    plus = name.endswith(".cpp")
    compiler = os.environ.get("CXX" if plus else "CC", "c++" if plus else "cc").split()
    needed = {"sodium.c": "sodium.h", "mbedtls.c": "mbedtls/entropy.h", "wolfssl.c": "wolfssl/options.h", "gsl.c": "gsl/gsl_rng.h",
              "testu01.c": "unif01.h", "boost.cpp": "boost/random/uniform_01.hpp"}.get(name)  # fmt: skip
    libraries = {"sodium.c": ["-lsodium"], "mbedtls.c": ["-lmbedcrypto"], "wolfssl.c": ["-lwolfssl"],
                 "gsl.c": ["-lgsl", "-lgslcblas", "-lm"],
                 "testu01.c": ["-ltestu01", "-lprobdist", "-lmylib", "-lm"]}.get(name, [])  # fmt: skip
    base = [*compiler, "-std=c++17" if plus else "-std=c11", *os.environ.get("CPRNG_ADAPTER_FLAGS", "").split(), *options]
    if needed:
        found = subprocess.run([*base, "-x", "c++" if plus else "c", "-fsyntax-only", "-"], input=f"#include <{needed}>",
                               text=True, capture_output=True, check=False)
        if found.returncode != 0:
            pytest.skip(f"<{needed}> is not installed")
    flags = ["-O2", "-Wall", "-Wextra", "-Werror", "-I", INCLUDE, *([] if with_library else ["-DCPRNG_NO_INLINE"])]
    program = tmp_path / ("program" if with_library else "program-with-calls")
    if with_library:
        own = [built("CPRNG_SHARED_LIBRARY"), f"-Wl,-rpath,{os.path.dirname(built('CPRNG_SHARED_LIBRARY'))}"]
    else:
        own = [tmp_path / "calls.o"]
        subprocess.run([*os.environ.get("CC", "cc").split(), *flags, "-c", HERE / "calls.c", "-o", own[0]], check=True)
    subprocess.run([*base, *flags, HERE / name, "-o", program, *libraries, *own], check=True)
    return program


def counted(first, last):
    return "".join(f"{i:02x}" for i in range(first, last + 1))


# Standard output, and the calls in their order.  What libraries take for their seeds, and after "...", differs in their versions.
EXPECTED = {
    "arc4random.c": (f"00000001\n00000002\n3\n{counted(4, 11)}\n",
                     ["fast32", "fast32", "uniform32 600000", "fast 8", "add 0 32 0 1", "add 0 32 0 2", "add 0 6 0 3"]),
    "sodium.c": (f"cprng\n00000011\n00000012\n{counted(19, 50)}\n", ["fast 16", "fast32", "uniform32 3000000000", "fast 32"]),
    "mbedtls.c": (f"{counted(1, 8)}\n", ["fast 8", "strong", "strong"]),
    "wolfssl.c": (f"{counted(1, 24)}\nba78\n", ["strong", "fast 24"]),
    "gsl.c": ("cprng 0 ffffffff\n00000001\n0.500000\n00000003\n00000004\n1\n",
              ["fast32", "double", "fast32", "fast32", "double"]),
    "testu01.c": ("cprng_fast32\n00000001\n0.0000000005\n00000003\n", ["fast32", "fast32", "fast32"]),
    "boost.cpp": ("0000000000000001\n00000002\n0000000300000004\n1 1\n", ["fast64", "fast32", "fast32", "fast32", "..."]),
    # The last line is the first value of MT19937 with the seed 1.
    "random_device.cpp": ("00000002\n00000003\n32\n6ac1f425\n", ["fast32", "fast32", "fast32"]),
}  # fmt: skip


def checked(tmp_path, name, *options):
    result = run(compiled(tmp_path, name, False, *options))
    calls = re.sub(r"strong \d+", "strong", result.stderr.decode()).splitlines()
    out, expected = EXPECTED[name]
    assert result.returncode == 0
    assert result.stdout.decode() == out
    if expected[-1] == "...":
        assert calls[:len(expected) - 1] == expected[:-1]
    else:
        assert calls == expected


@pytest.mark.parametrize("name", EXPECTED)
def test_adapter_calls(tmp_path, name):
    """Catches an adapter whose bytes come from elsewhere, are not all of the request, or are changed on their way."""
    checked(tmp_path, name)


def test_adapter_beside_libbsd(tmp_path):
    """Catches names of arc4random.h that the declarations of libbsd contradict."""
    if not pathlib.Path("/usr/include/bsd/stdlib.h").exists():
        pytest.skip("<bsd/stdlib.h> is not installed")
    checked(tmp_path, "arc4random.c", "-DWITH_LIBBSD")


@pytest.mark.parametrize("name", EXPECTED)
def test_adapter_with_the_library(tmp_path, name):
    """Catches an adapter that does not work with the library, or gives the same values in each run."""
    program = compiled(tmp_path, name, True)
    distinct([good(program) for _ in range(5)], 5)
