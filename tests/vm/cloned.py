# SPDX-License-Identifier: BSD-2-Clause
"""A virtual machine in which the library draws, saved while drawing and restored any number of times."""

import pathlib
import re

import drawing
from guests import initramfs
from guests.machine import Machine

ORIGINAL = "00000000-0000-4000-8000-000000000001"
CLONES = ["00000000-0000-4000-8000-000000000002", "00000000-0000-4000-8000-000000000003"]

CLONED = r"crng reseeded due to virtual machine fork$"

CPUS = 2
# One thread more than CPUs, so that the scheduler interrupts draws.
THREADS = 3
# Number of records before the state is saved: by then all CPUs use their buffers and have made their first refills.
SETTLED = 5000


class Snapshot:
    """kind: of programs/draw.c.  The machine is saved while it draws."""

    def __init__(self, kernel, kind, directory, threads=THREADS, modules=(), **options):
        self.kernel, self.kind = kernel, kind
        self.unit = 8 if kind.endswith("inlined") else 16
        self.directory = pathlib.Path(directory)
        self.state = self.directory / "state"
        self.options = {"cpus": CPUS, **options}
        self.root = initramfs.build(self.directory, [initramfs.Program(drawing.program(), "/bin/draw")],
                                    f"ls -l /dev/vmclock0; draw {kind} {threads} && pass; fail draw", modules)
        shared = self._memory("original")
        with self._machine("original", ORIGINAL) as machine:
            self.library = machine.wait_for("^drawing: ([^;]*)").group(1)
            while min(shared.counts()) < SETTLED:
                # The guest must not end by itself, since that would stop the test.
                assert not machine.ended(), "the guest ended by itself"
            machine.save(self.state)
        self.before = sum(shared.counts())
        shared.close()

    def _memory(self, name):
        return drawing.Shared(self.directory / f"{name}.memory", create=True)

    def _machine(self, name, guid, **options):
        memory = self.directory / f"{name}.memory"
        devices = ["-object", f"memory-backend-file,id=shared,share=on,mem-path={memory},size={drawing.DEVICE_SIZE}",
                   # The master's device memory is part of the state.
                   "-device", "ivshmem-plain,memdev=shared,master=on", *self.options.get("devices", ())]
        return Machine(self.kernel, self.root, self.directory, name=name, vmgenid=guid,
                       **{**self.options, "devices": devices}, **options)

    def resume(self, name, guid, records, command=drawing.GO_ON):
        """
        The draws of a machine with this identifier after the saved state: this many records of each thread, after its kernel
        has noticed (if it can) and the command was carried out.
        """
        awaited = drawing.NOTICED if guid != ORIGINAL else 0
        if command != drawing.GO_ON:
            awaited |= drawing.INVALIDATED
        shared = self._memory(name)
        with self._machine(name, guid, incoming=self.state) as machine:
            machine.wait_until_loaded()
            shared.mark(records, command, awaited)
            machine.resume()
            machine.wait_for("^drawn")
            machine.finish()
            assert any(re.search(CLONED, line) for line in machine.log.all) == (guid != ORIGINAL)
        outputs = shared.outputs(self.unit)
        shared.close()
        (self.directory / f"{name}.memory").unlink()
        return outputs

    def clones(self, records, command=drawing.GO_ON, guids=None):
        """Two of them."""
        guids = guids or CLONES
        return [self.resume(f"clone-{i}", guid, records, command) for i, guid in enumerate(guids)]
