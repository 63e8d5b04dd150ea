# SPDX-License-Identifier: BSD-2-Clause
"""A machine whose hypervisor shows its generation to user space (/dev/vmclock0) is cloned.

The library itself checks the generation, so the clones diverge whether or not their kernels have noticed.  This needs qemu 10
and Linux 6.13.  If the running release lacks them, qemu from backports and Debian's newest kernel are used.
"""

import pytest

import drawing
from cloned import CPUS, THREADS
from guests import apt, emulator, kernels
from test_clone import RECORDS, describe

# The buffered bytes, which draws take without a check, and those of a refill in progress.
BUFFERS = CPUS * 2 * 4096
# Per thread: a draw in progress when the state was saved belongs to both clones.
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
