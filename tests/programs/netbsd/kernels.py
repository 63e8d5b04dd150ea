# SPDX-License-Identifier: BSD-2-Clause
"""NetBSD's kernel as a library (a rump kernel), with its own cprng_fast or with ours, and programs that contain it.

NETBSD names a folder with two public repositories; what is built of them stays there:

    git clone https://github.com/rumpkernel/buildrump.sh $NETBSD/buildrump
    git clone -b buildrump-src https://github.com/rumpkernel/src-netbsd $NETBSD/src
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
# Seconds of a program, of which the longest takes one minute on a CPU of its own.
TIMEOUT = 1200
DROPINS = ["cipher", "cprng_fast", "nist_ctr_drbg"]

HOW = ("NETBSD=DIR names no sources; to get them: git clone https://github.com/rumpkernel/buildrump.sh DIR/buildrump; "
       "git clone -b buildrump-src https://github.com/rumpkernel/src-netbsd DIR/src")

# The sources are of 2016: compilers of today warn of them, and refuse variables that several files define.
COMPILER = '#!/bin/sh\nexec /usr/bin/cc -fcommon -Wno-error "$@" -fcommon -Wno-error\n'

# Mistakes: the file, what stands there, what stands there instead.
MUTANTS = {
    "no-splvm": ("cprng_fast.c", "const int s = splvm();\n\n\tif", "const int s = 0;\n\n\tif"),
    "one-state": ("cprng_fast.c", "(struct state *)first + cpu_index(ci)", "(struct state *)first"),
    "no-erasure": ("cprng_fast.c", "\tcprng_wipe(fresh, size);\n", ""),
}

MAKEFILE = """\
RUMPTOP=	${NETBSDSRCDIR}/sys/rump
CPRNG=		@root@
CPRNG_NETBSD=	@flags@
.include "${CPRNG}/kernel/netbsd/Makefile.inc"
.include "${RUMPTOP}/librump/rumpkern/Makefile.rumpkern"
ours: ${CPRNG_SRCS:T:.c=.o} @dropins@
	@echo objects ${.ALLSRC:T}
