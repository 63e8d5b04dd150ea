# SPDX-License-Identifier: BSD-2-Clause
"""The two files that tools/one-file writes, in an empty directory, by compilers that get no other flag than in the test's name.

CC           the compiler of the build, besides which clang and others are tried where they are installed
CPRNG_BUILD  the build, by ninja, whose test programs are linked with cprng.c in place of its library
CMAKE_C_COMPILER_LAUNCHER  a compiler cache, which compiles the one file where no test looks at how it is called
CPRNG_TEST_LARGE  1: more levels of optimisation and more compilers; gcc 14 is downloaded where the distribution has none
"""

import functools
import os
import pathlib
import platform
import re
import shlex
import shutil
import signal
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]
HERE = pathlib.Path(__file__).parent
BUILD = pathlib.Path(os.environ.get("CPRNG_BUILD", ROOT / "build"))
LARGE = os.environ.get("CPRNG_TEST_LARGE") == "1"
WARNINGS = ["-Wall", "-Wextra", "-Werror"]
CLANG = next((name for name in ("clang-19", "clang-20", "clang-21", "clang") if shutil.which(name)), None)
CC = os.environ.get("CC", "cc")
LAUNCHER = shlex.split(os.environ.get("CMAKE_C_COMPILER_LAUNCHER", ""))
HOSTS = sorted({name for name in (CC, CLANG) if name})
# Also used in the large form.
OTHERS = ["gcc-14", "clang-14"]
# Those of Debian 12 and 13, of which each fills its stack in another way.
DEBIAN = [f"gcc-{version}" for version in range(11, 15)] + [f"clang-{version}" for version in range(13, 20)]

on_x86_64 = pytest.mark.skipif(platform.machine() != "x86_64", reason="reads instructions of x86-64")
of_ninja = pytest.mark.skipif(not (BUILD / "build.ninja").exists(), reason="the build is not ninja's")


def run(*command, **options):
    result = subprocess.run([str(part) for part in command], capture_output=True, text=True, timeout=1200, check=False, **options)
    assert result.returncode == 0, (command, result.stdout[-2000:], result.stderr[-4000:])
    return result.stdout


def emulated(*command):
    """The exit status of a program, run by the emulator if one is named; None if the emulator is not installed."""
    emulator, *rest = command
    if emulator is not None:
        name = next((n for n in (f"qemu-{emulator}-static", f"qemu-{emulator}") if shutil.which(n)), None)
        if name is None:
            return None
        rest = [name, *rest]
    return subprocess.run([str(part) for part in rest], timeout=300, check=False).returncode


@functools.cache
def gcc_14():
    """A gcc 14: the system's, or Debian 13's from BUILD/gcc-14, for the C library of this machine; None without either.

    What it starts is run with its own C library, by -wrapper; but for the linker, which is the system's, and lto1."""
    if shutil.which("gcc-14"):
        return "gcc-14"
    at = BUILD / "gcc-14"
    if not (at / "version").exists():
        packages = ["gcc-14-x86-64-linux-gnu", "cpp-14-x86-64-linux-gnu", "libgcc-14-dev", "libgmp10", "libmpfr6", "libmpc3", "libisl23",
                    "libzstd1", "zlib1g", "binutils-x86-64-linux-gnu", "libbinutils", "libctf0", "libctf-nobfd0", "libsframe1", "libjansson4"]
        if platform.machine() != "x86_64" or subprocess.run([ROOT / "tools/newer-libc", at, *packages], check=False).returncode != 0:
            return None
    (at / "bin").mkdir(exist_ok=True)
    (at / "bin/as").unlink(missing_ok=True)
    (at / "bin/as").symlink_to("../files/usr/bin/x86_64-linux-gnu-as")
    usr, script = at / "files/usr", at / "bin/gcc-14"
    gcc, libraries = usr / "bin/x86_64-linux-gnu-gcc-14", f"{at}:{usr}/lib/x86_64-linux-gnu"
    parts = [f"-B{at}/bin/", f"-B{usr}/libexec/gcc/x86_64-linux-gnu/14/", f"-B{usr}/lib/gcc/x86_64-linux-gnu/14/",
             f"-wrapper {at}/ld.so,--library-path,{libraries}", "-fno-use-linker-plugin"]
    script.write_text(f"#!/bin/sh\nexec {at}/ld.so --library-path {libraries} --argv0 {gcc} {gcc} {' '.join(parts)} \"$@\"\n")
    script.chmod(0o755)
    return str(script)


