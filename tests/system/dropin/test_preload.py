# SPDX-License-Identifier: BSD-2-Clause
"""libcprng-preload.so: the functions behave like the C library's, and keep the library's promises."""

import os
import pathlib
import re
import shutil
import signal
import subprocess

import pytest

from dropin import LARGE, PYTHON, Report, Served, built, distinct, environment, full_disk, good, run
from promises import (  # noqa: F401
    test_children_in_the_memory_of_their_parent, test_forks, test_nothing_remains, test_sandbox, test_threads, test_without_the_kernel_it_aborts)


@pytest.fixture(name="report")
def fixture_report(tmp_path):
    return Report(tmp_path / "report")


@pytest.fixture(name="served", scope="module")
def fixture_served():
    return Served(built("CPRNG_SUBJECT"), environment())


def subject(mode, **options):
    return good(built("CPRNG_SUBJECT"), mode, **options)


def compiled(path, source, *options):
    """Compile C to a program, or with -shared to a library."""
    compiler = os.environ.get("CC", "cc").split()
    subprocess.run([*compiler, "-O2", "-fPIC", "-x", "c", "-", "-o", path, "-x", "none", *options, "-ldl"], input=source, text=True, check=True)
    return path


def defined(library):
    """The names that the library exports."""
    listed = good("nm", "-D", "--defined-only", library).decode()
    return sorted(line.split()[-1] for line in listed.splitlines())


def test_exported_names():
    """Catches a library that exports more than it replaces: another copy would be mixed with this one."""
    assert defined(built("CPRNG_PRELOAD")) == sorted(
        ["arc4random", "arc4random_buf", "arc4random_uniform", "getentropy", "getrandom"])
    assert defined(built("CPRNG_PRELOAD_DEVICES")) == sorted(
        ["open", "open64", "openat", "openat64", "__open_2", "__open64_2", "__openat_2", "__openat64_2", "fopen",
         "fopen64", "dup", "dup2", "dup3", "read", "__read_chk"])


@pytest.mark.parametrize("devices", [False, True])
def test_results_and_errors_are_the_kernels(report, devices):
    """Catches a result or errno that differs from the C library's and kernel's, for flags and lengths."""
    without = subject("semantics")
    assert without.count(b"\n") > 150
    assert subject("semantics", env=environment(devices, report)).decode() == without.decode()
    # And the kernel did not return all of it.
    counts = report.read()
    assert counts["getrandom"][0] > counts["kernel"][0] + 100


@pytest.mark.parametrize("env", [{}, {"devices": False}, {"devices": True}], ids=["without", "preload", "devices"])
def test_calls_beside_the_kernels(report, env):
    """Catches bytes written where the kernel writes none, for lengths beyond its limit or beyond the memory."""
    printed = subject("differential", env=environment(report=report, **env) if env else None)
    lines = printed.decode().splitlines()
    assert len(lines) == 1, lines
    assert re.fullmatch(r"[0-9]{4,} compared, [0-9]{3,} of them gave bytes", lines[0])
    counts = report.read()
    # The drop-in served the calls of getrandom that returned bytes, and with the devices also the reads.
    assert counts["getrandom"][0] - counts["kernel"][0] > (1200 if env.get("devices") else 500 if env else -1)


def test_bad_addresses():
    """Catches a bad address for which a call returns, with bytes or without, where the page says that a signal ends the program."""
    assert subject("bad-addresses", env=environment(devices=True)).split() == [b"%d" % signal.SIGSEGV] * 4 * 3


@pytest.mark.parametrize("mode", ["longest"] + ["longest-read"] * LARGE)
def test_longest_result(mode):
    """Catches a result that no kernel call returns, for a writable buffer of more than 2 GiB."""
    expected = 0x7fffffff & -os.sysconf("SC_PAGESIZE")
    assert int(subject(mode, env=environment(devices=True))) == expected


# The kinds of tests that the Linux Test Project has for getrandom, glibc for arc4random, and OpenBSD in arc4random-fork.  Results,
# flags and lengths are above; processes that did or did not draw before their forks, descriptors, and frequencies of bytes follow.


def test_undrawn_forks():
    """Catches a child that draws what its parent drew, where neither has drawn before the fork."""
    distinct(subject("undrawn-forks", env=environment()).split(), 3 * 2 * 200)


