# SPDX-License-Identifier: BSD-2-Clause
"""NetBSD's kernel as a library (a rump kernel), with its own cprng_fast or with ours, and programs that contain it.

NETBSD names a folder with two public repositories, where the builds are kept:

    git clone https://github.com/rumpkernel/buildrump.sh $NETBSD/buildrump
    git clone -b buildrump-src https://github.com/rumpkernel/src-netbsd $NETBSD/src

$NETBSD/ten may be a tree of NetBSD 10, or have those of its files that TEN lists, under their paths there.
"""

import os
import pathlib
import re
import shutil
import subprocess
import warnings

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent.parent
PLACE = ROOT / "build" / "netbsd"
# Seconds for a program; the longest takes one minute on an otherwise idle CPU.
TIMEOUT = 1200
JOBS = os.environ.get("JOBS", "2")
# The parts of NetBSD's tree that the programs contain.
LIBRARIES = {"lib/librumpuser": "rumpuser", "lib/librump": "rump", "lib/librumpdev": "rumpdev", "lib/librumpvfs": "rumpvfs",
             "sys/rump/dev/lib/librnd": "rumpdev_rnd"}
# How the kernel is built: the folder of its objects, and options of its makefiles.
BUILDS = {
    "release": ("obj", ["RUMP_DIAGNOSTIC=no"]),
    "diagnostic": ("obj-diagnostic", ["RUMP_DIAGNOSTIC=yes"]),
    "lockdebug": ("obj-lockdebug", ["RUMP_DIAGNOSTIC=yes", "RUMP_DEBUG=1", "RUMP_LOCKDEBUG=1"]),
}

HOW = ("NETBSD=DIR names no sources; to get them: git clone https://github.com/rumpkernel/buildrump.sh DIR/buildrump; "
       "git clone -b buildrump-src https://github.com/rumpkernel/src-netbsd DIR/src")

# The sources are of 2016: today's compilers warn about them, and refuse variables that several files define.
COMPILER = '#!/bin/sh\nexec /usr/bin/cc -fcommon -Wno-error "$@" -fcommon -Wno-error\n'

# Files of NetBSD 10, in its tree.
TEN = ["sys/crypto/arch/x86/immintrin.h", "sys/crypto/chacha/arch/x86/chacha_sse2.c", "sys/crypto/chacha/arch/x86/chacha_sse2.h",
       "sys/crypto/chacha/chacha.h", "sys/crypto/chacha/chacha_impl.h", "sys/crypto/cprng_fast/cprng_fast.c",
       "sys/crypto/nist_hash_drbg/nist_hash_drbg.c", "sys/crypto/nist_hash_drbg/nist_hash_drbg.h", "sys/kern/subr_cprng.c",
       "sys/arch/x86/include/fpu.h", "sys/lib/libkern/entpool.h", "sys/sys/entropy.h", "sys/sys/percpu.h"]
