# SPDX-License-Identifier: BSD-2-Clause
"""<cprng/cprng.hpp>: its tests in tests/unit/include as C++17 and C++20, and what must not compile; its draws under gdb.

CXX            the compiler (c++)
CPRNG_LIBRARY  library to link a program with and to run it
"""

import os
import shlex
import shutil
import signal
import subprocess

import pytest

from command import EMULATOR, ROOT, TIMEOUT

CXX = shlex.split(os.environ.get("CXX", "c++"))
LIBRARY = os.environ.get("CPRNG_LIBRARY")
FLAGS = ["-O1", "-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Werror", f"-I{ROOT / 'include'}"]

pytestmark = pytest.mark.skipif(shutil.which(CXX[0]) is None, reason="no C++ compiler")


def compile_program(*arguments, **options):
    return subprocess.run([*CXX, *FLAGS, *map(str, arguments)], capture_output=True, text=True, timeout=TIMEOUT,
                          check=False, **options)  # fmt: skip


@pytest.mark.parametrize("standard", ["c++17", "c++20"])
@pytest.mark.parametrize("name", ["cprng", "stream"])
def test_standards(standard, name):
    """Catches a header that does not compile without a warning as C++17 or C++20, wherever its tests use it."""
    result = compile_program(f"-std={standard}", f"-I{ROOT / 'src'}", "-fsyntax-only", ROOT / f"tests/unit/include/{name}.cpp")
    assert (result.returncode, result.stderr) == (0, "")


@pytest.mark.parametrize("statement, reason", [
    ("std::vector<std::string> v(3); cprng::fill(v);", "only trivially copyable"),
    ("const std::vector<int> v(3); cprng::fill(v);", "are const"),
    ("bool v[3]; cprng::fill(v);", "no values of bool"),
    ("std::vector<char *> v(3); cprng::fill(v);", "no values of bool or of a pointer"),
    ("cprng::uniform(0.5);", "a bound is an integer"),
    ("cprng::uniform(true);", "a bound is an integer"),
    ("cprng::range(false, true);", "the ends are integers"),
    ("cprng::range(\"a\", \"b\");", "the ends are integers"),
    ("std::vector<int> k(32); cprng::stream s(\"chacha20\", k);", "made of bytes"),
    ("cprng::stream s; s.uniform(-5);", "unsigned integer"),
    ("cprng::stream s = 42;", "conversion from"),
])  # fmt: skip
def test_misuse_does_not_compile(statement, reason):
    """Catches an invalid use of the header, with a type that is not a number, that compiles."""
    source = f"#include <cprng/cprng.hpp>\n#include <string>\n#include <vector>\nint main() {{ {statement} }}\n"
    result = compile_program("-std=c++17", "-fsyntax-only", "-x", "c++", "-", input=source)
    assert result.returncode != 0
    assert reason in result.stderr


@pytest.mark.parametrize("standard", ["c++98", "c++11", "c++14", "gnu++14"])
def test_older_standards_get_one_error(standard):
    """Catches a flood of errors if C++ is too old."""
    source = "#include <cprng/cprng.hpp>\nint main() { return 0; }\n"
    result = compile_program(f"-std={standard}", "-fsyntax-only", "-x", "c++", "-", input=source)
    assert result.returncode != 0
    assert result.stderr.count("error: ") == 1
    assert "needs C++17" in result.stderr


def test_a_negative_end_beside_a_large_type_aborts(tmp_path):
    """Catches a number that silently fits no range."""
    if not LIBRARY:
        pytest.skip("CPRNG_LIBRARY is not set, so not run")
    source = "#include <cprng/cprng.hpp>\nint main(int n, char **) { return (int)cprng::range(-n, UINT64_MAX); }\n"
    program = tmp_path / "negative"
    result = compile_program("-std=c++17", "-x", "c++", "-", "-x", "none", *shlex.split(LIBRARY), "-o", program,
                             input=source)  # fmt: skip
    assert (result.returncode, result.stderr) == (0, "")
    result = subprocess.run([*EMULATOR, program], capture_output=True, text=True, timeout=TIMEOUT, check=False)
    assert result.returncode in (-signal.SIGABRT, 128 + signal.SIGABRT)
    assert result.stderr.splitlines()[0].startswith("cprng::range: one end is negative")


