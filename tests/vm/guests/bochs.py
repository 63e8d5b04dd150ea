# SPDX-License-Identifier: BSD-2-Clause
"""Bochs, for CPUs that qemu lacks: AVX-512 with VAES, and older CPUs with their CPUID.

Bochs cannot boot a kernel directly, so kernel and initial file system are on a CD image with isolinux.  The script's console
is the first serial port and the kernel's log the second.  Both are files, which are read when the machine has ended.
Bochs is hundreds of times slower than the machine that it runs on."""

import pathlib
import re
import shlex
import shutil
import subprocess

from guests import initramfs
from guests.machine import Failure

LOADER = [pathlib.Path("/usr/lib/ISOLINUX/isolinux.bin"), pathlib.Path("/usr/lib/syslinux/modules/bios/ldlinux.c32")]
ROMS = [pathlib.Path("/usr/share/bochs/BIOS-bochs-latest"), pathlib.Path("/usr/share/bochs/VGABIOS-lgpl-latest")]
NEEDED = ("bochs-bin", "xorriso", "script")

# Twenty times as long as the longest test takes on an idle machine.
TIMEOUT = 6000

# Bochs's last line after `pass` has sent its code: a VGA BIOS reports the failing line at this port.  Its exit code is
# always the same.
PASSED = f"VGABIOS panic at vgabios.c, line {initramfs.PASS}"

# panic, reboot: a guest whose kernel panics resets the CPU by a triple fault, which ends Bochs, so it boots only once.
# lpj, no_timer_check: the emulated clock and CPU do not keep pace, so calibrating one by the other would fail.
# clearcpuid: Bochs 2.7 stores the state of protection keys (515) and of XSAVEC and XSAVES (321, 323) at other offsets than
# its CPUID reports, and Linux then disables AVX.  The other states are stored correctly.
APPEND = "console=ttyS1 panic=-1 reboot=t lpj=1000000 no_timer_check nokaslr mitigations=off clearcpuid=515,321,323 quiet"

# ips: instructions per second of the guest's clock, which does not matter to these tests.
CONFIGURATION = """\
display_library: term
romimage: file={roms[0]}
vgaromimage: file={roms[1]}
megs: 512
cpu: model={model}, count=1, ips=50000000, reset_on_triple_fault=0
ata0-master: type=cdrom, path="{directory}/cd.iso", status=inserted
boot: cdrom
com1: enabled=1, mode=file, dev="{directory}/console"
com2: enabled=1, mode=file, dev="{directory}/log"
log: "{directory}/bochs.log"
panic: action=fatal
"""


def missing():
    """The name of a missing requirement, or None."""
    return next((name for name in NEEDED if shutil.which(name) is None), None) or \
        next((str(path) for path in [*LOADER, *ROMS] if not path.exists()), None)


def version():
    """(2, 7)"""
    said = subprocess.run(["bochs-bin", "--help"], check=False, capture_output=True, text=True)
    major, minor = re.search(r"Bochs x86 Emulator (\d+)\.(\d+)", said.stdout + said.stderr).groups()
    return int(major), int(minor)


def _write_cd(directory, kernel, initrd):
    root = directory / "cd"
    (root / "isolinux").mkdir(parents=True)
    for file in LOADER:
        shutil.copy(file, root / "isolinux")
    (root / "isolinux" / "isolinux.cfg").write_text(
        f"DEFAULT guest\nLABEL guest\n  KERNEL /vmlinuz\n  INITRD /initrd\n  APPEND {APPEND}\n", encoding="ascii")
    shutil.copy(kernel.image, root / "vmlinuz")
    shutil.copy(initrd, root / "initrd")
    subprocess.run(["xorriso", "-as", "mkisofs", "-quiet", "-o", directory / "cd.iso", "-b", "isolinux/isolinux.bin",
                    "-c", "isolinux/boot.cat", "-no-emul-boot", "-boot-load-size", "4", "-boot-info-table", root],
                   check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)  # fmt: skip


def _lines(file):
    return file.read_text(errors="replace").splitlines() if file.exists() else []


def run(kernel, initrd, directory, model, timeout=TIMEOUT):
    """Returns the console's lines if the guest passes; raises Failure otherwise.  model: a CPU from `bochs --help cpu`."""
    directory = pathlib.Path(directory).absolute()
    _write_cd(directory, kernel, initrd)
    configuration = directory / "bochsrc"
    configuration.write_text(CONFIGURATION.format(model=model, directory=directory, roms=ROMS), encoding="utf-8")
    # Bochs's screen needs a terminal.  Debian's version starts in its debugger, whose command to continue is c.
    command = shlex.join(["env", "TERM=vt100", "bochs-bin", "-q", "-f", str(configuration)])
    how = "ended"
    try:
        subprocess.run(["script", "--quiet", "--command", command, directory / "screen"], input=b"c\n", timeout=timeout,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)  # fmt: skip
    except subprocess.TimeoutExpired:
        how = "did not end"
    console, said = _lines(directory / "console"), _lines(directory / "bochs.log")
    if how != "ended" or not any(line.endswith(PASSED) for line in said):
        ends = {"its log": _lines(directory / "log"), "its console": console, "Bochs": said or _lines(directory / "screen")}
        tails = "".join(f"\n{name}:" + "".join(f"\n    {line}" for line in lines[-30:]) for name, lines in ends.items())
        raise Failure(f"{model}: Bochs {how}, and the guest did not pass{tails}")
    return console
