# SPDX-License-Identifier: BSD-2-Clause
"""shuffle and pick: the lines that appear.  tests/system/cli/exhaustive.cpp checks probabilities."""

import json
import os
import re
import resource
import subprocess

import pytest

from command import EMULATOR, ROOT, good, in_environment, limit, refused, run


def given(tmp_path, count=5000):
    file = tmp_path / "lines"
    file.write_text("".join(f"{i}\n" for i in range(count)))
    return file


@pytest.mark.parametrize("memory", [None, "20K", "40K", "1", "1G"])
def test_shuffle(tmp_path, memory):
    """Catches a line that is lost or repeated, and an unchanged order."""
    # A hundred lines beyond any memory limit need seven thousand temporary files.
    file = given(tmp_path, 100 if memory == "1" else 5000)
    arguments = ["--memory", memory] if memory else []
    orders = [good("shuffle", file, *arguments).decode().splitlines() for _ in range(2)]
    for order in orders:
        assert order != file.read_text().splitlines()
        assert sorted(order) == sorted(file.read_text().splitlines())
    assert orders[0] != orders[1]
    # No line stays in a given place more often than by chance: 1 expected, 20 once in 10^18.
    assert sum(a == b for a, b in zip(*orders)) < 20


def test_temporary_files(tmp_path):
    """Catches temporary files in a wrong place, or left behind.

    In the directory that was named, and gone afterwards.
    """
    file = given(tmp_path, 100)
    (tmp_path / "temporary").mkdir()
    for options, environment in [(["--directory", tmp_path / "temporary"], {}), ([], {"TMPDIR": str(tmp_path / "temporary")})]:
        good("shuffle", file, "--memory", "100", *options, env=in_environment(**environment))
        assert os.listdir(tmp_path / "temporary") == []
    refused(run("shuffle", file, "--memory", 100, "--directory", tmp_path / "missing"), 1, "missing'", "No such file")
    good("shuffle", file, "--directory", tmp_path / "missing")


def test_directory_that_does_not_exist(tmp_path, preload):
    """Catches temporary files in the root directory for an empty name, and a second try to make them."""
    environment = preload("int mkostemp(char *name, int flags) { abort(); } SAME(mkostemp64, mkostemp);")
    options = ["--memory", "1", "-e", "a", "b", "c"]
    refused(run("shuffle", *options, "--directory", "", env=environment), 2, "--directory", "empty")
    refused(run("shuffle", *options, "--directory", tmp_path / "missing", env=environment), 1, "missing'", "No such file")


def test_full_temporary_directory(tmp_path, preload):
    """Catches lines lost when a temporary file could not be written."""
    environment = preload("""
        ssize_t write(int fd, const void *data, size_t size)
        {
            struct stat status;
            if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode)) { errno = ENOSPC; return -1; }
            return NEXT(write)(fd, data, size);
        }
        """)
    refused(run("shuffle", given(tmp_path), "--memory", 100, env=environment), 1, "temporary file", "No space left on device")


def with_space(preload, free, whole=2**40, unit=1):
    """An environment in which file systems say that so many units are free, and all are for root."""
    return preload(f"""
        int statvfs(const char *path, struct statvfs *status)
        {{
            memset(status, 0, sizeof(*status));
            status->f_bsize = status->f_frsize = {unit};
            status->f_blocks = UINT64_C({whole});
            status->f_bavail = UINT64_C({free});
            status->f_bfree = UINT64_C({whole});
            return 0;
        }}
        SAME(statvfs64, statvfs);
        """)


