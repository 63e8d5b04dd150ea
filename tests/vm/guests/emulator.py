# SPDX-License-Identifier: BSD-2-Clause
"""A newer qemu than the installed one, unpacked beside the kernels, for devices that the installed one lacks."""

import shutil
import subprocess

from guests import apt, cache

INSTALLED = "qemu-system-x86_64"
PACKAGES = ["qemu-system-x86", "qemu-system-common", "qemu-system-data", "seabios"]


def _has(command, device):
    """Detected by a machine that has it: a list of devices would load modules, and stop at those of another version."""
    result = subprocess.run([*command, "-S", "-nodefaults", "-display", "none", "-monitor", "stdio", "-device", device],
                            input="quit\n", capture_output=True, check=False, text=True, timeout=60)
    return result.returncode == 0


def with_device(device):
    """The command for a qemu that has the device: the installed one, or that of backports.  Raises apt.Unavailable."""
    if _has([INSTALLED], device):
        return (INSTALLED,)
    with cache.locked("qemu"):
        place = cache.directory() / "qemu"
        if not (place / "done").exists():
            shutil.rmtree(place, ignore_errors=True)
            apt.Suite("backports", place / "apt").unpack(PACKAGES, place / "tree")
            (place / "done").touch()
    tree = place / "tree" / "usr"
    # It uses the installed libraries: the package is for the same release.
    command = (str(tree / "bin" / INSTALLED), "-L", str(tree / "share" / "seabios"), "-L", str(tree / "share" / "qemu"))
    if not _has(command, device):
        raise apt.Unavailable(f"no qemu with the device {device}")
    return command
