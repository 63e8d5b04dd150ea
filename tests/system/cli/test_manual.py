# SPDX-License-Identifier: BSD-2-Clause
"""The EXAMPLES of the manual pages: commands print what the page says, programs compile.

CC, CXX        the compilers (cc, c++)
CPRNG_LIBRARY  library to link the programs with and to run them; without it they are compiled only
"""

import os
import re
import shlex
import shutil
import subprocess

import pytest

from command import COMMANDS, EMULATOR, ROOT, TIMEOUT, good, in_environment, line

MANUAL = ROOT / "docs" / "man"
LIBRARY = os.environ.get("CPRNG_LIBRARY")


def displays(page):
    """A page's literal displays, as formatted."""
    source = (MANUAL / page).read_text()
    for display in re.findall(r"^\.Bd -literal.*\n((?:.*\n)*?)^\.Ed$", source, re.MULTILINE):
        yield display.replace(r"\e", "\\").replace(r"\&", "")


def commands():
    """Pairs of a command and the output shown below it."""
    for display in displays("cprng.1"):
        for example in re.split(r"^\$ ", display, flags=re.MULTILINE)[1:]:
            found = re.match(r"((?:.*\\\n)*.*\n)((?:.*\n)*)", example)
            yield pytest.param(found[1], found[2], id=found[1].split("\n")[0])


@pytest.mark.parametrize("command, shown", list(commands()))
def test_command(tmp_path, command, shown):
    """Catches a manual example that fails, or prints something else than the page shows."""
    (tmp_path / "words").write_text("one\ntwo\nthree\n")
    (tmp_path / "bin").mkdir()
    script = tmp_path / "bin" / "cprng"
    script.write_text(f'#!/bin/sh\nexec {shlex.join(line())} "$@"\n')
    script.chmod(0o755)
    environment = in_environment(PATH=f"{script.parent}:{os.environ['PATH']}")
    result = subprocess.run(["sh", "-c", command], cwd=tmp_path, env=environment, stdin=subprocess.DEVNULL, text=True,
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=TIMEOUT, check=False)  # fmt: skip
    if shown.startswith("cprng: ") or "stream" in command:
        assert result.stdout == shown
        return
    assert result.returncode == 0
    # Random output: the page shows its form.
    if shown:
        assert re.sub("[0-9A-Za-z]", "0", result.stdout) == re.sub("[0-9A-Za-z]", "0", shown)
    if "words" in command:
        assert result.stdout in ("one\n", "two\n", "three\n")
    if "secret.key" in command:
        assert (tmp_path / "secret.key").stat().st_size == 32
        assert (tmp_path / "secret.key").stat().st_mode & 0o777 == 0o600


def options():
    """Every command's options, from its help."""
    for name in COMMANDS:
        for option in re.findall(r"(?m)^  (?:-\w,)?--([a-z0-9-]+)", good(name, "--help").decode().split("Examples:")[0]):
            yield name, option


def test_every_option_is_in_the_manual():
    """Catches an option missing from the manual."""
    text = (MANUAL / "cprng.1").read_text()
    missing = [f"{name} --{option}" for name, option in options() if not re.search(rf"(Fl|,|\|) -{option}\b", text)]
    assert not missing


def test_every_command_is_in_the_manual():
    """Catches a command missing from the manual."""
    text = (MANUAL / "cprng.1").read_text()
    assert not [name for name in COMMANDS if not re.search(rf"(?m)^\.(Cm|It Cm) .*\b{name}\b", text)]