@pytest.mark.parametrize("low, high", [(1, 10**12), (-12, 112), (-1200, -7), (0, 10), (2**63 - 30, 2**63 - 1), (-2**63, -2**63 + 9), (2**64 - 30, 2**64 - 1)])  # fmt: skip
def test_numbers_that_do_not_fit(tmp_path, preload, low, high):
    """Catches a temporary directory that is filled before a range is refused, and a wrong estimate of the space."""
    wanted = (high - low + 1) * (8 + max(len(str(low)), len(str(high))))
    for free in [wanted - 1, wanted]:
        if high == 10**12 and free == wanted:
            continue
        result = run("shuffle", "-i", f"{low}..{high}", "--memory", 50, "--directory", tmp_path,
                     env=with_space(preload, free, whole=wanted), preexec_fn=limit(resource.RLIMIT_FSIZE, 10**5))  # fmt: skip
        if free < wanted:
            refused(result, 1, f"{tmp_path}'", "No space left on device", f"{wanted} bytes", "are needed", f"{free} (", "are free")
        else:
            assert sorted(map(int, result.stdout.split())) == list(range(low, high + 1))
    # What memory holds needs no space.
    good("shuffle", "-i", "1-9", env=with_space(preload, 0))


def test_file_system_without_a_limit(tmp_path, preload):
    """Catches a free space of 2^64 bytes that counts as none."""
    environment = with_space(preload, 2**52, whole=2**52, unit=4096)
    assert len(good("shuffle", "-i", "1-99", "--memory", 50, "--directory", tmp_path, env=environment).split()) == 99


def test_all_numbers_do_not_fit(tmp_path, preload):
    """Catches a size that overflows: 2^64 numbers that seem to fit."""
    result = run("shuffle", "-i", f"{-2**63}..{2**63 - 1}", "--memory", "1M", "--directory", tmp_path,
                 env=with_space(preload, 2**60), preexec_fn=limit(resource.RLIMIT_FSIZE, 10**5))  # fmt: skip
    refused(result, 1, "No space left on device", "are needed", f"{2**60} (1.0 EiB) are free")


def test_file_that_does_not_fit(tmp_path, preload):
    """Catches temporary files of a large input that fill the directory before it is refused."""
    file = given(tmp_path, 60_000)
    size = file.stat().st_size
    environment = with_space(preload, size - 1)
    options = ["--memory", "256K", "--directory", tmp_path]
    refused(run("shuffle", file, *options, env=environment), 1, f"{size} bytes", "are needed", f"{size - 1} (", "are free")
    with file.open("rb") as lines:
        refused(run("shuffle", *options, stdin=lines, env=environment), 1, f"{size} bytes", "are needed", "are free")
        # Only the rest counts.
        os.lseek(lines.fileno(), size - 10, os.SEEK_SET)
        assert len(good("shuffle", *options, stdin=lines, env=environment)) == 10


def test_pipe_that_does_not_fit(tmp_path, preload):
    """Catches temporary files that take the last free bytes of a file system for lines from a pipe."""
    lines = given(tmp_path).read_bytes()
    for free, whole, fits in [(2**26, 2**40, False), (2**27, 2**40, True), (2**13, 2**20, False), (2**18, 2**20, True)]:
        result = run("shuffle", "--memory", "20K", input=lines, stdin=None, env=with_space(preload, free, whole))
        if fits:
            assert sorted(result.stdout.split()) == sorted(lines.split())
        else:
            refused(result, 1, "temporary file", "No space left on device", "are left free")


def test_in_place(tmp_path):
    """Catches an input that is truncated before it was read."""
    file = given(tmp_path)
    before = file.read_text().splitlines()
    good("shuffle", file, "-o", file)
    assert file.read_text().splitlines() != before
    assert sorted(file.read_text().splitlines()) == sorted(before)


@pytest.mark.parametrize("command", ["shuffle", "pick"])
@pytest.mark.parametrize("arguments, status", [
    (["missing"], 1), (["."], 1), (["-"], 1), (["--json", "bytes"], 1), (["old", "bytes"], 2), (["--count", "x", "old"], 2),
    (["--memory", "x", "old"], 2),
])  # fmt: skip
def test_bad_input_leaves_the_output_as_it_was(tmp_path, command, arguments, status):
    """Catches an output that is truncated, or partly replaced, before the input was read completely."""
    (tmp_path / "old").write_bytes(b"kept\n")
    (tmp_path / "bytes").write_bytes(b"a\n\xff\n" * 10)
    options = ["-n", "inf"] if command == "pick" and "--count" not in arguments else []
    directory = os.open(tmp_path, os.O_RDONLY)
    try:
        for out in ["old", "new"]:
            result = run(command, *arguments, *options, "-o", out, cwd=tmp_path, stdin=directory)
            refused(result, status)
    finally:
        os.close(directory)
    assert sorted(os.listdir(tmp_path)) == ["bytes", "old"]
    assert (tmp_path / "old").read_bytes() == b"kept\n"


