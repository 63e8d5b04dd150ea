# SPDX-License-Identifier: BSD-2-Clause
"""The debug kernel detects mistakes; and a check that only it can make, for memory that the module leaks."""

import pathlib
import re

import pytest

from guests.machine import Failure

pytestmark = pytest.mark.debug_kernel

# cprng_test.ko's mistakes, and the kernel's first message about each.
WRONGS = {
    "lock-order": r"WARNING: possible circular locking dependency detected",
    "lock-in-interrupt": r"WARNING: inconsistent lock state",
    "lock-in-raw-lock": r"BUG: Invalid wait context",
    "sleep-under-lock": r"BUG: sleeping function called from invalid context",
    "overrun": r"BUG: KASAN: slab-out-of-bounds in overrun",
    "overrun-stack": r"BUG: KASAN: stack-out-of-bounds in overrun_stack",
    "use-after-free": r"BUG: KASAN: (slab-)?use-after-free in use_after_free",
    "index-too-large": r"UBSAN: array-index-out-of-bounds in .*wrong\.c",
    "shift-too-far": r"UBSAN: shift-out-of-bounds in .*wrong\.c",
    "rcu-without-lock": r"WARNING: suspicious RCU usage",
    "cpu-of-preemptible": r"BUG: using smp_processor_id\(\) in preemptible",
    "free-running-timer": r"ODEBUG: free active .* timer_list",
}


@pytest.mark.parametrize("wrong", WRONGS)
def test_what_is_wrong_fails(release, wrong, tmp_path):
    """Catches a debug kernel that does not report such a mistake, and a harness that does not notice the report."""
    with release.boot(tmp_path, f"load; echo {wrong} > $D/cprng_test/wrong || fail unknown; pass") as machine:
        with pytest.raises(Failure, match=f"the kernel complains: .*{WRONGS[wrong]}"):
            machine.finish()


def test_nothing_is_lost(release, tmp_path):
    """Catches memory that the module leaks after all entrances were used; finds memory that is leaked on purpose."""
    with release.boot(tmp_path, """
        leaks=$D/kmemleak
        echo clear > $leaks
        load
        cat $D/cprng/selftest $D/cprng/status $D/cprng_test/draw > /dev/null
        entrances || fail entrances
        unload
        load locked_reads=0
        dd if=/dev/cprng of=/dev/null bs=64k count=4 2>/dev/null
        # It reports no object that is younger than some seconds as lost: so when the last one is found, all are.
        echo leak > $D/cprng_test/wrong
        until grep -q leak $leaks; do echo scan > $leaks; done
        cat $leaks; echo end of leaks
        unload
        pass""") as machine:
        with pytest.raises(Failure, match=r"the kernel complains: .*kmemleak: \d+ new suspected memory leaks"):
            machine.finish()
        _, *lost = re.split(r"(?m)^unreferenced object ", "\n".join(machine.console.all))
        assert lost
        for one in lost:
            assert re.search(r"\bleak\+0x.*\[cprng_test\]", one), one


def test_everything_is_watched(release):
    """Catches a module file compiled without the sanitizers: the wrong things above are in one of them."""
    for name in ("cprng", "cprng_test"):
        objects = [pathlib.Path(p) for p in (release.place / f"{name}.mod").read_text().split()]
        assert objects
        for path in objects:
            command = (path.parent / f".{path.name}.cmd").read_text()
            assert "-fsanitize=kernel-address" in command and "-fsanitize=bounds" in command, path
