# SPDX-License-Identifier: BSD-2-Clause
"""Programs that contain FreeBSD's random(4), with its own fortuna.c or with kernel/freebsd/.

FREEBSD names a folder with files of FreeBSD's source tree, by their paths there (docs/freebsd.md has the list).  What of them is compiled
stays in build/freebsd.
"""

import os
import pathlib
import re
import shutil
import subprocess

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent.parent
PLACE = ROOT / "build" / "freebsd"
# Seconds for a program; FreeBSD's unit test compresses 10 GB.
TIMEOUT = 7200

# The kernel's headers that their sources include: each is as_kernel.h.
HEADERS = ["machine/atomic.h", "machine/cpu.h", "machine/fpu.h", *(f"sys/{name}.h" for name in (
    "cdefs", "endian", "fail", "kernel", "limits", "lock", "malloc", "mutex", "param", "proc", "queue", "sdt", "stdint", "sysctl", "systm",
    "time", "types"))]
FILES = [*(f"sys/dev/random/{name}" for name in ("fortuna.c", "fortuna.h", "hash.c", "hash.h", "random_harvestq.h", "randomdev.h", "uint128.h",
                                                 "unit_test.c", "unit_test.h")),
         *(f"sys/crypto/{name}" for name in ("rijndael/rijndael.h", "rijndael/rijndael-alg-fst.c", "rijndael/rijndael-api-fst.c",
                                             "rijndael/rijndael-api-fst.h", "rijndael/rijndael_local.h", "sha2/sha224.h", "sha2/sha256.h",
                                             "sha2/sha256c.c")), "sys/sys/param.h", "sys/sys/random.h"]
FILES_13 = [*(f"sys/crypto/chacha20/{name}" for name in ("_chacha.h", "chacha.c", "chacha.h")), "tests/sys/devrandom/uint128_test.c"]
FILES_14 = ["sys/crypto/sha2/sha256c_impl.h"]
HOW = "FREEBSD=DIR names no sources of FreeBSD; docs/freebsd.md lists the files"

COMPILER = [*os.environ.get("CMAKE_C_COMPILER_LAUNCHER", "").split(), os.environ.get("CC", "cc"), "-std=gnu11", "-O2"]
STRICT = ["-Wall", "-Wextra", "-Werror"]
OURS = ["-D_KERNEL", f"-I{ROOT}", f"-I{ROOT}/src", '-DCPRNG_PORT_HEADER="kernel/freebsd/port.h"']
RENAMED = {"registers_x86_64": ["-Dcprng_clear_registers=cprng_clear_vector_registers"]}


def sources():
    """A folder with only those files, so that a complete source tree provides no other header; None if FREEBSD names none."""
    place = pathlib.Path(os.environ.get("FREEBSD") or "/nonexistent").resolve()
    if not place.exists():
        return None
    release = version(place)
    files = [*FILES, *(FILES_13 if release >= 1300000 else []), *(FILES_14 if release >= 1400000 else [])]
    missing = [name for name in files if not (place / name).exists()]
    assert not missing, f"{place} has no {', '.join(missing)}"
    shutil.rmtree(PLACE / "tree", ignore_errors=True)
    for name in set(files) - {"sys/sys/param.h"}:
        link = PLACE / "tree" / name
        link.parent.mkdir(parents=True, exist_ok=True)
        link.symlink_to(place / name)
    return PLACE / "tree"


def version(place=None):
    """__FreeBSD_version of the tree that FREEBSD names; None without one."""
    header = (place or pathlib.Path(os.environ.get("FREEBSD") or "/nonexistent")) / "sys/sys/param.h"
    if place is None and not header.exists():
        return None
    return int(re.search(r"^#define\s+__FreeBSD_version\s+(\d+)", header.read_text(encoding="utf-8"), re.M).group(1))


def run(command, **options):
    result = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False, text=True,
                            **options)
    assert result.returncode == 0, result.stdout[-4000:]
    return result.stdout


def write_headers(folder, names):
    for name in names:
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        # The C library includes some of these itself.
        file.write_text(f'#if __has_include_next(<{name}>)\n#include_next <{name}>\n#endif\n#include "as_kernel.h"\n', encoding="utf-8")


# The releases whose headers stubs/ replaces.
STUBS = {"12": 1201000, "current": 1600000}
# The objects of src/ with stubs: only the files of kernel/freebsd include headers that depend on the release.
SHARED = []


