# SPDX-License-Identifier: BSD-2-Clause
"""A newer qemu, unpacked beside the kernels, for devices that the installed qemu lacks."""

import shutil
import subprocess

from guests import apt, cache

INSTALLED = "qemu-system-x86_64"
PACKAGES = ["qemu-system-x86", "qemu-system-common", "qemu-system-data", "seabios"]


def _has(command, device):
    """Starts a machine with the device: listing devices would load modules, and stop at modules of another version."""
    result = subprocess.run([*command, "-S", "-nodefaults", "-display", "none", "-monitor", "stdio", "-device", device],
                            input="quit\n", capture_output=True, check=False, text=True, timeout=900)
    return result.returncode == 0


def with_device(device):
    """The command of a qemu that has the device: the installed one or that of backports.  Raises apt.Unavailable."""
    if _has([INSTALLED], device):
        return (INSTALLED,)
    with cache.locked("qemu"):
        place = cache.directory() / "qemu"
        if not (place / "done").exists():
            shutil.rmtree(place, ignore_errors=True)
            apt.Suite("backports", place / "apt").unpack(PACKAGES, place / "tree")
            (place / "done").touch()
    tree = place / "tree" / "usr"
    # It can use the installed libraries, since the package is for the same release.
    command = (str(tree / "bin" / INSTALLED), "-L", str(tree / "share" / "seabios"), "-L", str(tree / "share" / "qemu"))
    if not _has(command, device):
        raise apt.Unavailable(f"no qemu with the device {device}")
    return command
