# SPDX-License-Identifier: BSD-2-Clause
"""Does the harness detect failures?  A guest that fails in any way must fail the test."""

import sys
import types

import pytest

from guests import initramfs, kernel_log, machine as machines
from guests.machine import EXIT_PASS, Failure, Machine


def boot(kernel, directory, script, **options):
    return Machine(kernel, initramfs.build(directory, [], script), directory, **options)


def test_boots_and_passes(kernel, tmp_path):
    """Catches a guest that runs another kernel, or another number of CPUs."""
    with boot(kernel, tmp_path, "uname -r; nproc; echo end; pass", cpus=2) as machine:
        assert machine.wait_for(r"^\d+\.\d+\.\S+$").group() == kernel.version
        assert machine.wait_for(r"^\d+$").group() == "2"
        machine.wait_for("^end$")
        machine.finish()


@pytest.mark.parametrize("script, complaint", [
    ("fail with this", "qemu ended with"),
    ("poweroff -f", "qemu ended with 0"),
    ("reboot -f", "qemu ended with 0"),
    ("true", "qemu ended with"),
    ("echo c > /proc/sysrq-trigger; pass", "the kernel complains"),
    ("exit 0", "the kernel complains"),
    ("echo '<4>WARNING: CPU: 0 PID: 1 at mm/slab.c' > /dev/kmsg; pass", "the kernel complains"),
])
def test_other_ends_fail(release, tmp_path, script, complaint):
    """Catches a guest that ends badly and passes."""
    with boot(release, tmp_path, script, cpus=1) as machine:
        with pytest.raises(Failure, match=complaint):
            machine.finish()


# Replaces qemu: each boot writes the next of these logs, and passes.
FAKE = """
import pathlib, sys
logs = pathlib.Path(sys.argv[1])
log = sorted(logs.iterdir())[0]
text = log.read_text()
# Before a reader can see the text: then it may end this.
log.unlink()
pathlib.Path(sys.argv[-1].removeprefix("file:")).write_text(text)
sys.exit({code})
"""

OOPS = "[    1.1] BUG: unable to handle page fault for address: 0, RIP: hrtimer_start_range_ns"


@pytest.mark.parametrize("name, logs, complaint, again", [
    ("never", ["."], None, 0),
    ("before", ["!.", "."], None, 1),
    ("before, and it stops", ["!", "."], None, 1),
    ("after", [".!"], "the kernel complains: .*hrtimer", 0),
    ("before and after", ["!.", ".!"], "the kernel complains: .*hrtimer", 1),
    ("twice before", ["!.", "!."], "in both boots, the kernel complains: .*hrtimer", 1),
])  # fmt: skip
def test_a_guest_is_booted_once_more(tmp_path, monkeypatch, name, logs, complaint, again):
    """Catches a complaint of the kernel before any module is loaded that fails a test or is counted nowhere, and a later
    one, or a second one, that does not fail it."""
    monkeypatch.setattr(machines, "booted_again", [])
    (tmp_path / "fake").write_text(FAKE.format(code=EXIT_PASS))
    (tmp_path / "logs").mkdir()
    words = {"!": OOPS, ".": f"[    1.0] {initramfs.BEGINS}"}
    for number, log in enumerate(logs):
        (tmp_path / "logs" / str(number)).write_text("".join(f"{words[one]}\n" for one in log))

    def run():
        with Machine(types.SimpleNamespace(vmlinux="kernel"), "initrd", tmp_path, name=name,
                     qemu=(sys.executable, str(tmp_path / "fake"), str(tmp_path / "logs"))) as machine:
            machine.finish()

    if complaint:
        with pytest.raises(Failure, match=complaint):
            run()
    else:
        run()
    assert not list((tmp_path / "logs").iterdir())
    assert machines.booted_again == [f"{name}: {OOPS}"] * again
    said = []
    machines.summarize(types.SimpleNamespace(section=said.append, line=said.append))
    assert any(line.startswith(f"{again} in all") for line in said) == (again > 0)


@pytest.mark.parametrize("line", [
    "[    1.0] BUG: kernel NULL pointer dereference, address: 0000000000000000",
    "[    1.0] kernel BUG at mm/slub.c:435!",
    "[    1.0] WARNING: CPU: 1 PID: 77 at kernel/softirq.c:376 __local_bh_enable_ip+0x6b/0x80",
    "[    1.0] WARNING: possible circular locking dependency detected",
    "[    1.0] WARNING: suspicious RCU usage",
    "[    1.0] rcu: INFO: rcu_preempt self-detected stall on CPU",
    "[    1.0] INFO: task kworker/0:1:10 blocked for more than 120 seconds.",
    "[    1.0] BUG: KASAN: slab-out-of-bounds in f+0x1/0x2",
    "[    1.0] Kernel panic - not syncing: Attempted to kill init! exitcode=0x00000000",
    "[    1.0] BUG: scheduling while atomic: swapper/0/0/0x00010000",
    "[    1.0] watchdog: BUG: soft lockup - CPU#0 stuck for 22s!",
    "[    1.0] Oops: 0000 [#1] PREEMPT SMP",
    "[    1.0] [ BUG: Invalid wait context ]",
    "[    1.0] BUG: sleeping function called from invalid context at kernel/locking/mutex.c:580",
    "[    1.0] WARNING: inconsistent lock state",
    "[    1.0] ODEBUG: free active (active state 0) object type: timer_list hint: f+0x0/0x10",
    "[    1.0] ODEBUG: Out of memory. ODEBUG disabled",
    "[    1.0] UBSAN: array-index-out-of-bounds in f.c:1:2",
    "[    1.0] kmemleak: 1 new suspected memory leaks (see /sys/kernel/debug/kmemleak)",
    "[    1.0] kmemleak: Kernel memory leak detector disabled",
    "[    1.0] turning off the locking correctness validator.",
    "[    1.0] BUG: MAX_LOCKDEP_CHAINS too low!",
])
def test_complaints_are_seen(line):
    """Catches a complaint of the kernel that the harness passes over."""
    assert kernel_log.complaints(["fine", line, "fine"]) == [line]