def found(compiler, flags=()):
    """The command of a compiler of OTHERS; skips the test if it is missing."""
    command = gcc_14() if compiler == "gcc-14" else compiler
    if command is None or not shutil.which(command):
        pytest.skip(f"no {compiler}")
    if command != "gcc-14" and compiler == "gcc-14" and "-flto" in flags:
        pytest.skip("the downloaded gcc 14 does not link what it optimises at link time")
    return command


class Bare:
    """A directory with only the two files, and the results of compiling them, once for each command."""

    def __init__(self, directory):
        self.source, self.work = directory / "files", directory / "work"
        self.work.mkdir()
        run(ROOT / "tools/one-file", self.source)
        assert sorted(path.name for path in self.source.iterdir()) == ["cprng.c", "cprng.h"]
        self.made = {}

    def object(self, compiler, *flags):
        if (compiler, *flags) not in self.made:
            output = self.work / f"{len(self.made)}.o"
            run(*LAUNCHER, compiler, *flags, "-fstack-usage", "-c", "cprng.c", "-o", output, cwd=self.source)
            self.made[compiler, *flags] = output
        return self.made[compiler, *flags]

    def linked(self, name, compiler, *flags, source=None):
        """A test program of the build, linked with the object instead of libcprng.a."""
        link = re.sub(r"^: && | && :$", "", run("ninja", "-C", BUILD, "-t", "commands", f"tests/{name}").strip().splitlines()[-1])
        wrapped = re.findall(r"-Wl,--wrap=(\w+)", link)
        one = self.object(compiler, *flags) if source is None else self.work / "wrapped.o"
        if source is not None:
            source(wrapped, one)
            link = re.sub(r"-Wl,--wrap=\w+", "", link)
        command = [str(one) if part == "libcprng.a" else part for part in shlex.split(link)]
        program = command[command.index("-o") + 1] = str(self.work / name)
        assert str(one) in command
        if "-flto" in flags:
            # Only the compiler that made such an object can link it.
            command = [compiler.replace("clang", "clang++") if "clang" in compiler else command[0], *command[1:], "-flto"]
        run(*command, cwd=BUILD)
        return program


@pytest.fixture(scope="module")
def bare(tmp_path_factory):
    return Bare(tmp_path_factory.mktemp("one"))


def link(compiler, *arguments):
    run(compiler, *arguments, "-pthread")


# ------------------------------------------------------------------------------------------------- compilers and flags


@pytest.mark.parametrize("compiler", HOSTS)
@pytest.mark.parametrize("flags", ["", "-std=c99", "-std=c11", "-std=gnu17", "-std=gnu2x", "-D_GNU_SOURCE", "-DCPRNG_POSIX",
                                   "-DCPRNG_NO_INLINE", "-DCPRNG_CHACHA_ALONE"])
def test_dialects(bare, compiler, flags):
    """Catches code that a C dialect, or a definition that the file offers, makes invalid or causes warnings for."""
    run(compiler, "-O2", *WARNINGS, *flags.split(), "-fsyntax-only", "cprng.c", cwd=bare.source)


def test_page(bare, tmp_path):
    """Catches commands of the page on installation that do not compile the README's program."""
    page = (ROOT / "docs/installing.md").read_text(encoding="utf-8")
    commands = re.search(r"(?m)^    cc -O2 -c cprng\.c\n    cc .*$", page)[0]
    program = re.search(r"(?s)`dice\.c`:\n\n```c\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"))[1]
    for name in ("cprng.c", "cprng.h"):
        shutil.copy(bare.source / name, tmp_path)
    (tmp_path / "dice.c").write_text(program.replace("<cprng/cprng.h>", '"cprng.h"'), encoding="utf-8")
    run("sh", "-e", "-c", commands, cwd=tmp_path)
    assert re.fullmatch(r"a die: [1-6]\sin \[0, 1\): 0\.\d{6}\s", run(tmp_path / "dice"))