def test_without_descriptors():
    """Catches a draw that opens a file, and so fails in a process that has no descriptor left."""
    distinct(subject("without-files", env=environment()).split(), 200 + 3 * 2 * 200)


def test_bytes_are_as_frequent(served):
    """Catches bytes that a function returns more often than others.

    Chi-squared of 256 counts has the mean 255; it is outside 90 to 460 less often than once in 10^12 runs.
    """
    values = [served.of_threads[i:i + 16] for i in range(0, len(served.of_threads), 16)]
    for function in range(4):
        drawn = b"".join(values[function::4])
        expected = len(drawn) / 256
        assert 90 < sum((drawn.count(byte) - expected) ** 2 / expected for byte in range(256)) < 460


def test_bounded_numbers():
    """Catches a number that is not below its bound, and one below it that never comes.

    100,000 numbers below 64 lack one less often than once in 10^600 runs; those below a large bound leave the first or the last
    thousandth empty less often than once in 10^43.
    """
    lines = [[int(word) for word in line.split()] for line in subject("uniform", env=environment()).splitlines()]
    assert len(lines) == 17
    for bound, least, most, seen in lines:
        if bound <= 64:
            assert (least, most, seen) == (0, max(bound, 1) - 1, max(bound, 1))
        else:
            assert least < bound / 1000 + 1 and bound - bound / 1000 - 2 < most < bound


# ------------------------------------------------------------------------------------------------------------ report


def test_report_counts(report):
    """Catches wrong counts of calls and bytes, and missing ones of a process that ends by _exit(2)."""
    subject("counted", env=environment(report=report))
    assert report.read() == {
        "arc4random": (4, 16), "arc4random_buf": (1, 16), "arc4random_uniform": (1, 4), "getentropy": (1, 16),
        "getrandom": (1, 16), "kernel": (0, 0),
    }
    assert report.processes == 1


DRAWS_AT_LOAD = """
#include <sys/random.h>
#include <unistd.h>
#ifndef LIBRARY
int main(int argc, char **argv) { return argc != 1; }
#else
__attribute__((constructor)) static void draw(void)
{
        unsigned char bytes[13];
        if (getrandom(bytes, sizeof(bytes), 0) != sizeof(bytes) || getentropy(bytes, 3) != 0) _exit(9);
}
#endif
"""


def test_report_of_constructors(report, tmp_path):
    """Catches calls of other libraries' constructors that are served and not counted, or whose program counts twice."""
    library = compiled(tmp_path / "libdraws.so", "#define LIBRARY\n" + DRAWS_AT_LOAD, "-shared")
    program = compiled(tmp_path / "program", DRAWS_AT_LOAD, "-Wl,--no-as-needed", library, f"-Wl,-rpath,{tmp_path}")
    good(program, env=environment(report=report))
    counts = report.read()
    assert counts["getrandom"] == (1, 13) and counts["getentropy"] == (1, 3)
    assert report.processes == 1
    # Without a report, and with one that cannot be used: one line.
    good(program, env=environment())
    good(program, env=dict(environment(), CPRNG_PRELOAD_REPORT=f"-{tmp_path / 'gone'}"))
    result = run(program, env=dict(environment(), CPRNG_PRELOAD_REPORT=str(tmp_path)))
    assert (result.returncode, result.stderr.count(b"\n")) == (0, 1)


def test_other_namespaces(report, tmp_path):
    """Catches a page that is wrong: dlmopen's new namespaces have the C library's own functions."""
    source = """
        #define _GNU_SOURCE
        #include <dlfcn.h>
        #include <stdio.h>
        #include <sys/random.h>
        int main(void)
        {
                char bytes[16];
                void *other = dlmopen(LM_ID_NEWLM, "libc.so.6", RTLD_NOW);
                ssize_t (*theirs)(void *, size_t, unsigned int);
                if (other == NULL) return 77;
                *(void **)&theirs = dlsym(other, "getrandom");
                return theirs(bytes, 16, 0) != 16 || getrandom(bytes, 5, 0) != 5;
        }
        """
    result = run(compiled(tmp_path / "program", source), env=environment(report=report))
    if result.returncode == 77:
        pytest.skip("no second namespace")
    assert (result.returncode, result.stderr) == (0, b"")
    assert report.read()["getrandom"] == (1, 5)


