# SPDX-License-Identifier: BSD-2-Clause
"""An initial file system: busybox, the test's files, and a script that runs as the first process.

The script can use these functions, besides busybox's commands:

    pass             end with the exit code that makes the test pass
    fail WORD...     print "failed: WORD..." and end with another code
"""

import dataclasses
import os
import pathlib
import re
import shutil
import subprocess
import tempfile

BUSYBOX = pathlib.Path("/bin/busybox")

# qemu's isa-debug-exit gives (value << 1) | 1; see machine.py.
PORT = 0x501
PASS, FAIL = 0x10, 0x11

# Written to the kernel's log before modules are loaded and the script begins, which cannot have caused earlier complaints.
BEGINS = "guest: modules and script begin"

HEAD = f"""#!/bin/sh
export PATH=/bin:/sbin:/usr/bin:/usr/sbin
mkdir -p /proc /sys /dev /tmp /run
mount -t proc proc /proc
mount -t sysfs sysfs /sys
mount -t devtmpfs devtmpfs /dev 2>/dev/null
# The kernel's log goes to the second port, so that it never interrupts a line of the script.
exec </dev/ttyS0 >/dev/ttyS0 2>&1
mkdir -p /dev/pts /dev/shm
mount -t devpts devpts /dev/pts
mount -t tmpfs tmpfs /dev/shm
ip link set lo up 2>/dev/null
power_off() {{
	# Machines without such a port print a line instead.
	[ "$(uname -m)" = x86_64 ] || echo "guest: $2"
	# Changes no setting, but waits until the port has sent everything.
	stty -echo
	[ "$(uname -m)" != x86_64 ] || printf "$1" | dd of=/dev/port bs=1 seek={PORT} count=1 2>/dev/null
	poweroff -f
}}
pass() {{ power_off '\\{PASS:03o}' passed; }}
fail() {{ echo "failed: $*"; power_off '\\{FAIL:03o}' failed; }}
echo "<6>{BEGINS}" > /dev/kmsg
for module in /modules/*.ko; do
	[ ! -e "$module" ] || insmod "$module" || fail insmod "$module"
done
"""


@dataclasses.dataclass(frozen=True)
class File:
    """A file that is copied unchanged.  target: its path in the guest."""
    source: pathlib.Path
    target: str


@dataclasses.dataclass(frozen=True)
class Program:
    """An executable with its shared libraries at the paths where it looks for them."""
    source: pathlib.Path
    target: str = ""  # /bin/NAME if empty
    libraries: pathlib.Path = None  # searched first, for libraries that are not installed


def _libraries(program, first):
    """The paths that the loader uses, from ldd; none for a static program."""
    environment = dict(os.environ, LC_ALL="C")
    if first:
        environment["LD_LIBRARY_PATH"] = str(first)
    result = subprocess.run(["ldd", program], capture_output=True, check=False, text=True, env=environment)
    if "not a dynamic executable" in result.stderr or "statically linked" in result.stdout:
        return []
    missing = re.findall(r"^\s*(\S+) => not found", result.stdout, re.MULTILINE)
    if result.returncode != 0 or missing:
        raise FileNotFoundError(f"libraries of {program}: {' '.join(missing) or result.stderr.strip()}")
    return [pathlib.Path(p) for p in re.findall(r"^\s*(?:\S+ => )?(/\S+) \(0x", result.stdout, re.MULTILINE)]


def _put(root, source, target, mode=None):
    place = root / target.lstrip("/")
    place.parent.mkdir(parents=True, exist_ok=True)
    # A busybox command may have the same name: remove its link instead of writing through it.
    place.unlink(missing_ok=True)
    shutil.copy(source, place)
    if mode is not None:
        place.chmod(mode)


def _put_program(root, program):
    _put(root, program.source, program.target or f"/bin/{pathlib.Path(program.source).name}", 0o755)
    for library in _libraries(program.source, program.libraries):
        if not (root / str(library).lstrip("/")).exists():
            target = str(library)
            if program.libraries and library.is_relative_to(program.libraries):
                # The loader's default directories.
                target = f"/lib/{library.name}"
            _put(root, library, target, 0o755)


def build(directory, contents, script, modules=(), busybox=BUSYBOX):
    """The path of a cpio archive (newc) in directory.  modules: loaded in this order before the script begins.

    busybox: the guest's own, if this machine cannot run it; the list of commands comes from this machine's busybox."""
    archive = pathlib.Path(directory) / "initramfs.cpio"
    with tempfile.TemporaryDirectory(dir=directory) as temporary:
        root = pathlib.Path(temporary)
        for top in ("bin", "sbin", "usr/bin", "usr/sbin", "lib", "root"):
            (root / top).mkdir(parents=True)
        _put(root, busybox, "/bin/busybox", 0o755)
        for applet in subprocess.run([BUSYBOX, "--list"], capture_output=True, check=True, text=True).stdout.split():
            if applet != "busybox":
                (root / "bin" / applet).symlink_to("busybox")
        for item in contents:
            if isinstance(item, Program):
                _put_program(root, item)
            else:
                _put(root, item.source, item.target)
        for number, module in enumerate(modules):
            _put(root, module, f"/modules/{number:03}-{pathlib.Path(module).name}")
        init = root / "init"
        init.write_text(f"{HEAD}\n{script}\nfail the script came to its end\n")
        init.chmod(0o755)
        names = sorted(str(p.relative_to(root)) for p in root.rglob("*"))
        with open(archive, "wb") as output:
            subprocess.run(["cpio", "-o", "-H", "newc", "-R", "0:0", "--quiet"], cwd=root, check=True,
                           input="".join(f"{n}\n" for n in names).encode(), stdout=output)
    return archive
