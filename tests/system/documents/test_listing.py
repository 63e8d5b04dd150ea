# SPDX-License-Identifier: BSD-2-Clause
"""What compilers make of inlined draws: docs/internals.md has the listing of one, and requests of a constant size have no call."""

import pathlib
import re
import shutil
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent.parent
DOCUMENT = ROOT / "docs/internals.md"

CROSS = "aarch64-linux-gnu-"
COMPILERS = [name for name in ("gcc", "g++", "clang-19", "clang++-19", CROSS + "gcc", CROSS + "g++") if shutil.which(name)]
# Bytes of each integer draw, and of each sequence for more (draw.h).
INLINED = (1, 2, 4, 8, 12, 16, 24, 32, 48, 64)
REQUESTS = """
#ifdef __cplusplus
#include <array>
#include <cprng/cprng.hpp>
#define REQUEST(n) \\
	extern "C" void bytes_##n(void *p) { cprng::fill(p, n); } \\
	extern "C" void array_##n(std::array<char, n> &a) { cprng::fill(a); } \\
	extern "C" void span_##n(std::span<char, n> s) { cprng::fill(s); }
extern "C" void bytes_any(void *p, std::size_t n) { cprng::fill(p, n); }
#else
#include <cprng/cprng.h>
#define REQUEST(n) void bytes_##n(void *p) { cprng_fast(p, n); }
void bytes_any(void *p, size_t n) { cprng_fast(p, n); }
#endif
"""


def listed():
    """Each line's mnemonic and operands."""
    block = re.search(r"<!-- listing: cprng_fast32 -->\n```\n(.*?)```", DOCUMENT.read_text(encoding="utf-8"), re.S)
    return [shape(line[:34].rstrip()) for line in block[1].splitlines()]


def shape(text):
    """Without the values that the linker fills in: jump targets, and %rip displacements."""
    mnemonic, _, operands = re.sub(r"\s+#.*", "", text).partition(" ")
    operands = re.sub(r"^\w+(\+\d+)?(?=\(%rip\))", "", operands.strip())
    return (mnemonic, "" if mnemonic.startswith("j") else operands)


def compiled(directory):
    source = directory / "draw.c"
    source.write_text("#include <cprng/cprng.h>\nuint32_t draw(void) { return cprng_fast32(); }\n", encoding="ascii")
    subprocess.run(["gcc", "-O2", "-I", ROOT / "include", "-c", source, "-o", directory / "draw.o"], check=True)
    out = subprocess.run(["objdump", "-d", "--no-show-raw-insn", "--disassemble=draw", directory / "draw.o"], check=True,
                         capture_output=True, text=True).stdout  # fmt: skip
    lines = [shape(match[1].strip()) for match in re.finditer(r"^\s+[0-9a-f]+:\t(.*)$", out, re.M)]
    return lines[: lines.index(("ret", "")) + 1]


def test_the_listing_is_the_draw(tmp_path):
    """Catches a draw whose instructions differ from the document's, in kind or order."""
    compiler = [subprocess.run(["gcc", option], check=True, capture_output=True, text=True).stdout.strip()
            for option in ("-dumpversion", "-dumpmachine")]
    if compiler[0].split(".")[0] != "12" or "x86_64" not in compiler[1] or shutil.which("objdump") is None:
        pytest.skip(f"the listing is of gcc 12 for x86-64 and needs objdump; this is gcc {' for '.join(compiler)}")
    assert listed() == compiled(tmp_path)


def test_the_count_is_that_of_the_listing():
    """Catches an instruction count in the text that differs from the listing; those for the stack and ret are the
    function's."""
    said = re.search(r"inlined into a program\s+has (\d+) instructions", DOCUMENT.read_text(encoding="utf-8"))
    assert int(said[1]) == len(listed()) - 3


def paths(compiler, directory, *options):
    """By name, the instructions of each function of REQUESTS, up to the end of its sequence if it has one."""
    source, made = directory / ("requests.cpp" if "++" in compiler else "requests.c"), directory / "requests.o"
    source.write_text(REQUESTS + "".join(f"REQUEST({n})\n" for n in (*INLINED, 65)), encoding="ascii")
    standard = ["-std=c++20"] if "++" in compiler else []
    subprocess.run([compiler, *standard, "-O2", *options, "-I", ROOT / "include", "-c", source, "-o", made], check=True)
    objdump = CROSS + "objdump" if compiler.startswith(CROSS) else "objdump"
    out = subprocess.run([objdump, "-dr", "--no-show-raw-insn", made], check=True, capture_output=True, text=True).stdout
    functions = re.findall(r"^[0-9a-f]+ <((?:bytes|array|span)_\w+)>:\n((?:.+\n)*)", out, re.M)
    return {name: re.split(r"movq +\$0x0,%fs:0x8\(|str\txzr, \[x\d+, #8\]", text)[0] for name, text in functions}


@pytest.mark.parametrize("compiler", COMPILERS)
def test_requests_of_a_constant_size_are_inlined(tmp_path, compiler):
    """Catches a request of up to 64 bytes, of a size that the compiler knows, that is a call; and one of more bytes, of a
    variable size or with CPRNG_NO_INLINE that is none."""
    machine = subprocess.run([compiler, "-dumpmachine"], check=True, capture_output=True, text=True).stdout.strip()
    if not machine.startswith(("x86_64", "aarch64")) or shutil.which("objdump") is None:
        pytest.skip(f"x86-64 and AArch64 have inlined requests, which objdump shows; this is {machine}")
    forms = ("bytes", "array", "span") if "++" in compiler else ("bytes",)
    for options, sizes in (([], INLINED), (["-DCPRNG_NO_INLINE"], ())):
        found = paths(compiler, tmp_path, *options)
        calls = {name for name, text in found.items() if re.search(r"\t(callq?|jmpq?|bl?)\s", text)}
        assert {name for name, text in found.items() if "__rseq_cs" in text} == {f"{form}_{n}" for form in forms for n in sizes}
        assert calls == {name for name, text in found.items() if "__rseq_cs" not in text}