HOW_TEN = f"NETBSD=DIR has no DIR/ten with these files of NetBSD 10: {' '.join(TEN)}"
# Our sources in each kernel, and their flags: cipher.c is compiled for a rump kernel unless the flags say otherwise.
RUMP = "-DCPRNG_NETBSD_RUMP"
# In a kernel with files of NetBSD 10; @ten@ has copies of them.
GLUE_FLAGS = f"{RUMP} -I@ten@/crypto/nist_hash_drbg -I@ten@/crypto/chacha/arch/x86 -include {HERE}/today/version.h"
GLUE = [f"{HERE}/ten/chacha8", f"{HERE}/ten/glue", f"{HERE}/today/nist_ctr_drbg"]
SOURCES = {
    "vectors": (["cprng_fast", "strong_fortuna"], RUMP),
    # Between two functions, as in a real kernel.
    "fpu": (["cprng_fast", "strong_fortuna", f"{HERE}/fpu"], f"-DCPRNG_NETBSD_FPU -include {HERE}/fpu.h"),
    "portable": (["cprng_fast", "strong_fortuna"], ""),
    # As in NetBSD 10, with the functions that the older kernel lacks.
    "today": (["cprng_fast", "strong_erasure", f"{HERE}/today/nist_ctr_drbg"],
              f"{RUMP} -I{HERE}/today -include {HERE}/today/version.h"),
    "uniprocessor": (["cprng_fast", "strong_fortuna"], f"{RUMP} -DCPRNG_NETBSD_UNIPROCESSOR"),
    # NetBSD 10's own; and ours in the places of its cprng_fast.c and nist_hash_drbg.c.
    "ten": (["@ten@/crypto/cprng_fast/cprng_fast", "@ten@/crypto/nist_hash_drbg/nist_hash_drbg", *GLUE], GLUE_FLAGS),
    # The same, with its ChaCha between two functions.
    "ten-fpu": (["@ten@/crypto/cprng_fast/cprng_fast", "@ten@/crypto/nist_hash_drbg/nist_hash_drbg", *GLUE, f"{HERE}/fpu"],
                f"{GLUE_FLAGS.replace(RUMP, '-DCPRNG_NETBSD_FPU')} -include {HERE}/fpu.h"),
    "ten-ours": (["cprng_fast", "strong_erasure", *GLUE], GLUE_FLAGS),
}
# Those of 2014, each with the flags of origin.cpp.
ORIGINS = {
    "arc4-mtx": ["-DWAY=with_mutex<lab::rc4>"],
    "arc4-nomtx": ["-DWAY=no_mutex<lab::rc4>"],
    "arc4-percpu": ["-DWAY=per_cpu<lab::rc4>"],
    "hc128-percpu": ["-DWAY=per_cpu<lab::hc128>"],
    "hc128-checked": ["-DWAY=per_cpu<lab::hc128>", "-DIS_CHECKED=true"],
}

# Mistakes: the file, the correct text, and its replacement; in the kernel that base() names.
MUTANTS = {
    "no-depth": ("cprng_fast.c", "c->depth = depth + 1;", "(void)depth;"),
    # The CPUs have one set of keys, and one buffer.
    "one-state": ("cprng_fast.c", "*(struct cpu **)p = c;", "static struct cpu *one; one = one == NULL ? c : one; *(struct cpu **)p = one;"),
    "no-erasure": ("cprng_fast.c", "(void)pop(c, dst, len);", "c->left -= (uint32_t)len; memcpy(dst, c->out + c->left, len);"),
    "no-epoch": ("cprng_fast.c", "if (CPRNG_UNLIKELY(c->epoch != entropy_epoch()))", "if (false)"),
    # The key is free again while it is expanded.
    "no-depth-in-refill": ("cprng_fast.c", "cprng_cipher_expand(c->keys[0], fresh, size);",
                           "c->depth--; cprng_cipher_expand(c->keys[0], fresh, size); c->depth++;"),
    # A key that is used, and stays.
    "nested-key-stays": ("cprng_fast.c", "memcpy(key, block, CPRNG_KEY_SIZE);", ""),
    "nested-draws-share": ("cprng_fast.c", "*key = c->keys[depth],", "*key = c->keys[1],"),
    "preemption": ("cprng_fast.c", '#include "kernel/netbsd/compat.h"', """#include "kernel/netbsd/compat.h"
#undef percpu_getref
#undef percpu_putref
#define percpu_getref(p) ((void *)&the_only_one)
#define percpu_putref(p) ((void)(p))
"""),
    "no-level": ("cprng_fast.c", " && s <= IPL_SOFTSERIAL", ""),
}


def base(name):
    """The kernel of which a mutant is a copy, with one changed file; None for others."""
    return None if name not in MUTANTS else "uniprocessor" if name == "preemption" else "vectors"


MAKEFILE = """\
CPPFLAGS=	@first@
RUMPTOP=	${NETBSDSRCDIR}/sys/rump
CPRNG=		@root@
CPRNG_NETBSD=	@flags@
.include "${CPRNG}/kernel/netbsd/Makefile.inc"
.include "${RUMPTOP}/librump/rumpkern/Makefile.rumpkern"
.for source in @dropins@
CPPFLAGS.${source:.o=.c}+=	${CPRNG_CPPFLAGS}
.endfor
# As in NetBSD 10 (files.chacha_x86); the kernel is compiled without vectors.
CPPFLAGS.chacha8.c+=	-msse2
ours: ${CPRNG_SRCS:Msrc/*:T:.c=.o} names.o @dropins@
	@echo objects ${.ALLSRC:T}
"""

