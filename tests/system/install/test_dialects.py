# SPDX-License-Identifier: BSD-2-Clause
"""The headers in each dialect: of assembly, where a program compiled with -masm=intel runs, and its inlined draws are the same
instructions; of C and C++, where the compiler holds the headers to the standard; and under the flags and macros of programs.

CC, CXX        compilers, besides which clang is tried where it is installed
CPRNG_LIBRARY  the library to link with
CPRNG_TEST_LARGE  every flag
"""

import os
import pathlib
import platform
import shlex
import shutil
import signal
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]
SOURCE = pathlib.Path(__file__).parent / "draws.c"
LARGE = os.environ.get("CPRNG_TEST_LARGE") == "1"
LIBRARY = shlex.split(os.environ.get("CPRNG_LIBRARY", str(ROOT / "build/libcprng.a")))
FLAGS = ["-Wall", "-Wextra", "-Werror", "-ffile-prefix-map=/=", f"-I{ROOT / 'include'}"]

STANDARDS = {"c": ("c89", "gnu89", "c99", "c11", "c17", "c2x"),
             "c++": ("c++98", "c++11", "c++14", "c++17", "c++20", "c++2b")}  # fmt: skip
EVERY = """
#include <cprng/fortuna.h>
#if defined(__cplusplus) && __cplusplus >= 201703L
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
	      (double)cprng_float() + cprng_double();
	sum += cprng_stream_u8(&s) + cprng_stream_u16(&s) + cprng_stream_u32(&s) + (double)cprng_stream_u64(&s) +
	       cprng_stream_bool(&s) + (double)cprng_stream_float(&s) + cprng_stream_double(&s) + cprng_stream_uniform32(&s, 6);
	return sum < 0;
}
"""

# With macros defined by <windows.h>.
NUMBERS = """
#include <algorithm>
#include <array>
#include <ios>
#include <istream>
#include <iterator>
#include <limits>
#include <ostream>
#include <random>
#include <string>
#define min(a, b) ((a) < (b) ? (a) : (b))
#define max(a, b) ((a) > (b) ? (a) : (b))
#define near
#define far
#define small char
#include <cprng/cprng.hpp>
#include <cprng/adapters/boost.hpp>
#include <cprng/adapters/random_device.hpp>
#undef min
#undef max
template <typename Real> static bool range(Real lo, Real hi, int least)
{
	int above = 0;
	for (int i = 0; i < 1000; i++) {
		const Real x = cprng::range(lo, hi);
		if (!(x >= lo && x < hi))
			return false;
		above += x - lo / 2 > hi / 2;
	}
	return above >= least;
}
int main(int argc, char **)
{
	const std::array<unsigned char, 32> key = {};
	cprng::generator random;
	cprng::random_device device;
	std::array<double, 4> filled;
	cprng::fill(filled);
	cprng::stream numbers(std::uniform_int_distribution<unsigned>(1, 6)(random) + device()), copied = numbers;
	if (numbers() != copied() || cprng::range(-3, 3) > 3 || cprng::uniform(6) > 5 || cprng::boost_generator()() == random())
		return 1;
	if (argc > 1)
		cprng::stream("none", key);
	using d = std::numeric_limits<double>;
	using f = std::numeric_limits<float>;
	using l = std::numeric_limits<long double>;
	return !(range(0.0, 1.0, 300) && range(1.0f, 2.0f, 300) && range(-1.0L, 1.0L, 300) && range(-1e308, 1e308, 300) &&
		 range(d::lowest(), (d::max)(), 300) && range(f::lowest(), (f::max)(), 300) && range(l::lowest(), (l::max)(), 300) &&
		 range(d::lowest() / 2, (d::max)() / 2, 300) && range(1.0, 1.0 + d::epsilon(), 0));
}
"""
UNFORGIVING = ("-Wall -Wextra -Wpedantic -Wshadow -Wundef -Wcast-qual -Wcast-align -Wconversion -Wsign-conversion -Wdouble-promotion"
               " -Wfloat-conversion -Wformat=2 -Werror")  # fmt: skip
# The first two of each are always tried, the others with CPRNG_TEST_LARGE.
FLAGGED = {"c": (f"{UNFORGIVING} -Wstrict-prototypes -Wmissing-prototypes", "-O3 -march=native -ffast-math", "-O0", "-O1", "-Os", "-Og",
                 "-funsigned-char", "-fno-builtin", "-fwrapv -ftrapv", "-fno-strict-aliasing", "-fPIE -pie"),
           "c++": (f"{UNFORGIVING} -Wold-style-cast -Wzero-as-null-pointer-constant -Wnon-virtual-dtor -Woverloaded-virtual",
                   "-O3 -march=native -ffast-math -fno-exceptions -fno-rtti", "-O0", "-O1", "-O3", "-Os", "-Og", "-ffast-math",
                   "-funsafe-math-optimizations", "-ffinite-math-only", "-fassociative-math -fno-signed-zeros -fno-trapping-math",
                   "-fno-exceptions", "-fno-rtti", "-funsigned-char", "-fno-builtin", "-fPIE -pie",
                   "-fvisibility=hidden -fvisibility-inlines-hidden", "-std=c++20", "-std=c++2b")}  # fmt: skip

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
    """Catches headers that one assembly dialect rejects or assembles to other instructions."""
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
    """Catches headers that violate a standard: an empty macro argument, a long string, a declaration after a statement."""
    language = "c++" if "c++" in compiler else "c"
    source, program = tmp_path / f"every.{language}", tmp_path / "every"
    source.write_text(EVERY, encoding="ascii")
    for standard in STANDARDS[language]:
        run(compiler[0], f"-std={standard}", "-pedantic-errors", *FLAGS, "-O2", source, *LIBRARY, "-o", program)
        run(program)


@pytest.mark.parametrize("compiler", compilers(), ids=" ".join)
def test_flags(tmp_path, compiler):
    """Catches headers that do not compile, terminate or keep their contracts with a program's flags, warnings or macros."""
    language = "c++" if "c++" in compiler else "c"
    source, program = tmp_path / f"flags.{language}", tmp_path / "flags"
    source.write_text(NUMBERS if language == "c++" else EVERY, encoding="ascii")
    for flags in FLAGGED[language][: None if LARGE else 2]:
        run(*compiler, *FLAGS, "-O2", *flags.split(), source, *(["-x", "none"] if "-x" in compiler else []), *LIBRARY, "-o", program)
        run(program)
        if language == "c++":
            ended = subprocess.run([program, "wrong"], capture_output=True, text=True, timeout=120, check=False)
            expected = "cprng::stream: unknown engine\n" if "-fno-exceptions" in flags else "unknown engine"
            assert ended.returncode == -signal.SIGABRT and expected in ended.stderr, (flags, ended)
