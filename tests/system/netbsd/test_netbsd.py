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
            if kernels.base(name):
                get(kernels.base(name), build)
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


@pytest.mark.parametrize(("name", "level", "depth"), [("no-depth", IPL_VM, 1), ("no-depth-in-refill", IPL_VM, 1), ("nested-key-stays", IPL_VM, 1),
                                                      ("nested-draws-share", ABOVE, 7), ("own", IPL_HIGH, 1)])  # fmt: skip
def test_steps_notice_a_draw_in_a_draw(kernel, name, level, depth):
    """Catches a test of interrupts that would not notice one in the same state, or a key that is used twice; NetBSD's own at IPL_HIGH."""
    assert_noticed(kernel(name).run("steps", level, depth, status=None))


# The draws that raise the level in 200,000 of 32 bits: all, each of the refills (480 bytes), none.
@pytest.mark.parametrize(("name", "raises"), [("own", 200000), ("fpu", 200000 * 4 // 480), ("vectors", 0), ("today", 0), ("uniprocessor", 0),
                                              ("portable", 0)])  # fmt: skip
def test_latency_counts_what_it_measures(kernel, name, raises):
    """Catches a column of a table whose event never happened: levels that no draw raises, reseeds that are none."""
    lines = [line.split() for line in kernel(name).run("latency").splitlines() if line]
    found = {line[0]: list(map(int, line[1:])) for line in lines if len(line) == 5}
    assert raises <= found["raised"][-1] <= raises * 1.02
    assert all(found[key][-1] == 200000 for key in ("draw32", "draw256")) and all(found[key][-1] == 20000 for key in ("strong", "strong_reseed", "reseed", "idle"))
    assert ("section" in found) == (name == "fpu")
    assert all(0 < median <= percentile <= most for key, (median, percentile, most, _) in found.items() if key != "raised")
    # A reseed is a part of its request.
    assert found["reseed"][0] < found["strong_reseed"][0]


def test_a_kernel_for_one_cpu(kernel):
    """Catches a kernel for one CPU that starts with two, which would share a state."""
    assert "panic: cprng: built for one CPU" in kernel("uniprocessor").run("reseeds", cpus=2, status=None)


@pytest.mark.parametrize("name", ["uniprocessor", "vectors", "fpu", "portable", "today"])
def test_threads_that_are_preempted(kernel, name):
    """Catches a draw that a preempted thread leaves half done in a state that the next thread uses."""
    found = kernels.numbers(kernel(name).run("draws", 10**6, 4))
    # Refills of 480 bytes or less for a million of 16, less those of soft interrupts.
    assert found["expansions"] > 10**6 // 60 and found["switches"] > 0
    assert found["exposed"] == 0
    assert found["repeats"] == 0


def test_draws_notice_preemption(kernel):
    """Catches a test of preemption that would not notice that a kernel for one CPU leaves it on."""
    assert_noticed(kernel("preemption").run("draws", 10**6, 4, status=None))


def test_more_draws_in_draws_than_states(kernel):
    """Catches a draw that continues without a state of its own."""
    assert "panic: cprng: no state for a draw" in kernel("vectors").run("steps", ABOVE, 8, status=None)


@pytest.mark.parametrize("name", ["vectors", "today"])
def test_reseeds(kernel, name):
    """Catches a draw that continues with a key from before the pool's new epoch, or takes a new key in a hard interrupt."""
    found = kernels.numbers(kernel(name).run("reseeds"))
    assert found["counted"] >= 2 and found["after"] == 0


def test_config(kernel, tmp_path):
    """Catches a list of sources that config(1) refuses, or from which it leaves one out because of its name."""
    kernel("own")
    (tmp_path / "external/bsd/cprng").mkdir(parents=True)
    (tmp_path / "external/bsd/cprng/dist").symlink_to(kernels.ROOT)
    for path, text in {
        # Two names that NetBSD has, too.
        "conf/files": 'include "external/bsd/cprng/dist/kernel/netbsd/files.cprng"\nfile crypto/chacha/arch/x86/chacha_sse2.c\n',
        "arch/toy/conf/files.toy": "maxpartitions 8\nmaxusers 2 8 64\nfile arch/x86/x86/cpu.c\n",
        "arch/toy/conf/Makefile.toy": "%MAKEOPTIONSAPPEND\n%OBJS\n", "conf/Makefile.kern.inc": "",
        "TOY": "machine toy\nselect cprng\nmaxusers 8\nconfig netbsd root on ? type ?\n",
    }.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text, encoding="ascii")
    kernels.run([kernels.sources() / "tools/bin/nbconfig", "-b", tmp_path, "-s", tmp_path, "TOY"], cwd=tmp_path)
    made = (tmp_path / "Makefile").read_text(encoding="ascii")
    listed = (kernels.ROOT / "kernel/netbsd/files.cprng").read_text(encoding="ascii")
    for source in [line.split()[1] for line in listed.splitlines() if line.startswith("file")] + ["arch/x86/x86/cpu.c", "crypto/chacha/arch/x86/chacha_sse2.c"]:
        assert f"\t{source} \\\n" in made, f"{source} is left out"
    assert "CPPFLAGS+='-DCPRNG_PORT_HEADER=<kernel/netbsd/port.h>'\n" in made


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


@pytest.mark.parametrize(("name", "variant"), [("ten", ""), ("ten", "strong"), ("ten-fpu", ""), ("ten-ours", "strong")])
def test_rows_of_netbsd_10(kernel, name, variant):
    """Catches a row of NetBSD 10 with another cipher, hash or kern.arandom than its own, or in its place not ours; bench.c checks the last."""
    if kernels.ten(kernels.sources()) is None:
        pytest.skip(kernels.HOW_TEN)
    lines = kernel(name).run("bench", *([variant] if variant else []), cpus=4).splitlines()
    assert {"arandom1", "arandom4", "cpu4"} <= {line.split()[0] for line in lines if line}
    generator = kernel(name).folder / ("strong_erasure.o" if name == "ten-ours" else "nist_hash_drbg.o")
    assert ("SHA256_Update" in kernels.run(["nm", "-u", generator])) == (name != "ten-ours")


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