# Symbols that keep their names in a rump kernel; the others get a prefix (sys/rump/Makefile.rump).
AS_THEY_ARE = re.compile("rump|RUMP|__|_GLOBAL_OFFSET_TABLE_")

# Functions that the programs replace.
WRAPPED = {
    "draws": ["rumpns_cprng_strong", "rumpns_kpreempt_disable", "rumpns_kpreempt_enable", "rumpns_cprng_cipher_expand"],
    "steps": ["rumpns_splraise", "rumpns_spllower", "rumpns_fpu_kern_enter", "rumpns_fpu_kern_leave", "rumpns_fpu_is_allowed"],
    "latency": ["rumpns_splraise", "rumpns_spllower", "rumpns_rndsink_schedule", "rumpns_nist_ctr_drbg_generate", "rumpns_nist_ctr_drbg_reseed"],
    "reseeds": ["rumpns_cprng_strong", "rumpns_cpu_intr_p", "rumpns_splraise"],
    "device": ["rumpns_cprng_fortuna_core_read", "rumpuser_getrandom"],
}


def sources():
    """The folder, or None."""
    place = pathlib.Path(os.environ.get("NETBSD") or "/nonexistent").resolve()
    return place if (place / "buildrump/buildrump.sh").exists() and (place / "src/sys").exists() else None


def ten(place):
    """A folder with copies of NetBSD 10's files, under the paths by which its kernel includes them; None if one is missing.

    With the rest of a tree, its headers would replace those of the older kernel."""
    if place is None or not all((place / "ten" / path).is_file() for path in TEN):
        return None
    folder = PLACE / "ten-files"
    for path in TEN:
        copy = folder / path.removeprefix("sys/").replace("arch/x86/include/", "x86/")
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(place / "ten" / path, copy)
    return folder


def run(command, **options):
    result = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
                            text=True, **options)
    assert result.returncode == 0, result.stdout[-4000:]
    return result.stdout


def check_out(repository):
    """Finishes a clone that stopped in its checkout: a mirror may lack blobs, and git then leaves no index.  Lists missing files."""
    if not (repository / ".git").is_dir() or (repository / ".git/index").exists():
        return []
    git = ["git", "-C", repository]
    run([*git, "read-tree", "HEAD"])
    entries = [line.split("\t", 1) for line in run([*git, "ls-files", "--stage", "-z"]).split("\0")[:-1]]
    objects = "".join(f"{entry.split()[1]}\n" for entry, _ in entries)
    answers = run([*git, "cat-file", "--batch-check"], input=objects).splitlines()
    missing = [path for (_, path), answer in zip(entries, answers, strict=True) if answer.endswith(" missing")]
    run([*git, "update-index", "--force-remove", "-z", "--stdin"], input="".join(f"{path}\0" for path in missing))
    run([*git, "checkout-index", "--all", "--force"])
    if missing:
        warnings.warn(f"{repository}: checked out without {len(missing)} files that the clone lacks: {' '.join(missing)}")
    return missing


def environment(place):
    compiler = place / "bin" / "cc"
    return os.environ | {"PATH": f"{compiler.parent}:{os.environ['PATH']}", "CC": str(compiler), "HOST_CC": str(compiler),
                         "HOST_CFLAGS": "-O -fcommon"}