@pytest.mark.parametrize("command", ["shuffle", "pick"])
@pytest.mark.parametrize("text", [b"", b"\n", b"\n\n", b"one", b"one\n", b"a\nb", b"\0\n\xff\n", b"a" * 600_000 + b"\nb"],
                         ids=["empty", "newline", "newlines", "one", "line", "no-end", "bytes", "long"])  # fmt: skip
def test_odd_lines(command, text):
    """Catches a line that is lost, truncated or invented: empty, long, or without an end."""
    lines = text.split(b"\n")
    if lines[-1] == b"":
        lines.pop()
    for arguments in [[], ["-"]]:
        found = good(command, *arguments, *(["-n", "inf"] if command == "pick" else []), input=text, stdin=None)
        assert sorted(found.split(b"\n")[:-1]) == sorted(lines)


@pytest.mark.parametrize("command", ["shuffle", "pick"])
def test_zero(command):
    """Catches a newline that ends a line under --zero."""
    assert set(good(command, "-z", *(["-n", "9"] if command == "pick" else []), input=b"a\nb\0c", stdin=None).split(b"\0")) \
        == {b"a\nb", b"c", b""}  # fmt: skip


def test_operands():
    """Catches an operand that is opened as a file, and broken JSON."""
    assert sorted(good("shuffle", "-e", "a", "b c", "d").decode().splitlines()) == ["a", "b c", "d"]
    assert good("shuffle", "--echo") == b""
    assert set(json.loads(good("shuffle", "--json", "-e", "a", "\"\\\n", "\u00e9"))) == {"a", "\"\\\n", "\u00e9"}
    assert json.loads(good("pick", "--json", "-n0", "-e", "a")) == []


def test_standard_input_that_does_not_block(preload):
    """Catches input that counts as unreadable because the pipe is non-blocking and still empty, and a busy wait."""
    environment = preload("""
        static int reads, polls;
        int poll(struct pollfd *fds, nfds_t count, int timeout)
        {
            polls += count == 1 && fds->fd == 0 && fds->events == POLLIN && timeout == -1;
            return 1;
        }
        ssize_t read(int fd, void *data, size_t size)
        {
            if (fd == 0 && reads++ == 0) { errno = EAGAIN; return -1; }
            if (fd == 0 && polls != 1) abort();
            return NEXT(read)(fd, data, size);
        }
        """)
    assert good("shuffle", input=b"a", stdin=None, env=environment) == b"a\n"


def test_json_wants_utf_8():
    """Catches invalid JSON from input that is not UTF-8."""
    result = run("shuffle", "--json", input=b"\xff\n", stdin=None)
    refused(result, 1, "UTF-8")


def test_pick(tmp_path):
    """Catches a line that is chosen twice, and a number of lines other than was asked for."""
    file = given(tmp_path, 1000)
    whole = set(file.read_text().splitlines())
    for count in [0, 1, 3, 999, 1000, 1001, "inf"]:
        found = good("pick", "-n", count, file).decode().splitlines()
        assert len(found) == len(set(found)) == (1000 if count == "inf" else min(count, 1000))
        assert set(found) <= whole
    assert len(good("pick", file).splitlines()) == 1
    # Three equal orders of 300 have probability 300!^-2.
    assert len({good("pick", "-n", 300, "-e", *range(300)) for _ in range(3)}) == 3


