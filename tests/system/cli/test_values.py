# SPDX-License-Identifier: BSD-2-Clause
"""Words, int, float, normal, dice and uuid: forms and ranges.  tests/system/cli/exhaustive.cpp checks exact probabilities.
"""

import functools
import json
import operator
import re
import time
import uuid

import pytest

from command import good, refused, run


def values(*arguments):
    """The same command as lines and as JSON; returns the latter's values."""
    lines = good(*arguments).decode().splitlines()
    found = json.loads(good(*arguments, "--json"))
    assert len(lines) == len(found)
    return found


@pytest.mark.parametrize("command", ["u8", "u16", "u32", "u64", "float", "normal", "exponential", "uuid"])
def test_count(command):
    """Catches another number of values than requested, and invalid JSON."""
    assert good(command, "-n", "0") == b""
    assert good(command, "-n", "0", "--json") == b"[]\n"
    assert good(command, "--count=3").count(b"\n") == 3
    assert len(values(command, "-n", "1000")) == 1000
    assert len(values(command)) == 1


@pytest.mark.parametrize("arguments, culprit", [
    (["normal", "--mean", "1e308", "--deviation", "1.7e308"], "--deviation"), (["normal", "--deviation", "2.81e306"], "--deviation"),
    (["normal", "--mean=-1.7976931348623157e308", "--deviation", "1e295"], "--deviation"),
    (["exponential", "--mean", "1.7e308"], "--mean"), (["exponential", "--mean", "2.81e306"], "--mean"),
])  # fmt: skip
def test_infinite(arguments, culprit):
    """Catches an infinite number, which JSON cannot represent."""
    for options in [[], ["--json"], ["--seed", "1"], ["-n", "0"]]:
        refused(run(*arguments, *options), 2, culprit, "the range of a double")


def test_largest():
    """Catches a parameter that is refused although no number can be infinite."""
    for arguments in [["normal", "--mean", "1.79e308", "--deviation", "1e304"], ["normal", "--deviation", "2.8e306"],
                      ["normal", "--mean", "1.7976931348623157e308", "--deviation", "0"],
                      ["exponential", "--mean", "2.8e306"]]:  # fmt: skip
        for seed in [[], ["--seed", "1"]]:
            assert all(0 < abs(x) < float("inf") for x in values(*arguments, *seed, "-n", 1000))


@pytest.mark.parametrize("bits", [8, 16, 32, 64])
def test_words(bits):
    """Catches a width that is mistaken for another, a bit that is stuck, a value that reaches its bound, and a part of the range
    that never comes."""
    command = f"u{bits}"
    found = values(command, "-n", 2000)
    assert all(0 <= n < 2**bits for n in found)
    # Some bit is the same in all with probability below 2^-1990.
    assert functools.reduce(operator.or_, found) == 2**bits - 1 and functools.reduce(operator.and_, found) == 0
    assert set(values(command, "-n", 100, "--below", 1)) == {0}
    # A value is missed with probability below 10 * 0.9^2000 < 10^-90.
    assert set(values(command, "-n", 2000, "--below", 10)) == set(range(10))
    for bound in {2, 3, 255, *(b for b in (1000, 2**31 + 1, 2**32 - 1, 2**64 - 1) if b < 2**bits)}:
        found = values(command, "-n", 2000, "--below", bound)
        # All in the lower half, or none in its lowest tenth, once in 2^300.
        assert bound // 2 <= max(found) < bound and min(found) <= bound // 10
    # The whole range is no bound; taken for 0 it would give zeros alone.
    if bits < 64:
        assert max(values(command, "-n", 300, "--below", 2**bits)) >= 2 ** (bits - 1)


@pytest.mark.parametrize("command, bits", [("u32", 32), ("u64", 64)])
def test_many(command, bits):
    """Catches numbers that are lost, joined or repeated at the buffer's end, and two runs that are the same.

    The mean is within 7 standard deviations (1 in 10^11).
    """
    count = 200_000
    text = good(command, "-n", count)
    assert re.fullmatch(rb"((0|[1-9][0-9]*)\n)*", text)
    found = [int(number) for number in text.split()]
    assert len(found) == count
    assert abs(sum(found) / count - 2**bits / 2) < 7 * 2**bits / (12 * count) ** 0.5
    if bits == 64:
        assert len({*found, *map(int, good(command, "-n", count).split())}) == 2 * count


def test_bytes_differ():
    """Catches a buffer that is written twice, and a seed that two runs share.

    No 16 bytes of 3 MiB twice, within a run (a buffer written again) or between two (a seed used again).
    """
    blocks = []
    for _ in range(2):
        data = good("bytes", "3MiB")
        assert len(data) == 3 * 2**20
        blocks += [data[i : i + 16] for i in range(0, len(data), 16)]
    assert len(set(blocks)) == len(blocks)