class Slot:
    """The objects of one random_alg_context: "own", FreeBSD's; "ours"; or, where place is None, "ours" with what the headers of a
    release of STUBS say.
    """

    def __init__(self, place, name, *flags):
        release = version() if place else STUBS[name]
        self.folder = PLACE / "-".join([name, *flags] if place else ["stubs", name, *flags])
        write_headers(self.folder / "include", HEADERS)
        theirs = place / "sys" if place else HERE / "stubs"
        harvestq = (theirs / "dev/random/random_harvestq.h").read_text(encoding="utf-8")
        self.has_health_test = "random_harvest_healthtest" in harvestq and release >= 1300000
        if self.has_health_test:
            flags = [*flags, "-DFREEBSD_HEALTH_TEST"]
        # First of all, because the C library's own headers include some of those names.
        self.flags = [f"-D__FreeBSD_version={release}", *flags, "-D_GNU_SOURCE", "-include", HERE / "as_kernel.h",
                      f"-I{self.folder}/include", f"-I{HERE}", f"-I{theirs}"]
        self.objects = [self.compile(HERE / "as_kernel.c", "-D_KERNEL", *STRICT)]
        if name != "own":
            listed = run(["awk", "-v", "engines=all", "-f", ROOT / "kernel/linux/freestanding.awk", ROOT / "src/sources.cmake"]).split()
            library = [] if place else SHARED
            library += [] if library else [self.compile(ROOT / source, *OURS, *STRICT) for source in listed]
            self.objects += [*library, *(self.compile(ROOT / f"kernel/freebsd/{source}.c", *OURS, *STRICT) for source in ("cipher", "random_alg"))]
        if not place:
            self.objects.append(self.compile(HERE / "stubs/hash.c", "-D_KERNEL", *STRICT))
        else:
            crypto = place / "sys/crypto"
            self.objects += [self.compile(source, "-D_KERNEL", "-w") for source in (
                place / "sys/dev/random/hash.c", crypto / "rijndael/rijndael-alg-fst.c", crypto / "rijndael/rijndael-api-fst.c",
                crypto / "sha2/sha256c.c", *([place / "sys/dev/random/fortuna.c"] if name == "own" else []))]

    def compile(self, source, *flags):
        name = re.sub(r"[^a-z0-9]+", "_", str(source.relative_to(source.parents[2])).lower())
        out = self.folder / f"{name}.o"
        run([*COMPILER, *self.flags, *RENAMED.get(source.stem, ()), *flags, "-c", source, "-o", out])
        return out

    def program(self, name, *more):
        out = self.folder / name
        run([*COMPILER, *self.flags, "-D_KERNEL", *STRICT, HERE / f"{name}.c", *more, *self.objects, "-lpthread", "-o", out])
        return out

    def unit_test(self, place):
        """FreeBSD's test, without the 30 GB that it prints about each byte."""
        text = (place / "sys/dev/random/unit_test.c").read_text(encoding="utf-8")
        assert text.count("#define\tDEBUG\n") == 1
        copy = self.folder / "test/unit_test.c"
        copy.parent.mkdir(exist_ok=True)
        copy.write_text(text.replace("#define\tDEBUG\n", ""), encoding="utf-8")
        return self.program("unit", self.compile(copy, "-w", f"-I{place}/sys/dev/random", "-include", HERE / "unit.h"), "-lz")

    def uint128_test(self, place, name, *flags):
        """FreeBSD's test of uint128.h, with the header that the flags select."""
        crypto, out = place / "sys/crypto/rijndael", self.folder / f"uint128-{name}"
        sources = [place / "tests/sys/devrandom/uint128_test.c", place / "sys/dev/random/hash.c", crypto / "rijndael-alg-fst.c",
                   crypto / "rijndael-api-fst.c", place / "sys/crypto/sha2/sha256c.c"]
        run([*COMPILER, "-w", *flags, *self.flags, f"-I{ROOT}/src", *sources, "-o", out])
        return out


def start(program, *arguments, tunables=None, status=0):
    """A program's output.  status None: the status must not be 0."""
    result = subprocess.run([program, *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False, text=True,
                            env=os.environ | {name: str(value) for name, value in (tunables or {}).items()}, timeout=TIMEOUT)
    assert result.returncode == status if status is not None else result.returncode != 0, result.stdout[-4000:]
    return result.stdout


def numbers(output):
    """"a 1 b 2" of the last line, as a dictionary."""
    words = output.splitlines()[-1].split()
    return dict(zip(words[::2], map(float, words[1::2])))