def build_netbsd(place, build="release"):
    """The kernel with its own cprng_fast, once; returns the folders of the libraries.  Two minutes of one CPU, and its tools one more."""
    folder, options = BUILDS[build]
    found = [place / folder / where for where in LIBRARIES]
    maker = place / folder / "rumpmake"
    if maker.exists() and all((where / f"lib{name}.a").exists() for where, name in zip(found, LIBRARIES.values(), strict=True)):
        return found
    check_out(place / "src")
    if not (place / "tools/rumpmake").exists():
        (place / "bin").mkdir(exist_ok=True)
        (place / "bin/cc").write_text(COMPILER, encoding="utf-8")
        (place / "bin/cc").chmod(0o755)
        run(["./buildrump.sh", "-s", "../src", "-o", "../obj", "-d", "../rump", "-T", "../tools", "-q", "-r", "-j", JOBS, "-V", "MKPIC=no",
             "-F", "CFLAGS=-Wno-error", "tools"], cwd=place / "buildrump", env=environment(place))
    (place / folder).mkdir(exist_ok=True)
    # NetBSD's make, with this folder for the objects.
    maker.write_text((place / "tools/rumpmake").read_text(encoding="utf-8").replace(f",{place}/obj,", f",{place / folder},"), encoding="utf-8")
    maker.chmod(0o755)
    folders = " ".join(str(place / "src" / where) for where in ["sys/rump/include", *LIBRARIES])
    (place / folder / "Makefile").write_text(f"SUBDIR= {folders}\n.include <bsd.subdir.mk>\n", encoding="utf-8")
    for target in ("obj", "includes", "dependall"):
        run([maker, "-j", JOBS, *options, target], cwd=place / folder, env=environment(place))
    return found


def rename(folder, name):
    """Give an object of the kernel its names in a rump kernel."""
    names = {line.split()[-1] for line in run(["nm", "-g", name], cwd=folder).splitlines()}
    table = [f"{symbol} rumpns_{symbol}\n" for symbol in sorted(names) if not AS_THEY_ARE.match(symbol)]
    (folder / "renames").write_text("".join(table), encoding="utf-8")
    run(["objcopy", "--redefine-syms=renames", name, f"renamed/{name}"], cwd=folder)


def compile_with_headers(place, headers):
    """Compile our files for NetBSD 10, with its headers before those of the older kernel; returns the objects' names."""
    folder = PLACE / "headers"
    folder.mkdir(parents=True, exist_ok=True)
    # Only two members of cpu_info are missing from the listed headers (cipher.c).
    flags = f"-DCPRNG_NETBSD_FPU -include {HERE}/today/version.h '-DIS_ALLOWED()=true'"
    text = MAKEFILE.replace("@root@", str(ROOT)).replace("@flags@", flags).replace("@first@", f"-I{headers}")
    (folder / "Makefile").write_text(text.replace("@dropins@", "cipher.o cprng_fast.o strong_erasure.o"), encoding="utf-8")
    for old in folder.glob("*.o"):
        old.unlink()
    build_netbsd(place)
    run([place / BUILDS["release"][0] / "rumpmake", *BUILDS["release"][1], "CWARNFLAGS=-Werror=implicit-function-declaration",
         "ours"], cwd=folder, env=environment(place))  # fmt: skip
    return run(["nm", "-u", "cprng_fast.o", "cipher.o"], cwd=folder) + run(["nm", "strong_erasure.o"], cwd=folder)


def build_library(place, folder, name, build):
    """Make librump.a in the folder, with our files instead of NetBSD's."""
    mutant = MUTANTS.get(name)
    dropins, flags = SOURCES[base(name) or name]
    first = ""
    if "@ten@" in flags:
        files = str(ten(place))
        dropins, flags, first = [d.replace("@ten@", files) for d in dropins], flags.replace("@ten@", files), f"-I{files}"
    shutil.rmtree(folder)
    if mutant:
        shutil.copytree(PLACE / base(name), folder, symlinks=True, ignore=shutil.ignore_patterns(mutant[0].replace(".c", ".o"), "librump.a"))
    (folder / "renamed").mkdir(parents=True, exist_ok=True)
    # Found before NetBSD's folders.
    for dropin in (d for d in dropins if d.startswith("/")):
        shutil.copy(f"{dropin}.c", folder)
    objects = [f"{pathlib.Path(dropin).name}.o" for dropin in dropins]
    text = MAKEFILE.replace("@root@", str(ROOT)).replace("@flags@", flags).replace("@first@", first)
    (folder / "Makefile").write_text(text.replace("@dropins@", " ".join(["cipher.o", *objects])), encoding="utf-8")
    if mutant:
        file, before, after = mutant
        right = (ROOT / "kernel/netbsd" / file).read_text(encoding="utf-8")
        assert right.count(before) == 1, f"{name}: {file} has changed"
        (folder / file).write_text(right.replace(before, after), encoding="utf-8")
    made = run([place / BUILDS[build][0] / "rumpmake", *BUILDS[build][1], "ours"], cwd=folder, env=environment(place))
    replace_objects(place, folder, build, re.search(r"(?m)^objects (.*)$", made).group(1).split())


