# SPDX-License-Identifier: BSD-2-Clause
"""CPUs go offline and return under drawing threads, which the kernel moves to the remaining CPUs."""

import pytest

import drawing
from guests import initramfs
from guests.machine import Machine

CPUS = 3
THREADS = 4
ROUNDS = 30
# Per thread, after the last CPU has returned; of the earlier ones, the last drawing.RECORDS are compared.
RECORDS = 5000

SCRIPT = """
draw {kind} {threads} &
drawing=$!
for round in $(seq {rounds}); do
	for cpu in {others}; do echo 0 >/sys/devices/system/cpu/cpu$cpu/online || fail offline; done
	grep -qx 0 /sys/devices/system/cpu/online || fail others are online
	for cpu in {others}; do echo 1 >/sys/devices/system/cpu/cpu$cpu/online || fail online; done
done
echo all are back
wait $drawing && pass
fail draw
"""


@pytest.mark.parametrize("kind", ["inlined", "fast"])
def test_cpus_come_and_go(kernel, kind, tmp_path, report):
    """Catches an output that comes twice because a CPU went and came under a draw."""
    script = SCRIPT.format(kind=kind, threads=THREADS, rounds=ROUNDS, others=" ".join(map(str, range(1, CPUS))))
    root = initramfs.build(tmp_path, [initramfs.Program(drawing.program(), "/bin/draw")], script)
    memory = tmp_path / "memory"
    shared = drawing.Shared(memory, create=True)
    devices = ["-object", f"memory-backend-file,id=shared,share=on,mem-path={memory},size={drawing.DEVICE_SIZE}",
               "-device", "ivshmem-plain,memdev=shared"]
    with Machine(kernel, root, tmp_path, cpus=CPUS, devices=devices) as machine:
        library = machine.wait_for("^drawing: ([^;]*)").group(1)
        machine.wait_for("^all are back")
        drawn = sum(shared.counts())
        shared.mark(RECORDS, drawing.GO_ON, 0)
        machine.wait_for("^drawn")
        machine.finish()
    assert library.startswith("per-cpu")
    unit = 8 if kind == "inlined" else 16
    kept = shared.outputs(unit)  # fails on a repeat before or after the mark
    shared.close()
    assert len(kept.after) >= THREADS * RECORDS * 16 // unit * 9 // 10
    report(f"{kernel.version} {kind}: {drawn} draws while {CPUS - 1} CPUs went and came {ROUNDS} times, none of those kept repeated")
