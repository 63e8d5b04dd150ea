# SPDX-License-Identifier: BSD-2-Clause
"""Shared fixtures."""

import os
import shlex
import shutil
import subprocess

import pytest

from command import EMULATOR


@pytest.fixture(scope="module")
def preload(tmp_path_factory):
    """Compile a library that replaces functions of the C library in the command."""
    compiler = shlex.split(os.environ.get("CC", "cc"))
    if EMULATOR or "-fsanitize" in os.environ.get("CC", "") or shutil.which(compiler[0]) is None:
        pytest.skip("nothing can be preloaded into the command")

    def build(source):
        library = tmp_path_factory.mktemp("preload") / "preload.so"
        subprocess.run([*compiler, "-shared", "-fPIC", "-x", "c", "-", "-o", library, "-ldl"], input=source, text=True,
                       check=True)  # fmt: skip
        return library

    return build
