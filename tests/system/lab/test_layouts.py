# SPDX-License-Identifier: BSD-2-Clause
"""lab-layouts/: the loops of contenders and generators have other addresses in each, and each serves them.

CPRNG_LAB   path of cprng-lab
"""

import pathlib
import re
import shutil
import subprocess

import pytest
from commands import TIMEOUT, line

PADS = [0, 16, 32, 48]


def program_of(pad):
    return pathlib.Path(line()[0]).parent / "lab-layouts" / str(pad)


def loops_of(program):
    """{name: address} of the timed loops."""
    names = subprocess.run(["nm", "-C", program], check=True, capture_output=True, text=True, timeout=TIMEOUT).stdout
    found = re.findall(r"(?m)^([0-9a-f]+) [tTwW] (void lab::contender_of<.*>::repeat<.*|lab::outline<.*>::next32\(\))$", names)
    # The unreached parts of functions lie elsewhere.
    return {name: int(address, 16) for address, name in found if ".cold" not in name}


@pytest.mark.skipif(shutil.which("nm") is None, reason="no nm")
def test_loops_are_moved():
    """Catches layouts whose loops have the same addresses."""
    first = loops_of(program_of(0))
    assert sum("fast" in name for name in first) >= 6 and sum("rc4" in name for name in first) >= 4 and len(first) > 20
    for pad in PADS[1:]:
        moved = loops_of(program_of(pad))
        assert moved.keys() == first.keys()
        assert {(moved[name] - first[name]) % 64 for name in first} == {pad}


def test_each_serves():
    """Catches a layout that serves nothing."""
    for pad in PADS:
        asked = "\n".join(["loop 10 32 0 1", "bytes 5", "number below 7", ""])
        result = subprocess.run([program_of(pad), "others-child", "serve", "cprng"], input=asked, check=False,
                                capture_output=True, text=True, timeout=TIMEOUT)
        assert (result.returncode, result.stderr) == (0, "")
        loop, some, number = result.stdout.splitlines()
        assert loop.split()[0] == "10" and float(loop.split()[1]) > 0
        assert re.fullmatch("[0-9a-f]{10}", some) and 0 <= int(number) < 7


def test_each_times_keys():
    """Catches a layout that times no generator, or makes too few keys for the draws."""
    for pad in PADS:
        result = subprocess.run([program_of(pad), *"others-child keys arc4-percpu 0 2000 100000 1 3".split()], check=False,
                                capture_output=True, text=True, timeout=TIMEOUT)
        assert (result.returncode, result.stderr) == (0, "")
        keys, *ticks = result.stdout.split()
        assert keys == "3" and len(ticks) == 3 and all(float(one) > 0 for one in ticks)


@pytest.mark.parametrize("arguments", [[], ["others-child", "serve"], ["others-child", "keys", "cprng"], ["others-child", "first-byte", "cprng"],
                                       ["others-child", "serve", "cprng", "more"]])  # fmt: skip
def test_usage(arguments):
    """Catches a program that does something when called incorrectly."""
    result = subprocess.run([program_of(16), *arguments], check=False, capture_output=True, text=True, timeout=TIMEOUT)
    assert (result.returncode, result.stdout) == (2, "") and "usage: " in result.stderr


def test_no_such_contender():
    """Catches a missing contender that is served."""
    result = subprocess.run([program_of(16), "others-child", "serve", "rot13"], check=False, capture_output=True, text=True,
                            timeout=TIMEOUT)
    assert (result.returncode, result.stdout) == (1, "") and "rot13" in result.stderr