@pytest.mark.parametrize("compiler", HOSTS)
def test_programs(bare, compiler, tmp_path):
    """Catches a warning, known answers that fail, and a header that does not give C++ its classes."""
    one = bare.object(compiler, "-O2", "-fPIC", *WARNINGS)
    link(compiler, "-O2", *WARNINGS, "-I", bare.source, HERE / "program.c", one, "-o", tmp_path / "c")
    run(tmp_path / "c")
    if shutil.which("c++"):
        link("c++", "-O2", "-std=c++17", *WARNINGS, "-I", bare.source, HERE / "program.cpp", one, "-o", tmp_path / "cpp")
        run(tmp_path / "cpp")


@pytest.mark.skipif(CLANG is None, reason="no clang")
@pytest.mark.skipif(not pathlib.Path("/usr/i686-linux-gnu/include").exists(), reason="no headers of i686")
def test_no_library_of_atomics(bare):
    """Catches a word of 64 bits that i386 aligns to 4 bytes: clang calls libatomic for it, which takes locks and must be linked."""
    run(CLANG, "--target=i686-linux-gnu", "-isystem", "/usr/i686-linux-gnu/include", "-O1", "-Werror=atomic-alignment", "-S", "-emit-llvm",
        "-Xclang", "-disable-llvm-passes", "cprng.c", "-o", bare.work / "atomics.ll", cwd=bare.source)
    assert "@__atomic_" not in (bare.work / "atomics.ll").read_text(encoding="utf-8")


@pytest.mark.skipif(CLANG is None, reason="no clang")
def test_analyser(bare):
    """Catches a file that clang's analyser cannot process, like a compiler without optimisation, and its findings."""
    run(CLANG, "--analyze", "-Werror", "-o", bare.work / "findings", "cprng.c", cwd=bare.source)


def test_lengths_without_end(bare, tmp_path):
    """Catches a length near the size of the address space that overwrites memory until it faults, or that gives no error."""
    (tmp_path / "c.c").write_text("""
        #include "cprng.h"
        #include <string.h>
        int main(int argc, char **argv)
        {
            static unsigned char seed[32];
            static uint64_t out[4];
            const size_t negative = (size_t)-5;
            cprng_stream s;

            if (argc == 2 && strcmp(argv[1], "fast") == 0)
                cprng_fast(out, negative);
            else if (argc == 2 && strcmp(argv[1], "strong") == 0)
                cprng_strong(out, negative);
            else if (argc == 2 && strcmp(argv[1], "shuffle") == 0)
                cprng_shuffle(out, negative / 8, 8);
            else if (argc == 2)
                cprng_shuffle(out, negative, 8);
            return cprng_stream_init(&s, "aes256-ctr", seed, 32, seed, 16) != 0 ||
                   cprng_fill_u64(out, negative / 8) != CPRNG_ERR_ARGUMENT || cprng_fill_normal((double *)out, negative / 8, 0, 1) != CPRNG_ERR_ARGUMENT ||
                   cprng_sample(out, negative / 8, UINT64_MAX) != CPRNG_ERR_ARGUMENT || cprng_sample(out, negative, UINT64_MAX) != CPRNG_ERR_ARGUMENT ||
                   cprng_stream_read(&s, out, negative) != CPRNG_ERR_ARGUMENT || cprng_stream_fill_u64(&s, out, negative / 8) != CPRNG_ERR_ARGUMENT;
        }
    """, encoding="utf-8")
    link(CC, "-O2", "-I", bare.source, tmp_path / "c.c", bare.object(CC, "-O2", "-fPIC", *WARNINGS), "-o", tmp_path / "c")
    run(tmp_path / "c")
    for what in ("fast", "strong", "shuffle", "elements"):
        ended = subprocess.run([tmp_path / "c", what], capture_output=True, text=True, timeout=900, check=False)
        assert ended.returncode == -signal.SIGABRT, (what, ended)
        assert ended.stderr == "cprng: a request is longer than the memory behind its address\n"


