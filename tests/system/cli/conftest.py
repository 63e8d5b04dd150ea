# SPDX-License-Identifier: BSD-2-Clause
"""Shared fixtures."""

import os
import shlex
import shutil
import subprocess

import pytest

from command import EMULATOR


# Before all sources: NEXT(f) is the function that f replaces, and SAME(g, f) makes g, which the C library declares, another name of f.
PRELUDE = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <unistd.h>
#define NEXT(f) ((__typeof__(f) *)dlsym(RTLD_NEXT, #f))
#define SAME(g, f) extern __typeof__(g) g __attribute__((alias(#f)))
#line 1
"""


@pytest.fixture(scope="module")
def preload(tmp_path_factory):
    """Compile a library that replaces functions of the C library in the command; returns the environment that has it."""
    compiler = shlex.split(os.environ.get("CC", "cc"))
    if EMULATOR or "-fsanitize" in os.environ.get("CC", "") or shutil.which(compiler[0]) is None:
        pytest.skip("nothing can be preloaded into the command")

    def build(source):
        library = tmp_path_factory.mktemp("preload") / "preload.so"
        subprocess.run([*compiler, "-shared", "-fPIC", "-x", "c", "-", "-o", library, "-ldl"], input=PRELUDE + source, text=True,
                       check=True)  # fmt: skip
        return {**os.environ, "LD_PRELOAD": str(library)}

    return build
