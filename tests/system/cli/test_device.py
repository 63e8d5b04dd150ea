# SPDX-License-Identifier: BSD-2-Clause
"""-o DEVICE and cprng verify: on a loop device, if the tests may create one."""

import json
import os
import pathlib
import select
import subprocess

import pytest

from command import EMULATOR, TIMEOUT, closed_pipe, good, refused, run, start, stream, with_terminal

KEY = "07" * 32
SIZE = 3 * 2**20 + 5 * 512


@pytest.fixture(name="device")
def make_device(tmp_path):
    """A block device with SIZE zero bytes."""
    if EMULATOR:
        pytest.skip("emulated: no device")
    (tmp_path / "image").write_bytes(bytes(SIZE))
    try:
        made = subprocess.run(["losetup", "--find", "--show", tmp_path / "image"], capture_output=True, text=True, check=False)
    except FileNotFoundError:
        pytest.skip("no losetup")
    if made.returncode != 0:
        pytest.skip(f"no loop device: {made.stderr.strip()}")
    name = made.stdout.strip()
    yield name
    subprocess.run(["losetup", "--detach", name], check=True)


def content(device):
    return pathlib.Path(device).read_bytes()


def test_filled_to_its_end(device):
    """Catches a device that is not filled to its last byte, or whose end is an error."""
    assert good("bytes", "-o", device, "--yes", "--key", KEY) == b""
    assert content(device) == stream("chacha20", KEY, SIZE)
    verified = good("verify", "--key", KEY, device).decode()
    assert verified == f"{SIZE} bytes are those of the stream\n"