def test_report_of_a_tree_of_processes(report):
    """Catches counters that miss children, programs that they execute, and processes that a signal ends."""
    script = ("import os, signal, subprocess\n"
              "os.urandom(100)\n"
              "if os.fork() == 0: os.urandom(1000); os._exit(0)\n"
              "os.wait()\n"
              "subprocess.run([%r, 'counted'])\n"
              "if os.fork() == 0: os.urandom(10000); os.kill(os.getpid(), signal.SIGKILL)\n"
              "os.wait()\n" % built("CPRNG_SUBJECT"))
    good(PYTHON, "-c", script, env=environment(report=report, PYTHONHASHSEED="1"))
    counts = report.read()
    assert counts["getrandom"][1] - 11100 in range(16, 3000)  # what Python draws at its start
    assert counts["arc4random_buf"] == (1, 16)
    assert report.processes == 2


@pytest.mark.parametrize("kind", ["missing", "short", "directory", "link", "another version", "shared", "of an unmapped user"])
def test_report_that_cannot_be_written(tmp_path, kind):
    """Catches a report that is silently omitted, and a file of another purpose that is written to."""
    path = tmp_path / "report"
    if kind == "short":
        path.write_bytes(bytes(100))
    elif kind == "directory":
        path.mkdir()
    elif kind == "another version":
        path.write_bytes(bytes(8) + b"\2" + bytes(4096 - 9))
        path.chmod(0o600)
    elif kind == "shared":
        path.write_bytes(bytes(4096))
        path.chmod(0o620)
    elif kind == "link":
        (tmp_path / "target").write_bytes(bytes(4096))
        path.symlink_to(tmp_path / "target")
    command = [built("CPRNG_SUBJECT"), "counted"]
    if kind == "of an unmapped user":
        if shutil.which("unshare") is None or run("unshare", "--user", "true").returncode != 0:
            pytest.skip("no user namespaces")
        path.write_bytes(bytes(4096))
        path.chmod(0o600)
        command = ["unshare", "--user", *command]
    result = run(*command, env=dict(environment(), CPRNG_PRELOAD_REPORT=str(path)))
    assert result.returncode == 0
    assert re.fullmatch(r"cprng-preload: CPRNG_PRELOAD_REPORT: \S+/report: [\w ]+; calls are served and not counted\n",
                        result.stderr.decode())
    if kind == "short":
        assert path.read_bytes() == bytes(100)
    if kind == "another version":
        assert "made by another version of cprng" in result.stderr.decode()
        assert path.read_bytes() == bytes(8) + b"\2" + bytes(4096 - 9)
    if kind == "link":
        assert (tmp_path / "target").read_bytes() == bytes(4096)
    if kind == "shared":
        assert "other users can write to it" in result.stderr.decode()
        assert path.read_bytes() == bytes(4096)


def test_report_on_a_full_disk(tmp_path):
    """Catches a program killed by SIGBUS because its report's blocks could not be allocated."""
    result = full_disk(tmp_path, "env", f"LD_PRELOAD={built('CPRNG_PRELOAD')}", f"CPRNG_PRELOAD_REPORT={tmp_path / 'report'}",
                       built("CPRNG_SUBJECT"), "counted")
    assert result.returncode == 0
    assert re.fullmatch(r"cprng-preload: \S+ \S+/report: no space for it; [\w ]+\n", result.stderr.decode())


# ------------------------------------------------------------------------------------------------------ real programs

DRAW = """
import multiprocessing, os, random, secrets, sys, threading, uuid

def draw(_=None):
    return [os.urandom(16), secrets.token_bytes(16), uuid.uuid4().bytes, random.SystemRandom().randbytes(16)]

if __name__ == "__main__":
    for method in ("fork", "spawn", "forkserver"):
        with multiprocessing.get_context(method).Pool(3) as pool:
            for values in pool.map(draw, range(int(sys.argv[1]))):
                print(*(value.hex() for value in values + draw()), sep="\\n")
"""


def test_python(tmp_path, report):
    """Catches repeated values in Python's processes of all three kinds, and an os.urandom served by the kernel."""
    (tmp_path / "draw.py").write_text(DRAW)
    rounds = 20000 if LARGE else 200
    values = good(PYTHON, tmp_path / "draw.py", rounds, env=environment(report=report)).split()
    distinct(values, 3 * rounds * 8)
    counts = report.read()
    assert counts["getrandom"][0] > 3 * rounds * 8
    assert counts["kernel"][0] < 100


