# SPDX-License-Identifier: BSD-2-Clause
"""invalidate: the generation file, as the command makes and changes it and as the library reads it (docs/snapshots.md)."""

import json
import os
import pathlib
import re
import shutil
import stat
import struct
import subprocess
import sys
import tempfile

import pytest

from command import EMULATOR, ROOT, TIMEOUT, in_environment, line, refused, run, start

PAGE = (ROOT / "docs/snapshots.md").read_text(encoding="utf-8")
INSTALLED = "/run/cprng/generation"
ROOT_ONLY = pytest.mark.skipif(os.geteuid() != 0, reason="only root can do this")


def trusted(directory):
    """No user but root and this one may change the directory, or one above it."""
    return all(part.stat().st_uid in (0, os.geteuid()) and not part.stat().st_mode & 0o022 for part in [directory, *directory.parents])


@pytest.fixture(name="place")
def fixture_place():
    for above in ("/run", os.environ.get("XDG_RUNTIME_DIR"), os.environ.get("HOME")):
        if above and os.access(above, os.W_OK) and trusted(pathlib.Path(above).absolute()):
            with tempfile.TemporaryDirectory(prefix="cprng-test-", dir=above) as name:
                os.chmod(name, 0o755)
                yield pathlib.Path(name)
            return
    pytest.skip("no directory that other users cannot change")


def generation(file):
    """The number in a generation file, which must be complete."""
    content = file.read_bytes()
    assert (len(content), content[:8], content[16:].strip(b"\0")) == (4096, b"cprnggen", b"")
    return struct.unpack("=Q", content[8:16])[0]


def bump(file):
    done = run("invalidate", "--file", file)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def info(variable, **options):
    """The information that a process reads with the variable in its environment; None: without it."""
    environment = {name: value for name, value in os.environ.items() if name != "CPRNG_GENERATION_FILE"}
    if variable is not None:
        environment["CPRNG_GENERATION_FILE"] = str(variable)
    return json.loads(run("info", "--json", env=environment, **options).stdout)


def test_made_and_changed(place):
    """Catches a file that other users cannot read or can change, a leftover temporary file, and an announcement without effect."""
    file = place / "new" / "generation"
    made = run("invalidate", "--file", file, preexec_fn=lambda: os.umask(0o077))
    assert (made.returncode, made.stdout) == (0, b"")
    assert made.stderr.decode() == f"cprng: '{file}' is new: processes that started earlier do not read it\n"
    assert stat.S_IMODE(file.stat().st_mode) == 0o644 and stat.S_IMODE(file.parent.stat().st_mode) == 0o755
    assert list(file.parent.iterdir()) == [file]
    seen, inode = {0, generation(file)}, file.stat().st_ino
    for _ in range(3):
        bump(file)
        seen.add(generation(file))
    assert len(seen) == 5, "a number that was there before, or none"
    assert file.stat().st_ino == inode, "processes have mapped the file of before"


def test_two_hosts(place):
    """Catches a number that two machines share after equally many announcements, or that another machine's number predicts."""
    files, numbers = [place / "one", place / "other"], []
    for file in files * 8:
        assert run("invalidate", "--file", file).returncode == 0
        numbers.append(generation(file))
    assert len(set(numbers)) == len(numbers)
    # Differences of 8 random numbers: one repeats with probability 2^-61.
    steps = [(later - earlier) % 2**64 for earlier, later in zip(numbers, numbers[2:])]
    assert len(set(steps)) == len(steps)


def test_many_at_once(place):
    """Catches two files, each read by some of the processes, and an invalid number."""
    file = place / "generation"
    processes = [start("invalidate", "--file", file) for _ in range(16)]
    for process in processes:
        assert process.wait(TIMEOUT) == 0, process.stderr.read()
        process.stderr.close()
    assert generation(file) != 0
    assert list(place.iterdir()) == [file]


