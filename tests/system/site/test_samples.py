# SPDX-License-Identifier: BSD-2-Clause
"""Code in the documentation: programs are compiled and run, commands are run by a shell."""

import os
import pathlib
import re
import subprocess

import pytest
from markdown_it import MarkdownIt

ROOT = pathlib.Path(__file__).resolve().parents[3]
COMPILERS = {"c": ["cc", "-std=c11"], "cpp": ["c++", "-std=c++17"]}
TEXTS = [ROOT / "README.md", *(ROOT / f"docs/{name}.md" for name in ("c", "command", "installing", "streams"))]


def blocks(path):
    """Fenced and indented code in page order, with the language of fenced code; not the tables of tools/doc-tables."""
    tokens = MarkdownIt().parse(path.read_text(encoding="utf-8"))
    for before, token in zip([None, *tokens], tokens):
        is_table = before and before.type == "html_block" and before.content.startswith("<!-- table:")
        if token.type in ("fence", "code_block") and not is_table:
            yield token.info.strip(), token.content, token.map[0] + 1


def programs():
    for path in TEXTS:
        found = list(blocks(path))
        for i, (language, text, line) in enumerate(found):
            if path.name == "README.md" and language == "c" and "int main(" not in text:
                text = f"#include <cprng/cprng.h>\n#include <stdio.h>\nint main(void)\n{{\n{text}return 0;\n}}\n"  # its single line
                found[i] = (language, text, line)
            if language in COMPILERS and "int main(" in text:
                shown = next((later for kind, later, _ in found[i + 1:] if kind in ("text", *COMPILERS)
                              and (kind == "text" or "int main(" in later)), None)
                is_output = any(kind == "text" and later is shown for kind, later, _ in found[i + 1:])
                yield pytest.param(language, text, shown if is_output else None, id=f"{path.relative_to(ROOT)}:{line}")


def commands():
    for path in TEXTS:
        for language, text, line in blocks(path):
            if language in ("", "sh"):
                for command in text.splitlines():
                    if command.startswith("cprng ") and not command.startswith("cprng seed-file /"):
                        yield pytest.param(command, id=f"{path.relative_to(ROOT)}:{line} {command.split('  ')[0]}")


def environment_of(prefix):
    library = next(prefix.rglob("libcprng.so")).parent
    return {**os.environ, "PATH": f"{prefix}/bin:{os.environ['PATH']}", "PKG_CONFIG_PATH": f"{library}/pkgconfig",
            "LD_LIBRARY_PATH": str(library), "KEY": "00" * 32, "NONCE": "00" * 8, "DEVICE": "device"}


def shape(text):
    """Replaces each number by a sign, since numbers differ between runs."""
    return re.sub(r"-?\d+(\.\d+)?(e-?\d+)?", "#", text.strip())


@pytest.mark.parametrize("language, text, shown", programs())
def test_program(language, text, shown, prefix, tmp_path):
    """Catches a sample that does not compile without a warning, fails, or prints something else than the page says.
    """
    environment = environment_of(prefix)
    source = tmp_path / f"sample.{language}"
    source.write_text(text, encoding="utf-8")
    flags = subprocess.run(["pkg-config", "--cflags", "--libs", "cprng"], env=environment, check=True, capture_output=True,
                           text=True).stdout.split()
    subprocess.run([*COMPILERS[language], "-Wall", "-Wextra", "-Werror", source, "-o", "sample", *flags], cwd=tmp_path,
                   env=environment, check=True)
    ran = subprocess.run(["./sample"], cwd=tmp_path, env=environment, check=True, capture_output=True, text=True)
    if shown is not None:
        assert shape(ran.stdout) == shape(shown)


@pytest.mark.parametrize("command", commands())
def test_command(command, prefix, tmp_path):
    """Catches a command in the documentation that the program refuses, or that writes nothing."""
    ran = subprocess.run(["sh", "-ec", command], cwd=tmp_path, env=environment_of(prefix), check=False, capture_output=True)
    assert ran.returncode == 0, ran.stderr.decode()
    assert ran.stdout or any(file.stat().st_size for file in tmp_path.iterdir())


def test_samples_were_found():
    """Catches a change of form that would stop programs or commands from being tested."""
    assert len(list(programs())) >= 8
    assert len(list(commands())) >= 4
