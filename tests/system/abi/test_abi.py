# SPDX-License-Identifier: BSD-2-Clause
"""The binary interface that linked programs rely on (docs/decisions/0033-draws-by-value.md).

interface.txt lists the functions and types of the public headers.  After an intended change,
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
import tempfile
import xml.etree.ElementTree

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]
CC = shlex.split(os.environ.get("CC", "cc"))
SHARED = pathlib.Path(os.environ.get("CPRNG_SHARED_LIBRARY", ROOT / "build/libcprng.so"))
KEPT = ROOT / "tests/system/abi/interface.txt"
LINE = 64  # bytes of struct cprng_draw, on every architecture


def run(*command):
    return subprocess.run([str(part) for part in command], check=True, capture_output=True, text=True).stdout


def symbols(file):
    """Size, type and section of each dynamic symbol, by name."""
    rows = (line.split() for line in run("readelf", "--dyn-syms", "-W", file).splitlines())
    rows = (row for row in rows if len(row) > 7 and row[0][:-1].isdigit())
    return {row[7].partition("@")[0]: (int(row[2], 0), row[3], row[6]) for row in rows}


def test_size_of_the_variable():
    """Catches a cprng_draw_1 whose size has changed: old programs have no room for it."""
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


# A symbol's type, binding, visibility and size.
USUAL = ("func-type", "global-binding", "default-visibility", None)


class Interface:
    """abidw's output, as declarations."""

    def __init__(self, file):
        self.corpus = xml.etree.ElementTree.parse(file).getroot()
        self.types = {element.get("id"): element for element in self.corpus.iter() if element.get("id") and element.tag != "subrange"}

    def type(self, key):
        """The type's name or its components; names of the C library that begin with __ are replaced by the types they name."""
        of = self.types[key]
        inner = of.get("type-id")
        match of.tag:
            case "pointer-type-def":
                return f"{self.type(inner)} *"
            case "qualified-type-def":
                return f"{self.type(inner)}{' const' * (of.get('const') == 'yes')}{' volatile' * (of.get('volatile') == 'yes')}"
            case "array-type-def":
                return self.type(inner) + "".join(f"[{part.get('length')}]" for part in of.iter("subrange"))
            case "function-type":
                return f"{self.type(of.find('return').get('type-id'))} ({self.parameters(of)})"
            case "typedef-decl" if of.get("name").startswith("__"):
                return self.type(inner)
        return of.get("name")

    def parameters(self, of):
        return ", ".join("..." if one.get("is-variadic") else self.type(one.get("type-id")) for one in of.iter("parameter"))

    def lines(self):
        """Each type with its members, function, variable and symbol."""
        for of in self.types.values():
            if of.tag in ("class-decl", "union-decl", "enum-decl"):
                title = f"{of.tag.partition('-')[0]} {of.get('name')}, {of.get('size-in-bits', 'unknown')} bits"
                for one in of.iter("data-member"):
                    member = one.find("var-decl")
                    yield f"{title}, from bit {one.get('layout-offset-in-bits')} on: {self.type(member.get('type-id'))} {member.get('name')}"
                for one in of.iter("enumerator"):
                    yield f"{title}, {one.get('name')} = {one.get('value')}"
                yield title
            elif of.tag == "type-decl":
                yield f"type {of.get('name')}, {of.get('size-in-bits', 'no')} bits"
            elif of.tag == "typedef-decl" and not of.get("name").startswith("__"):
                yield f"typedef {of.get('name')}: {self.type(of.get('type-id'))}"
        for of in self.corpus.iter("function-decl"):
            yield f"{self.type(of.find('return').get('type-id'))} {of.get('name')}({self.parameters(of)}) as {of.get('elf-symbol-id')}"
        for of in self.corpus.iterfind("abi-instr/var-decl"):
            yield f"{self.type(of.get('type-id'))} {of.get('name')} as {of.get('elf-symbol-id')}"
        declared = {of.get("elf-symbol-id") for of in self.corpus.iter()}
        for of in self.corpus.iter("elf-symbol"):
            name = f"{of.get('name')}{'@@' if of.get('is-default-version') == 'yes' else '@'}{of.get('version')}"
            kind = (of.get("type"), of.get("binding"), of.get("visibility"), of.get("size"))
            if name not in declared or kind != USUAL:
                yield f"symbol {name}: {kind}"


def interface(directory):
    """The functions and variables that SHARED exports, with the types that the public headers have for them: sorted lines."""
    file = directory / "abi.xml"
    # Libabigail since 2024 also lists the symbols that the library imports from the C library.
    without_undefined = "--no-load-undefined-interfaces"
    usage = subprocess.run(["abidw", "--help"], check=False, capture_output=True, text=True)
    options = [without_undefined] * (without_undefined in usage.stdout + usage.stderr)
    run("abidw", *options, "--headers-dir", ROOT / "include/cprng", "--drop-private-types", "--exported-interfaces-only", "--no-corpus-path",
        "--no-comp-dir-path", "--no-show-locs", "--no-parameter-names", "--no-elf-needed", "--no-write-default-sizes",
        "--out-file", file, SHARED)  # fmt: skip
    return sorted(set(Interface(file).lines()))


@pytest.mark.skipif(platform.machine() != "x86_64", reason="interface.txt is that of x86-64")
@pytest.mark.skipif(not shutil.which("abidw"), reason="abidw (abigail-tools) is not installed")
@pytest.mark.skipif("clang" in CC[0], reason="interface.txt has the names that gcc gives to types of C")
def test_types_and_functions(tmp_path):
    """Catches a member that moves, an argument or result whose type changes, and a function that is added or removed."""
    kept = KEPT.read_text(encoding="ascii").splitlines()
    assert sorted({*interface(tmp_path)} ^ {*kept}) == []


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as made:
        KEPT.write_text("".join(f"{line}\n" for line in interface(pathlib.Path(made))), encoding="ascii")