def test_named(place):
    """Catches a setting that the library or the command does not follow."""
    file = place / "generation"
    assert (info(file)["generation_file"], info(file)["generation_file_state"]) == (str(file), "absent")
    environment = in_environment(CPRNG_GENERATION_FILE=file)
    assert run("invalidate", env=environment).returncode == 0
    read = info(file)
    assert (read["generation_file_state"], "generation-file" in read["announcements"].split()) == ("mapped", True)
    before = generation(file)
    assert run("invalidate", env=environment).returncode == 0
    after = generation(file)
    assert after != before
    # --file first.
    assert run("invalidate", "--file", place / "other", env=environment).returncode == 0
    assert generation(file) == after and generation(place / "other") != 0
    assert info(None)["generation_file"] == INSTALLED
    assert (info("")["generation_file"], info("")["generation_file_state"]) == ("", "none")
    message = "no generation file is named: give --file FILE, or set CPRNG_GENERATION_FILE"
    refused(run("invalidate", env=in_environment(CPRNG_GENERATION_FILE="")), 2, message)


def spoil(file, how):
    """Turn a good file into a bad one; returns its name."""
    content = file.read_bytes()
    match how:
        case "a link":
            (file.parent / "link").symlink_to(file)
            return file.parent / "link"
        case "below a link":
            (file.parent / "here").symlink_to(".")
            return file.parent / "here" / file.name
        case "a directory":
            file.unlink()
            file.mkdir()
        case "a FIFO":
            file.unlink()
            os.mkfifo(file)
        case "below a file":
            return file / "generation"
        case "short":
            file.write_bytes(content[:4095])
        case "empty":
            file.write_bytes(b"")
        case "sparse":
            file.write_bytes(b"")
            os.truncate(file, 4096)
        case "another mark":
            file.write_bytes(b"CPRNGGEN" + content[8:])
        case "writable by a group":
            file.chmod(0o664)
        case "writable by all":
            file.chmod(0o646)
        case "in a directory of all":
            file.parent.chmod(0o1777)
        case "another user's":
            os.chown(file, 65534, 65534)
        case "in another user's directory":
            os.chown(file.parent, 65534, 65534)
        case "in a directory that is not there":
            return file.parent / "a" / "b" / "c"
        case "not from the root":
            return pathlib.Path(file.name)
        case "in another file system":
            return pathlib.Path("/proc/version")
    return file


@pytest.mark.parametrize("how", [
    "a link", "below a link", "a directory", "a FIFO", "below a file", "short", "empty", "sparse", "another mark", "writable by a group",
    "writable by all", "in a directory of all", "in a directory that is not there", "not from the root", "in another file system",
    pytest.param("another user's", marks=ROOT_ONLY), pytest.param("in another user's directory", marks=ROOT_ONLY),
])  # fmt: skip
def test_refused_by_both(how, place):
    """Catches a file that the command changes and no process reads, or that a process reads and others may damage."""
    (place / "x").mkdir()
    file = place / "x" / "generation"
    assert run("invalidate", "--file", file).returncode == 0
    bad = spoil(file, how)
    before = bad.read_bytes() if bad.is_file() else None
    read = info(bad)
    assert read["generation_file_state"] == "absent" if how.endswith("not there") else read["generation_file_state"].startswith("refused: ")
    assert "generation-file" not in read["announcements"]
    done = run("invalidate", "--file", bad)
    assert (done.returncode, done.stdout) == (1, b"")
    assert len(done.stderr.splitlines()) == 1 and done.stderr.decode().startswith(f"cprng: '{bad}': ")
    assert (bad.read_bytes() if bad.is_file() else None) == before
    # A process whose file is refused draws as if it had none.
    assert len(run("bytes", "64", env=in_environment(CPRNG_GENERATION_FILE=bad)).stdout) == 64


