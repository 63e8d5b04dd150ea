# SPDX-License-Identifier: BSD-2-Clause
"""kernel/netbsd/ in NetBSD's kernel: what docs/netbsd.md promises."""

import os

import pytest

import kernels

DRAWS = 10**8
NO_KEY = "panic: cprng: no key for a draw"


@pytest.fixture(scope="session", name="kernel")
def _kernel():
    """By name; each is built once."""
    place = kernels.sources()
    if place is None:
        pytest.skip(kernels.HOW)
    kernels.build_netbsd(place)
    built = {}

    def get(name):
        if name not in built:
            built[name] = kernels.Kernel(place, name)
        return built[name]

    return get


def test_a_clone_that_lacks_a_blob(tmp_path):
    """Catches a checkout that stops where a mirror lacks a file of NetBSD's, and one that does not say so."""
    git = ["git", "-C", tmp_path, "-c", "user.name=n", "-c", "user.email=e"]
    kernels.run(["git", "init", "-q", tmp_path])
    for name in ("kept", "lost"):
        (tmp_path / name).write_text(name, encoding="ascii")
    kernels.run([*git, "add", "."])
    kernels.run([*git, "commit", "-q", "-m", "both"])
    blob = kernels.run([*git, "rev-parse", "HEAD:lost"]).strip()
    # As git clone leaves it: the files are in no index, and some are not there.
    for path in (f".git/objects/{blob[:2]}/{blob[2:]}", ".git/index", "kept", "lost"):
        (tmp_path / path).unlink()
    with pytest.warns(UserWarning, match="without 1 files .*: lost"):
        assert kernels.check_out(tmp_path) == ["lost"]
    assert (tmp_path / "kept").read_text(encoding="ascii") == "kept"
    assert kernels.check_out(tmp_path) == [], "a complete checkout is left alone"


@pytest.mark.parametrize("cpus", [1, 2, 8])
def test_no_value_comes_twice(kernel, cpus):
    """Catches two CPUs, or a thread and a soft interrupt, that use one state; and keys that soft interrupts do not replace."""
    found = kernels.numbers(kernel("vectors").run("draws", DRAWS, max(cpus, 2), cpus=cpus))
    assert found["draws"] == DRAWS
    assert found["softints"] > 0, "no soft interrupt has drawn"
    # One for 4096 refills, of which this has more than a million; those of a CPU whose soft interrupts wait share one.
    assert found["keys"] > 10, "keys stay"
    assert found["repeats"] == 0


def is_noticed(output):
    """Something has come twice, or a draw has found a key that another one was using."""
    return NO_KEY in output or kernels.numbers(output)["repeats"] > 0


def test_draws_notice_a_shared_state(kernel):
    """Catches a test of draws that would not notice two CPUs with one state."""
    assert is_noticed(kernel("one-state").run("draws", DRAWS // 10, 2, cpus=2, status=None))


@pytest.mark.parametrize("name", ["own", "vectors", "fpu", "portable"])
def test_interrupts_draw(kernel, name):
    """Catches a draw that an interrupt at IPL_VM can enter: after each instruction one comes, and draws."""
    found = kernels.numbers(kernel(name).run("steps"))
    assert found["interrupts"] > 100 and found["deferred"] > 500, "few interrupts came inside of draws"
    assert (found["sections"] > 0) == (name == "fpu")
    assert found["repeats"] == 0


def test_steps_notice_a_draw_without_splvm(kernel):
    """Catches a test of interrupts that would not notice their coming."""
    assert is_noticed(kernel("no-splvm").run("steps", status=None))


@pytest.mark.parametrize("name", ["vectors", "portable"])
def test_nothing_is_left(kernel, name):
    """Catches bytes that were served and are still in a buffer, on a stack or in freed memory of the kernel."""
    found = kernels.numbers(kernel(name).run("residue"))
    assert found["notes"] > 1000 and found["searched"] > 2**20
    assert found["found"] == 0


@pytest.mark.parametrize("name", ["own", "no-erasure"])
def test_the_search_finds_what_is_left(kernel, name):
    """Catches a search that finds nothing: NetBSD's own erases less, and so does ours with one line taken out."""
    assert kernels.numbers(kernel(name).run("residue", status=1))["found"] > 0


def test_the_device_reads_fortuna(kernel):
    """Catches a /dev/urandom that is not the library's: what it gives is compared with what Fortuna served."""
    lines = dict(line.split() for line in kernel("vectors").run("device").splitlines() if line.split()[0] in ("few", "many"))
    assert lines["few"] != lines["many"][:32]


@pytest.mark.parametrize("name", ["vectors", "portable"])
def test_kernels_of_one_seed_differ(kernel, name, tmp_path):
    """Catches kernels that give the same when they have the same seed file, and the same entropy of their host."""
    seed = tmp_path / "seed"
    seed.write_bytes(os.urandom(512))
    outputs = [kernel(name).run("device", seed) for _ in range(2)]
    found = [line for output in outputs for line in output.splitlines() if line.split()[0] in ("few", "many", "fast")]
    assert len(found) == 6 and len(set(found)) == 6, found
