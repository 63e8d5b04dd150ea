# SPDX-License-Identifier: BSD-2-Clause
"""Two copies of a process of which nothing is announced, as of a checkpoint that is restored twice (docs/snapshots.md)."""

import os
import pathlib
import shutil
import subprocess
import sys

import pytest

import cprng

COPIED = pathlib.Path(__file__).resolve().parents[3] / "tests/system/dropin/copied.c"
COUNT = 4096
BUFFERED = 4032  # bytes of one CPU's buffer

PROGRAM = f"""
import os, sys
import cprng
{{imports}}
def draw():
    return {{draw}}
for _ in range(3):  # the first draws of a process are the kernel's
    draw()
child = os.fork()
{{first}}
values = [draw() for _ in range({COUNT})]
# First the child, and then the parent.
if child and os.waitpid(child, 0)[1] != 0:
    os._exit(1)
left = "".join(f"{{{{value}}}}\\n" for value in values).encode()
while left:
    left = left[os.write(1, left):]
os._exit(0)
"""


@pytest.fixture(name="copied", scope="module")
def fixture_copied(tmp_path_factory):
    """A library whose fork(3) is a copy of which nothing is announced."""
    compiler = shutil.which("cc")
    if not sys.platform.startswith("linux") or not COPIED.is_file() or compiler is None:
        pytest.skip("needs Linux, the checkout and a C compiler")
    library = tmp_path_factory.mktemp("copied") / "copied.so"
    subprocess.run([compiler, "-O2", "-shared", "-fPIC", "-o", library, COPIED], check=True)
    return library


def common(copied, draw, first="", imports=""):
    """How many values both copies drew; `first` runs in each."""
    program = PROGRAM.format(draw=draw, first=first, imports=imports)
    run = subprocess.run([sys.executable, "-B", "-c", program], capture_output=True, text=True, check=False,
        env={**os.environ, "LD_PRELOAD": str(copied)}, timeout=600)  # fmt: skip
    assert run.returncode == 0, run.stderr
    values = run.stdout.split()
    assert len(values) == 2 * COUNT
    return len(set(values[:COUNT]) & set(values[COUNT:]))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
@pytest.mark.parametrize(
    ("draw", "size", "imports"),
    [
        ("cprng.uuid4()", 16, ""),
        ("cprng.token_hex(16)", 16, ""),
        ("rng.getrandbits(64)", 8, "rng = cprng.Random()"),
        pytest.param("int(rng.bit_generator.random_raw())", 8, "rng = cprng.default_rng()", id="numpy"),
    ],
)
def test_copies(copied, draw, size, imports):
    """Catches draws beyond one buffer that two copies have in common, and one that an invalidation leaves: a cache in Python."""
    if "default_rng" in imports:
        pytest.importorskip("numpy")
    assert 0 < common(copied, draw, imports=imports) <= BUFFERED // size
    assert common(copied, draw, "cprng.invalidate()", imports) == 0
