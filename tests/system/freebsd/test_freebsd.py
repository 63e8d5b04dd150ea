# SPDX-License-Identifier: BSD-2-Clause
"""kernel/freebsd/ in FreeBSD's random(4): what docs/freebsd.md promises.

Without FREEBSD the drop-in is compiled with stubs/ in place of FreeBSD's headers, and the tests with FreeBSD's own code are skipped.
"""

import pathlib
import platform

import pytest

import build

CIPHERS = {"chacha20": {"use_chacha20_cipher": 1}, "aes256": {"use_chacha20_cipher": 0}}
MODES = {"locked": {"concurrent_read": 0}, "concurrent": {"concurrent_read": 1}}
# The sixth event in pool 0 brings it to the default of 64 bytes; every 32nd is in that pool.
FIRST_SEED = 32 * 5 + 1


@pytest.fixture(scope="session", name="slot")
def _slot():
    """Programs by name, each built once: "ours" without FreeBSD's files, "freebsd" with them, "own" with FreeBSD's fortuna.c."""
    if platform.machine() != "x86_64":
        pytest.skip("the drop-in is for x86-64")
    built = {}

    def get(name):
        place = None
        if name != "alone":
            place = build.sources()
            if place is None:
                pytest.skip(build.HOW)
        if name not in built:
            slot = build.Slot(place, "own" if name == "own" else "ours")
            built[name] = slot, slot.program("slot")
        return built[name]

    return get


NAMES = ["alone", "ours", "own"]


@pytest.mark.parametrize("cipher", CIPHERS)
@pytest.mark.parametrize("name", NAMES)
def test_the_first_seed(slot, name, cipher):
    """Catches events that do not count as in FreeBSD's, a device that is not unblocked exactly once, and equal reads."""
    assert build.numbers(build.start(slot(name)[1], "seeds", tunables=CIPHERS[cipher]))["events"] == FIRST_SEED


@pytest.mark.parametrize("name", NAMES)
def test_a_clone_counts_at_once(slot, name):
    """Catches events of RANDOM_PURE_VMGENID that wait for the turn of their pool."""
    assert build.numbers(build.start(slot(name)[1], "urgent"))["events"] == 6


@pytest.mark.parametrize("name", ["alone", "ours"])
def test_tunables(slot, name):
    """Catches other defaults, a tunable without effect, and a minimum that Fortuna does not accept."""
    program = slot(name)[1]
    assert build.numbers(build.start(program, "tunables")) == {"concurrent_read": 0, "minpoolsize": 64, "least": 16, "most": 65536, "set": 32}
    found = build.numbers(build.start(program, "tunables", tunables={"concurrent_read": 1, "minpoolsize": 128}))
    assert (found["concurrent_read"], found["minpoolsize"]) == (1, 128)


def test_harvest_does_not_wait(slot):
    """Catches a harvest thread that waits for the lock of a preempted reader."""
    assert build.numbers(build.start(slot("alone")[1], "waits"))["ended"] == 1


@pytest.mark.parametrize("readers", [2, 8])
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("cipher", CIPHERS)
@pytest.mark.parametrize("name", NAMES)
def test_readers_beside_a_harvester(slot, name, cipher, mode, readers):
    """Catches bytes that two readers get, that one gets twice, or that are never written; and nested sections of the cipher."""
    found = build.numbers(build.start(slot(name)[1], "readers", readers, tunables=CIPHERS[cipher] | MODES[mode]))
    assert found["blocks"] == readers * 3 * 2**16 and found["events"] > 0
    assert found["repeats"] == 0


@pytest.mark.parametrize("header", ["freebsd", "ours", "portable"])
def test_uint128(slot, header):
    """Catches a carry that differs from FreeBSD's: its uint128_test, with its own header and with the library's arithmetic."""
    ours = [f"-I{build.HERE}/uint128"]
    flags = {"freebsd": [], "ours": ours, "portable": [*ours, "-DCPRNG_PORTABLE_UINT128"]}[header]
    program = slot("ours")[0].uint128_test(build.sources(), header, *flags)
    assert build.numbers(build.start(program)) == {"cases": 3, "failures": 0}


@pytest.mark.parametrize("mode", MODES)
def test_unit_test(slot, mode):
    """Catches output that FreeBSD's unit_test finds compressible, and a reader or harvester that never ends."""
    if not pathlib.Path("/usr/include/zlib.h").exists():
        pytest.skip("zlib1g-dev is not installed")
    said = build.start(slot("ours")[0].unit_test(build.sources()), tunables=MODES[mode])
    assert said.count("Thread #0 ends") == 3 and "random: unblocking device." in said
    assert "ERROR" not in said
