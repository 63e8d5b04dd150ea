# SPDX-License-Identifier: BSD-2-Clause
"""CONTRIBUTING.md's shortest loop, in the build of CPRNG_BUILD, without the compilation."""

import os
import pathlib
import re
import shlex
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent.parent
LOOP = re.search(r"(?ms)^### The shortest loop$(.*?)^The C\+\+ files", (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8"))[1]
ROWS = [[cell.strip().strip("`") for cell in line.split("|")[1:-1]] for line in re.findall(r"(?m)^\| `.*", LOOP)]
BUILD = os.environ.get("CPRNG_BUILD")


def run(*command):
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


@pytest.mark.skipif(not BUILD, reason="CPRNG_BUILD names no build")
@pytest.mark.parametrize("place, target, name", ROWS)
def test_row(place, target, name, tmp_path):
    """Catches a row whose folder, target or test the build has not."""
    assert all((ROOT / folder).is_dir() for folder in re.findall(r"[\w/]+/", place))
    if target:
        compiled = run("cmake", "--build", BUILD, "-t", target, "--", "-n")
        assert compiled.returncode == 0, compiled.stderr
    # From another directory: `ctest -N` overwrites the log of a run.
    (tmp_path / "CTestTestfile.cmake").write_text(f'subdirs("{BUILD}")\n')
    for one in name.replace("`", "").split(", "):
        assert re.search(r"(?m)^Total Tests: [1-9]", run("ctest", "--test-dir", tmp_path, "-N", "-R", one).stdout)


@pytest.mark.skipif(not BUILD, reason="CPRNG_BUILD names no build")
def test_commands():
    """Catches a command of the loop that is refused, or does not do what its row says."""
    configure, build, test, case = [shlex.split(line, comments=True) for line in re.findall(r"(?m)^    (.*)$", LOOP)]
    assert configure == ["cmake", "--preset", "default"]
    assert [build[-1], test[-1]] in [row[1:] for row in ROWS]
    listed = {name: run(*line, "--list-presets").stdout for name, line in (("build", build[:2]), ("test", test[:1]))}
    assert all('"default"' in presets for presets in listed.values()), listed
    program = pathlib.Path(BUILD) / pathlib.Path(case[0]).relative_to("build")
    if not program.exists():
        pytest.skip(f"{program} is not built")
    done = run(program, *case[1:])
    assert done.returncode == 0 and re.search(r"test cases: +[1-9]", done.stdout), done.stdout
