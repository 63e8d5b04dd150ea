# SPDX-License-Identifier: BSD-2-Clause
"""Remains of served bytes and keys: on kernel stacks, in vector registers, buffers and freed memory."""

import re

SIZES = [8, 64, 65, 256, 4095, 4096]


def test_nothing_is_left(each, tmp_path):
    """Catches served bytes or keys that remain on a stack, in registers or in freed memory; finds bytes left on purpose."""
    # Otherwise the kernel would clear allocated memory, and hide what the module forgot to erase.
    with each.boot(tmp_path, """
        # The emulated CPU has no RDSEED.
        load fake_rdseed=1
        cat $D/cprng_test/residue; echo end of residue
        unload; pass""", append="init_on_alloc=0 init_on_free=0") as machine:
        machine.wait_for("^end of residue$", 300)
        machine.finish()
        found = dict(re.findall(r"(?m)^(.+): (clean|DIRTY), \d+ of \d+$", "\n".join(machine.console.all)))
        counts = [line for line in machine.console.all if "DIRTY" in line]
        assert found.pop("control") == "DIRTY", "what was left on purpose was not found"
        assert set(found.values()) == {"clean"}, counts
        for size in SIZES:
            assert f"stack after {size} bytes" in found
        for size in (8, 64, 256, 4096):
            assert f"stack after reading {size} bytes" in found
        assert {"vector registers", "buffer and pending key", "key after a refill", "stack after a new key",
                "stack after a machine woke", "stack after a clone", "stack after a renewal",
                "stack after writing 256 bytes", "stack after reading a sysctl", "stack of the thread",
                "answers of the sources"} <= set(found)