def test_openssl_command(report):
    """Catches a command that does not get its seed from the drop-in, or fails with it."""
    values = [good("openssl", "rand", "-hex", "16", env=environment(report=report)) for _ in range(3)]
    distinct(values, 3)
    counts = report.read()
    assert counts["getentropy"][0] + counts["getrandom"][0] >= 3


USES_STATIC_TLS = """
__attribute__((tls_model("initial-exec"))) __thread char used[64];
char *use(void) { return used; }
"""
LOADS = """
#include <dlfcn.h>
#include <stdio.h>
int main(int argc, char **argv)
{
        const char *error = NULL;
        for (int i = 1; i < argc; i++)
                error = dlopen(argv[i], RTLD_NOW) == NULL ? dlerror() : NULL;
        puts(error != NULL ? error : "loaded");
        return 0;
}
"""


def test_static_tls_that_is_used_up(tmp_path):
    """Catches a page that names the wrong setting for a plugin that has no room in glibc's static thread-local memory."""
    libc = good("getconf", "GNU_LIBC_VERSION").split()[1].decode()
    if tuple(map(int, libc.split("."))) < (2, 33):
        pytest.skip(f"glibc {libc} has no setting")
    first = compiled(tmp_path / "0.so", USES_STATIC_TLS, "-shared")
    others = [tmp_path / f"{i}.so" for i in range(1, 80)]
    for other in others:
        shutil.copy(first, other)
    program = compiled(tmp_path / "program", LOADS)
    libraries = [built("CPRNG_SHARED_LIBRARY"), *([os.environ["CPRNG_PROVIDER"]] if "CPRNG_PROVIDER" in os.environ else [])]
    plain = dict(os.environ)
    plain.pop("GLIBC_TUNABLES", None)
    for library in libraries:
        line = [program, first, *others, library]
        needs = "TLS" in good("readelf", "-lW", library).decode()
        refusal = b"cannot allocate memory in static TLS block"
        assert (refusal in good(*line, env=plain)) == needs
        for setting in [{"GLIBC_TUNABLES": "glibc.rtld.optional_static_tls=8192"}, {"LD_PRELOAD": library}]:
            assert good(*line, env=dict(plain, **setting)) == b"loaded\n"


def test_shared_library_beside_it(tmp_path):
    """Catches a preloaded copy that uses functions of libcprng.so, or the reverse."""
    library, include = built("CPRNG_SHARED_LIBRARY"), pathlib.Path(__file__).parent.parent.parent.parent / "include"
    source = r"""
        #define _GNU_SOURCE
        #include <cprng/cprng.h>
        #include <dlfcn.h>
        #include <stdio.h>
        #include <sys/random.h>

        int main(void)
        {
                struct cprng_info info;
                Dl_info from[2];
                unsigned char a[16], b[16];

                if (!dladdr(dlsym(RTLD_DEFAULT, "getrandom"), &from[0]) || !dladdr(dlsym(RTLD_DEFAULT, "cprng_fast"), &from[1]))
                        return 1;
                printf("%s\n%s\n", from[0].dli_fname, from[1].dli_fname);
                cprng_get_info(&info, sizeof(info));
                printf("%s\n", info.placement);
                for (int i = 0; i < 100; i++) {
                        cprng_invalidate();
                        cprng_fast(a, sizeof(a));
                        if (getrandom(b, sizeof(b), 0) != sizeof(b))
                                return 2;
                        for (int j = 0; j < 16; j++)
                                printf("%02x", a[j]);
                        printf("\n");
                        for (int j = 0; j < 16; j++)
                                printf("%02x", b[j]);
                        printf("\n");
                }
                return 0;
        }
        """
    compiled(tmp_path / "both", source, "-I", include, library, f"-Wl,-rpath,{os.path.dirname(library)}")
    without = good(tmp_path / "both").split()
    lines = good(tmp_path / "both", env=environment()).decode().split()
    assert lines[0] == built("CPRNG_PRELOAD")
    assert "libcprng.so" in lines[1]
    # The program's copy behaves as without the drop-in.
    assert lines[1:3] == [line.decode() for line in without[1:3]]
    distinct(lines[3:], 200)