@pytest.mark.parametrize("low, high", [
    (1, 6), (-5, 5), (-3, -1), (0, 0), (-7, -7), (-(2**63), 2**63 - 1), (-(2**63), -(2**63)), (2**63 - 1, 2**63 - 1),
    (-(2**63), 0), (-1, 2**63 - 1),
])  # fmt: skip
def test_int(low, high):
    """Catches a number outside the range, or a part of it that never comes."""
    found = values("int", low, high, "-n", 2000)
    assert all(low <= n <= high for n in found)
    if high - low < 20:
        # One is missed with probability below 11 * (10/11)^2000 < 10^-80.
        assert set(found) == set(range(low, high + 1))
    else:
        assert len(set(found)) == 2000
        assert min(found) < low + (high - low) // 4 and max(found) > high - (high - low) // 4


@pytest.mark.parametrize("text, low, high", [
    ("1-6", 1, 6), ("1..6", 1, 6), ("-3-3", -3, 3), ("-3..-1", -3, -1), ("-3--1", -3, -1), ("0-0", 0, 0),
])  # fmt: skip
def test_int_of_a_range(text, low, high):
    """Catches a range that loses its sign or end."""
    # One is missed with probability below 7 * (6/7)^500 < 10^-32.
    assert set(values("int", text, "-n", 500)) == set(range(low, high + 1))


def test_float():
    """Catches lost digits, and a 1."""
    found = values("float", "-n", 5000)
    assert all(0 <= x < 1 for x in found)
    assert all(x * 2**53 == int(x * 2**53) for x in found)
    # The digits give the same double again: the last bits vary.
    assert {int(x * 2**53) % 2 for x in found} == {0, 1}
    assert len(set(found)) == 5000
    assert abs(sum(found) / 5000 - 0.5) < 7 / (12 * 5000) ** 0.5


def test_normal():
    """Catches another mean or deviation than requested.

    The mean within 7 standard deviations (1 in 10^11), the variance likewise.
    """
    count = 20_000
    for mean, deviation in [(0, 1), (100, 15), (-3.5, 0.25)]:
        found = values("normal", "-n", count, "--mean", mean, "--deviation", deviation)
        assert abs(sum(found) / count - mean) < 7 * deviation / count**0.5
        variance = sum((x - mean) ** 2 for x in found) / count
        assert abs(variance / deviation**2 - 1) < 7 * (2 / count) ** 0.5
    assert set(values("normal", "-n", 10, "--mean", "2.5", "--deviation", 0)) == {2.5}


def test_exponential():
    """Catches another mean than requested, and a number below 0: within 7 standard deviations (1 in 10^11)."""
    count = 20_000
    for mean in [1, 0.25, 1000]:
        found = values("exponential", "-n", count, "--mean", mean)
        assert min(found) >= 0 and abs(sum(found) / count - mean) < 7 * mean / count**0.5
    assert set(values("exponential", "-n", 10, "--mean", 0)) == {0}


def test_dice():
    """Catches faces that do not add up to the sum."""
    for text, least, most in [("3d6+2", 5, 20), ("d20", 1, 20), ("D%", 1, 100), ("2d4-1d4-1", -3, 6), ("+1d2", 1, 2), ("0d6+1d2", 1, 2), ("3d1+1d2", 4, 5)]:
        sums = [int(text) for text in good("dice", text, "-n", 500).split()]
        assert len(sums) == 500 and min(sums) >= least and max(sums) <= most
    thrown = json.loads(good("dice", "4d6+2d10-3", "-n", 200, "--json"))
    assert len(thrown) == 200
    for one in thrown:
        assert list(one) == ["sum", "faces"]
        assert len(one["faces"]) == 6 and sum(one["faces"]) - 3 == one["sum"]
        assert all(1 <= face <= 6 for face in one["faces"][:4]) and all(1 <= face <= 10 for face in one["faces"][4:])
    for text in good("dice", "2d6", "-n", 100, "-v").decode().splitlines():
        total, first, second = re.fullmatch(r"(\d+) \((\d) (\d)\)", text).groups()
        assert int(total) == int(first) + int(second)
    # A face of six is missed in 300 throws with probability below 6 * (5/6)^300 < 10^-22.
    assert set(good("dice", "d6", "-n", 300).split()) == {b"1", b"2", b"3", b"4", b"5", b"6"}