def test_invariants(bare, tmp_path):
    """Catches the page's library with invariant checks that checks nothing, or that reports a correct library."""
    page = (ROOT / "docs/testing.md").read_text(encoding="utf-8")
    compile_, start = re.search(r"(?m)^    (cc \S+ -DCPRNG_CHECK -c cprng\.c)\n    (\S+) \./program$", page).groups()
    name, _, placement = start.partition("=")
    for broken, status in (("", 0), ("cprng_wipe(b->out + left, len);", -signal.SIGABRT)):
        for file in ("cprng.c", "cprng.h"):
            text = (bare.source / file).read_text(encoding="utf-8")
            assert file == "cprng.h" or text.count(broken) == (1 if broken else len(text) + 1)
            (tmp_path / file).write_text(text.replace(broken, "") if broken else text, encoding="utf-8")
        run("sh", "-e", "-c", compile_, cwd=tmp_path)
        link(CC, "-O2", "-I", tmp_path, HERE / "program.c", tmp_path / "cprng.o", "-o", tmp_path / "c")
        ended = subprocess.run([tmp_path / "c"], env={**os.environ, name: placement}, capture_output=True, text=True, check=False)
        assert ended.returncode == status, ended
        assert status == 0 or ended.stderr == "cprng: broken invariant: a buffer has erased what it served\n"


LEVELS = ["-O1", "-O2", "-O3", "-Os", "-Og", "-O2 -flto", "-O3 -march=native", "-O2 -fno-plt -fstack-protector-all"]


@pytest.mark.skipif(not LARGE, reason="long")
@pytest.mark.parametrize("compiler", [*HOSTS, *OTHERS])
@pytest.mark.parametrize("level", LEVELS)
def test_levels(bare, compiler, level, tmp_path):
    """Catches a warning, or code of one level of optimisation whose known answers fail."""
    link(found(compiler, level.split()), *level.split(), *WARNINGS, "-I", bare.source, HERE / "program.c", bare.source / "cprng.c", "-o", tmp_path / "c")
    run(tmp_path / "c")


@pytest.mark.parametrize("compiler,emulator", [("musl-gcc", None), ("i686-linux-gnu-gcc", "i386"), ("aarch64-linux-gnu-gcc", "aarch64"),
                                               ("s390x-linux-gnu-gcc", "s390x"), ("riscv64-linux-gnu-gcc", "riscv64"),
                                               ("powerpc64-linux-gnu-gcc", "ppc64")])
def test_other_targets(bare, compiler, emulator, tmp_path):
    """Catches a source for another machine or C library that is not empty here, and known answers that fail there."""
    if not shutil.which(compiler):
        pytest.skip(f"no {compiler}")
    if not LARGE and emulator not in (None, "aarch64"):
        pytest.skip("long")
    # The short form compiles with less optimisation, in half the time.
    level = "-O2" if LARGE else "-O1"
    one = bare.object(compiler, level, *WARNINGS)
    link(compiler, level, *WARNINGS, "-static", "-I", bare.source, HERE / "program.c", one, "-o", tmp_path / "c")
    assert emulated(emulator, tmp_path / "c") in (0, None)


@pytest.mark.parametrize("compiler", HOSTS)
@pytest.mark.parametrize("flags,message", [("", "compile cprng with -O1 or more"), ("-O0", "compile cprng with -O1 or more"),
                                           ("-Ofast", "compile cprng without -ffast-math"),
                                           ("-O2 -ffast-math", "compile cprng without -ffast-math")])
def test_refused(bare, compiler, flags, message):
    """Catches a build that silently leaves keys on the stack, or whose numbers depend on the compiler."""
    command = [compiler, *flags.split(), "-Wfatal-errors", "-fsyntax-only", "cprng.c"]
    result = subprocess.run(command, cwd=bare.source, capture_output=True, text=True, check=False)
    assert result.returncode != 0 and message in result.stderr


# ------------------------------------------------------------------------------------------------------------- symbols


def exported(library):
    lines = run("nm", "-D", "--defined-only", library).splitlines()
    return {line.split()[2].partition("@")[0] for line in lines} - {"_init", "_fini"}


def public():
    return set(re.findall(r"^\t(\w+);$", (ROOT / "cmake/cprng.map").read_text(encoding="utf-8"), re.MULTILINE))


@on_x86_64
def test_exports(bare, tmp_path):
    """Catches a function that a library containing the file exports, and a function that is not exported on request."""
    run(CC, "-shared", bare.object(CC, "-O2", "-fPIC", *WARNINGS), "-o", tmp_path / "hidden.so")
    assert exported(tmp_path / "hidden.so") == set()
    run(CC, "-shared", bare.object(CC, "-O1", "-fPIC", "-DCPRNG_VISIBILITY=default"), "-o", tmp_path / "public.so")
    assert exported(tmp_path / "public.so") == public()


