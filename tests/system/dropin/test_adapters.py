# SPDX-License-Identifier: BSD-2-Clause
"""The headers of include/cprng/adapters, each in subject.h's program with its library: with calls.c instead of cprng, which shows the
calls and where their bytes go; and with cprng, whose values differ between runs, and whose promises must hold through each adapter.
"""

import os
import pathlib
import re
import subprocess

import pytest

from dropin import Served, built, distinct, run
# Adapters have no bytes or state of their own.
from promises import test_forks, test_nothing_remains, test_threads, test_without_the_kernel_it_aborts  # noqa: F401

HERE = pathlib.Path(__file__).parent / "adapters"
ROOT = HERE.parent.parent.parent.parent
INCLUDE = ROOT / "include"


# The requirements of each: a header, which the folder of that name in adapters/ may stand in for, and libraries.
NEEDED = {
    "sodium": ("sodium.h", ["-lsodium"]),
    "mbedtls": ("mbedtls/entropy.h", ["-lmbedcrypto"]),
    "wolfssl": ("wolfssl/options.h", ["-lwolfssl"]),
    "gsl": ("gsl/gsl_rng.h", ["-lgsl", "-lgslcblas", "-lm"]),
    "testu01": ("unif01.h", ["-ltestu01", "-lprobdist", "-lmylib", "-lm"]),
    "boost": ("boost/random/uniform_01.hpp", []),
}


class Compiler:
    """For a C or C++ program that needs a library; skips the test if that is missing."""

    def __init__(self, source, *options):
        plus = source.endswith(".cpp")
        name = source.rpartition(".")[0]
        header, self.libraries = NEEDED.get(name, (None, []))
        flags = os.environ.get("CPRNG_ADAPTER_FLAGS", "").split()
        self.base = [*os.environ.get("CXX" if plus else "CC", "c++" if plus else "cc").split(),
                     "-std=c++17" if plus else "-std=c11", *flags, *options]
        if header:
            found = subprocess.run([*self.base, "-x", "c++" if plus else "c", "-fsyntax-only", "-"],
                                   input=f"#include <{header}>", text=True, capture_output=True, check=False)
            if found.returncode != 0 and (HERE / name / header).exists():
                self.base, self.libraries = [*self.base, "-I", HERE / name], []
            elif found.returncode != 0:
                pytest.skip(f"<{header}> is not installed")

    def link(self, program, *inputs):
        subprocess.run([*self.base, *FLAGS, *inputs, "-o", program, *self.libraries], check=True)
        return program


FLAGS = ["-O2", "-Wall", "-Wextra", "-Werror", "-I", INCLUDE]


def c_object(output, source, *options):
    subprocess.run([*os.environ.get("CC", "cc").split(), *FLAGS, *options, "-c", source, "-o", output], check=True)
    return output


@pytest.fixture(name="parts", scope="module")
def fixture_parts(tmp_path_factory):
    """Objects of subject.h's program, without the drawing functions."""
    directory = tmp_path_factory.mktemp("parts")
    sources = [HERE / "subject_adapter.c",
               *(HERE.parent / name for name in ("subject.c", "subject_memory.c", "subject_remains.c", "subject_sandbox.c"))]
    return [c_object(directory / (source.stem + ".o"), source, "-std=gnu11") for source in sources]


def counted(first, last):
    return "".join(f"{i:02x}" for i in range(first, last + 1))


# Standard output, and the calls in order.  The bytes that libraries request for seeds, and those after "...", differ
# between their versions.
EXPECTED = {
    "arc4random.c": (f"00000001\n00000002\n3\n{counted(4, 11)}\n",
                     ["fast32", "fast32", "uniform32 600000", "fast 8", "add 0 32 0 1", "add 0 32 0 2", "add 0 6 0 3"]),
    "sodium.c": (f"cprng\n00000011\n00000012\n{counted(19, 50)}\n", ["fast 16", "fast32", "uniform32 3000000000", "fast 32"]),
    "mbedtls.c": (f"{counted(1, 8)}\n", ["fast 8", "strong", "strong"]),
    "wolfssl.c": (f"{counted(1, 24)}\nba78\n", ["strong", "fast 24"]),
    "gsl.c": ("cprng 0 ffffffff\n00000001\n0.500000\n00000003\n00000004\n1\n",
              ["fast32", "double", "fast32", "fast32", "double"]),
    "testu01.c": ("cprng_fast32\n00000001\n0.0000000005\n00000003\n", ["fast32", "fast32", "fast32"]),
    "boost.cpp": ("0000000000000001\n00000002\n0000000300000004\n0000000500000006\n1 1\n",
                  ["fast64", *5 * ["fast32"], "..."]),
    # The last line is MT19937's first value with seed 1.
    "random_device.cpp": ("00000002\n00000003\n32\n6ac1f425\n", ["fast32", "fast32", "fast32"]),
}  # fmt: skip


def checked(tmp_path, parts, name, *options):
    calls = c_object(tmp_path / "calls.o", HERE / "calls.c", "-DCPRNG_NO_INLINE")
    program = Compiler(name, *options).link(tmp_path / "program", "-DCPRNG_NO_INLINE", HERE / name, *parts, calls, "-pthread")
    result = run(program, "calls")
    calls = re.sub(r"strong \d+", "strong", result.stderr.decode()).splitlines()
    out, expected = EXPECTED[name]
    assert result.returncode == 0
    assert result.stdout.decode() == out
    if expected[-1] == "...":
        assert calls[:len(expected) - 1] == expected[:-1]
    else:
        assert calls == expected


@pytest.mark.parametrize("name", EXPECTED)
def test_adapter_calls(tmp_path, parts, name):
    """Catches an adapter whose bytes come from elsewhere, are incomplete, or are changed."""
    checked(tmp_path, parts, name)


def test_adapter_beside_libbsd(tmp_path, parts):
    """Catches names of arc4random.h that contradict libbsd's declarations."""
    if not pathlib.Path("/usr/include/bsd/stdlib.h").exists():
        pytest.skip("<bsd/stdlib.h> is not installed")
    checked(tmp_path, parts, "arc4random.c", "-DWITH_LIBBSD")
    subprocess.run([*os.environ.get("CXX", "c++").split(), "-std=c++17", *FLAGS, "-DWITH_LIBBSD", "-fsyntax-only", "-x", "c++",
                    HERE / "arc4random.c"], check=True)


@pytest.fixture(name="served", scope="module", params=EXPECTED)
def fixture_served(request, tmp_path_factory, parts):
    """The program of each adapter."""
    library = built("CPRNG_SHARED_LIBRARY")
    return Served(Compiler(request.param).link(tmp_path_factory.mktemp("served") / "subject", HERE / request.param, *parts, library,
                                               f"-Wl,-rpath,{os.path.dirname(library)}", "-pthread", "-Wl,-z,now"))


def test_adapter_with_the_library(served):
    """Catches an adapter that does not work with the library, or gives the same values in each run."""
    distinct([served.good("calls") for _ in range(5)], 5)


def test_page(tmp_path):
    """Catches a program of the page that does not compile, or whose library draws from another generator."""
    page = (ROOT / "docs/dropins.md").read_text(encoding="utf-8")
    source, library = tmp_path / "sodium.c", built("CPRNG_SHARED_LIBRARY")
    source.write_text(re.search(r"(?s)```c\n(/\* box\.c \*/.*?)```", page)[1], encoding="utf-8")
    program = Compiler(source.name).link(tmp_path / "box", source, library, f"-Wl,-rpath,{os.path.dirname(library)}")
    assert run(program).stdout == b"random bytes by cprng\n"