@pytest.mark.parametrize("command", ["shuffle", "pick"])
def test_no_line_opens_no_file(command, tmp_path):
    """Catches an input that is opened, or waited for, although no line is wanted (shuf -n0 reads none)."""
    for arguments in [[], ["-r"], ["--seed", 1]]:
        assert good(command, "-n0", "missing", *arguments, cwd=tmp_path) == b""
        assert good(command, "-n0", "missing", *arguments, "--json", "-o", "new", cwd=tmp_path) == b""
        assert (tmp_path / "new").read_bytes() == b"[]\n"
        refused(run(command, "-n0", *arguments, "a", "b"), 2, "unexpected argument 'b'")
        refused(run(command, "-n0", *arguments, "-i", "6-1"), 2, "--input-range", "6 is more than 1")


def limited(preload, most=2**27):
    """Options with which half of the machine's memory seems to be this limit, and allocations end above it."""
    environment = preload(f"""
        long sysconf(int name)
        {{
            return name == _SC_PHYS_PAGES ? {2 * most} / NEXT(sysconf)(_SC_PAGESIZE) : NEXT(sysconf)(name);
        }}
        """)
    return {"env": environment,
            "preexec_fn": limit(resource.RLIMIT_DATA, 2**29)}  # fmt: skip


@pytest.mark.parametrize("arguments", [
    ["shuffle", "-n", 2, "--seed", 4, "-i", "1-1000000000000"], ["shuffle", "--seed", 4, "-i", f"0-{2**64 - 1}"],
    ["shuffle", "-n", 2, "--seed", 4, "--json", "-i", f"{-2**63}..{2**63 - 1}"], ["pick", "-n", 10**10, "-i", "1-1000000000000"],
    ["pick", "-n", "inf", "--json", "-i", "1-1000000000000"], ["pick", "-n", 10**9, "--seed", 1, "-i", "1-1000000000000"],
])  # fmt: skip
def test_numbers_that_memory_cannot_hold(arguments, preload, tmp_path):
    """Catches numbers of --input-range that are collected until memory is exhausted, or printed until then."""
    result = run(*arguments, "-o", tmp_path / "out", **limited(preload))
    refused(result, 1, "are kept in memory", "128 MiB, half of the memory")
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("arguments, kept", [
    (["shuffle", "-n", 2, "--seed", 1], "with --seed all lines"), (["shuffle", "--json", "--seed", 1], "with --seed all lines"),
    (["shuffle", "-r", "-n", 2], "with --repeat all lines"), (["pick", "-r", "-n", 2], "with --repeat all lines"),
    (["pick", "--seed", 1], "with --seed all lines"), (["pick", "-n", "inf"], "the lines of --count"),
])  # fmt: skip
def test_input_without_an_end(arguments, kept, preload):
    """Catches an endless input that is read until memory is exhausted."""
    options = limited(preload)
    with subprocess.Popen(["yes"], stdout=subprocess.PIPE) as lines:
        refused(run(*arguments, stdin=lines.stdout, **options), 1, kept, "128 MiB, half of the memory")
        lines.stdout.close()
        lines.wait()


def test_many_numbers_of_a_range(preload, tmp_path):
    """Catches a count that is refused, or collected in memory, although temporary files can hold the whole range."""
    options = limited(preload, 2**24)
    found = good("shuffle", "-n", 2_900_000, "-i", "1-3000000", "--directory", tmp_path, **options).split()
    assert len(found) == len(set(found)) == 2_900_000
    refused(run("shuffle", "-n", 10**7, "-i", "1-1000000000000", "--directory", tmp_path, **options), 1, "No space left on device")
    # Eight bytes are enough for each number of the range.
    assert len(set(good("pick", "-n", 900_000, "-i", "1-1000000", **limited(preload, 2**23)).split())) == 900_000