@on_x86_64
def test_separate_sources(bare, tmp_path):
    """Catches a source whose symbols, warnings or known answers rely on a flag of the project's build."""
    sources = re.findall(r"^\t(src/\S+\.c)$", (ROOT / "src/sources.cmake").read_text(encoding="utf-8"), re.MULTILINE)
    run(CC, "-O2" if LARGE else "-O1", *WARNINGS, "-fPIC", "-shared", "-Iinclude", "-Isrc", *sources,
        "-o", tmp_path / "libcprng.so", cwd=ROOT)
    assert exported(tmp_path / "libcprng.so") == public()
    link(CC, "-O2", "-DCPRNG_VISIBILITY=default", "-I", bare.source, HERE / "program.c", tmp_path / "libcprng.so", "-o", tmp_path / "c")
    run(tmp_path / "c", env={**os.environ, "LD_LIBRARY_PATH": str(tmp_path)})


# --------------------------------------------------------------------------------------------------- the library's tests


def variants(*short):
    long = [(c, *f) for c in HOSTS for f in (("-O1",), ("-O2",), ("-O3",), ("-Os",), ("-O2", "-flto"), ("-O2", "-march=native"))]
    long += [(c, f) for c in OTHERS for f in ("-O2", "-O3")]
    return [*short, *(v for v in long if LARGE and v not in short)]


@of_ninja
@pytest.mark.parametrize("variant", variants(*((c, "-O2") for c in HOSTS)), ids=" ".join)
def test_unit(bare, variant):
    """Catches a one-file library whose engines, streams or numbers differ from the library's."""
    compiler, *level = variant
    program = bare.linked("unit", found(compiler), *level, "-fPIC", *WARNINGS)
    # Excluded: single-stepping takes long and steps the same instructions.
    run(program, *([] if LARGE else ["--test-case-exclude=interrupted:*"]))


# Calls a function in between.
PROFILED = ["-pg", "-finstrument-functions"]


@of_ninja
@pytest.mark.parametrize("variant", [*variants((CC, "-O2")), *((CC, "-O2", f) for f in PROFILED if LARGE),
                                     *((c, f) for c in DEBIAN for f in ("-O1", "-O3") if LARGE and c not in OTHERS)],
                         ids=" ".join)
def test_erasure(bare, variant):
    """Catches served bytes or keys that a plain build of the one file leaves in a process's memory."""

    # The linker cannot redirect calls within one object, so the source text gets the redirected names.
    def compile_wrapped(names, output):
        text = (bare.source / "cprng.c").read_text(encoding="utf-8")
        for name in names:
            text = re.sub(rf"\b{name}\b", f"__wrap_{name}", text)
            text, count = re.subn(rf"\b__wrap_{name}(\([^;{{}}]*\)\n\{{)", rf"__real_{name}\1", text)
            assert count >= 1, name
        (bare.work / "wrapped.c").write_text(text, encoding="utf-8")
        # Without -Wall, since the new names have no declarations.
        run(*LAUNCHER, compiler, *level, "-fPIC", "-I../files", "-c", "wrapped.c", "-o", output, cwd=bare.work)

    compiler, *level = found(variant[0]), *variant[1:]
    program = bare.linked("erasure", compiler, *level, source=compile_wrapped)
    if variant[0] not in ("clang-13", "clang-14"):
        run(program)
        return
    # They cannot clear registers, from which later code saves copies of served numbers; a key is as far as with other compilers.
    said = subprocess.run([program], capture_output=True, text=True, timeout=1200, check=False).stdout
    left = re.findall(r"MESSAGE: \S+?/\S+, after .*?\]: (\w+)", said)
    assert set(left) <= {"served"} and "test cases:" in said


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="LD_DEBUG is of glibc")
@pytest.mark.parametrize("placement", ["", "slots", "unbuffered", "posix"])
def test_lazy_binding(bare, placement, tmp_path):
    """Catches a call that the dynamic linker resolves between two draws, which saves registers with secrets on the stack."""
    flags = ["-O1", "-DCPRNG_POSIX"] if placement == "posix" else ["-O2"]
    link(CC, *flags, "-I", bare.source, HERE / "program.c", bare.object(CC, *flags, "-fPIC", *WARNINGS), "-Wl,-z,lazy", "-o", tmp_path / "c")
    environment = {**os.environ, "LD_DEBUG": "bindings", "CPRNG_PLACEMENT": placement}
    environment.pop("LD_BIND_NOW", None)
    result = subprocess.run([tmp_path / "c", "the draws begin\n"], env=environment, capture_output=True, text=True, check=True)
    before, marker, after = result.stderr.partition("the draws begin\n")
    assert marker and "symbol `memcpy'" in before
    # munmap() of a Fortuna object happens after its content and the registers have been erased.
    assert set(re.findall(r"binding file \S*/c \[0\] to \S+ \[0\]: \w+ symbol `(\w+)'", after)) <= {"munmap"}