def build_origin(place, folder, name, build):
    """The same with cprng_fast of origin.cpp instead of NetBSD's."""
    # The second line is that of a rump kernel.
    run(["/usr/bin/g++", "-std=c++17", "-fno-exceptions", "-fno-rtti", "-fno-threadsafe-statics", "-Wall", "-Wextra", "-Werror",
         "-O2", "-ffreestanding", "-fno-strict-aliasing", "-mno-red-zone", "-mno-mmx", "-mno-sse", "-mno-avx", "-msoft-float",
         f"-I{ROOT}", f"-I{ROOT}/src", *ORIGINS[name], "-c", "-o", folder / "cprng_fast.o", HERE / "origin.cpp"])
    (folder / "renamed/cprng_fast.o").unlink(missing_ok=True)
    replace_objects(place, folder, build, ["cprng_fast.o"])


def replace_objects(place, folder, build, objects):
    """Make librump.a with these objects instead of those of the same names."""
    (folder / "renamed").mkdir(exist_ok=True)
    for obj in objects:
        if not (folder / "renamed" / obj).exists():
            rename(folder, obj)
    shutil.copy(place / BUILDS[build][0] / "lib/librump/librump.a", folder / "librump.a")
    there = run(["ar", "t", "librump.a"], cwd=folder).split()
    replaced = {*objects, "nist_ctr_drbg.o"} if "strong_fortuna.o" in objects else objects
    run(["ar", "d", "librump.a", *(obj for obj in replaced if obj in there)], cwd=folder)
    run(["ar", "rs", "librump.a", *(f"renamed/{obj}" for obj in objects)], cwd=folder)


class Kernel:
    """own: NetBSD's.  Others: those of SOURCES, of ORIGINS, and of MUTANTS, each a changed "vectors"."""

    def __init__(self, place, name, build="release"):
        self.place, self.folder = place, PLACE / (name if build == "release" else f"{name}-{build}")
        # Dependencies on headers are not known here.
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)
        self.libraries = build_netbsd(place, build)
        if name in ORIGINS:
            build_origin(place, self.folder, name, build)
        elif name != "own":
            build_library(place, self.folder, name, build)

    def program(self, name):
        out = self.folder / name
        wraps = [f"-Wl,--wrap={symbol}" for symbol in WRAPPED.get(name, ())]
        run(["/usr/bin/cc", "-O2", "-g", "-D_GNU_SOURCE", "-Wall", "-Wextra", "-Werror", "-mno-red-zone", f"-I{self.place}/tools/dest/usr/include", "-o", out,
             HERE / f"{name}.c", *wraps, f"-L{self.folder}", *(f"-L{folder}" for folder in self.libraries), "-Wl,--whole-archive", "-lrumpdev_rnd", "-lrumpdev",
             "-lrumpvfs", "-lrump", "-Wl,--no-whole-archive", "-lrumpuser", "-lpthread", "-ldl"])
        return out

    def run(self, name, *arguments, cpus=1, status=0, again=True):
        """A program's output; again: compile it first.  status None: the status must not be 0."""
        result = subprocess.run([self.program(name) if again else self.folder / name, *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                check=False, text=True, env=os.environ | {"RUMP_NCPU": str(cpus)}, timeout=TIMEOUT)
        assert result.returncode == status if status is not None else result.returncode != 0, result.stdout
        return result.stdout


def numbers(output):
    """"a 1 b 2" of the last line, as a dictionary."""
    words = output.splitlines()[-1].split()
    return dict(zip(words[::2], map(int, words[1::2])))