"""

# Symbols that a rump kernel has as they are; the others get a prefix (sys/rump/Makefile.rump).
AS_THEY_ARE = re.compile("rump|RUMP|__|_GLOBAL_OFFSET_TABLE_")

# Of which the program has its own.
WRAPPED = {
    "draws": ["rumpns_cprng_strong"],
    "steps": ["rumpns_splraise", "rumpns_spllower"],
    "device": ["rumpns_cprng_fortuna_core_read", "rumpuser_getrandom"],
}


def sources():
    """The folder, or None."""
    place = pathlib.Path(os.environ.get("NETBSD") or "/nonexistent").resolve()
    return place if (place / "buildrump/buildrump.sh").exists() and (place / "src/sys").exists() else None


def run(command, **options):
    result = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
                            text=True, **options)
    assert result.returncode == 0, result.stdout[-4000:]
    return result.stdout


def check_out(repository):
    """Finishes a clone that stopped in its checkout: a mirror may lack blobs, and git then leaves no index.  Names what is missing."""
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


def build_netbsd(place):
    """The kernel with its own cprng_fast, once: five minutes of one CPU."""
    if (place / "rump/lib/librump.a").exists():
        return
    check_out(place / "src")
    (place / "bin").mkdir(exist_ok=True)
    (place / "bin/cc").write_text(COMPILER, encoding="utf-8")
    (place / "bin/cc").chmod(0o755)
    run(["./buildrump.sh", "-s", "../src", "-o", "../obj", "-d", "../rump", "-T", "../tools", "-q", "-r", "-j",
         os.environ.get("JOBS", "2"), "-V", "MKPIC=no", "-F", "CFLAGS=-Wno-error", "tools", "build", "install"],
        cwd=place / "buildrump", env=environment(place))


def rename(folder, name):
    """An object of the kernel gets the names that it has in a rump kernel."""
    names = {line.split()[-1] for line in run(["nm", "-g", name], cwd=folder).splitlines()}
    table = [f"{symbol} rumpns_{symbol}\n" for symbol in sorted(names) if not AS_THEY_ARE.match(symbol)]
    (folder / "renames").write_text("".join(table), encoding="utf-8")
    run(["objcopy", "--redefine-syms=renames", name, f"renamed/{name}"], cwd=folder)


def build_library(place, name, flags, mutant):
    """librump.a with ours in place of NetBSD's; its folder."""
    folder = PLACE / name
    (folder / "renamed").mkdir(parents=True, exist_ok=True)
    text = MAKEFILE.replace("@root@", str(ROOT)).replace("@flags@", flags)
    (folder / "Makefile").write_text(text.replace("@dropins@", " ".join(f"{d}.o" for d in DROPINS)), encoding="utf-8")
    if mutant:
        file, before, after = MUTANTS[mutant]
        right = (ROOT / "kernel/netbsd" / file).read_text(encoding="utf-8")
        assert right.count(before) == 1, f"{mutant}: {file} has changed"
        (folder / file).write_text(right.replace(before, after), encoding="utf-8")
    # What depends on which header is not known here.
    for old in folder.glob("*.o"):
        old.unlink()
    made = run([place / "tools/rumpmake", "ours"], cwd=folder, env=environment(place))
    objects = re.search(r"(?m)^objects (.*)$", made).group(1).split()
    for name in objects:
        rename(folder, name)
    shutil.copy(place / "rump/lib/librump.a", folder / "librump.a")
    replaced = [name for name in objects if name in run(["ar", "t", "librump.a"], cwd=folder).split()]
    assert sorted(replaced) == sorted(f"{d}.o" for d in DROPINS if d != "cipher"), replaced
    run(["ar", "d", "librump.a", *replaced], cwd=folder)
    run(["ar", "rs", "librump.a", *(f"renamed/{name}" for name in objects)], cwd=folder)
    return folder


# What of cipher.c is chosen; mutants are as "vectors".
FLAGS = {"portable": "", "fpu": f"-DCPRNG_NETBSD_FPU -include {HERE}/fpu.h"}


class Kernel:
    """own: NetBSD's.  Ours: vectors, as a rump kernel may have them; fpu, between two functions as in a real one; portable, without;
    and those of MUTANTS.
    """

    def __init__(self, place, name):
        self.place, self.folder = place, PLACE / name
        self.folder.mkdir(parents=True, exist_ok=True)
        if name != "own":
            build_library(place, name, FLAGS.get(name, "-DCPRNG_NETBSD_RUMP"), name if name in MUTANTS else None)

    def program(self, name):
        rump = self.place / "rump"
        out = self.folder / name
        wraps = [f"-Wl,--wrap={symbol}" for symbol in WRAPPED.get(name, ())]
        run(["/usr/bin/cc", "-O2", "-g", "-D_GNU_SOURCE", "-Wall", "-Wextra", "-Werror", "-mno-red-zone", f"-I{rump}/include", "-o", out,
             HERE / f"{name}.c", *wraps, f"-L{self.folder}", f"-L{rump}/lib", "-Wl,--whole-archive", "-lrumpdev_rnd", "-lrumpdev",
             "-lrumpvfs", "-lrump", "-Wl,--no-whole-archive", "-lrumpuser", "-lpthread", "-ldl"])
        return out

    def run(self, name, *arguments, cpus=1, status=0, again=True):
        """What a program says; again: compile it first.  status None: it must not be 0."""
        result = subprocess.run([self.program(name) if again else self.folder / name, *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                check=False, text=True, env=os.environ | {"RUMP_NCPU": str(cpus)}, timeout=TIMEOUT)
        assert result.returncode == status if status is not None else result.returncode != 0, result.stdout
        return result.stdout


def numbers(output):
    """"a 1 b 2" of the last line, as a dictionary."""
    words = output.splitlines()[-1].split()
    return dict(zip(words[::2], map(int, words[1::2])))
