# SPDX-License-Identifier: BSD-2-Clause
"""The module for each kernel, in its test form, and guests that have it loaded.

The same tests run in the distribution's kernels and, with --debug-kernel, in one compiled from its source with
debug.config: slower, but it detects errors in locks, memory and contexts that tests cannot see from outside.
"""

import dataclasses
import functools
import os
import pathlib
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent.parent
HERE = ROOT / "tests" / "system" / "kernel"
sys.path.insert(0, str(ROOT / "tests" / "vm"))

# pylint: disable=wrong-import-position
from guests import compiled, initramfs, kernels  # noqa: E402
from guests.machine import TIMEOUT, Machine, summarize  # noqa: E402

PROGRAMS = ["arandom", "duplicates", "entrances", "hog", "later", "registers"]

# Defaults of a guest; and the states of each (module.h).
CPUS = 4
LEVELS = 8

MODULES = ["cprng.ko", "cprng_test.ko", "cprng_late.ko", "cprng_kunit.ko"]

# Otherwise a newer kernel accepts the time stamp counter only when all CPUs already run, and then patches its code by
# breakpoints.  An emulator with several threads may execute these after their removal: an oops at boot, on a busy host.
OPTIONS = {"append": "tsc=unstable"}

# Where every access, lock and object is checked, the checks take part of the memory, and everything takes ten times as
# long, so stall limits are raised.  The log comes from the driver of the first messages (debug.config).
DEBUG_OPTIONS = {
    "timeout": 10 * TIMEOUT, "memory": 1024,
    "append": "console=ttynull earlyprintk=ttyS1,115200,keep watchdog_thresh=50 rcupdate.rcu_cpu_stall_timeout=100",
}

# The script loads modules from here if the harness does not load them.
HEAD = """
D=/sys/kernel/debug
mount -t debugfs debugfs $D
load() { insmod /m/cprng.ko "$@" && insmod /m/cprng_test.ko || fail insmod; }
unload() { rmmod cprng_test && rmmod cprng || fail rmmod; }
"""


def build(kernel, place, *arguments):
    """cprng.ko for a kernel; returns make's output."""
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

    def boot(self, directory, script, *, cpus=CPUS, modules=(), devices=(), files=(), **options):
        """A guest; options are the machine's."""
        contents = [initramfs.File(self.place / name, f"/m/{name}") for name in MODULES
                    if (self.place / name).exists()]
        contents += files
        contents += [initramfs.Program(self.place / "programs" / name) for name in PROGRAMS]
        root = initramfs.build(directory, contents, HEAD + script, modules)
        options = self.options | options
        options["append"] = f"{self.options.get('append', '')} {options.get('append', '')}"
        return Machine(self.kernel, root, directory, cpus=cpus, devices=devices, **options)


def built(name, plain=False):
    """The test build in build/kernel-test/, or the installed form, for measurements."""
    if name == "debug":
        kernel, options = compiled.fetch(name, HERE / "debug.config"), DEBUG_OPTIONS
    else:
        kernel, options = kernels.fetch(name, headers=True), OPTIONS
    place = ROOT / "build" / ("kernel" if plain else "kernel-test") / kernel.version
    output = build(kernel, place, *([] if plain else ["TEST=yes"]))
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
    """Deselect instead of skip: each target has its tests, and others are not reported as its."""
    debug = config.getoption("--debug-kernel")
    marks = [(item, item.get_closest_marker("debug_kernel")) for item in items]
    left_out = [item for item, mark in marks if mark and mark.kwargs.get("only", True) != debug]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if item not in left_out]


# A test's environment, chosen by its fixture.  With --debug-kernel, `release` means that kernel.
KERNELS = {"each": ["release", "backports"], "every": ["release", "backports", "preempt-rt"]}


def pytest_generate_tests(metafunc):
    for fixture, names in KERNELS.items():
        if fixture in metafunc.fixturenames:
            debug = metafunc.config.getoption("--debug-kernel")
            metafunc.parametrize(fixture, ["release"] if debug else names, indirect=True, scope="session")


@pytest.fixture(scope="session", name="release")
def _release(pytestconfig):
    """For the running release's kernel, or the one compiled from its source."""
    return built("debug" if pytestconfig.getoption("--debug-kernel") else "release")


@pytest.fixture(scope="session", name="_others")
def _built_others():
    """Other kernels, built at first use."""
    return functools.lru_cache(None)(built)


@pytest.fixture(scope="session", name="each")
def _each(request, _others):
    """For each kernel in turn."""
    return request.getfixturevalue("release") if request.param == "release" else _others(request.param)


@pytest.fixture(scope="session", name="every")
def _every(request, _others):
    """For each kernel in turn, including PREEMPT_RT."""
    return request.getfixturevalue("release") if request.param == "release" else _others(request.param)


def pytest_terminal_summary(terminalreporter):
    summarize(terminalreporter)
