# SPDX-License-Identifier: BSD-2-Clause
"""docs/bounds.md: its listing of the draw is the compiler's."""

import pathlib
import re
import shutil
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent.parent
DOCUMENT = ROOT / "docs/bounds.md"


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
    said = re.search(r"inlined into a program: (\d+)\s+instructions", DOCUMENT.read_text(encoding="utf-8"))
    assert int(said[1]) == len(listed()) - 3