# What /proc/self/cgroup says, files below /sys/fs/cgroup, and the least of the limits in MiB.
GROUPS = [
    ("0::/\n", {"memory.max": 24 << 20}, 24),
    ("0::/\n", {"memory.max": "max", "memory.high": 20 << 20}, 20),
    ("0::/a.slice/b.scope\n", {"a.slice/memory.max": 20 << 20, "a.slice/b.scope/memory.max": 24 << 20}, 20),
    ("0::/a.slice/b.scope\n", {"a.slice/memory.max": "max", "a.slice/b.scope/memory.max": 24 << 20, "memory.max": "max"}, 24),
    ("0::/../../other\n", {"memory.max": 24 << 20}, 24),
    ("12:cpu:/\n4:memory:/docker/1f\n0::/\n", {"memory/memory.limit_in_bytes": 24 << 20}, 24),
    ("4:cpu,memory:/a\n", {"memory/memory.limit_in_bytes": 2**63 - 4096, "memory/a/memory.limit_in_bytes": 20 << 20}, 20),
    ("4:memory:/a:b\n", {"memory/a:b/memory.limit_in_bytes": 20 << 20}, 20),
    # Not those of other groups or controllers, nor what is no number.
    ("4:memory:/a\n", {"memory.max": 20 << 20, "memory/b/memory.limit_in_bytes": 20 << 20, "cpu/memory.limit_in_bytes": 1}, 32),
    ("4:memorys:/a\n3:my=memory:/\n0::\n:\n\n0::/a", {"memory/memory.limit_in_bytes": 20 << 20, "memory.max": ""}, 32),
    (None, {"memory.max": 20 << 20}, 32),
]  # fmt: skip


@pytest.mark.parametrize("own, files, least", GROUPS)
def test_memory_of_a_container(own, files, least, preload, tmp_path):
    """Catches limits of the machine's memory where a control group has less, which ends the command by a signal."""
    for name, content in files.items():
        (tmp_path / "group" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "group" / name).write_text(f"{content}\n")
    if own is not None:
        (tmp_path / "own").write_text(own)
    environment = preload(f"""
        int open(const char *path, int flags, ...)
        {{
            char there[4096];
            snprintf(there, sizeof(there), "%s", path);
            if (strcmp(path, "/proc/self/cgroup") == 0)
                strcpy(there, "{tmp_path}/own");
            else if (strncmp(path, "/sys/fs/cgroup/", 15) == 0)
                snprintf(there, sizeof(there), "{tmp_path}/group/%s", path + 15);
            return NEXT(open)(there, flags, 0600);
        }}
        SAME(open64, open);
        long sysconf(int name)
        {{
            return name == _SC_PHYS_PAGES ? (32 << 20) / NEXT(sysconf)(_SC_PAGESIZE) : NEXT(sysconf)(name);
        }}
        """)
    refused(run("pick", "-n", "inf", "-i", "1-1000000000000", env=environment), 1, f"than {least // 2}.0 MiB, half of the memory")


@pytest.mark.parametrize("what", [resource.RLIMIT_AS, resource.RLIMIT_DATA])
def test_file_larger_than_a_limit(what, tmp_path):
    """Catches lines that are collected until a limit on the process's memory is reached."""
    if EMULATOR or "-fsanitize" in os.environ.get("CC", ""):
        pytest.skip("what is around the command takes more memory")
    file = tmp_path / "lines"
    file.write_text("".join(f"{i:01023}\n" for i in range(50_000)))
    options = {"preexec_fn": limit(what, 80 * 2**20)}
    assert sorted(good("shuffle", file, "--directory", tmp_path, **options).splitlines()) == file.read_bytes().splitlines()
    refused(run("shuffle", file, "--seed", 1, **options), 1, "with --seed all lines are kept in memory", "40.0 MiB")


@pytest.mark.parametrize("arguments, most", [
    (["shuffle", "-i", "1-4000000", "--memory", "32M", "--directory", "missing"], 48), (["pick", "-r", "-n", 9, "lines"], 130),
    (["pick", "--seed", 1, "-n", 9, "lines"], 130),
])  # fmt: skip
def test_memory_of_many_lines(arguments, most, tmp_path):
    """Catches more than eight bytes for each number, or besides each line's text."""
    if EMULATOR or "-fsanitize" in os.environ.get("CC", ""):
        pytest.skip("what is around the command takes more memory")
    if "lines" in arguments:
        (tmp_path / "lines").write_text("".join(f"{i}\n" for i in range(4_000_000)))
    options = {"preexec_fn": limit(resource.RLIMIT_DATA, most * 2**20), "cwd": tmp_path}
    found = good(*arguments, **options).split()
    assert len(found) == (arguments[arguments.index("-n") + 1] if "-n" in arguments else 4_000_000)
    assert "-r" in arguments or len(set(found)) == len(found)