IMPORTING = """
#include <array>
#include <cstdint>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>
import cprng;
int main()
{
	std::array<std::uint8_t, 32> key{};
	cprng::fill(key);
	cprng::stream s(42);
	const std::uint64_t first = s();
	try {
		cprng::stream::from_string("");
		return 1;
	} catch (const std::invalid_argument &) {
	}
	const cprng::weighted only{ 0, 1 };
	std::vector<int> v{ 1, 2, 3 };
	cprng::shuffle(v);
	cprng::generator random;
	bool ok = s.tell() == 8 && first == cprng::stream(42)() && only() == 1 && cprng::range(3, 3) == 3 && cprng::uniform(1u) == 0 &&
		  cprng::text(4, cprng::alphabet::hex).size() == 4 && cprng::choice(v) > 0 && cprng::sample(v, 2).size() == 2 &&
		  cprng::uuid_text(cprng::uuid4()).size() == 36 && random() != random() && s.normal() < 100 && cprng::real() < 1;
	std::puts(ok ? "module" : "wrong");
	return ok ? 0 : 1;
}
"""


@pytest.mark.parametrize("names", [("clang++-19", "clang++-20", "clang++-21"), ("g++-14", "g++-15")], ids=["clang", "gcc"])
def test_module(names, tmp_path):
    """Catches a name that the module does not export, and a module that does not compile, or draws other numbers than the header."""
    compiler = next((name for name in names if shutil.which(name)), None)
    if compiler is None or not LIBRARY or EMULATOR or "-fsanitize" in os.environ.get("CXX", ""):
        pytest.skip(f"{' or '.join(names)} is not installed, or not for what is tested here")
    module, program = ROOT / "include/cprng/cprng.cppm", tmp_path / "importing.cpp"
    program.write_text(IMPORTING)
    flags = ["-std=c++20", "-O2", "-Wall", "-Wextra", "-Werror", f"-I{ROOT / 'include'}"]
    if names[0].startswith("clang"):
        steps = [["-x", "c++-module", "--precompile", module, "-o", "cprng.pcm"],
                 ["-fmodule-file=cprng=cprng.pcm", program, "cprng.pcm", *shlex.split(LIBRARY), "-o", "importing"]]  # fmt: skip
    else:
        steps = [["-fmodules-ts", "-x", "c++", "-c", module, "-o", "cprng.o"],
                 ["-fmodules-ts", program, "cprng.o", *shlex.split(LIBRARY), "-o", "importing"]]  # fmt: skip
    for step in steps:
        result = subprocess.run([compiler, *flags, *map(str, step)], cwd=tmp_path, capture_output=True, text=True, timeout=TIMEOUT,
                                check=False)  # fmt: skip
        assert (result.returncode, result.stderr) == (0, "")
    result = subprocess.run([tmp_path / "importing"], capture_output=True, text=True, timeout=TIMEOUT, check=False)
    assert (result.returncode, result.stdout) == (0, "module\n")


def test_gdb(tmp_path):
    """Catches a draw that gdb's single steps never get past."""
    if not LIBRARY or EMULATOR or shutil.which("gdb") is None:
        pytest.skip("CPRNG_LIBRARY is not set, or there is no gdb here")
    source = """
#include <cprng/cprng.h>
extern "C" __attribute__((noinline)) void before() { __asm__ volatile(""); }
extern "C" __attribute__((noinline)) void after() { __asm__ volatile(""); }
int main()
{
	std::uint64_t sum = cprng_fast64() + cprng_fast64();
	before();
	sum += cprng_fast64();
	after();
	return sum == 0;
}
"""
    program = tmp_path / "stepped"
    result = compile_program("-std=c++17", "-include", "cstdint", "-x", "c++", "-", "-x", "none", *shlex.split(LIBRARY), "-o", program,
                             input=source)  # fmt: skip
    assert (result.returncode, result.stderr) == (0, "")
    # A refill takes some thousand steps.
    commands = ["set debuginfod enabled off", "break before", "break after", "run", "stepi 100000"]
    result = subprocess.run(["gdb", "-nx", "-batch", *(f"-ex={command}" for command in commands), program], capture_output=True,
                            text=True, timeout=TIMEOUT, check=False)  # fmt: skip
    if "Breakpoint 1, " not in result.stdout:
        pytest.skip(f"gdb may not trace here: {result.stderr}")
    assert "Breakpoint 2, " in result.stdout, result.stdout
