# SPDX-License-Identifier: BSD-2-Clause
"""The module for each kernel, in its form for tests, and guests that have it loaded."""

import dataclasses
import os
import pathlib
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
HERE = ROOT / "tests" / "kernel"
sys.path.insert(0, str(ROOT / "tests" / "vm"))

# pylint: disable=wrong-import-position
from guests import initramfs, kernels  # noqa: E402
from guests.machine import Machine  # noqa: E402

PROGRAMS = ["arandom", "duplicates", "entrances", "hog", "later", "registers"]

# qemu 7.2 computes the upper half of VAES's vectors wrongly, and the module does not load where a self-test fails.
CPU = ["-cpu", "max,vaes=off"]

# The script finds the modules here: not where the harness would load them of its own accord.
HEAD = """
D=/sys/kernel/debug
mount -t debugfs debugfs $D
load() { insmod /m/cprng.ko "$@" && insmod /m/cprng_test.ko || fail insmod; }
unload() { rmmod cprng_test && rmmod cprng || fail rmmod; }
"""


def build(kernel, place, *arguments):
    """cprng.ko for a kernel; returns what make printed."""
    command = ["make", "-C", ROOT / "kernel" / "linux", f"KERNEL={kernel.build}", f"BUILD={place}",
               f"-j{os.environ.get('JOBS', '2')}", *arguments]
    result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False, text=True)
    assert result.returncode == 0, result.stdout
    return result.stdout


@dataclasses.dataclass(frozen=True)
class Built:
    kernel: kernels.Kernel
    place: pathlib.Path
    output: str

    def boot(self, directory, script, *, cpus=4, modules=(), devices=(), **options):
        """A guest; options are the machine's."""
        contents = [initramfs.File(self.place / name, f"/m/{name}") for name in ("cprng.ko", "cprng_test.ko")]
        contents += [initramfs.Program(self.place / "programs" / name) for name in PROGRAMS]
        root = initramfs.build(directory, contents, HEAD + script, modules)
        return Machine(self.kernel, root, directory, cpus=cpus, devices=[*CPU, *devices], **options)


def built(name):
    """For tests, out of build/kernel-test/."""
    kernel = kernels.fetch(name, headers=True)
    place = ROOT / "build" / "kernel-test" / kernel.version
    output = build(kernel, place, "TEST=yes")
    (place / "programs").mkdir(exist_ok=True)
    for program in PROGRAMS:
        subprocess.run(["cc", "-O2", "-Wall", "-Wextra", "-Werror", "-static", "-o", place / "programs" / program,
                        HERE / "programs" / f"{program}.c"], check=True)
    return Built(kernel, place, output)


@pytest.fixture(scope="session", name="release")
def _release():
    """For the kernel of the running release."""
    return built("release")


@pytest.fixture(scope="session", params=["release", "backports"], name="each")
def _each(request):
    """For each kernel in turn."""
    return request.getfixturevalue("release") if request.param == "release" else built(request.param)

