# SPDX-License-Identifier: BSD-2-Clause
"""Builds the Python package's extension module, which contains the library.  The metadata is in pyproject.toml."""

import os
import pathlib
import re
import subprocess
import sys
import sysconfig
import tempfile

from setuptools import Extension, setup

# A source distribution contains the library's two files; a checkout makes them from its sources for each build.
if not pathlib.Path("PKG-INFO").exists():
    if not pathlib.Path("../../tools/one-file").exists():
        sys.exit("setup.py: this is neither a source distribution nor in a checkout of cprng: there is no ../../tools/one-file")
    subprocess.run([sys.executable, "-B", "../../tools/one-file", "c/cprng"], check=True)
HEADER = pathlib.Path("c/cprng/cprng.h")
VERSION = re.findall(r"^#define CPRNG_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)$", HEADER.read_text(encoding="utf-8"), re.MULTILINE)

SOURCES = """
    c/cprng/cprng.c
    native/bitgen.c
    native/choices.c
    native/core.c
    native/draws.c
    native/fills.c
    native/integers.c
    native/module.c
    native/orders.c
    native/parts.c
    native/stream.c
    native/tokens.c
""".split()

# These follow the interpreter's flags and CFLAGS.  -O2, because the library does not compile without optimisation.
FLAGS = ["-std=gnu11", "-O2", "-g0", "-pthread", "-fvisibility=hidden", "-fstack-protector-strong", "-Wall", "-Wextra",
         "-Wstrict-prototypes", "-Wmissing-prototypes"]  # fmt: skip
# The target system of ./wheels: "linux-x86_64", "macosx-11.0-arm64", "win-amd64".
platform = sysconfig.get_platform()
machine = platform.rpartition("-")[2]
# Hardening, as in the library built by CMake.
if machine in ("x86_64", "i686", "amd64"):
    FLAGS.append("-fcf-protection=full")
elif machine in ("aarch64", "arm64"):
    FLAGS.append("-mbranch-protection=standard")
if "_FORTIFY_SOURCE" not in " ".join([sysconfig.get_config_var("CFLAGS") or "", *map(os.environ.get, ("CFLAGS", "CPPFLAGS"), ("", ""))]):
    FLAGS += ["-U_FORTIFY_SOURCE", "-D_FORTIFY_SOURCE=2"]
LINK = ["-pthread"]
if not platform.startswith("macosx"):
    LINK.append("-s")
if not platform.startswith(("macosx", "win")):
    FLAGS.append("-fno-plt")
    # The library's memory lasts until the process ends, so its code must too.  (On Windows the library pins its own module.)
    LINK.append("-Wl,-z,relro,-z,now,-z,nodelete")

# One wheel for Python 3.11 and later; free-threaded Python, which has no stable ABI, gets its own wheel.
STABLE = not sysconfig.get_config_var("Py_GIL_DISABLED")

# A temporary folder keeps files of earlier builds out of the wheel.
with tempfile.TemporaryDirectory() as build:
    setup(
        version=".".join(VERSION),
        ext_modules=[
            Extension(
                "cprng._core",
                SOURCES,
                include_dirs=["c"],
                depends=[str(HEADER), *map(str, pathlib.Path("native").glob("*.h"))],
                define_macros=[("_GNU_SOURCE", None), *([("Py_LIMITED_API", "0x030B0000")] if STABLE else [])],
                extra_compile_args=FLAGS,
                extra_link_args=LINK,
                libraries=["python3"] if platform.startswith("win") else [],
                py_limited_api=STABLE,
            )
        ],
        options={
            "bdist_wheel": {"py_limited_api": "cp311"} if STABLE else {},
            "build": {"build_base": build},
            "egg_info": {"egg_base": "c"},
        },
    )
