# SPDX-License-Identifier: BSD-2-Clause
"""kernel/freebsd/ in FreeBSD's random(4): what docs/freebsd.md promises.

stubs/ replaces the headers of 12.x and of current.  FREEBSD names a tree of one release; without it the tests with FreeBSD's own code are
skipped.
"""

import pathlib
import platform

import pytest

import build

# "ours" and "own", FreeBSD's fortuna.c, are built with the files of FREEBSD; the others with stubs.
RELEASES = {"12": 12, "current": 16, "current loadable": 16, **dict.fromkeys(["ours", "own"], (build.version() or 1600000) // 100000)}
NEW = [name for name, release in RELEASES.items() if release >= 13]
OURS = [name for name in RELEASES if name != "own"]
CIPHERS = {"chacha20": {"use_chacha20_cipher": 1}, "aes256": {"use_chacha20_cipher": 0}}
MODES = {"locked": {"concurrent_read": 0}, "concurrent": {"concurrent_read": 1}}
# 12.x has AES and locked reads.
BY_CIPHER = [(name, cipher) for name in RELEASES for cipher in (CIPHERS if name in NEW else ["aes256"])]
BY_MODE = [(name, cipher, mode) for name, cipher in BY_CIPHER for mode in (MODES if name in NEW else ["locked"])]
# The sixth event in pool 0 brings it to the default of 64 bytes; every 32nd is in that pool.
FIRST_SEED = 32 * 5 + 1


@pytest.fixture(scope="session", name="slot")
def _slot():
    """Programs by name, each built once."""
    if platform.machine() != "x86_64":
        pytest.skip("the drop-in is for x86-64")
    built = {}
    place = build.sources()

    def get(name):
        what, *options = name.split()
        is_real = what in ("ours", "own")
        if is_real and place is None:
            pytest.skip(build.HOW)
        if name not in built:
            slot = build.Slot(place if is_real else None, what, *["-DRANDOM_LOADABLE" for _ in options])
            built[name] = slot, slot.program("slot")
        return built[name]

    return get


@pytest.mark.parametrize("name, cipher", BY_CIPHER)
def test_the_first_seed(slot, name, cipher):
    """Catches events that do not count as in FreeBSD's, a device that is not unblocked exactly once, and equal reads."""
    assert build.numbers(build.start(slot(name)[1], "seeds", tunables=CIPHERS[cipher]))["events"] == FIRST_SEED


@pytest.mark.parametrize("name", NEW)
def test_a_clone_counts_at_once(slot, name):
    """Catches events of RANDOM_PURE_VMGENID that wait for the turn of their pool."""
    assert build.numbers(build.start(slot(name)[1], "urgent"))["events"] == 6


@pytest.mark.parametrize("name", RELEASES)
def test_tunables(slot, name):
    """Catches other defaults than the release's, a tunable without effect, and a minimum that Fortuna does not accept."""
    program, is_new = slot(name)[1], name in NEW
    found = build.numbers(build.start(program, "tunables"))
    # -1: there is none.
    assert found["concurrent_read"] == (1 if is_new else -1)
    if name != "own":
        assert found == {"concurrent_read": found["concurrent_read"], "minpoolsize": 64, "least": 16, "most": 65536, "set": 32}
    found = build.numbers(build.start(program, "tunables", tunables={"concurrent_read": 0, "minpoolsize": 128}))
    assert (found["concurrent_read"], found["minpoolsize"]) == (0 if is_new else -1, 128)


@pytest.mark.parametrize("name", RELEASES)
def test_health_tests(slot, name):
    """Catches an event that counts though the kernel's health test refuses it, and one that no or two health tests see."""
    slot_, program = slot(name)
    if not slot_.has_health_test:
        # A failed source counts.
        assert "is_seeded" in build.start(program, "health", status=1)
        return
    assert build.numbers(build.start(program, "health")) == {"events": FIRST_SEED, "tested": FIRST_SEED}
    assert build.numbers(build.start(program, "serial"))["ended"] == 2


@pytest.mark.parametrize("name", ["12", "current"])
def test_harvest_does_not_wait(slot, name):
    """Catches a harvest thread that waits for the lock of a preempted reader."""
    assert build.numbers(build.start(slot(name)[1], "waits"))["ended"] == 1


def test_the_mutex_is_adaptive(slot):
    """Catches a mutex of the harness that does not spin while its owner runs, as mtx(9) does, or spins while its owner sleeps."""
    found = build.numbers(build.start(slot("current")[1], "mutex"))
    assert found["spins"] > 0 and found["sleeps"] > 0


@pytest.mark.parametrize("readers", [2, 8])
@pytest.mark.parametrize("name, cipher, mode", BY_MODE)
def test_readers_beside_a_harvester(slot, name, cipher, mode, readers):
    """Catches bytes that two readers get, that one gets twice, or that are never written; and nested sections of the cipher."""
    found = build.numbers(build.start(slot(name)[1], "readers", readers, tunables=CIPHERS[cipher] | MODES[mode]))
    assert found["blocks"] == readers * 3 * 2**16 and found["events"] > 0
    assert found["repeats"] == 0


@pytest.mark.parametrize("header", ["freebsd", "ours", "portable"])
def test_uint128(slot, header):
    """Catches a carry that differs from FreeBSD's: its uint128_test, with its own header and with the library's arithmetic."""
    if "ours" not in NEW:
        pytest.skip("12.x has no uint128_test")
    ours = [f"-I{build.HERE}/uint128"]
    flags = {"freebsd": [], "ours": ours, "portable": [*ours, "-DCPRNG_PORTABLE_UINT128"]}[header]
    program = slot("ours")[0].uint128_test(build.sources(), header, *flags)
    assert build.numbers(build.start(program)) == {"cases": 3, "failures": 0}


@pytest.mark.parametrize("mode", MODES if "ours" in NEW else ["locked"])
def test_unit_test(slot, mode):
    """Catches output that FreeBSD's unit_test finds compressible, and a reader or harvester that never ends."""
    if not pathlib.Path("/usr/include/zlib.h").exists():
        pytest.skip("zlib1g-dev is not installed")
    said = build.start(slot("ours")[0].unit_test(build.sources()), tunables=MODES[mode])
    assert said.count("Thread #0 ends") == 3 and "random: unblocking device." in said
    assert "ERROR" not in said