@pytest.mark.parametrize("command", ["shuffle", "pick"])
def test_numbers_up_to_the_largest(command):
    """Catches a range that ends at 2^63 - 1, and numbers beyond it that are printed as negative ones."""
    for low, high in [(2**63 - 2, 2**63 + 1), (2**64 - 3, 2**64 - 1), (2**64 - 1, 2**64 - 1)]:
        assert sorted(map(int, good(command, "-n", "inf", "-i", f"{low}-{high}").split())) == list(range(low, high + 1))
        assert {*map(int, good(command, "-r", "-n", 200, "-i", f"{low}..{high}").split())} == set(range(low, high + 1))
    found = [int(n) for n in good(command, "-n", 1000, "-i", f"0-{2**64 - 1}").split()]
    assert len(set(found)) == 1000 and 0 <= min(found) < 2**62 and 3 * 2**62 < max(found) < 2**64
    refused(run(command, "-n", 1, "-i", f"0-{2**64}"), 2, "--input-range", f"'{2**64}'", "more than 2^64 - 1")
    refused(run(command, "-n", 1, "-i", f"-1..{2**63}"), 2, "--input-range", f"'{2**63}'", "more than 2^63 - 1")


@pytest.mark.parametrize("command", ["shuffle", "pick"])
def test_numbers(command):
    """Catches a number that is lost, repeated or out of range; and a range that is materialised before it is drawn
    from."""
    for text, low, high in [("1-9", 1, 9), ("-4..4", -4, 4), (f"{-2**63}..{-2**63 + 3}", -2**63, -2**63 + 3), (f"{2**63 - 2}-{2**63 - 1}", 2**63 - 2, 2**63 - 1)]:  # fmt: skip
        for count in ["inf", 3, 0]:
            found = [int(n) for n in good(command, "-i", text, "-n", count).split()]
            assert len(found) == len(set(found)) == min(high - low + 1, 10**6 if count == "inf" else count)
            assert all(low <= n <= high for n in found)
    assert sorted(json.loads(good(command, "-i", "1-3", "-n", "inf", "--json"))) == ["1", "2", "3"]
    found = good(command, "-i", f"{-2**63}..{2**63 - 1}", "-n", 1000).split()
    assert len(set(found)) == 1000 and min(map(int, found)) < -2**61 and max(map(int, found)) > 2**61
    # One of the six orders is missed with probability below 6 * (5/6)^200 < 10^-14.
    assert len({good(command, "-i", "1-3", "-n", 3) for _ in range(200)}) == 6


def test_seeded_order_of_the_page():
    """Catches an example of a seeded shuffle that prints its lines in the order in which they were given."""
    page = (ROOT / "docs" / "command.md").read_text()
    seed, words, shown = re.search(r"^    cprng shuffle --seed (\S+) -e ([^#]*\S) +# (.+)$", page, re.MULTILINE).groups()
    found = good("shuffle", "--seed", seed, "-e", *words.split()).decode().split()
    assert found == shown.split(", ") != words.split()


def test_count_of_shuffle(tmp_path):
    """Catches another number of lines than requested, repeated lines, and a first line that is always the same."""
    file = given(tmp_path, 100)
    for count in [0, 1, 99, 100, 101, "inf"]:
        found = good("shuffle", file, "-n", count).split()
        assert len(found) == len(set(found)) == (100 if count == "inf" else min(count, 100))
    assert len({good("shuffle", file, "-n", 1) for _ in range(40)}) > 5


