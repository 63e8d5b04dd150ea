# SPDX-License-Identifier: BSD-2-Clause
"""The interface on which linked programs rely (docs/decisions/0033-draws-by-value.md).

libcprng.abi has the functions and types of the public headers; after an intended change of them,
`python3 tests/system/abi/test_abi.py` writes it again from a build by gcc.

CC                    the compiler
CPRNG_SHARED_LIBRARY  libcprng.so
"""

import os
import pathlib
import platform
import shlex
import shutil
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]
CC = shlex.split(os.environ.get("CC", "cc"))
SHARED = pathlib.Path(os.environ.get("CPRNG_SHARED_LIBRARY", ROOT / "build/libcprng.so"))
KEPT = ROOT / "tests/system/abi/libcprng.abi"
LINE = 64  # bytes of struct cprng_draw, on every architecture


def run(*command):
    return subprocess.run([str(part) for part in command], check=True, capture_output=True, text=True).stdout


def symbols(file):
    """Size, type and section of each dynamic symbol, by name."""
    rows = (line.split() for line in run("readelf", "--dyn-syms", "-W", file).splitlines())
    rows = (row for row in rows if len(row) > 7 and row[0][:-1].isdigit())
    return {row[7].partition("@")[0]: (int(row[2], 0), row[3], row[6]) for row in rows}


def test_size_of_the_variable():
    """Catches a cprng_draw_1 of another size, for which old programs have no room."""
    size, kind, section = symbols(SHARED)["cprng_draw_1"]
    assert (size, kind) == (LINE, "OBJECT")
    assert section != "UND"


@pytest.mark.skipif(platform.machine() != "x86_64", reason="copy relocations are the default on x86-64")
def test_copy_relocation(tmp_path):
    """Catches an obsolete reason for the decision, or a library that does not use the program's copy."""
    program = tmp_path / "program"
    run(*CC, "-O2", "-fno-pie", "-no-pie", f"-I{ROOT / 'include'}", ROOT / "tests/system/install/draws.c", SHARED,
        f"-Wl,-rpath,{SHARED.parent}", "-o", program)  # fmt: skip
    relocations = [line for line in run("readelf", "-rW", program).splitlines() if "cprng_draw_1" in line]
    assert ["R_X86_64_COPY" in line for line in relocations] == [True]
    size, _, section = symbols(program)["cprng_draw_1"]
    assert size == LINE
    assert section != "UND"
    run(program)


def write_types(file):
    """The functions and variables that SHARED exports, with the types that the public headers have for them."""
    run("abidw", "--headers-dir", ROOT / "include/cprng", "--drop-private-types", "--exported-interfaces-only", "--no-corpus-path",
        "--no-comp-dir-path", "--no-show-locs", "--no-parameter-names", "--no-elf-needed", "--no-write-default-sizes",
        "--out-file", file, SHARED)  # fmt: skip


@pytest.mark.skipif(platform.machine() != "x86_64", reason="libcprng.abi is that of x86-64")
@pytest.mark.skipif(not shutil.which("abidiff"), reason="abidiff (abigail-tools) is not installed")
@pytest.mark.skipif("clang" in CC[0], reason="libcprng.abi has the names that gcc gives to types of C")
def test_types_and_functions(tmp_path):
    """Catches a member that moves, an argument or result of another type, and a function that comes or goes."""
    write_types(tmp_path / "now.abi")
    compared = subprocess.run(["abidiff", KEPT, tmp_path / "now.abi"], capture_output=True, text=True, check=False)
    assert (compared.returncode, compared.stdout) == (0, ""), compared.stderr


if __name__ == "__main__":
    write_types(KEPT)
