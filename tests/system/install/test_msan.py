# SPDX-License-Identifier: BSD-2-Clause
"""The headers in a program with clang's MemorySanitizer, which must know that the library's output is written.

CPRNG_LIBRARY  the library to link with
"""

import pathlib
import re
import subprocess

import pytest

from test_dialects import LIBRARY, ROOT, compilers, run

SOURCE = pathlib.Path(__file__).parent / "msan.c"
OPTIONS = ["-fsanitize=memory", "-Wall", "-Wextra", "-Werror", f"-I{ROOT / 'include'}"]


@pytest.mark.parametrize("level", ["-O0", "-O2"])
@pytest.mark.parametrize("language", ["clang", "clang++"])
def test_msan(tmp_path, language, level):
    """Catches a function whose output the sanitizer reports as unwritten when a program uses it."""
    found = [compiler for compiler in compilers() if re.fullmatch(rf"{re.escape(language)}(-\d+)?", compiler[0])]
    if not found:
        pytest.skip(f"there is no {language}")
    compiler, program = found[0], tmp_path / "program"
    if subprocess.run([compiler[0], "-fsanitize=memory", "-x", "c", "-", "-o", program], input="int main(void) { return 0; }",
                      text=True, capture_output=True, check=False).returncode != 0:  # fmt: skip
        pytest.skip("clang's sanitizers are not installed")
    run(*compiler, *OPTIONS, level, "-c", SOURCE, "-o", tmp_path / "msan.o")
    run(compiler[0], "-fsanitize=memory", tmp_path / "msan.o", *LIBRARY, "-o", program)
    run(program)
    # Confirms that the sanitizer works.
    refused = subprocess.run([program, "unwritten"], capture_output=True, text=True, check=False)
    assert "use-of-uninitialized-value" in refused.stderr and refused.returncode == 1, refused


def test_all_are_listed():
    """Catches a function that writes to its caller's memory but is not wrapped for programs with the sanitizer."""
    headers = {name: (ROOT / "include/cprng" / name).read_text(encoding="utf-8")
               for name in ("cprng.h", "stream.h", "fortuna.h", "msan.h")}  # fmt: skip
    declared = re.findall(r"^\w[\w ]*?(cprng_\w+)\(([^;{}]*)\)(?: CPRNG_WARN_UNUSED)?;",
                          "".join(re.sub(r"/\*.*?\*/", "", text, flags=re.S) for text in headers.values()), re.M)
    # Pointers to output; objects that a function changes do not count.
    writing = {name for name, parameters in declared
               if re.search(r"(?<!const )\b(void \*buf|\w+ \*(out|info|child)|cprng_fortuna \*\*f)\b|(?<!const )\b\w+ out\[\d", parameters)
               or re.search(r"_(init|restore)$|_seed_(integer|string|bytes|text|number)$|selftest", name)}
    listed = set(re.findall(r"#define (\w+) \1_unpoisoned", "".join(headers.values())))
    assert listed == writing - {"cprng_request_slow_1"}
    assert not listed - set(re.findall(r"cprng_\w+", SOURCE.read_text(encoding="utf-8")))