@pytest.mark.parametrize("command", ["shuffle", "pick"])
def test_repeat(command):
    """Catches a line that is never repeated, or that is not in the input."""
    for arguments, lines in [(["-e", "a", "b c"], {"a", "b c"}), (["-i", "-1-1"], {"-1", "0", "1"})]:
        found = good(command, "-r", "-n", 500, *arguments).decode().splitlines()
        assert len(found) == 500 and set(found) == lines
    assert good(command, "-r", "-n", 0) == b""
    assert json.loads(good(command, "-r", "-n", 3, "--json", "-e", "x")) == ["x", "x", "x"]
    refused(run(command, "-r", "-n", 1), 1, "--repeat", "no lines")
    refused(run("shuffle", "-r", "-n", 1, "--memory", "1M", "-e", "a"), 2, "--memory", "--repeat")


def test_weighted(tmp_path):
    """Catches a weight that is ignored or printed, a line that repeats without -r, and one of the weight 0."""
    weights = ["-w", "-e", "red=70", "dark green\t 25", "blue=5", "none=0"]
    assert sorted(good("pick", "-n", 9, *weights).decode().splitlines()) == ["blue", "dark green", "red"]
    assert set(json.loads(good("pick", "-n", 2, "--json", *weights))) < {"blue", "dark green", "red"}
    found = good("pick", "-r", "-n", 20_000, *weights).decode().splitlines()
    # Within 7 standard deviations (1 in 10^11).
    for line, share in [("red", 0.7), ("dark green", 0.25), ("blue", 0.05)]:
        assert abs(found.count(line) - 20_000 * share) < 7 * (20_000 * share * (1 - share)) ** 0.5
    # The first of two is chosen by all weights, and is red but once in 10^12.
    assert good("pick", "-n", 2, "-w", "-e", "red=1000000000000", "blue=1") == b"red\nblue\n"
    file = tmp_path / "lines"
    file.write_text("".join(f"{i} {i % 3}\n" for i in range(30_000)))
    for options in [[], ["--seed", 1]]:
        found = good("pick", "-w", "-n", "inf", *options, file).decode().split()
        assert sorted(map(int, found)) == [i for i in range(30_000) if i % 3 > 0]
        # The heavier ones come earlier.
        assert sum(int(i) % 3 for i in found[:2000]) > sum(int(i) % 3 for i in found[-2000:]) + 200
    file.write_text("a 1\nb\n")
    for line, text in ("red=1", "red"), ("red = 1", "red"), ("red  \t1", "red"), ("a=b=1", "a=b"), ("=1", ""), (" 1", ""):
        assert good("pick", "-w", "-e", line) == f"{text}\n".encode(), line
    refused(run("pick", "-w", file), 1, "--weighted", "line 2, 'b'", "red=70")
    refused(run("pick", "-w", "-e", "a=0", "b=0"), 1, "--weighted", "above 0")
    refused(run("pick", "-w", "-e", f"a={2**64 - 1}", "b=1"), 1, "--weighted", "2^64 or more")
    refused(run("pick", "-w", "-e", "a=1", f"b={2**64}"), 1, "--weighted", "2^64 - 1")
    assert good("pick", "-w", "-n", 0, file) == b""


def test_pick_takes_the_memory_of_what_it_keeps():
    """Catches an input kept in memory: 30 MB pass through a command limited to 12 MiB."""
    if EMULATOR or "-fsanitize" in os.environ.get("CC", ""):
        pytest.skip("what is around the command takes more memory")
    with subprocess.Popen(["seq", "4000000"], stdout=subprocess.PIPE) as numbers:
        found = good("pick", "-n", 5, stdin=numbers.stdout,
                     preexec_fn=limit(resource.RLIMIT_DATA, 12 * 2**20)).split()  # fmt: skip
        numbers.stdout.close()
    assert len(set(found)) == 5 and all(1 <= int(n) <= 4_000_000 for n in found)