def test_random(device):
    """Catches a block that is written twice."""
    good("bytes", "-o", device, "--yes")
    first = content(device)
    good("bytes", "inf", "-o", device, "--yes", "--strong")
    second = content(device)
    assert len(first) == len(second) == SIZE
    blocks = {data[i : i + 32] for data in (first, second) for i in range(0, SIZE - 31, 32)}
    assert len(blocks) == 2 * (SIZE // 32)


@pytest.mark.parametrize("offset", [512, 4096, 1000, 2**20 + 1, SIZE - 1, SIZE])
def test_resumed(device, offset):
    """Catches a resumed output that leaves a gap or starts at a wrong byte of the keystream.

    From any offset, also within a block.
    """
    good("bytes", offset, "-o", device, "--yes", "--key", KEY)
    assert content(device)[offset:] == bytes(SIZE - offset)
    good("bytes", "-o", device, "--yes", "--key", KEY, "--offset", offset)
    assert content(device) == stream("chacha20", KEY, SIZE)
    compared = json.loads(good("verify", "--key", KEY, "--offset", offset, "--size", SIZE - offset, device, "--json"))
    assert compared == {"compared": SIZE - offset, "different": 0, "first": None, "short": False}


def test_part(device):
    """Catches bytes changed before or after the requested range."""
    good("bytes", "1000", "-o", device, "--yes", "--key", KEY, "--offset", "512")
    whole = stream("chacha20", KEY, 2000)
    assert content(device)[:2000] == bytes(512) + whole[512:1512] + bytes(488)


def test_text(device):
    """Catches text written with a wrong length."""
    good("bytes", "-o", device, "--yes", "--hex", "1000")
    assert content(device)[2000:2002] == b"\n\0"


def test_too_much(device):
    """Catches a size whose excess is detected only at the device's end."""
    refused(run("bytes", SIZE + 1, "-o", device, "--yes"), 1, device, f"{SIZE + 1} bytes", f"{SIZE} (3.0 MiB) are free")
    refused(run("bytes", SIZE, "-o", device, "--yes", "--offset", 1), 1, device, f"{SIZE - 1} (3.0 MiB) are free")
    refused(run("bytes", "-o", device, "--yes", "--offset", SIZE + 1), 2, "--offset", device, str(SIZE))
    assert content(device) == bytes(SIZE)


def test_read_only(device):
    """Catches the answer to a device's write protection: "Operation not permitted", and an offset to go on from."""
    try:
        subprocess.run(["blockdev", "--setro", device], check=True)
        for yes in [[], ["--yes"]]:
            result = run("bytes", "-o", device, *yes)
            refused(result, 1, device, "the device is read-only")
            assert b"offset" not in result.stderr
    finally:
        # The loop device keeps it, also for another file.
        subprocess.run(["blockdev", "--setrw", device], check=True)
    assert content(device) == bytes(SIZE)


def test_wants_yes(device):
    """Catches a device that is overwritten without confirmation."""
    refused(run("bytes", "-o", device), 2, device, "--yes")
    assert content(device) == bytes(SIZE)


def answer(device, text, **options):
    """Run on a terminal and type the text after the question; returns the status and the terminal's output."""
    asked = b""

    def use(end, master):
        nonlocal asked
        process = start("bytes", "-o", device, stdin=end, stderr=end, stdout=subprocess.DEVNULL, **options)
        while b"go on: " not in asked and process.poll() is None:
            if select.select([master], [], [], 0.1)[0]:
                asked += os.read(master, 1000)
        os.write(master, text)
        return process.wait(TIMEOUT)

    status, shown = with_terminal(use)
    return status, (asked + shown).decode()


def test_asks_on_a_terminal(device):
    """Catches another answer that is accepted as yes."""
    status, shown = answer(device, b"no\n")
    assert status == 2 and "yes to go on: " in shown and device in shown and "left as it was" in shown
    assert content(device) == bytes(SIZE)
    status, shown = answer(device, b"yes\n")
    assert status == 0
    assert content(device) != bytes(SIZE)


def test_question_without_control_characters(device, tmp_path):
    """Catches a device's name that commands the terminal at which the question is asked."""
    name = "a\x1b[31m\u009b1m"
    (tmp_path / name).symlink_to(device)
    status, shown = answer(name, b"no\n", cwd=tmp_path)
    assert status == 2 and "\x1b[31m" not in shown and "\u009b" not in shown
    assert "'a\\x1b[31m\\xc2\\x9b1m' will be overwritten" in shown


def test_in_use(device):
    """Catches a mounted device that is overwritten."""
    holder = os.open(device, os.O_RDONLY | os.O_EXCL)
    try:
        refused(run("bytes", "-o", device, "--yes"), 1, device, "in use")
    finally:
        os.close(holder)


def failing_third_write(preload):
    """An environment in which the third write to a device fails, as on a bad disk."""
    return preload("""
        ssize_t write(int fd, const void *data, size_t size)
        {
            static int calls;
            struct stat status;
            if (fstat(fd, &status) == 0 && S_ISBLK(status.st_mode) && ++calls == 3) { errno = EIO; return -1; }
            return NEXT(write)(fd, data, size);
        }
        """)


def test_error_names_the_offset(device, preload):
    """Catches an offset in the message from which the output cannot be resumed."""
    result = run("bytes", "-o", device, "--yes", "--key", KEY, env=failing_third_write(preload))
    offset = 2 * 240 * 1024
    refused(result, 1, device, "Input/output error", f"at offset {offset}", f"--offset {offset}")
    good("bytes", "-o", device, "--yes", "--key", KEY, "--offset", offset)
    assert content(device) == stream("chacha20", KEY, SIZE)


def test_error_of_text_names_no_offset(device, preload):
    """Catches a message that says how to resume text, which is impossible: half a line is written."""
    result = run("bytes", SIZE // 3, "--hex", "-o", device, "--yes", "--key", KEY, env=failing_third_write(preload))
    refused(result, 1, device, "Input/output error", f"at offset {2 * 2 * 240 * 1024}")
    assert b"--offset" not in result.stderr


def test_verify_finds_damage(device):
    """Catches damage that is not detected, or counted or placed wrongly."""
    good("bytes", "-o", device, "--yes", "--key", KEY)
    with open(device, "r+b") as file:
        file.seek(2_000_000)
        file.write(bytes(byte ^ 1 for byte in stream("chacha20", KEY, 3, offset=2_000_000)))
    refused(run("verify", "--key", KEY, device), 1, device, f"3 of {SIZE} bytes differ", "offset 2000000")
    result = run("verify", "--key", KEY, device, "--json")
    assert result.returncode == 1
    assert json.loads(result.stdout) == {"compared": SIZE, "different": 3, "first": 2_000_000, "short": False}
    good("verify", "--key", KEY, "--size", 2_000_000, device)
    good("verify", "--key", KEY, "--offset", 2_000_003, device)
    refused(run("verify", "--key", KEY, "--offset", 2_000_002, device), 1, "1 of", "offset 2000002")


# ------------------------------------------------------------------------------------------------------- files and pipes


def test_verify_file(tmp_path):
    """Catches a shorter or different file that passes."""
    file = tmp_path / "file"
    file.write_bytes(stream("aes256-ctr", KEY, 3_000_001))
    for arguments in [[file], [file, "--size", 3_000_001], [file, "--offset", 17]]:
        good("verify", "--engine", "aes256-ctr", "--key", KEY, *arguments)
    refused(run("verify", "--engine", "aes256-ctr", "--key", KEY, file, "--size", 3_000_002), 1, "ends after 3000001 of 3000002")
    refused(run("verify", "--key", KEY, file), 1, "bytes differ", "offset 0")
    with open(file, "rb") as data:
        good("verify", "--engine", "aes256-ctr", "--key", KEY, "-", stdin=data)


def test_verdict_without_a_reader(tmp_path):
    """Catches status 0 for wrong or missing bytes if the reader of the JSON has gone."""
    file = tmp_path / "file"
    whole = stream("chacha20", KEY, 1000)
    for content_, options, status, message in [
        (whole, [], 0, b""), (whole[:-1] + bytes([whole[-1] ^ 1]), [], 1, b"1 of 1000 bytes differ"),
        (whole, ["--size", 1001], 1, b"ends after 1000"),
    ]:  # fmt: skip
        file.write_bytes(content_)
        for form in [[], ["--json"]]:
            with closed_pipe() as writing:
                result = run("verify", "--key", KEY, file, *options, *form, stdout=writing)
            assert result.returncode == status
            assert message in result.stderr and bool(message) == bool(result.stderr)


def test_verify_nothing(tmp_path):
    """Catches a verdict on bytes none of which were compared, unless --size 0 permits that."""
    file = tmp_path / "file"
    file.write_bytes(good("bytes", "100", "--key", KEY))
    (tmp_path / "empty").touch()
    for arguments in [[tmp_path / "empty"], [file, "--offset", 100], ["-"]]:
        refused(run("verify", "--key", KEY, *arguments), 1, "has no byte to compare")
        result = run("verify", "--key", KEY, *arguments, "--json")
        assert result.returncode == 1 and json.loads(result.stdout) == {"compared": 0, "different": 0, "first": None, "short": True}
        assert good("verify", "--key", KEY, *arguments, "--size", 0) == b"0 bytes are those of the stream\n"
    for options in [[], ["--size", 0], ["--size", 5]]:
        refused(run("verify", "--key", KEY, "--offset", 101, file, *options), 1, "file' ends at 100, before 101", "--offset")
    assert good("verify", "--key", KEY, "--offset", 99, file) == b"1 bytes are those of the stream\n"


def test_verify_what_is_not_there(tmp_path):
    """Catches a read error that counts as equality."""
    refused(run("verify", "--key", KEY, tmp_path / "missing"), 1, "missing'", "No such file")
    refused(run("verify", "--key", KEY, tmp_path), 1, "directory")
    refused(run("verify", "--key-file", tmp_path / "missing", tmp_path), 1, "missing'", "No such file")
    refused(run("verify", "--key", KEY, "--offset", 1, "-", stdin=subprocess.PIPE), 2, "--offset", "standard input")
    end = ["--nonce", "00" * 12, "--offset", 2**38 + 1]
    refused(run("verify", "--key", KEY, *end, tmp_path), 2, "end of the stream")