def test_in_a_user_namespace(place):
    """Catches a file of another user that counts as the process's own because a user namespace shows both as the same user."""
    namespace = ["unshare", "--user"]
    if EMULATOR or shutil.which(namespace[0]) is None or subprocess.run([*namespace, "true"], check=False).returncode != 0:
        pytest.skip("no user namespaces")
    file = place / "generation"
    assert run("invalidate", "--file", file).returncode == 0
    before = generation(file)
    done = subprocess.run([*namespace, *line("invalidate", "--file", file)], stderr=subprocess.PIPE, check=False)
    assert (done.returncode, generation(file)) == (1, before)
    assert done.stderr.endswith(b"another user may change the directory '/' on its way\n")
    read = subprocess.run([*namespace, *line("info", "--json")], env=in_environment(CPRNG_GENERATION_FILE=file),
                          stdout=subprocess.PIPE, check=True)  # fmt: skip
    assert json.loads(read.stdout)["generation_file_state"].startswith("refused: another user")


@ROOT_ONLY
def test_programs_with_more_rights(place):
    """Catches a set-user-ID program whose caller names the file."""
    if EMULATOR or os.statvfs(place).f_flag & os.ST_NOSUID:
        pytest.skip("no set-user-ID programs here")
    file = place / "generation"
    assert run("invalidate", "--file", file).returncode == 0
    program = place / "cprng"
    shutil.copy(line()[-1], program)
    read = {}
    for mode in (0o755, 0o4755):
        os.chown(program, 65534, 65534)
        program.chmod(mode)
        described = subprocess.run([program, "info", "--json"], env={"CPRNG_GENERATION_FILE": str(file)}, stdout=subprocess.PIPE,
                              check=True)  # fmt: skip
        read[mode] = json.loads(described.stdout)["generation_file"]
    assert read == {0o755: str(file), 0o4755: INSTALLED}


READER = """
import ctypes, os, sys
library = ctypes.CDLL(sys.argv[1])
place = ctypes.c_void_p()
seed, bytes = b"s" * 64, ctypes.create_string_buffer(2000)
assert library.cprng_fortuna_new(ctypes.byref(place), None, 0) == 0
if os.fork() == 0 or True: # parent and child
    assert library.cprng_fortuna_seed(place, seed, 64) == 0
    library.cprng_fast(bytes, ctypes.c_size_t(2000))
    before = library.cprng_fortuna_read(place, bytes, ctypes.c_size_t(16))
    os.write(1, b"r")
    os.read(0, 1)
    after = library.cprng_fortuna_read(place, bytes, ctypes.c_size_t(16))
    os.write(1, b"y" if (before, after) == (0, -11) else b"n")
"""


def test_all_processes(place):
    """Catches a process that still uses its old state after the command has returned: its objects are unseeded at once."""
    library = pathlib.Path(line()[-1]).parent / "libcprng.so"
    if EMULATOR or not library.exists() or "-fsanitize" in os.environ.get("CC", ""):
        pytest.skip("no shared library for this Python")
    file = place / "generation"
    assert run("invalidate", "--file", file).returncode == 0
    environment = in_environment(CPRNG_GENERATION_FILE=file)
    readers = [subprocess.Popen([sys.executable, "-c", READER, library], env=environment, stdin=subprocess.PIPE,
                                stdout=subprocess.PIPE) for _ in range(4)]  # fmt: skip
    for reader in readers:
        assert reader.stdout.read(1) + reader.stdout.read(1) == b"rr"
    bump(file)
    for reader in readers:
        reader.stdin.close()
        assert reader.stdout.read() == b"yy"
        assert reader.wait(TIMEOUT) == 0
        reader.stdout.close()