def test_dice_that_are_kept():
    """Catches a die that is dropped from the wrong end, a dropped die without its place in the output, and a factor that is lost."""
    for text, end in [("4d6k3", 1), ("4d6KH3", 1), ("4d6kl3", 0)]:
        thrown = json.loads(good("dice", text, "-n", 300, "--json"))
        for one in thrown:
            assert list(one) == ["sum", "faces", "dropped"]
            assert len(one["faces"]) == 3 and len(one["dropped"]) == 1 and one["sum"] == sum(one["faces"])
            assert one["dropped"][0] <= min(one["faces"]) if end else one["dropped"][0] >= max(one["faces"])
        assert len({one["sum"] for one in thrown}) > 5
    for text in good("dice", "2d20kl", "-n", 100, "-v").decode().splitlines():
        total, face, dropped = re.fullmatch(r"(\d+) \((\d+), dropped (\d+)\)", text).groups()
        assert int(total) == int(face) <= int(dropped)
    for one in json.loads(good("dice", "2d6*10+1", "-n", 100, "--json")):
        assert list(one) == ["sum", "faces"] and one["sum"] == 10 * sum(one["faces"]) + 1


@pytest.mark.parametrize("text, instead", [
    ("6", "write d6"), ("20", "write d20"), ("+6", "3d6+2"), ("1+2", "3d6+2"), ("0d6", "3d6+2"), ("0d6+2", "3d6+2"), ("d1", "3d6+2"),
    ("2d1-0d6", "3d6+2"), ("0*d6", "3d6+2"),
])  # fmt: skip
def test_no_die(text, instead):
    """Catches an expression whose sum is always the same, and that passes for a throw."""
    for options in [[], ["-v", "-n", 3], ["--json"], ["--seed", 1], ["-n", 0]]:
        refused(run("dice", text, *options), 2, "DICE", f"'{text}'", "no die", instead)


def test_uuid4():
    """Catches a malformed UUID."""
    for arguments in [[], ["4"], ["v4"], ["-4"]]:
        found = values("uuid", *arguments, "-n", 1000)
        assert len(set(found)) == 1000
        for text in found:
            assert re.fullmatch(r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}", text)
            assert uuid.UUID(text).version == 4 and uuid.UUID(text).variant == uuid.RFC_4122


def test_uuid4_has_122_random_bits():
    """Catches a varying bit that should be fixed, or the reverse.

    One of the 122 bits is the same in all 300 UUIDs with probability below 122 * 2^-299.
    """
    ones, zeros = 0, 0
    for text in values("uuid", "-n", 300):
        ones |= uuid.UUID(text).int
        zeros |= ~uuid.UUID(text).int
    changing = ones & zeros & (2**128 - 1)
    assert bin(changing).count("1") == 122
    assert changing == 2**128 - 1 - (0xF << 76) - (3 << 62)


def test_uuid5():
    """Catches a name, a namespace or a padding of SHA-1 that is wrong: names up to three blocks, against Python's uuid5."""
    spaces = {"dns": uuid.NAMESPACE_DNS, "url": uuid.NAMESPACE_URL, "oid": uuid.NAMESPACE_OID, "x500": uuid.NAMESPACE_X500,
              "@dns": uuid.NAMESPACE_DNS, "0F8FAD5B-d9cb-469f-a165-70867728950e": uuid.UUID("0f8fad5b-d9cb-469f-a165-70867728950e")}
    for version, (space, known) in zip(["5", "v5", "-5", "5", "5", "5"], spaces.items()):
        assert values("uuid", version, "--namespace", space, "--name", "www.ex\u00e4mple.com") == [str(uuid.uuid5(known, "www.ex\u00e4mple.com"))]
    for length in [*range(0, 60), 100, 111, 112, 113, 120, 175, 176]:
        assert good("uuid", "5", "--namespace", "url", f"--name={'n' * length}").decode() == f"{uuid.uuid5(uuid.NAMESPACE_URL, 'n' * length)}\n"


@pytest.mark.parametrize("version", ["7", "v7", "-7"])
def test_uuid7(version):
    """Catches a wrong time, and a broken order."""
    before = int(time.time() * 1000)
    text = good("uuid", version, "-n", 20_000).decode().split()
    after = int(time.time() * 1000)
    assert text == sorted(text) and len(set(text)) == 20_000
    for one in text:
        assert re.fullmatch(r"[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}", one)
    # At least two thousand in a millisecond before the time runs ahead.
    assert before <= uuid.UUID(text[0]).int >> 80 <= after
    assert uuid.UUID(text[-1]).int >> 80 <= after + 10


@pytest.mark.parametrize("command", ["u8", "u16", "u32", "u64"])
def test_lines_and_json_have_the_same_form(command):
    """Catches blanks or line ends that move."""
    assert re.fullmatch(rb"\[\d+(, \d+)*\]\n", good(command, "-n", 5, "--json"))
    assert re.fullmatch(rb"(\d+\n){5}", good(command, "-n", 5))
