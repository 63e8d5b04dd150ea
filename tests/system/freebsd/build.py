# SPDX-License-Identifier: BSD-2-Clause
"""Programs that contain FreeBSD's random(4), with its own fortuna.c or with kernel/freebsd/.

FREEBSD names a folder with files of FreeBSD's source tree, by their paths there (docs/freebsd.md has the list).  What of them is compiled
stays in build/freebsd.
"""

import os
import pathlib
import re
import subprocess

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent.parent
PLACE = ROOT / "build" / "freebsd"
# Seconds for a program; FreeBSD's unit test compresses 10 GB.
TIMEOUT = 7200

# The kernel's headers that their sources include: each is as_kernel.h.
HEADERS = ["machine/cpu.h", "machine/fpu.h", *(f"sys/{name}.h" for name in (
    "cdefs", "endian", "fail", "kernel", "limits", "lock", "malloc", "mutex", "param", "proc", "sdt", "stdint", "sysctl", "systm", "time",
    "types"))]
FILES = [*(f"sys/dev/random/{name}" for name in ("fortuna.c", "fortuna.h", "hash.c", "hash.h", "random_harvestq.h", "randomdev.h", "uint128.h",
                                                 "unit_test.c", "unit_test.h")),
         *(f"sys/crypto/{name}" for name in ("chacha20/_chacha.h", "chacha20/chacha.c", "chacha20/chacha.h", "rijndael/rijndael.h",
                                             "rijndael/rijndael-alg-fst.c", "rijndael/rijndael-api-fst.c", "rijndael/rijndael-api-fst.h",
                                             "rijndael/rijndael_local.h", "sha2/sha224.h", "sha2/sha256.h", "sha2/sha256c.c")),
         "sys/sys/random.h", "tests/sys/devrandom/uint128_test.c"]
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
    missing = [name for name in FILES if not (place / name).exists()]
    assert not missing, f"{place} has no {', '.join(missing)}"
    for name in FILES:
        link = PLACE / "tree" / name
        link.parent.mkdir(parents=True, exist_ok=True)
        link.unlink(missing_ok=True)
        link.symlink_to(place / name)
    return PLACE / "tree"


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


class Slot:
    """The objects of one random_alg_context: "own", FreeBSD's; "ours"; or "ours" with what FreeBSD's headers say in stubs/, where
    place is None.
    """

    def __init__(self, place, name):
        self.folder = PLACE / (name if place else f"{name}-alone")
        write_headers(self.folder / "include", HEADERS)
        theirs = [f"-I{place}/sys"] if place else [f"-I{HERE}/stubs"]
        # First of all, because the C library's own headers include some of those names.
        self.flags = ["-D_GNU_SOURCE", "-include", HERE / "as_kernel.h", f"-I{self.folder}/include", f"-I{HERE}", *theirs]
        self.objects = [self.compile(HERE / "as_kernel.c", "-D_KERNEL", *STRICT)]
        if name == "ours":
            listed = run(["awk", "-v", "engines=all", "-f", ROOT / "kernel/linux/freestanding.awk", ROOT / "src/sources.cmake"]).split()
            self.objects += [self.compile(ROOT / source, *OURS, *STRICT)
                             for source in (*listed, "kernel/freebsd/cipher.c", "kernel/freebsd/random_alg.c")]
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
