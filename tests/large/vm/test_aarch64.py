# SPDX-License-Identifier: BSD-2-Clause
"""The tests of a cross build on AArch64 as a whole, whose kernel has the restartable sequences that qemu-user lacks.

`make cross-vm-test` builds the programs.  One boot for each row; on an idle machine the tests of draws take four minutes."""

import os
import pathlib

import pytest

from guests import initramfs
from guests.cache import ROOT
from guests.machine import Arm64

TESTS = pathlib.Path(os.environ.get("CPRNG_VM_AARCH64", "missing"))
OWN = "GLIBC_TUNABLES=glibc.pthread.rseq=0 CPRNG_PLACEMENT=own"
PER_CPU = "^placement per-cpu, engine .*, 2 CPUs$"

# Files that tests of draws read, and those of streams and engines.
READ = [*ROOT.glob("docs/*.md"), *ROOT.glob("docs/man/*.[0-9]"), ROOT / "cmake/cprng.map", *ROOT.glob("tests/vectors/*.json")]

# Ten times what the longest takes on an idle machine.
TIMEOUT = 2400

pytestmark = pytest.mark.skipif(not (TESTS / "draw").exists(), reason="make cross-vm-test builds the programs for AArch64")


@pytest.mark.parametrize("environment, program, first", [
    ("", "draw", PER_CPU),
    (OWN, "draw", PER_CPU),
    ("CPRNG_PLACEMENT=slots", "draw --test-case='restart:*,fork:*,slots:*'", "^placement slots, engine .*, 2 CPUs$"),
    ("", "unit --cpu-ceiling=all --seconds=0.3", None),
    ("", "lengths", None),
    ("", "os", None),
])  # fmt: skip
def test_programs(arm64, tmp_path, environment, program, first):
    """Catches sequences of AArch64 that are not begun, a value that is served twice where the kernel cuts one, or bytes
    that one leaves behind, with the areas that the C library registers and with those of the library."""
    contents = [initramfs.Program(TESTS / program.split()[0]), *(initramfs.File(path, str(path)) for path in READ)]
    script = f"mount -t tmpfs tmpfs /tmp; cd /tmp; {environment} {program} && pass; fail"
    root = initramfs.build(tmp_path, contents, script, busybox=arm64.busybox)
    with Arm64(arm64, root, tmp_path, memory=1024, timeout=TIMEOUT) as machine:
        if first:
            machine.wait_for(first)
        machine.finish()