@pytest.mark.parametrize("arguments, longest", [
    (["shuffle", "--memory", "1"], 2**18), (["shuffle", "--memory", "1M"], 2**20), (["shuffle"], 2**26), (["pick"], 2**26),
])  # fmt: skip
def test_longest_line(tmp_path, arguments, longest):
    """Catches a line that takes more memory than was allowed, up to all of it, and one that is refused though it fits."""
    if EMULATOR or "-fsanitize" in os.environ.get("CC", ""):
        pytest.skip("what is around the command takes more memory")
    # The buffer of the input while it grows, copies of the line, and 64 temporary files with a buffer each.
    options = {"preexec_fn": limit(resource.RLIMIT_DATA, 4 * longest + 2**24)}
    refused(run(*arguments, "/dev/zero", **options), 1, "/dev/zero': line 1 is longer than", f"{longest} bytes")
    file = tmp_path / "lines"
    for end in [b"", b"\n"]:
        file.write_bytes(b"a" * longest + end)
        assert good(*arguments, file, **options) == b"a" * longest + b"\n"
        file.write_bytes(b"a\n" + b"a" * (longest + 1) + end)
        refused(run(*arguments, file, **options), 1, "lines': line 2 is longer than", f"{longest} bytes")


@pytest.mark.parametrize("command", ["shuffle", "pick"])
def test_what_cannot_be_read(tmp_path, command):
    """Catches an unreadable input that counts as empty."""
    refused(run(command, tmp_path / "missing"), 1, "missing'", "No such file")
    refused(run(command, tmp_path), 1, "Is a directory")


# Words that a parser of command lines may split, join or drop.
ODD_WORDS = ["[a,b]", "[]", "[[aabb]]", "{}", "%%", "++", "", "a=b", "=", "\x7f[", "[\x7f]"]
MORE_WORDS = ["[x]", "[", "]", "[[]]", "{a}", "%", "+", "'a b'", '"a"', "`a`", "\x7f", "a\x7f", "\u00e9", "shuffle", "a\\tb", "@file", "/x"]


@pytest.mark.parametrize("words", [*([word] for word in ODD_WORDS), ODD_WORDS + MORE_WORDS, ["{}", "%%"], ["[a", "b]"]])
def test_operands_as_typed(words):
    """Catches an operand that is split, changed or dropped."""
    for command in [["shuffle"], ["pick", "-n", 99]]:
        assert sorted(json.loads(good(*command, "--json", "-e", *words))) == sorted(words)
        assert sorted(json.loads(good(*command, "--json", "-e", "--", *words, "--", "-x"))) == sorted([*words, "--", "-x"])


@pytest.mark.parametrize("word", ODD_WORDS)
def test_values_as_typed(word, tmp_path):
    """Catches an option's value, or a single operand, that is split, changed or dropped."""
    assert set(good("phrase", 2, "--list", "/dev/stdin", "-n", 99, "--separator", word, input=b"i\nj\n", stdin=None).decode().splitlines()) \
        == {f"{first}{word}{second}" for first in "ij" for second in "ij"}  # fmt: skip
    assert word in good("phrase", 2, "--list", "/dev/stdin", f"--separator={word}", input=b"i\nj\n", stdin=None).decode()
    if word:
        for option in [["-o", word], [f"-o{word}"], [f"--output={word}"]]:
            good("hex", "5", *option, cwd=tmp_path)
            assert os.listdir(tmp_path) == [word]
            assert good("shuffle", word, cwd=tmp_path) == good("shuffle", "--", word, cwd=tmp_path)
            (tmp_path / word).unlink()
        assert good("u32", "--seed", word) == good("u32", f"--seed=text:{word}") != good("u32", "--seed", "a,b")
    else:
        refused(run("u32", "--seed", word), 2, "--seed: is empty")
        refused(run("u32", "--seed=", "-n", "3"), 2, "--seed: is empty")


@pytest.mark.parametrize("word", ["[a,b]", "++", "{}", "\x7f["])
def test_messages_as_typed(word):
    """Catches a message that quotes another text than the refused one."""
    shown = word.replace("\x7f", "\\x7f")
    refused(run("u32", word), 2, f"unexpected argument '{shown}'")
    refused(run(word), 2, f"unknown command '{shown}'")
    refused(run("u32", "-n", word), 2, f"--count: '{shown}'")
    refused(run("u32", f"-n{word}"), 2, f"--count: '{shown}'")
    refused(run("bytes", "--force=", "5"), 2, "--force takes no value")
