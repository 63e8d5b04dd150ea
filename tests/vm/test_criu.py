# SPDX-License-Identifier: BSD-2-Clause
"""A process is dumped by CRIU while it draws, and restored twice.

Neither the process nor the kernel's generator is notified.  Only cprng_invalidate(), `cprng invalidate`, or the absence of
buffers makes the two diverge at once.  Runs in a guest, because this machine's kernel may be too new for CRIU.
"""

import os
import pathlib

import pytest

import drawing
from cloned import CPUS, THREADS
from guests import initramfs
from guests.machine import Machine

CRIU = pathlib.Path("/usr/sbin/criu")
# For the questions that it asks the kernel first.
MODULES = ["crc32c_generic", "unix_diag", "tcp_diag", "udp_diag", "inet_diag", "af_packet_diag", "netlink_diag", "tun",
           "veth", "nf_tables"]

WINDOW = CPUS * 2 * 4096
BUFFER = 4032
UNDER_WAY = THREADS * 16
RECORDS = 1 << 15

SCRIPT = """
mkdir -p /tmp/images
{announce}
criu check >/tmp/log 2>&1 || {{ cat /tmp/log; fail criu check; }}
head -c {size} /dev/zero >/tmp/memory
setsid draw {kind} {threads} /tmp/memory </dev/null >/tmp/out 2>&1 &
until grep -q ^drawing /tmp/out; do sleep 0.1; done
cat /tmp/out
until [ $(hexdump -s {count} -n 4 -e '"%u"' /tmp/memory) -gt {settled} ]; do sleep 0.1; done
criu dump -t $! -D /tmp/images -o log -v4 || {{ grep -i error /tmp/images/log; fail criu dump; }}
draw mark /tmp/memory {records} {command} {awaited}
cp /tmp/memory /tmp/saved
cp /tmp/out /tmp/saved-out
for copy in 0 1; do
	cat /tmp/saved >/tmp/memory
	cat /tmp/saved-out >/tmp/out
	{announce}
	criu restore -d -D /tmp/images -o log -v4 || {{ grep -i error /tmp/images/log; fail criu restore; }}
	while kill -0 $! 2>/dev/null; do sleep 0.1; done
	grep ^drawn /tmp/out || fail no end
	draw put /tmp/memory $copy
done
pass
"""


def restored_twice(kernel, kind, directory, command=drawing.GO_ON, records=RECORDS, announce="true"):
    """What both draw after the dump, and what the library said of itself.  announce: run at the start, and before each restore."""
    if not CRIU.exists():
        pytest.skip("criu is not installed")
    modules = list(dict.fromkeys(m for name in MODULES for m in kernel.modules(name)))
    script = SCRIPT.format(kind=kind, threads=THREADS, size=drawing.SIZE, count=drawing.COUNT_AT, settled=5000,
                           records=records, command=command, announce=announce,
                           awaited=drawing.INVALIDATED if command == drawing.INVALIDATE else 0)
    programs = [initramfs.Program(CRIU, "/bin/criu"), initramfs.Program(drawing.program(), "/bin/draw")]
    if announce != "true":
        programs.append(initramfs.Program(os.environ["CPRNG_VM_COMMAND"], "/bin/cprng"))
    memory = directory / "memory"
    drawing.Shared(memory, create=True).close()
    devices = ["-object", f"memory-backend-file,id=shared,share=on,mem-path={memory},size={drawing.DEVICE_SIZE}",
               "-device", "ivshmem-plain,memdev=shared"]
    with Machine(kernel, initramfs.build(directory, programs, script, modules), directory, cpus=CPUS, memory=1024,
                 devices=devices) as machine:
        library, wiped = machine.wait_for(r"^drawing: ([^;]*); (\d+)").groups()
        wiped_later = [machine.wait_for(r"^drawn; (\d+)").group(1) for _ in range(2)]
        machine.finish()
    if command == drawing.INVALIDATE:
        # CRIU 3.17 loses MADV_WIPEONFORK; without it children would repeat their parents' draws.
        assert int(wiped_later[0]) > 0 and int(wiped_later[1]) > 0
    else:
        library += f"; {wiped} regions wiped on a fork, restored {' and '.join(wiped_later)}"
    copies = [drawing.Shared(memory, copy=i) for i in range(2)]
    outputs = [copy.outputs(16) for copy in copies]
    for copy in copies:
        copy.close()
    return outputs, library


def describe(report, kernel, what, library, one, other):
    common, (draws, _, how) = drawing.shared_bytes(one, other), what.partition(", ")
    report(f"{kernel.version} {what}, criu ({library}): {common} bytes in common of {sum(map(len, one.after))}",
           release="{}.{}".format(*kernel.number), linux=kernel.version, by="criu", draws=draws, how=how, library=library.partition(";")[0],
           drawn=sum(map(len, one.after)), common=common, after_notice=None, after_invalidation=None)


def test_both_draw_the_same_for_a_while(kernel, tmp_path, report):
    """Catches a window longer than documented, and a comparison that sees nothing.

    The copies are unannounced, so they have the buffers in common.  This also proves that the comparison can see what the
    other tests must not find.
    """
    (one, other), library = restored_twice(kernel, "fast", tmp_path)
    describe(report, kernel, "fast", library, one, other)
    assert drawing.shared_bytes(one, other) > UNDER_WAY
    assert drawing.shared_bytes(one, other) <= WINDOW


def test_invalidation_ends_it(kernel, tmp_path, report):
    """Catches a buffer or key that cprng_invalidate() leaves to both processes."""
    (one, other), library = restored_twice(kernel, "fast", tmp_path, drawing.INVALIDATE)
    describe(report, kernel, "fast, invalidated at once", library, one, other)
    for a, b in ((one, other), (other, one)):
        assert a.invalidated
        assert drawing.shared_bytes(a, b, a.invalidated) == 0


def test_announcement_ends_it(kernel, tmp_path, report):
    """Catches a restored process that has more than the buffers in common with the other, although the generation file was
    changed before its restore.  Each restore simulates another host: its file is new, with as many announcements as the file
    on the host where the process was dumped."""
    # The root of a ram disk may be writable by all, as that of any tmpfs.
    announce = "chmod 755 /; rm -rf /run/cprng; cprng invalidate || fail cprng invalidate"
    (one, other), library = restored_twice(kernel, "fast", tmp_path, announce=announce)
    describe(report, kernel, "fast, announced before the restore", library, one, other)
    assert drawing.shared_bytes(one, other) <= CPUS * BUFFER + UNDER_WAY


def test_unbuffered_has_no_window(kernel, tmp_path, report):
    """Catches bytes that the unbuffered placement keeps from one draw to the next."""
    (one, other), library = restored_twice(kernel, "unbuffered-fast", tmp_path, records=RECORDS // 4)
    describe(report, kernel, "unbuffered-fast", library, one, other)
    assert library.startswith("unbuffered")
    assert drawing.shared_bytes(one, other) <= UNDER_WAY
