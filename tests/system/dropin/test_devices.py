# SPDX-License-Identifier: BSD-2-Clause
"""libcprng-preload-devices.so: reads of /dev/urandom and /dev/random through real descriptors."""

import platform
import subprocess

import pytest

from dropin import PYTHON, Report, distinct, environment, good


@pytest.fixture(name="report")
def fixture_report(tmp_path):
    return Report(tmp_path / "report")


def python(script, report, *arguments, **options):
    options.setdefault("env", environment(devices=True, report=report, PYTHONHASHSEED="1"))
    return good(PYTHON, "-c", "import ctypes, fcntl, os, select, stat, sys\n" + script, *arguments, **options).decode()


def served(report, size):
    """How many calls for that many bytes were served, if all others come from Python's start."""
    return report.read()["getrandom"][1] // size


SIZE = 1 << 20


@pytest.mark.parametrize("device", ["/dev/urandom", "/dev/random"])
@pytest.mark.parametrize("opened", [
    "fd = os.open(device, os.O_RDONLY)",
    "fd = os.open(device, os.O_RDWR | os.O_NONBLOCK)",
    "fd = os.open(device[5:], os.O_RDONLY, dir_fd=os.open('/dev', os.O_RDONLY))",
    "a = os.open(device, os.O_RDONLY); fd = os.dup2(a, 55); os.close(a)",
])
def test_reads_are_served(report, device, opened):
    """Catches a way to open a device, or to copy its descriptor, after which reads fail or stay with the kernel."""
    script = f"device = sys.argv[1]\n{opened}\ndata = os.read(fd, {SIZE})\nprint(len(data), data.count(0))"
    size, zeros = map(int, python(script, report, device).split())
    assert size == SIZE
    assert 3000 < zeros < 5500  # 4096 expected: 17 standard deviations
    # A name relative to a directory is not recognised: the kernel serves such reads.
    assert served(report, SIZE) == (0 if "dir_fd" in opened else 1)


def test_file_objects(report):
    """Catches an open through the C library's or Python's streams that fails."""
    script = (f"data = open('/dev/urandom', 'rb', buffering=0).read({SIZE})\n"
              "libc = ctypes.CDLL(None, use_errno=True)\n"
              "libc.fopen.restype = ctypes.c_void_p\n"
              "f = ctypes.c_void_p(libc.fopen(b'/dev/urandom', b'rb'))\n"
              "buffer = ctypes.create_string_buffer(5000)\n"
              "print(len(data), libc.fread(buffer, 1, 5000, f), buffer.raw.count(0) < 200)\n"
              f"print(len(os.read(libc.fileno(f), {SIZE})), libc.fclose(f))")
    assert python(script, report).split() == [str(SIZE), "5000", "True", str(SIZE), "0"]
    assert served(report, SIZE) == 2


def test_descriptors_are_the_kernels(report):
    """Catches descriptors that lose rights, flags, type or readiness, or that behave differently after fork and exec."""
    script = """
fd = os.open("/dev/urandom", os.O_RDONLY)
other = os.open("/dev/urandom", os.O_RDONLY | os.O_CLOEXEC)
assert stat.S_ISCHR(os.fstat(fd).st_mode) and os.fstat(fd).st_rdev == os.makedev(1, 9)
os.set_inheritable(fd, True)
# epoll accepts /dev/random, but not /dev/urandom.
waited = os.open("/dev/random", os.O_RDONLY)
poll = select.epoll()
poll.register(waited, select.EPOLLIN)
assert poll.poll(0) == [(waited, select.EPOLLIN)]
assert len(os.read(waited, 16)) == 16
assert select.select([other], [], [], 0)[0] == [other]
copy = fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, 100)
assert copy >= 100 and len(os.read(copy, 64)) == 64
only_writable = os.open("/dev/urandom", os.O_WRONLY)
try:
    os.read(only_writable, 16)
    sys.exit("a descriptor for writing was read")
except OSError as error:
    assert error.errno == 9
read, write = os.pipe()
if os.fork() == 0:
    os.write(write, os.read(fd, 16))
    os._exit(0)
os.wait()
print(os.read(read, 16).hex(), os.read(fd, 16).hex())
sys.stdout.flush()
os.execv(sys.executable, [sys.executable, "-c", f'''
import os
print(os.read({fd}, 16).hex())
try:
    os.read({other}, 16)
    print("open")
except OSError as error:
    print("closed")
'''])
"""
    values = python(script, report).split()
    assert values.pop() == "closed"
    distinct(values, 3)


# System call numbers, for calls that the library does not see.
CLOSE, OPENAT, DUP3 = {"x86_64": (3, 257, 292), "s390x": (6, 288, 326), "ppc64le": (6, 286, 316)}.get(platform.machine(), (57, 56, 24))
UNSEEN = f"libc, CLOSE, OPENAT, DUP3 = ctypes.CDLL(None), {CLOSE}, {OPENAT}, {DUP3}\n"


@pytest.mark.parametrize("how", [
    "os.close(fd); assert os.open(sys.argv[1], os.O_RDONLY) == fd",
    "os.dup2(os.open(sys.argv[1], os.O_RDONLY), fd)",
    "libc.syscall(CLOSE, fd); assert libc.syscall(OPENAT, -100, sys.argv[1].encode(), 0, 0) == fd",
    "f = os.open(sys.argv[1], os.O_RDONLY); assert libc.syscall(DUP3, f, fd, 0) == fd",
])
def test_other_files_are_read(tmp_path, report, how):
    """Catches random bytes in place of a file that has reused a device descriptor's number through calls that are not
    seen."""
    path = tmp_path / "file"
    path.write_text("the content of the file")
    script = (UNSEEN + "fd = os.open('/dev/urandom', os.O_RDONLY)\nos.read(fd, 16)\n"
              f"{how}\nprint(os.read(fd, 100).decode())")
    assert python(script, report, path) == "the content of the file\n"


def test_other_devices_and_names(tmp_path, report):
    """Catches a device other than the random ones, or a file with the same name elsewhere, that is served with random
    bytes."""
    (tmp_path / "urandom").write_text("abc")
    script = (UNSEEN + "fd = os.open('/dev/urandom', os.O_RDONLY)\n"
              "assert libc.syscall(DUP3, os.open('/dev/zero', os.O_RDONLY), fd, 0) == fd\n"
              "print(os.read(fd, 4) == bytes(4), os.read(os.open(sys.argv[1], os.O_RDONLY), 9))")
    assert python(script, report, tmp_path / "urandom") == "True b'abc'\n"


def test_commands(report):
    """Catches commands that do not receive all requested bytes, by name or as standard input."""
    env = environment(devices=True, report=report)
    data = good("head", "-c", SIZE, "/dev/urandom", env=env)
    with open("/dev/urandom", "rb") as device:
        data += subprocess.run(["head", "-c", str(SIZE)], stdin=device, env=env, check=True, capture_output=True).stdout
    data += good("dd", "if=/dev/random", "bs=64K", "count=16", "iflag=fullblock", "status=none", env=env)
    assert len(data) == 3 * SIZE
    distinct([data[i:i + 16] for i in range(0, len(data), 16)], 3 * SIZE // 16)
    assert served(report, SIZE) == 3
