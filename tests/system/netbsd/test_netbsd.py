# SPDX-License-Identifier: BSD-2-Clause
"""kernel/netbsd/ in NetBSD's kernel: what docs/netbsd.md promises."""

import os

import pytest

import kernels

DRAWS = 10**8
IPL_VM, IPL_HIGH, ABOVE = 6, 8, 9


@pytest.fixture(scope="session", name="kernel")
def _kernel():
    """By name; each is built once."""
    place = kernels.sources()
    if place is None:
        pytest.skip(kernels.HOW)
    built = {}

    def get(name, build="release"):
        if (name, build) not in built:
            built[name, build] = kernels.Kernel(place, name, build)
        return built[name, build]

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


def assert_noticed(output):
    """A program that must fail has found repeats, or its kernel has gone down: it has not failed in its own preparation."""
    assert "failed:" not in output


def test_draws_notice_a_shared_state(kernel):
    """Catches a test of draws that would not notice two CPUs with one state."""
    assert_noticed(kernel("one-state").run("draws", DRAWS // 10, 2, cpus=2, status=None))


@pytest.mark.parametrize("name", ["vectors", "fpu", "portable", "uniprocessor", "today"])
@pytest.mark.parametrize(("level", "depth"), [(IPL_VM, 1), (IPL_HIGH, 1), (ABOVE, 7)])
def test_interrupts_draw(kernel, name, level, depth):
    """Catches a draw that an interrupt can corrupt: one arrives before each instruction and draws, up to seven nested."""
    found = kernels.numbers(kernel(name).run("steps", level, depth))
    assert found["interrupts"] > 1000, "few interrupts came inside of draws"
    # A draw raises no level, except in a section.
    assert (found["deferred"] > 0) == (name == "fpu" and level == IPL_VM)
    assert (found["sections"] > 0) == (name == "fpu")
    assert found["repeats"] == 0


def test_interrupts_that_are_deferred(kernel):
    """Catches a test whose level blocks no interrupt: NetBSD's own draw of 2016 needs that."""
    found = kernels.numbers(kernel("own").run("steps", IPL_VM, 1))
    assert found["interrupts"] > 100 and found["deferred"] > 500
    assert found["repeats"] == 0


@pytest.mark.parametrize(("name", "level"), [("no-depth", IPL_VM), ("own", IPL_HIGH)])
def test_steps_notice_a_draw_in_a_draw(kernel, name, level):
    """Catches a test of interrupts that would not notice one in the same state: without the depth, and NetBSD's own at IPL_HIGH."""
    assert_noticed(kernel(name).run("steps", level, 1, status=None))


def test_a_kernel_for_one_cpu(kernel):
    """Catches a kernel for one CPU that starts with two, which would share a state."""
    assert "panic: cprng: built for one CPU" in kernel("uniprocessor").run("reseeds", cpus=2, status=None)
    assert kernels.numbers(kernel("uniprocessor").run("draws", 10**6, 2))["repeats"] == 0


def test_more_draws_in_draws_than_states(kernel):
    """Catches a draw that continues without a state of its own."""
    assert "panic: cprng: no state for a draw" in kernel("vectors").run("steps", ABOVE, 8, status=None)


@pytest.mark.parametrize("name", ["vectors", "today"])
def test_reseeds(kernel, name):
    """Catches a draw that continues with a key from before the pool's new epoch, or takes a new key in a hard interrupt."""
    found = kernels.numbers(kernel(name).run("reseeds"))
    assert found["counted"] >= 2 and found["after"] == 0


@pytest.mark.parametrize(("name", "message"), [("no-epoch", "the draw that finds a new epoch takes a key"),
                                               ("no-level", "a hard interrupt calls no cprng_strong()")])  # fmt: skip
def test_reseeds_notice(kernel, name, message):
    """Catches a test of reseeds that would not notice a draw that ignores the epoch or the level."""
    assert message in kernel(name).run("reseeds", status=None)


def test_todays_headers():
    """Catches drop-ins whose calls contradict NetBSD 10's declarations of these functions."""
    place = kernels.sources()
    headers = kernels.ten(place)
    if headers is None:
        pytest.skip(kernels.HOW if place is None else kernels.HOW_TEN)
    names = kernels.compile_with_headers(place, headers).split()
    assert {"entropy_epoch", "percpu_create", "fpu_kern_enter", "nist_sha256_hash_drbg_generate"} <= set(names)


@pytest.mark.parametrize(("name", "variant"), [("ten", ""), ("ten", "strong"), ("ten-ours", "strong")])
def test_rows_of_netbsd_10(kernel, name, variant):
    """Catches a row of NetBSD 10 with another cipher, hash or kern.arandom than its own, or in its place not ours; bench.c checks the last."""
    if kernels.ten(kernels.sources()) is None:
        pytest.skip(kernels.HOW_TEN)
    lines = kernel(name).run("bench", *([variant] if variant else []), cpus=4).splitlines()
    assert {"arandom1", "arandom4", "cpu4"} <= {line.split()[0] for line in lines if line}
    hashes = kernels.run(["nm", "-u", kernel(name).folder / "nist_hash_drbg.o"])
    assert ("SHA256_Update" in hashes) == (name == "ten")


@pytest.mark.parametrize(("name", "variant"), [*((name, "") for name in kernels.ORIGINS), ("hc128-percpu", "inlined"), ("hc128-checked", "inlined")])
def test_rows_of_2014(kernel, name, variant):
    """Catches a row of 2014 that cannot be measured."""
    lines = kernel(name).run("bench", *([variant] if variant else []), cpus=4).splitlines()
    assert {"cycles", "arandom1", "arandom4", "cpu4"} <= {line.split()[0] for line in lines if line}


@pytest.mark.parametrize("name", ["vectors", "today"])
def test_a_kernel_that_checks_itself(kernel, name):
    """Catches what NetBSD's own checks find (DIAGNOSTIC, DEBUG, LOCKDEBUG), and repeats there."""
    checked = kernel(name, "lockdebug")
    assert kernels.numbers(checked.run("draws", 10**6, 2, cpus=2))["repeats"] == 0
    assert kernels.numbers(checked.run("steps", IPL_HIGH, 1))["repeats"] == 0
    assert kernels.numbers(checked.run("reseeds"))["counted"] >= 2


@pytest.mark.parametrize("name", ["vectors", "portable", "today"])
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