PLACEMENT = """
#include "cprng.h"
#include <stdio.h>
int main(void)
{
	struct cprng_info info;
	(void)cprng_fast32();
	cprng_get_info(&info, sizeof(info));
	return printf("%s %s", info.placement, info.generation_file) < 0;
}
"""


def test_setuid(bare, tmp_path):
    """Catches an environment variable that affects a program running with rights other than its caller's."""
    status = pathlib.Path("/proc/self/status")
    if os.geteuid() != 0 or os.statvfs(tmp_path).f_flag & os.ST_NOSUID or not status.exists() or (
            "NoNewPrivs:\t0" not in status.read_text(encoding="ascii")):
        pytest.skip("no set-user-ID program runs here")
    program = tmp_path / "placement"
    (tmp_path / "placement.c").write_text(PLACEMENT, encoding="ascii")
    link(CC, "-O2", "-I", bare.source, tmp_path / "placement.c", bare.object(CC, "-O2", "-fPIC", *WARNINGS), "-o", program)
    asked = os.environ | {"CPRNG_PLACEMENT": "slots", "CPRNG_GENERATION_FILE": "/another"}
    plain = {name: value for name, value in os.environ.items() if name not in ("CPRNG_PLACEMENT", "CPRNG_GENERATION_FILE")}
    default = run(program, env=plain)
    assert run(program, env=asked) in ("slots /another", "unbuffered /another")
    try:
        os.chown(program, 12345, 12345)
    except OSError as error:
        pytest.skip(f"this namespace has one user: {error.strerror}")
    os.chmod(program, 0o4755)
    assert run(program, env=asked) == run(program, env=plain) == default


PLUGIN = """
#include "cprng.h"
const char *plugin(void)
{
	static struct cprng_info info;
	(void)cprng_fast32();
	cprng_get_info(&info, sizeof(info));
	return info.placement;
}
"""

# Registers its own area afterwards, which succeeds in a thread that has none.
HOST = """
#include <dlfcn.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>
static _Alignas(32) char area[32];
static long rseq(int flags)
{
	return syscall(SYS_rseq, area, sizeof(area), flags, 0x53053053);
}
int main(int argc, char **argv)
{
	void *const plugin = argc == 2 && rseq(0) == 0 && rseq(1) == 0 ? dlopen(argv[1], RTLD_NOW) : NULL;
	const char *(*const draw)(void) = plugin ? (const char *(*)(void))dlsym(plugin, "plugin") : NULL;
	if (!draw)
		return puts("cannot tell") < 0;
	printf("%s ", draw());
	return puts(rseq(0) == 0 ? "free" : "registered") < 0;
}
"""


def test_plugin(bare, tmp_path):
    """Catches a plugin that registers its own memory with the kernel, which writes to it after the plugin was unloaded."""
    (tmp_path / "plugin.c").write_text(PLUGIN, encoding="ascii")
    (tmp_path / "host.c").write_text(HOST, encoding="ascii")
    run(CC, "-D_GNU_SOURCE", tmp_path / "host.c", "-o", tmp_path / "host", "-ldl")
    own = os.environ | {"GLIBC_TUNABLES": "glibc.pthread.rseq=0", "CPRNG_PLACEMENT": "own"}
    said = {}
    for flags in ("-Wl,-z,nodelete", "-Wl,-z,now"):
        link(CC, "-shared", "-O2", "-fPIC", "-I", bare.source, tmp_path / "plugin.c", bare.object(CC, "-O2", "-fPIC", *WARNINGS), flags,
             "-o", tmp_path / "plugin.so")  # fmt: skip
        said[flags] = run(tmp_path / "host", tmp_path / "plugin.so", env=own).strip()
    # A plugin that stays loaded registers, where the system permits it.
    if said["-Wl,-z,nodelete"] != "per-cpu registered":
        pytest.skip(f"no thread registers here: {said}")
    assert said["-Wl,-z,now"] == "slots free"


