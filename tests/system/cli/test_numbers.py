# SPDX-License-Identifier: BSD-2-Clause
"""cprng u32, u64 and the bytes: their number, their range, and no repeats."""

import re

import pytest

from command import good


def numbers(command, *arguments):
    text = good(command, *arguments).decode()
    assert re.fullmatch(r"((0|[1-9][0-9]*)\n)*", text)
    return [int(number) for number in text.split()]


@pytest.mark.parametrize("command, bits", [("u32", 32), ("u64", 64)])
def test_every_bit_varies(command, bits):
    """Catches a bit of a number that is stuck.

    Of 300 numbers a good generator leaves some bit the same with probability below 2^-290.
    """
    ones, zeros = 0, 0
    for number in numbers(command, "-n", 300):
        ones |= number
        zeros |= ~number & (2**bits - 1)
    assert ones == zeros == 2**bits - 1


@pytest.mark.parametrize("command, bits", [("u32", 32), ("u64", 64)])
def test_many(command, bits):
    """Catches numbers that are lost or joined at the buffer's end.

    More than the buffer holds: none lost, none joined, and the mean within 7 standard deviations (1 in 10^11).
    """
    count = 200_000
    found = numbers(command, "-n", count)
    assert len(found) == count
    deviation = 2**bits / (12 * count) ** 0.5
    assert abs(sum(found) / count - 2**bits / 2) < 7 * deviation


@pytest.mark.parametrize("command", ["u32", "u64"])
def test_below(command):
    """Catches a number that reaches its bound, and a part of the range that never comes."""
    assert set(numbers(command, "-n", 100, "--below", 1)) == {0}
    # A value is missed with probability below 10 * 0.9^2000 < 10^-90.
    assert set(numbers(command, "-n", 2000, "--below", 10)) == set(range(10))
    for bound in [2, 3, 255, 1000, 2**31 + 1, 2**32 - 1]:
        found = numbers(command, "-n", 2000, "--below", bound)
        assert len(found) == 2000 and max(found) < bound
        # All in the lower half, or none in its lowest tenth, once in 2^300.
        assert max(found) >= bound // 2 and min(found) <= bound // 10


def test_below_the_whole_range():
    """Catches a bound of 2^32 that is truncated to 0.

    2^32 means no bound; taken for 0 it would give zeros alone.
    """
    assert max(numbers("u32", "-n", 300, "--below", 2**32)) >= 2**31
    assert max(numbers("u64", "-n", 300, "--below", 2**32)) in range(2**31, 2**32)
    assert max(numbers("u64", "-n", 300, "--below", 2**64 - 1)) >= 2**63


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


def test_numbers_differ():
    """Catches two equal runs, or two equal numbers in one."""
    assert len(set(numbers("u64", "-n", 1000) + numbers("u64", "-n", 1000))) == 2000
