# SPDX-License-Identifier: BSD-2-Clause
"""Starts programs with the drop-ins.

CPRNG_PRELOAD           path of libcprng-preload.so
CPRNG_PRELOAD_DEVICES   path of libcprng-preload-devices.so
CPRNG_SUBJECT           path of a program that knows nothing of the library (subject.c)
CPRNG_COPIED            path of a library whose fork(3) creates a clone that nothing reports (tests/system/dropin/copied.c)
CPRNG_DROPIN_LARGE      all programs of Debian, and large volumes
"""

import functools
import os
import pathlib
import shutil
import struct
import subprocess

import pytest

TIMEOUT = 900
LARGE = bool(os.environ.get("CPRNG_DROPIN_LARGE"))
PYTHON = "/usr/bin/python3"
FUNCTIONS = ("arc4random", "arc4random_buf", "arc4random_uniform", "getentropy", "getrandom", "kernel")


def built(name):
    path = os.environ.get(name)
    if not path:
        pytest.exit(f"{name} must be a path", returncode=2)
    return path


def installed(prefix, *parts):
    """Installs folders of dropin/ below the prefix."""
    for part in parts:
        script = pathlib.Path(built("CPRNG_PROVIDER")).parent.parent / f"dropin/{part}/cmake_install.cmake"
        good("cmake", f"-DCMAKE_INSTALL_PREFIX={prefix}", "-P", script, env={**os.environ, "DESTDIR": ""})


def program(name):
    """The path of a Debian program, or skip."""
    path = shutil.which(name, path="/usr/bin:/usr/sbin:/bin:/sbin")
    if path is None:
        pytest.skip(f"{name} is not installed")
    return path


class Report:
    """Reads the counters of dropin/preload/report.h."""

    SIZE = 4096

    def __init__(self, path):
        self.path = path
        path.write_bytes(bytes(self.SIZE))
        path.chmod(0o600)

    def read(self):
        values = struct.unpack("=14Q", self.path.read_bytes()[:112])
        self.processes = values[0]
        return {name: values[2 + 2 * i:4 + 2 * i] for i, name in enumerate(FUNCTIONS)}


def environment(devices=False, report=None, **more):
    result = dict(os.environ, LC_ALL="C", **more)
    result["LD_PRELOAD"] = built("CPRNG_PRELOAD") + (":" + built("CPRNG_PRELOAD_DEVICES") if devices else "")
    if report is not None:
        result["CPRNG_PRELOAD_REPORT"] = str(report.path)
    return result


def run(*line, env=None, **options):
    """Run to the end, and collect what it prints."""
    options.setdefault("stdin", subprocess.DEVNULL)
    options.setdefault("timeout", TIMEOUT)
    return subprocess.run([str(word) for word in line], check=False, capture_output=True, env=env, **options)


def full_disk(directory, *line, **options):
    """Run with a full file system at the directory, which has an empty file of 4096 bytes, "report"."""
    unshare = ["unshare", "--map-root-user", "--mount", "sh", "-c"]
    mount = 'mount -t tmpfs -o size=4k none "$0" && head -c 4096 /dev/zero >"$0/full" && truncate -s 4096 "$0/report"'
    mount += ' && chmod 600 "$0/report"'
    if run(*unshare, mount, directory).returncode != 0:
        pytest.skip("no file system can be mounted")
    return run(*unshare, mount + ' && exec "$@"', directory, *line, **options)


def good(*line, env=None, **options):
    """Run, which must succeed silently on standard error; return its output."""
    result = run(*line, env=env, **options)
    assert (result.returncode, result.stderr.decode()) == (0, "")
    return result.stdout


class Served:
    """subject.h's program, which draws from the library in this environment."""

    def __init__(self, program, env=None):
        self.program, self.env = program, env

    def run(self, mode):
        return run(self.program, mode, env=self.env)

    def good(self, mode):
        return good(self.program, mode, env=self.env)

    @functools.cached_property
    def of_threads(self):
        """The values that four threads drew, each 200,000 of 16 bytes by each function in turn."""
        return self.good("threads")


def distinct(values, count):
    """Checks that there are that many values, all different."""
    assert len(values) == count
    assert len(set(values)) == count