THREADS = """
#include "cprng.h"
#include <pthread.h>
static void *draw(void *unused)
{
	unsigned char bytes[100];
	for (int i = 0; i < 20000; i++) {
		(void)cprng_fast64();
		cprng_fast(bytes, sizeof(bytes));
	}
	return unused;
}
int main(void)
{
	pthread_t thread[4];
	for (int i = 0; i < 4; i++)
		pthread_create(&thread[i], NULL, draw, NULL);
	for (int i = 0; i < 2000; i++)
		cprng_invalidate();
	for (int i = 0; i < 4; i++)
		pthread_join(thread[i], NULL);
	return 0;
}
"""


@pytest.mark.parametrize("placement", ["", "slots"])
def test_thread_sanitizer(bare, placement, tmp_path):
    """Catches a plain access that races with another thread's draw or invalidation (make check-tsan, too)."""
    (tmp_path / "threads.c").write_text(THREADS, encoding="ascii")
    flags = ["-O1", "-g1", "-fsanitize=thread"]
    known = subprocess.run([CC, *flags, "-x", "c", "-", "-o", tmp_path / "none"], input="int main(void) { return 0; }", text=True,
                           capture_output=True, check=False)  # fmt: skip
    if known.returncode != 0 or subprocess.run([tmp_path / "none"], capture_output=True, check=False).returncode != 0:
        pytest.skip(f"no thread sanitizer: {known.stderr}")
    link(CC, *flags, "-I", bare.source, tmp_path / "threads.c", bare.object(CC, *flags), "-o", tmp_path / "threads")
    run(tmp_path / "threads", env=os.environ | {"CPRNG_PLACEMENT": placement})


# -------------------------------------------------------------------------------------------------------- instructions


def functions(one):
    """The instructions of each function of an object."""
    parts = re.split(r"^[0-9a-f]+ <(\S+)>:$", run("objdump", "-d", "--no-show-raw-insn", one), flags=re.MULTILINE)[1:]
    return dict(zip(parts[::2], parts[1::2]))


# Options that programs may be compiled with.
HARSH = ("-O3", "-march=x86-64-v4", "-fstack-protector-all")

# The functions of a draw.  Fortuna's generator keeps its canaries, and the unbuffered placement copies nothing.
HOT = re.compile(r"cprng_(fast|draw|request|stream_(u|read|take|slow|fill|normal|range)|fill|normal|double|uniform|range|shuffle|"
                 r"sample)|(slots|percpu)_(pop|push|put_key|take_key)|(?!generator)\w+_keystream$|draw_|expand_all|refill")


@on_x86_64
@pytest.mark.parametrize("compiler", HOSTS if LARGE else [CC])
def test_no_canary_in_draws(bare, compiler):
    """Catches a stack protector in a draw, which takes 3 % of its time."""
    found = functions(bare.object(compiler, *HARSH))
    hot = {name for name in found if HOT.match(name)}
    assert {"cprng_fast", "cprng_draw_bytes", "cprng_request_slow_1", "cprng_draw_slow_1", "slots_pop", "chacha_keystream"} <= hot
    protected = {name for name, code in found.items() if "%fs:0x28" in code}
    assert "cprng_seed_file" in protected  # the flag is in force elsewhere
    assert hot & protected == set()


@on_x86_64
@pytest.mark.parametrize("compiler", HOSTS if LARGE else [CC])
def test_no_fused_multiply_add(bare, compiler):
    """Catches numbers that depend on the instruction set that a program is compiled for."""
    found = functions(bare.object(compiler, *HARSH))
    assert {name for name, code in found.items() if re.search(r"\bvfn?m(add|sub)", code)} == set()


