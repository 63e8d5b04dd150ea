# SPDX-License-Identifier: BSD-2-Clause
"""Kernels of the distribution, ready to boot by PVH, and their headers, ready to build modules.

`release`            the running release's kernel (Debian 12: 6.1)
`backports`          the newer kernel for this release (Debian 12: 6.12)
`stable-backports`   Debian's newest kernel for any release, for recent features
`preempt-rt`         the running release's kernel with PREEMPT_RT
`arm64`              the running release's kernel for AArch64, and a busybox, without headers
"""

import dataclasses
import lzma
import pathlib
import re
import shutil
import struct
import subprocess

from guests import apt, cache

FOLLOWED = r"linux-(base|binary|image|modules|headers|kbuild)-[0-9]"


def _of_image(tree, name, version):
    """`vmlinuz` or `config`, at its path in packages of Debian 12 or in those after Debian 13."""
    places = [tree / "boot" / f"{name}-{version}", tree / "usr" / "lib" / "modules" / version / name]
    return next(p for p in places if p.exists())


@dataclasses.dataclass(frozen=True)
class Kernel:
    name: str
    version: str  # "6.1.0-56-amd64", as uname -r has it
    tree: pathlib.Path  # the packages, unpacked
    vmlinux: pathlib.Path

    @property
    def number(self):
        """(6, 1)"""
        return tuple(map(int, re.match(r"(\d+)\.(\d+)", self.version).groups()))

    def option(self, name):
        """"y", "m", another value, or None where CONFIG_<name> is not set."""
        text = _of_image(self.tree, "config", self.version).read_text()
        found = re.search(rf"^CONFIG_{name}=(.*)$", text, re.MULTILINE)
        return found and found.group(1)

    @property
    def image(self):
        """The compressed image, for a boot loader."""
        return _of_image(self.tree, "vmlinuz", self.version)

    def modules(self, name):
        """Paths of a module and its dependencies, in the order in which they must be loaded; [] if it is built in."""
        found = [p for top in ("lib", "usr/lib") for p in (self.tree / top / "modules" / self.version).rglob("*.ko*")
                 if p.name.split(".")[0].replace("-", "_") == name.replace("-", "_")]
        if not found:
            return []
        path = self._plain(found[0])
        result = subprocess.run([shutil.which("modinfo") or "/sbin/modinfo", "-F", "depends", path],
                                capture_output=True, check=True, text=True)
        needed = []
        for other in filter(None, result.stdout.strip().split(",")):
            needed += [p for p in self.modules(other) if p not in needed]
        return [*needed, path]

    def _plain(self, path):
        """The module without compression, for an insmod that cannot decompress it."""
        if path.suffix == ".ko":
            return path
        plain = self.tree / "plain" / path.with_suffix("").name
        if not plain.exists():
            plain.parent.mkdir(exist_ok=True)
            plain.write_bytes(lzma.decompress(path.read_bytes()))
        return plain

    @property
    def busybox(self):
        """The guest's busybox, for a kernel of another architecture."""
        return next(p for p in (self.tree / "bin" / "busybox", self.tree / "usr" / "bin" / "busybox") if p.exists())

    @property
    def build(self):
        """The directory for `make -C`, after fetch(..., headers=True)."""
        return self.tree / "usr" / "src" / f"linux-headers-{self.version}"


def extract_vmlinux(image, target):
    """Extracts the ELF file from a bzImage by its header (Documentation/arch/x86/boot.rst), without a scan for magic numbers."""
    data = pathlib.Path(image).read_bytes()
    if data[0x202:0x206] != b"HdrS":
        raise ValueError(f"{image} is not a bzImage")
    sectors = data[0x1f1] or 4
    offset, length = struct.unpack_from("<II", data, 0x248)
    begin = (sectors + 1) * 512 + offset
    # The last four bytes are the uncompressed size.
    payload, size = data[begin:begin + length - 4], struct.unpack_from("<I", data, begin + length - 4)[0]
    if payload.startswith(b"\xfd7zXZ\0"):
        elf = lzma.LZMADecompressor().decompress(payload)
    elif payload.startswith(b"\x28\xb5\x2f\xfd"):
        elf = subprocess.run(["zstd", "-qdc"], input=payload, stdout=subprocess.PIPE, check=True).stdout
    else:
        raise ValueError(f"{image}: neither xz nor zstd")
    # With CONFIG_X86_NEED_RELOCS the relocations follow the ELF file.
    if not elf.startswith(b"\x7fELF") or len(elf) != size:
        raise ValueError(f"{image}: the payload does not match the header")
    pathlib.Path(target).write_bytes(elf)


def _point_into(tree):
    """Corrects the headers' makefile, which includes the common one by the path where its package would be installed."""
    for makefile in (tree / "usr" / "src").glob("linux-headers-*-amd64/Makefile"):
        makefile.write_text(re.sub(r"(?m)^include /usr/", f"include {tree}/usr/", makefile.read_text()))


# Suite and package for names that are not suites.
SPECIAL = {"preempt-rt": ("release", "linux-image-rt-amd64"), "arm64": ("release", "linux-image-arm64")}


def _suite_and_package(name):
    return SPECIAL.get(name, (name, "linux-image-amd64"))


def _fetch_image(suite, package, tree):
    packages = suite.closure(package, FOLLOWED)
    versions = [re.fullmatch(r"linux-image-([0-9].*(?:amd|arm)64)", p) for p in packages]
    suite.unpack([p for p in packages if re.match(FOLLOWED, p)] + (["busybox-static"] if suite.architecture else []), tree)
    return next(v.group(1) for v in versions if v)


def fetch(name, headers=False):
    """A Kernel.  The first call downloads it; later calls need no network.  Raises apt.Unavailable."""
    with cache.locked(name):
        place = cache.directory() / name
        image_done, headers_done = place / "image", place / "headers"
        tree = place / "tree"
        suite_name, package = _suite_and_package(name)
        suite = None
        if not image_done.exists():
            shutil.rmtree(place, ignore_errors=True)
            suite = apt.Suite(suite_name, place / "apt", "arm64" if name == "arm64" else None)
            version = _fetch_image(suite, package, tree)
            image = _of_image(tree, "vmlinuz", version)
            if suite.architecture:
                (place / "vmlinux").symlink_to(image.relative_to(place))  # uncompressed
            else:
                extract_vmlinux(image, place / "vmlinux")
            image_done.write_text(version)
        version = image_done.read_text()
        if headers and not headers_done.exists():
            suite = suite or apt.Suite(suite_name, place / "apt")
            packages = suite.closure(f"linux-headers-{version}", FOLLOWED)
            suite.unpack(list(packages), tree)
            _point_into(tree)
            headers_done.touch()
    return Kernel(name, version, tree, place / "vmlinux")


def build_modules(kernel, directory, *arguments):
    """Makes the modules of the Kbuild file in directory, with the headers of a kernel that was fetched with headers."""
    command = ["make", "-C", str(kernel.build), f"M={directory}", *arguments, "modules"]
    result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False, text=True)
    if result.returncode != 0:
        raise RuntimeError(f"{' '.join(command)}:\n{result.stdout}")
