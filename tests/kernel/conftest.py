# SPDX-License-Identifier: BSD-2-Clause
"""The module for each kernel, in its form for tests, and guests that have it loaded.

The same tests run in kernels of the distribution and, with --debug-kernel, in one that is made of its source with
debug.config: slowly, but it tells of locks, memory and contexts what no test can see from outside.
"""

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
from guests import compiled, initramfs, kernels  # noqa: E402
from guests.machine import TIMEOUT, Machine  # noqa: E402

PROGRAMS = ["arandom", "duplicates", "entrances", "hog", "later", "registers"]

# qemu 7.2 computes the upper half of VAES's vectors wrongly, and the module does not load where a self-test fails.
CPU = ["-cpu", "max,vaes=off"]

# Where each access, lock and object is watched, a part of the memory tells of the rest, and all takes ten times as
# long: what would be a stall is none yet.  The log comes by the driver of the first messages (debug.config).
DEBUG_OPTIONS = {
    "timeout": 10 * TIMEOUT, "memory": 1024,
    "append": "console=ttynull earlyprintk=ttyS1,115200,keep watchdog_thresh=50 rcupdate.rcu_cpu_stall_timeout=100",
}

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
    options: dict

    def boot(self, directory, script, *, cpus=4, modules=(), devices=(), **options):
        """A guest; options are the machine's."""
        contents = [initramfs.File(self.place / name, f"/m/{name}") for name in ("cprng.ko", "cprng_test.ko")]
        contents += [initramfs.Program(self.place / "programs" / name) for name in PROGRAMS]
        root = initramfs.build(directory, contents, HEAD + script, modules)
        options = self.options | options
        options["append"] = f"{self.options.get('append', '')} {options.get('append', '')}"
        return Machine(self.kernel, root, directory, cpus=cpus, devices=[*CPU, *devices], **options)


def built(name):
    """For tests, out of build/kernel-test/."""
    if name == "debug":
        kernel, options = compiled.fetch(name, HERE / "debug.config"), DEBUG_OPTIONS
    else:
        kernel, options = kernels.fetch(name, headers=True), {}
    place = ROOT / "build" / "kernel-test" / kernel.version
    output = build(kernel, place, "TEST=yes")
    (place / "programs").mkdir(exist_ok=True)
    for program in PROGRAMS:
        subprocess.run(["cc", "-O2", "-Wall", "-Wextra", "-Werror", "-static", "-o", place / "programs" / program,
                        HERE / "programs" / f"{program}.c"], check=True)
    return Built(kernel, place, output, options)


def pytest_addoption(parser):
    parser.addoption("--debug-kernel", action="store_true", help="in the kernel of debug.config, and in no other")


def pytest_configure(config):
    config.addinivalue_line("markers", "debug_kernel(only=True): for --debug-kernel alone; only=False: not for it")


def pytest_collection_modifyitems(config, items):
    """No skipping: each target has its tests, and what is not one of them is not reported as one."""
    debug = config.getoption("--debug-kernel")
    marks = [(item, item.get_closest_marker("debug_kernel")) for item in items]
    left_out = [item for item, mark in marks if mark and mark.kwargs.get("only", True) != debug]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if item not in left_out]


def pytest_generate_tests(metafunc):
    if "each" in metafunc.fixturenames:
        names = ["debug"] if metafunc.config.getoption("--debug-kernel") else ["release", "backports"]
        metafunc.parametrize("each", names, indirect=True, scope="session")


@pytest.fixture(scope="session", name="release")
def _release(pytestconfig):
    """For the kernel of the running release, or the one made of its source."""
    return built("debug" if pytestconfig.getoption("--debug-kernel") else "release")


@pytest.fixture(scope="session", name="each")
def _each(request):
    """For each kernel in turn."""
    return built("backports") if request.param == "backports" else request.getfixturevalue("release")
