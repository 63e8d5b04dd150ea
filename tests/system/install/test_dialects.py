# SPDX-License-Identifier: BSD-2-Clause
"""The headers in each dialect: of assembly, where a program compiled with -masm=intel runs, and its inlined draws are the same
instructions; and of C and C++, where the compiler holds the headers to the standard.

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

STANDARDS = {"c": ("c89", "gnu89", "c99", "c11", "c17", "c2x"),
             "c++": ("c++98", "c++11", "c++14", "c++17", "c++20", "c++2b")}  # fmt: skip
EVERY = """
#include <cprng/fortuna.h>
#if __cplusplus >= 201703L
#include <cprng/cprng.hpp>
#endif
int main(void)
{
	unsigned char b[64];
	cprng_stream s;
	double sum;
	cprng_fast(b, 3);
	cprng_fast(b, 8);
	cprng_fast(b, 12);
	cprng_fast(b, 16);
	cprng_fast(b, 24);
	cprng_fast(b, 64);
	if (cprng_stream_seed_integer(&s, NULL, 1) != 0)
		return 1;
	sum = cprng_fast8() + cprng_fast16() + cprng_fast32() + (double)cprng_fast64() + cprng_uniform32(6) + cprng_bool() +
	      cprng_float() + cprng_double();
	sum += cprng_stream_u8(&s) + cprng_stream_u16(&s) + cprng_stream_u32(&s) + (double)cprng_stream_u64(&s) +
	       cprng_stream_bool(&s) + cprng_stream_float(&s) + cprng_stream_double(&s) + cprng_stream_uniform32(&s, 6);
	return sum < 0;
}
"""

x86_64 = pytest.mark.skipif(platform.machine() != "x86_64", reason="this architecture has one dialect")


def compilers():
    """Commands for C and for C++: the build's, and clang."""
    clang = [name for name in ("clang-19", "clang-20", "clang-21", "clang") if shutil.which(name)][:1]
    found = {tuple(shlex.split(os.environ.get("CC", "cc"))), *((name,) for name in clang)}
    yield from ([*command, "-std=gnu11"] for command in sorted(found))
    found = {tuple(shlex.split(os.environ.get("CXX", "c++"))), *((f"clang++{name[5:]}",) for name in clang)}
    yield from ([*command, "-std=c++17", "-x", "c++"] for command in sorted(found) if shutil.which(command[0]))


def run(*command):
    result = subprocess.run([str(part) for part in command], capture_output=True, text=True, timeout=900, check=False)
    assert result.returncode == 0, (command, result.stdout, result.stderr)
    return result.stdout


def instructions(program, section):
    """The bytes of a section, without the file's name."""
    return run("objdump", "-s", "-j", section, program).partition("\n\n")[2]


@x86_64
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


@pytest.mark.parametrize("compiler", compilers(), ids=" ".join)
def test_standard(tmp_path, compiler):
    """Catches headers that are not of a standard: an empty argument of a macro, a long string, a declaration after a statement."""
    language = "c++" if "c++" in compiler else "c"
    source, program = tmp_path / f"every.{language}", tmp_path / "every"
    source.write_text(EVERY, encoding="ascii")
    for standard in STANDARDS[language]:
        run(compiler[0], f"-std={standard}", "-pedantic-errors", *FLAGS, "-O2", source, *LIBRARY, "-o", program)
        run(program)
