# SPDX-License-Identifier: BSD-2-Clause
"""A virtual machine is saved while the library draws in it, and restored twice with different identifiers.

Compares the bytes that the clones have in common with the limits in docs/snapshots.md.  After the kernel has noticed, new
draws share only the CPUs' buffers: each later refill has its own keystream position (src/process/draw.c).  The kernel decides
when it notices; that time is measured and reported.
"""

import pytest

import drawing
from cloned import CLONES, CPUS, ORIGINAL

# For each CPU, the buffered bytes and those of a refill in progress.
WINDOW = CPUS * 2 * 4096
# A long request takes a 32-byte key from the buffer and expands it; 16 bytes of the output are recorded.
WINDOW_OF_KEYS = WINDOW // 32 * 16

# Several times these limits.
RECORDS = 1 << 16


def describe(report, snapshot, clones, what=""):
    """Adds the bytes that both clones have in common to the report at the end."""
    for one, other in (clones, clones[::-1]):
        last = drawing.last_shared(one, other)
        common = drawing.shared_bytes(one, other)
        report(f"{snapshot.kernel.version} {snapshot.kind}{what} ({snapshot.library}): "
               f"{common} bytes in common of {sum(map(len, one.after))}, "
               + (f"the last {one.ms(last):.0f} ms after it was resumed" if last else "")
               + (f"; noticed after {one.ms(one.noticed):.0f} ms, {drawing.shared_bytes(one, other, one.noticed)} bytes "
                  "of them later" if one.noticed else "")
               + (f"; invalidated after {one.ms(one.invalidated):.0f} ms, "
                  f"{drawing.shared_bytes(one, other, one.invalidated)} later" if one.invalidated else ""),
               release="{}.{}".format(*snapshot.kernel.number), linux=snapshot.kernel.version, by="clone", draws=snapshot.kind, how=what.strip(", "),
               library=snapshot.library, drawn=sum(map(len, one.after)), common=common,
               after_notice=drawing.shared_bytes(one, other, one.noticed) if one.noticed else None,
               after_invalidation=drawing.shared_bytes(one, other, one.invalidated) if one.invalidated else None)


@pytest.mark.parametrize("kind, window", [
    ("fast", WINDOW),
    ("inlined", WINDOW),
    ("long", WINDOW_OF_KEYS),
    # Unbuffered: every draw comes from the kernel.
    ("unbuffered-fast", 0),
])
def test_clones_part_when_the_kernel_has_noticed(kernel, kind, window, snapshots, report):
    """Catches output that clones have in common beyond the documented window."""
    snapshot = snapshots(kernel, kind)
    assert snapshot.library.startswith("unbuffered" if "unbuffered" in kind else "per-cpu")
    if "unbuffered" not in kind:
        assert snapshot.library.endswith("vdso-getrandom" if kernel.number >= (6, 11) else " getrandom")
    clones = snapshot.clones(RECORDS if window else RECORDS // 4)
    describe(report, snapshot, clones)
    for one, other in (clones, clones[::-1]):
        assert one.noticed
        # Otherwise the test proves nothing.
        assert sum(len(o) for o, stamp in one.after.items() if stamp > one.noticed) > window
        assert drawing.shared_bytes(one, other, one.noticed) <= window


@pytest.mark.parametrize("kind", ["fast", "inlined", "long"])
def test_invalidation_ends_it(kernel, kind, snapshots, report):
    """Catches a buffer or key that cprng_invalidate() leaves to both clones.

    A thread that has learnt of the clone from the kernel calls it.
    """
    snapshot = snapshots(kernel, kind)
    clones = snapshot.clones(RECORDS, drawing.INVALIDATE_WHEN_NOTICED)
    describe(report, snapshot, clones, ", invalidated when noticed")
    for one, other in (clones, clones[::-1]):
        assert one.invalidated > one.noticed > 0
        assert sum(len(o) for o, stamp in one.after.items() if stamp > one.invalidated) > WINDOW
        assert drawing.shared_bytes(one, other, one.invalidated) == 0


def test_invalidation_before_the_kernel_has_noticed(kernel, snapshots, report):
    """Catches an early invalidation that makes the window longer.

    The buffers are dropped and filled again from the kernel, and both kernels may still give the same bytes.
    """
    snapshot = snapshots(kernel, "fast")
    clones = snapshot.clones(RECORDS, drawing.INVALIDATE)
    describe(report, snapshot, clones, ", invalidated at once")
    for one, other in (clones, clones[::-1]):
        assert one.noticed and one.invalidated
        assert drawing.shared_bytes(one, other, max(one.noticed, one.invalidated)) <= WINDOW


def test_strong_parts_by_itself(kernel, snapshots, report):
    """Catches a Fortuna that is fed only by the kernel.

    Two clones have the same identifier, so no kernel notices.  Fortuna's other sources make them diverge at a reseed; there
    are five reseeds in a second spent on reading.
    """
    snapshot = snapshots(kernel, "strong")
    clones = snapshot.clones(2 * RECORDS, guids=[ORIGINAL, ORIGINAL])
    describe(report, snapshot, clones, ", unnoticed")
    for one, other in (clones, clones[::-1]):
        assert not one.noticed
        # The draws span seconds.  Only the second half is checked, more than promised, since the machine is emulated and busy.
        stamps = sorted(one.after.values())
        assert drawing.shared_bytes(one, other, stamps[len(stamps) // 2]) == 0


def test_strong_parts_when_the_kernel_has_noticed(kernel, snapshots, report):
    """Catches a Fortuna whose output does not depend on the kernel's new bytes."""
    snapshot = snapshots(kernel, "strong")
    clones = snapshot.clones(2 * RECORDS)
    describe(report, snapshot, clones)
    for one, other in (clones, clones[::-1]):
        stamps = sorted(stamp for stamp in one.after.values() if stamp > one.noticed > 0)
        assert drawing.shared_bytes(one, other, stamps[len(stamps) // 2]) == 0


def test_who_notices_nothing_repeats_the_buffers(kernel, snapshots, report):
    """Catches unannounced clones that stay equal, and a comparison that does not see the bytes in common.

    Both have the same identifier: only the buffers are in common.
    """
    snapshot = snapshots(kernel, "fast")
    clones = snapshot.clones(RECORDS, guids=[ORIGINAL, ORIGINAL])
    describe(report, snapshot, clones, ", unnoticed")
    for one, other in (clones, clones[::-1]):
        assert not one.noticed
        assert 0 < drawing.shared_bytes(one, other) <= WINDOW


def test_clones_of_one_identifier_and_another(kernel, snapshots):
    """Catches a clone that diverges from its original only if both notice.

    Only one of the two notices, which must suffice to make them diverge.
    """
    snapshot = snapshots(kernel, "fast")
    original, clone = snapshot.clones(RECORDS, guids=[ORIGINAL, CLONES[0]])
    assert clone.noticed and not original.noticed
    assert drawing.shared_bytes(clone, original, clone.noticed) <= WINDOW
