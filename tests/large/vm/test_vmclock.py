# SPDX-License-Identifier: BSD-2-Clause
"""A machine whose hypervisor shows its generation to user space (/dev/vmclock0), and is cloned.

The library looks at it by itself, so the clones part whether or not their kernels have noticed.  It takes qemu 10 and
Linux 6.13: where the running release has neither, those of backports and the newest that Debian has.
"""

import pytest

import drawing
from cloned import CPUS, THREADS
from guests import apt, emulator, kernels
from test_clone import RECORDS, describe

# What is in the buffers, which draws take without a look, and the bytes of a refill that is under way.
BUFFERS = CPUS * 2 * 4096
# Of each thread: what a draw had in hand when the state was saved is both clones'.
UNDER_WAY = THREADS * 16


@pytest.fixture(scope="module", name="young")
def _young():
    """Kernel and qemu."""
    try:
        kernel = kernels.fetch("stable-backports")
        if kernel.option("PTP_1588_CLOCK_VMCLOCK") is None:
            pytest.skip(f"Linux {kernel.version} has no /dev/vmclock0")
        return kernel, emulator.with_device("vmclock")
    except apt.Unavailable as reason:
        pytest.skip(f"no vmclock: {reason}")


@pytest.mark.parametrize("kind, window", [
    ("fast", BUFFERS),
    ("inlined", BUFFERS),
    ("long", UNDER_WAY),
    ("strong", UNDER_WAY),
])
def test_clones_part_at_the_first_refill(young, kind, window, snapshots, report):
    """Catches a refill that does not look at the machine generation."""
    kernel, qemu = young
    snapshot = snapshots(kernel, kind, qemu=qemu, devices=("-device", "vmclock"),
                         modules=tuple(kernel.modules("ptp_vmclock")))
    clones = snapshot.clones(RECORDS)
    describe(report, snapshot, clones, ", with the clock device")
    for one, other in (clones, clones[::-1]):
        assert one.noticed
        assert drawing.shared_bytes(one, other) <= window
