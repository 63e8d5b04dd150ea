# SPDX-License-Identifier: BSD-2-Clause
"""The tests of a cross build on a whole AArch64 machine, whose kernel has the restartable sequences that qemu-user lacks.

`make check-cross-vm` builds the programs.  One boot for each row; on an idle machine the tests of draws take four minutes."""

import json
import os
import pathlib
import shutil
import subprocess

import pytest

from guests import initramfs
from guests.cache import ROOT
from guests.machine import Arm64

TESTS = pathlib.Path(os.environ.get("CPRNG_VM_AARCH64", "missing"))
OWN = "GLIBC_TUNABLES=glibc.pthread.rseq=0 CPRNG_PLACEMENT=own"
PER_CPU = "^placement per-cpu, engine .*, 2 CPUs$"

# Files that the tests of draws, streams and engines read.
READ = [*ROOT.glob("docs/*.md"), *ROOT.glob("docs/man/*.[0-9]"), ROOT / "cmake/cprng.map", *ROOT.glob("tests/vectors/*.json")]

# Ten times as long as the longest test takes on an idle machine.
TIMEOUT = 2400

pytestmark = pytest.mark.skipif(not (TESTS / "draw").exists(), reason="make check-cross-vm builds the programs for AArch64")


@pytest.mark.parametrize("environment, program, first", [
    ("", "draw", PER_CPU),
    (OWN, "draw", PER_CPU),
    ("CPRNG_PLACEMENT=slots", "draw --test-case='restart:*,fork:*,slots:*'", "^placement slots, engine .*, 2 CPUs$"),
    ("", "unit --cpu-ceiling=all --seconds=0.15", None),
    ("", "lengths", None),
    ("", "os", None),
])  # fmt: skip
def test_programs(arm64, tmp_path, environment, program, first):
    """Catches AArch64 sequences that are not used, a value that is served twice when the kernel aborts a sequence, and bytes that
    a sequence does not erase, with areas registered by the C library and by this library."""
    contents = [initramfs.Program(TESTS / program.split()[0]), *(initramfs.File(path, str(path)) for path in READ)]
    script = f"mount -t tmpfs tmpfs /tmp; cd /tmp; {environment} {program} && pass; fail"
    root = initramfs.build(tmp_path, contents, script, busybox=arm64.busybox)
    with Arm64(arm64, root, tmp_path, memory=1024, timeout=TIMEOUT) as machine:
        if first:
            machine.wait_for(first)
        machine.finish()


@pytest.fixture(scope="module", name="musl")
def musl_programs():
    """tests/system/musl compiled by zig, which has musl for AArch64: {name: path}."""
    build = ROOT / "build/aarch64-musl"
    zig = subprocess.run([ROOT / "tests/system/port/zig"], check=True, capture_output=True, text=True).stdout.strip()
    # A compiler cache does not notice zig's target.
    environment = {name: value for name, value in os.environ.items() if not name.endswith("_COMPILER_LAUNCHER")}
    for command in (["--preset", "libc-musl", "-B", build, f"-DCPRNG_ZIG={zig}", "-DCPRNG_ZIG_TARGET=aarch64-linux-musl",
                     "-DCPRNG_COMMAND=OFF", "-DCPRNG_TESTS=OFF"], ["--build", build, "-j", "2", "-t", "cprng_static"]):
        subprocess.run(["cmake", *command], cwd=ROOT, env=environment, check=True, stdout=subprocess.DEVNULL)
    for name in ("main", "ends"):
        subprocess.run([zig, "cc", "-target", "aarch64-linux-musl", "-static", "-O2", f"-I{ROOT}/include", ROOT / f"tests/system/musl/{name}.c",
                        build / "libcprng.a", "-o", build / name], env=environment, check=True)  # fmt: skip
    return {name: build / name for name in ("main", "ends")}


def test_musl(arm64, musl, tmp_path):
    """Catches a thread that does not register itself on AArch64, and a thread that ends while its area is still registered."""
    script = """
        main per-cpu && CPRNG_PLACEMENT=slots main slots && /bin/ends 2000 per-cpu 'kernel: getrandom' && pass # which executes itself
        fail
        """
    root = initramfs.build(tmp_path, [initramfs.Program(path) for path in musl.values()], script, busybox=arm64.busybox)
    with Arm64(arm64, root, tmp_path, timeout=TIMEOUT) as machine:
        machine.finish()


def rust_test(directory, profile):
    """The crate's test program for sequences, statically linked."""
    target = "aarch64-unknown-linux-gnu"
    cargo = shutil.which("cargo") or os.path.expanduser("~/.cargo/bin/cargo")
    rustc = shutil.which("rustc") or os.path.expanduser("~/.cargo/bin/rustc")
    if not pathlib.Path(cargo).exists() or not pathlib.Path(rustc).exists():
        pytest.skip("cargo is not installed")
    library = subprocess.run([rustc, "--print", "target-libdir", "--target", target], check=True, capture_output=True, text=True)
    if not list(pathlib.Path(library.stdout.strip()).glob("libstd-*")):
        pytest.skip(f"Rust's library for {target} is not installed: rustup target add {target}")
    environment = dict(os.environ, CARGO_TARGET_DIR=str(directory), CARGO_INCREMENTAL="0", CC_aarch64_unknown_linux_gnu="aarch64-linux-gnu-gcc",
                       CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER="aarch64-linux-gnu-gcc",
                       CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_RUSTFLAGS="-Ctarget-feature=+crt-static")
    said = subprocess.run([cargo, "test", "--quiet", "--no-run", "--locked", "-p", "cprng-sys", "--test", "restart", "--target", target,
                           "--message-format", "json", *profile], cwd=ROOT / "bindings/rust", env=environment, check=True,
                          stdout=subprocess.PIPE, text=True).stdout
    return next(message["executable"] for message in map(json.loads, said.splitlines()) if message.get("executable"))


@pytest.mark.parametrize("profile", [[], ["--release"]])
def test_rust(arm64, tmp_path, profile):
    """Catches an AArch64 sequence of the crate that a signal at one of its instructions does not undo, or that does not erase its
    bytes."""
    program = rust_test(ROOT / "build" / "rust", profile)
    script = "cd /tmp; /bin/restart --nocapture && pass; fail"
    root = initramfs.build(tmp_path, [initramfs.Program(program, "/bin/restart")], script, busybox=arm64.busybox)
    with Arm64(arm64, root, tmp_path, timeout=TIMEOUT) as machine:
        machine.finish()
        assert not [line for line in machine.console.all if "skipped" in line]
        assert [line for line in machine.console.all if line.startswith("test result: ok. 3 passed")]
