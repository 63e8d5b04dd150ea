# SPDX-License-Identifier: BSD-2-Clause
"""The headers in a program compiled with -masm=intel: it runs, and the inlined draws are the same instructions.

CC, CXX        compilers, besides which clang is tried where it is installed
CPRNG_LIBRARY  the library to link with
"""

import os
import pathlib
import platform
import shlex
import shutil
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]
SOURCE = pathlib.Path(__file__).parent / "draws.c"
LIBRARY = shlex.split(os.environ.get("CPRNG_LIBRARY", str(ROOT / "build/libcprng.a")))
FLAGS = ["-Wall", "-Wextra", "-Werror", "-ffile-prefix-map=/=", f"-I{ROOT / 'include'}"]

pytestmark = pytest.mark.skipif(platform.machine() != "x86_64", reason="this architecture has one dialect")


def compilers():
    """Commands for C and for C++: the build's, and clang."""
    clang = [name for name in ("clang-19", "clang-20", "clang-21", "clang") if shutil.which(name)][:1]
    found = {tuple(shlex.split(os.environ.get("CC", "cc"))), *((name,) for name in clang)}
    yield from ([*command, "-std=gnu11"] for command in sorted(found))
    found = {tuple(shlex.split(os.environ.get("CXX", "c++"))), *((f"clang++{name[5:]}",) for name in clang)}
    yield from ([*command, "-std=c++17", "-x", "c++"] for command in sorted(found) if shutil.which(command[0]))


def run(*command):
    result = subprocess.run([str(part) for part in command], capture_output=True, text=True, timeout=120, check=False)
    assert result.returncode == 0, (command, result.stdout, result.stderr)
    return result.stdout


def instructions(program, section):
    """The bytes of a section, without the file's name."""
    return run("objdump", "-s", "-j", section, program).partition("\n\n")[2]


@pytest.mark.parametrize("level", ["-O1", "-O2", "-O2 -fPIC"])
@pytest.mark.parametrize("compiler", compilers(), ids=" ".join)
def test_dialect(tmp_path, compiler, level):
    """Catches headers that one assembly dialect rejects, or reads as other instructions."""
    program, objects = tmp_path / "draws", {}
    for dialect in ("att", "intel"):
        objects[dialect] = tmp_path / f"{dialect}.o"
        run(*compiler, *FLAGS, *level.split(), f"-masm={dialect}", "-c", SOURCE, "-o", objects[dialect])
        run(*compiler[:1], objects[dialect], *LIBRARY, "-o", program)
        run(program)
    for section in (".text.cprng_abort", "__rseq_cs"):
        assert instructions(objects["intel"], section) == instructions(objects["att"], section)
    main = ".text.startup" if ".text.startup" in run("objdump", "-h", objects["att"]) else ".text"
    assert instructions(objects["intel"], main) == instructions(objects["att"], main)