IMAGE = """
import ctypes, mmap, os, sys
library, file = ctypes.CDLL(sys.argv[1]), sys.argv[2]
place, bytes = ctypes.c_void_p(), ctypes.create_string_buffer(2000)
assert library.cprng_fortuna_new(ctypes.byref(place), None, 0) == 0
assert library.cprng_fortuna_seed(place, b"s" * 64, 64) == 0
library.cprng_fast(bytes, ctypes.c_size_t(2000))
assert library.cprng_fortuna_read(place, bytes, ctypes.c_size_t(16)) == 0
os.write(1, b"d")
host = sys.stdin.readline().strip()
with open("/proc/self/maps") as maps:
    at = next(int(line.split("-")[0], 16) for line in maps if line.rstrip().endswith(" " + file))
c = ctypes.CDLL(None)
c.mmap.restype = ctypes.c_void_p
descriptor = os.open(host, os.O_RDONLY)
map_fixed = 0x10
assert c.mmap(ctypes.c_void_p(at), ctypes.c_size_t(4096), mmap.PROT_READ, mmap.MAP_SHARED | map_fixed, descriptor,
              ctypes.c_long(0)) == at
print(library.cprng_fortuna_read(place, bytes, ctypes.c_size_t(16)))
"""


def test_image_restored_on_two_hosts(place):
    """Catches an announcement that an image from another machine does not see, because both machines counted alike: an image is
    dumped, and restored where as many announcements were made as where it was dumped.

    A restore maps the file of its machine where the image had the other machine's.
    """
    library = pathlib.Path(line()[-1]).parent / "libcprng.so"
    if EMULATOR or not library.exists() or "-fsanitize" in os.environ.get("CC", ""):
        pytest.skip("no shared library for this Python")
    dumped_on, *hosts = [place / name for name in ("dumped", "one", "other")]
    for file in (dumped_on, *hosts):
        for _ in range(2):
            assert run("invalidate", "--file", file).returncode == 0
    for host in hosts:
        with subprocess.Popen([sys.executable, "-c", IMAGE, library, dumped_on], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                              env=in_environment(CPRNG_GENERATION_FILE=dumped_on), text=True) as image:  # fmt: skip
            assert image.stdout.read(1) == "d"
            assert image.communicate(f"{host}\n", TIMEOUT)[0] == "-11\n", "the announcement was not seen"
            assert image.returncode == 0


# --------------------------------------------------------------------------------------------------- the page's examples


def section():
    return re.search(r"(?ms)^## Sandboxes that fork$(.*?)^## ", PAGE)[1]


def blocks(kind):
    return re.findall(rf"(?ms)^```{kind}\n(.*?)^```$", section())


def test_the_pages_commands(place):
    """Catches a command of the page that fails, or that does not change the generation."""
    file = place / "generation"
    commands = [command for block in blocks("sh") for command in block.splitlines() if not command.startswith("#")]
    assert commands
    environment = in_environment(PATH=f"{pathlib.Path(line()[-1]).parent}:{os.environ['PATH']}", CPRNG_GENERATION_FILE=file)
    if EMULATOR:
        pytest.skip("no emulated commands in a shell")
    steps = []
    for command in commands:
        assert subprocess.run(["sh", "-c", command.replace(INSTALLED, str(file))], env=environment, check=False,
                              stderr=subprocess.PIPE).returncode == 0, command  # fmt: skip
        steps.append(generation(file))
    assert len(set(steps)) == len([command for command in commands if "info" not in command])


def test_the_pages_unit(tmp_path):
    """Catches a line of the page's unit that systemd does not know."""
    if shutil.which("systemd-analyze") is None:
        pytest.skip("no systemd-analyze")
    (unit,) = blocks("ini")
    found = []
    for text in (unit, unit.replace("ExecStart=", "ExecBegin=")):
        (tmp_path / "cprng-generation.service").write_text(text.replace("/usr/bin/cprng", "/bin/true"))
        checked = run_systemd(tmp_path)
        found.append(checked.returncode != 0 or b"cprng-generation.service" in checked.stderr)
    assert found == [False, True]


def run_systemd(directory):
    return subprocess.run(["systemd-analyze", "verify", "--man=no", "cprng-generation.service"], check=False, stderr=subprocess.PIPE,
                          env=in_environment(SYSTEMD_UNIT_PATH=f"{directory}:"))  # fmt: skip