# ----------------------------------------------------------------------------------------------------------- the stack
# Functions called by pointer: the generators of numbers for arrays, of indexes for shuffles, and an engine.
FILLS = re.compile(r"cprng_numbers_(floats|doubles|normals|exponentials|uniform32|narrow64)_\w+$")
INDEXES = re.compile(r"cprng_numbers_indexes_\w+$")
ENGINES = re.compile(r"(chacha|salsa20)_keystream$|cprng_aesctr_\w+_(keystream|set_key)$|cprng_(chacha|salsa20)_\w+\d$")
# These see no secret, end the process, or wipe their own frames, as draws do.
WITHOUT_SECRETS = re.compile(r"cprng_(os_|sys_|process_set_up|cpu_|vm_clone|generation|draw_b(y|ytes))|begin_generation|cprng_numbers_(select|first_usable|pass|selftest)")
# A wipe next to a larger one is for calls that do not reach the functions of the larger one.
NOT_REACHED = {"lanes_wipe_stack_one": "lanes_two", "draws_wipe_stack": "cprng_numbers_normals"}


class Stack:
    """The stack used by calls in an object of the one file, as reported by its compiler."""

    def __init__(self, one):
        linked = one.with_suffix(".so")
        run(CC, "-shared", "-nostdlib", one, "-o", linked)
        self.code, self.used, self.calls = functions(linked), {}, {}
        for line in one.with_suffix(".su").read_text(encoding="utf-8").splitlines():
            place, size, _ = line.split("\t")
            name = place.rpartition(":")[2]
            self.used[name] = max(int(size), self.used.get(name, 0))
        for name, code in self.code.items():
            self.calls[name] = set(re.findall(r"\b(?:call|jmp)\w* +[0-9a-f]+ <([\w.]+)>", code)) & set(self.code) - {name}
            if re.search(r"\b(?:call|jmp)\w* +\*", code):
                targets = FILLS if re.search("array|convert", name) or name == "draws_make" else INDEXES if "order_choose" in name else ENGINES
                self.calls[name] |= set(filter(targets.match, self.code))

    def frame(self, name):
        """Resolves aliases, which gcc makes for equal functions and which have no line of their own."""
        if name.endswith(".cold"):
            return 0  # part of another function's
        plain = re.sub(r"\.(constprop|isra|part|cold|\d)\b.*", "", name)
        reserved = re.search(r"\bsub +\$0x([0-9a-f]+),%rsp", self.code[name])
        return self.used.get(name) or self.used.get(plain) or 8 + (int(reserved[1], 16) if reserved else 0)

    def wipes(self, name):
        return {call for call in self.calls[name] if "wipe_stack" in call}

    def below(self, name, left_out, above=()):
        """The most stack that calls of a function take, down to functions that wipe the frames below their own."""
        reached = self.calls[name] - self.wipes(name) - {name, *above}
        return max((self.frame(call) + (0 if self.wipes(call) else self.below(call, left_out, (name, *above)))
                    for call in reached if not WITHOUT_SECRETS.match(call) and not (left_out and call.startswith(left_out))), default=0)


LEVELS_OF_STACK = ("-O1", "-O2", "-O3", "-Os", "-O1 -march=x86-64-v4", "-O3 -march=x86-64-v4")


@on_x86_64
@pytest.mark.parametrize("variant", [*((c, "-O2") for c in HOSTS), *((c, f) for c in DEBIAN for f in LEVELS_OF_STACK if LARGE)], ids=" ".join)
def test_wiped_stack(bare, variant):
    """Catches frames with keys or served numbers below the stack that is wiped after the call, with any CPU's instructions."""
    compiler, level = found(variant[0]), variant[1]
    stack = Stack(bare.object(compiler, *level.split(), "-fPIC", *WARNINGS))
    seen, short = set(), {}
    for caller in stack.code:
        for wipe in stack.wipes(caller):
            left_out = next((never for prefix, never in NOT_REACHED.items() if wipe.startswith(prefix)), None)
            needed, wiped = stack.below(caller, left_out), stack.frame(wipe)
            seen.add((caller, wipe))
            if needed > wiped:
                short[caller, wipe] = needed, wiped
    assert {"draws_fill_array", "choose_by_rounds", "cprng_fortuna_read", "cprng_chacha_avx512", "cprng_aesctr_avx2_keystream", "chacha_keystream", "choose_order"} <= {caller for caller, _ in seen}
    assert all(any(wipe.startswith(larger) for _, wipe in seen) for larger in ("lanes_wipe_stack_two", "wipe_stack_of_normals")), seen
    assert short == {}