def test_table_of_engines_fits_a_terminal():
    """Catches a table that is broken on an 80-column terminal."""
    for formatter in [["mandoc", "-Tascii", "-Owidth=78"], ["nroff", "-mandoc", "-Tascii", "-rLL=78n"]]:
        if shutil.which(formatter[0]) is None:
            continue
        shown = subprocess.run([*formatter, MANUAL / "cprng.1"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                               timeout=TIMEOUT, check=True).stdout  # fmt: skip
        plain = re.sub("\x1b\\[[0-9;]*m|.\b", "", shown)
        table = re.search(r"(?m)^ENGINES\n((?:.+\n)+)", plain)[1].splitlines()
        assert len(table) == 6 and all(len(row) <= 78 for row in table), table


def programs():
    for page in ["cprng.3", "cprng_stream.3", "cprng_stream_numbers.3", "cprng_info.3", "cprng_strong.3",
                 "cprng_seed_file.3", "cprng_fortuna.3"]:
        for number, display in enumerate(displays(page)):
            yield pytest.param(display, id=f"{page}-{number}")


@pytest.mark.parametrize("source", list(programs()))
def test_program(tmp_path, source):
    """Catches an example program of the manual that does not compile, fails, or prints nothing."""
    assert "int main(" in source
    if "cprng.hpp" in source:
        compiler, language, standard = shlex.split(os.environ.get("CXX", "c++")), "c++", "-std=c++17"
    else:
        compiler, language, standard = shlex.split(os.environ.get("CC", "cc")), "c", "-std=c11"
    if shutil.which(compiler[0]) is None:
        pytest.skip(f"no {compiler[0]}")
    file = tmp_path / "example"
    flags = [standard, "-O1", "-Wall", "-Wextra", "-Werror", f"-I{ROOT / 'include'}", "-x", language, "-", "-x", "none"]
    target = [*shlex.split(LIBRARY), "-o", str(file)] if LIBRARY else ["-fsyntax-only"]
    result = subprocess.run([*compiler, *flags, *target], input=source, capture_output=True, text=True, timeout=TIMEOUT,
                            check=False)  # fmt: skip
    assert (result.returncode, result.stderr) == (0, "")
    if not LIBRARY:
        pytest.skip("compiled; CPRNG_LIBRARY is not set, so not run")
    result = subprocess.run([*EMULATOR, file], cwd=tmp_path, capture_output=True, text=True, timeout=TIMEOUT,
                            check=False)  # fmt: skip
    assert (result.returncode, result.stderr) == (0, "")
    assert result.stdout
    if "cprng_stream_init" in source:
        assert result.stdout == "10f1e7e4d13b5915\n"
    if "cprng_stream_seed_integer" in source:
        assert result.stdout == "3.1453\n"


def functions():
    """The public headers' functions: their types start at the margin."""
    for header in ["cprng.h", "fortuna.h", "stream.h"]:
        text = (ROOT / "include" / "cprng" / header).read_text()
        text = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
        yield from re.findall(r"^(?!typedef|#)\w[\w \t]*[ *](cprng_\w+)\(", text, re.MULTILINE)


@pytest.mark.parametrize("function", list(functions()))
def test_every_function_has_a_page(function):
    """Catches a public function without a page, or with two.

    The names at the beginning of a page become the links to it that are installed (cmake/Install.cmake).
    """
    pages = [page.read_text() for page in MANUAL.glob("*.3")]
    naming = [page for page in pages if re.search(rf"^\.Nm {function}\b", page.split("\n.Nd ")[0], re.MULTILINE)]
    assert len(naming) == 1
    assert re.search(rf"^\.F[no] {function}\b", naming[0], re.MULTILINE)


@pytest.mark.parametrize("page", sorted(path.name for path in MANUAL.glob("*.[137]")))
def test_width(page):
    """Catches a table or a declaration that does not fit a terminal of 80 columns; what is literal may be wider."""
    if not shutil.which("groff"):
        pytest.skip("no groff")
    shown = subprocess.run(["groff", "-t", "-mandoc", "-Tascii", "-P-cbou", "-rLL=80n", "-wbreak", MANUAL / page], capture_output=True,
                           text=True, timeout=TIMEOUT, check=True)  # fmt: skip
    assert shown.stderr == ""
    literal = {row.strip() for display in displays(page) for row in display.splitlines()}
    assert [row for row in shown.stdout.splitlines() if len(row) > 80 and row.strip() not in literal] == []
