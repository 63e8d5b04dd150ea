# SPDX-License-Identifier: BSD-2-Clause
"""The module in a guest with four CPUs: loading, draws from everywhere, and events of CPUs and machines."""

import re
import subprocess

import pytest

from conftest import CPUS, LEVELS, build

RACE_WORDS = {"process": 1 << 18, "softirq": 1 << 16, "hardirq": 1 << 16}
# A log ends where the next request might not fit.
REQUEST_MAX = 64

# Draws in a race are unique, while readers of both interfaces keep the CPUs busy.
RACE = """
for i in 1 2; do
	while dd if=/dev/cprng of=/dev/null bs=64k count=16; do :; done 2>/dev/null &
	readers="$readers $!"
done
while dd if=/proc/sys/kernel/cprng/arandom of=/dev/null bs=256 count=1; do :; done 2>/dev/null &
readers="$readers $!"
echo racing
cat $D/cprng_test/race
kill $readers
wait $readers
duplicates $D/cprng_test/words || fail duplicates
"""


def counts_of_race(machine):
    """Words by context, after the line `racing`."""
    counts = {}
    for context in ("process", "softirq", "hardirq", "nmi"):
        counts[context] = int(machine.wait_for(rf"^{context} (\d+)$").group(1))
    return counts


def check_race(machine, cpus=CPUS):
    counts = counts_of_race(machine)
    for context, words in RACE_WORDS.items():
        assert cpus * (words - REQUEST_MAX) <= counts[context] <= cpus * words
    machine.wait_for(r"^\d+ words, 0 bad$")
    return counts


def test_builds_without_a_warning(every):
    """Catches a warning from any kernel for which the module is built."""
    assert not re.search(r"warning|error", every.output, re.IGNORECASE), every.output


def test_what_is_installed_has_nothing_for_tests(each, tmp_path):
    """Catches a test parameter or export in the installed module, and ciphers that it never uses."""
    output = build(each.kernel, tmp_path / "plain")
    assert "warning" not in output
    plain, tested = (subprocess.run(["nm", place / "cprng.ko"], capture_output=True, check=True, text=True).stdout
                     for place in (tmp_path / "plain", each.place))
    for name in ("param_spoil", "__ksymtab_cprng_cipher_expand"):
        assert name in tested and name not in plain
    assert not (tmp_path / "plain" / "cprng_test.ko").exists()
    assert "chacha" in plain and not re.search("aes|salsa", plain, re.IGNORECASE)


def test_loads_and_gives_the_same_everywhere(every, tmp_path):
    """Catches a context in which vectors return other bytes, a program's registers that change, and remains after unloading."""
    with every.boot(tmp_path, """
        load
        cat $D/cprng/selftest
        cat $D/cprng_test/contexts; echo end of contexts
        entrances || fail entrances
        # Also without a page for a long read.
        echo 1 > /sys/module/cprng/parameters/no_memory
        entrances || fail entrances without memory
        echo 0 > /sys/module/cprng/parameters/no_memory
        for locked in 1 0; do
            echo $locked > /proc/sys/kernel/cprng/locked_reads
            registers /dev/cprng 200 || fail registers
        done
        unload
        ! [ -e /dev/cprng ] && ! [ -e /proc/sys/kernel/cprng ] && ! [ -e $D/cprng ] || fail something is left
        load locked_reads=0
        [ "$(cat /proc/sys/kernel/cprng/locked_reads)" = 0 ] || fail locked_reads
        pass""") as machine:
        for backend in ("avx2", "portable"):
            machine.wait_for(rf"^chacha20/{backend} passed used$")
        assert int(machine.wait_for(r"^sections in vectors: (\d+)$").group(1)) == 0
        for context in ("interrupts off", "process", "bottom halves off", "in a section", "interrupt"):
            machine.wait_for(f"^{context} ok$")
        machine.finish()
        assert not any(re.search("WRONG|failed", line) for line in machine.console.all)


def test_does_not_load_with_a_wrong_backend(each, tmp_path):
    """Catches a self-test that passes a backend with a wrong byte, or does not name it."""
    with each.boot(tmp_path, """
        load
        sed -n 's/ passed.*//p' $D/cprng/selftest > /tmp/backends
        unload
        while read backend; do
            insmod /m/cprng.ko spoil=$backend 2>/dev/null && fail $backend was used
            dmesg | tail -n 2 | grep -q "cprng: self-test 1 of $backend failed, not loading" || fail $backend
            echo refused $backend
        done < /tmp/backends
        pass""") as machine:
        machine.finish()
        refused = [line for line in machine.console.all if line.startswith("refused ")]
        assert set(refused) == {f"refused chacha20/{name}" for name in ("portable", "sse2", "ssse3", "avx2")}


@pytest.mark.parametrize("locked", [1, 0])
def test_race(every, locked, tmp_path):
    """Catches a word that two contexts or two CPUs receive: threads, softirqs, hard interrupts, NMIs."""
    with every.boot(tmp_path, f"load locked_reads={locked}" + RACE + """
        cat $D/cprng/status; echo end of status
        unload; pass""") as machine:
        machine.wait_for_log("cprng_test: racing$")
        for _ in range(200):
            machine.monitor.run("inject-nmi")
        assert check_race(machine)["nmi"] > 0
        for cpu in range(CPUS):
            found = machine.wait_for(rf"^cpu{cpu} refills (\d+) reseeds (\d+) nested-refills (\d+) nested-reseeds \d+$")
            # The first key was pending before the first draw; the draws requested the next ones.
            assert int(found.group(1)) > 0 and int(found.group(2)) > 1
        assert int(machine.wait_for(r"^fortuna_reseeds (\d+)$").group(1)) > 1
        machine.finish()


def test_readers_wait_with_interrupts_on(each, tmp_path):
    """Catches readers that all wait for the lock with interrupts off.

    Locked readers on all CPUs, while the test holds the lock: one of them waits for it with interrupts off, and the others
    answer an interrupt.
    """
    with each.boot(tmp_path, """
        # A worker that replaces keys would wait for the generator's lock beside the reader.
        load reseed_ms=4000000 renew_ms=4000000
        for cpu in 1 2 4 8; do
            taskset $cpu dd if=/dev/cprng of=/dev/null bs=1k 2>/dev/null & readers="$readers $!"
        done
        # A program that starts waits for an answer of all CPUs, and the test's CPU gives none.
        for reader in $readers; do
            until grep -q '^rchar: ....' /proc/$reader/io; do :; done
        done
        cat $D/cprng_test/queue
        kill $readers; wait $readers
        unload; pass""") as machine:
        found = machine.wait_for("^.* queued, .*$").group(0)
        assert found == f"some queued, 1 waiting, {CPUS - 2} of {CPUS - 2} answered"
        machine.finish()


@pytest.mark.parametrize("using, others", [
    ("dd if=/dev/zero of=/dev/cprng bs=64k", "reseeds"),
    ("dd if=/dev/cprng of=/dev/null bs=64k", "dd if=/dev/cprng of=/dev/null bs=64k count=1"),
])
def test_nobody_waits_for_who_is_preempted(each, using, others, tmp_path):
    """Catches a lock that a preempted program holds while others wait for it.

    A program that writes or reads, on a CPU that is then taken away from it, wherever it was: meanwhile there are
    reseeds, and others read.  Preemption is in all of the kernel, and nothing gives real-time processes a rest.
    """
    with each.boot(tmp_path, f"""
        load
        echo -1 > /proc/sys/kernel/sched_rt_runtime_us
        echo '#!/bin/sh
            count() {{ sed -n "s/^fortuna_reseeds //p" {{D}}/cprng/status; }}
            until=$(($(count) + 2))
            # The draws keep the thread from resting.
            until [ $(count) -ge $until ]; do cat /proc/sys/kernel/cprng/arandom > /dev/null; done' | sed "s|{{D}}|$D|" > /bin/reseeds
        chmod +x /bin/reseeds
        taskset 8 {using} 2>/dev/null & program=$!
        turn=0
        while [ $turn -lt 15 ]; do
            hog 3 {others} 2>/dev/null || fail turn $turn
            turn=$((turn + 1))
            echo got through $turn
        done
        kill $program; wait $program
        unload; pass""", append="preempt=full") as machine:
        for turn in range(15):
            machine.wait_for(f"^got through {turn + 1}$")
        machine.finish()


def test_cpus_come_and_go(each, tmp_path):
    """Catches a state that remains on an offline CPU, and a repeated word, while threads and timers draw."""
    with each.boot(tmp_path, """
        load
        (
            while :; do
                for cpu in 1 2 3; do echo 0 > /sys/devices/system/cpu/cpu$cpu/online; done
                for cpu in 3 1 2; do echo 1 > /sys/devices/system/cpu/cpu$cpu/online; done
                echo turned
            done
        ) &
        turns=$!""" + RACE + """
        kill $turns; wait $turns
        for cpu in 1 2 3; do echo 1 > /sys/devices/system/cpu/cpu$cpu/online; done 2>/dev/null
        cat $D/cprng_test/draw > /tmp/drawn
        echo 0 > /sys/devices/system/cpu/cpu2/online
        cat $D/cprng/status
        echo 1 > /sys/devices/system/cpu/cpu2/online
        cat $D/cprng_test/draw >> /tmp/drawn
        [ $(tr ' ' '\\n' < /tmp/drawn | sort -u | wc -l) = $(tr ' ' '\\n' < /tmp/drawn | wc -l) ] || fail drawn twice
        unload; pass""") as machine:
        machine.wait_for("^turned$")
        machine.wait_for("^turned$")
        # Some may have been offline when the race began.
        counts_of_race(machine)
        machine.wait_for(r"^\d+ words, 0 bad$")
        machine.wait_for(r"^cpu1 refills [1-9]\d* reseeds [1-9]\d* ")
        machine.wait_for(r"^cpu2 refills 0 reseeds 0 nested-refills 0 nested-reseeds 0$")
        machine.finish()


def test_unloads_under_load(every, tmp_path):
    """Catches a module that is unloaded under a reader, or never, while readers of all entrances come and go."""
    with every.boot(tmp_path, """
        stress() { while ! [ -e /tmp/stop ]; do "$@"; done; }
        device() { dd if=/dev/cprng of=/dev/null bs=4k count=4 2>/dev/null && echo >> /tmp/read; }
        arandom() { dd if=/proc/sys/kernel/cprng/arandom of=/dev/null bs=256 count=1 2>/dev/null; }
        written() { [ -c /dev/cprng ] && echo word > /dev/cprng; } 2>/dev/null
        debugged() { cat $D/cprng/status $D/cprng/selftest >/dev/null 2>&1; }
        for what in device device arandom written debugged; do stress $what & done
        insmod /m/cprng.ko || fail insmod
        (exec 3</dev/cprng; rmmod cprng 2>/dev/null && fail unloaded while it was open)
        loads=0
        while [ $loads -lt 15 ]; do
            read=$(wc -l < /tmp/read)
            while [ $(wc -l < /tmp/read) -lt $((read + 3)) ]; do :; done
            until rmmod cprng 2>/dev/null; do :; done
            insmod /m/cprng.ko || fail insmod
            loads=$((loads + 1))
        done
        touch /tmp/stop
        wait
        rmmod cprng
        pass""") as machine:
        machine.finish()


def test_wakes_with_new_keys(each, tmp_path):
    """Catches a CPU that continues with its old key after a resume, which is a new generation."""
    with each.boot(tmp_path, """
        load
        cat $D/cprng_test/draw > /tmp/before
        grep generation $D/cprng/status
        echo 0 > /sys/module/suspend/parameters/pm_test_delay
        echo freezer > /sys/power/pm_test
        echo mem > /sys/power/state || fail suspend
        cat $D/cprng/status
        cat $D/cprng_test/draw > /dev/null
        cat $D/cprng/status
        unload; pass""") as machine:
        machine.wait_for("^generation 0$")
        machine.wait_for("^generation 1$")
        before = [int(machine.wait_for(rf"^cpu{cpu} refills \d+ reseeds (\d+)").group(1)) for cpu in range(CPUS)]
        after = [int(machine.wait_for(rf"^cpu{cpu} refills \d+ reseeds (\d+)").group(1)) for cpu in range(CPUS)]
        for cpu, (old, new) in enumerate(zip(before, after)):
            assert old < new, f"CPU {cpu} goes on with the key that it had"
        machine.finish()


# The clock of a restored machine, which was saved before.
LATER, LATER_SECONDS = "2035-01-01", 2051222400


def test_images_differ(each, tmp_path):
    """Catches a word that a hibernated image serves in both machines.

    One hibernated image brought back twice.  Programs that were drawing go on before any notifier runs, and from
    the first word on none has what the other machine has.
    """
    disk = tmp_path / "disk"
    with open(disk, "wb") as file:
        file.truncate(1 << 30)

    def boot(name, *devices, drive=""):
        return each.boot(tmp_path, f"""
            # Returns from here only if there is no image.
            cat /sys/class/block/vda/dev > /sys/power/resume
            mkswap /dev/vda > /dev/null && swapon /dev/vda || fail swap
            load
            for cpu in 1 2; do
                for i in 1 2; do taskset $cpu later /proc/sys/kernel/cprng/arandom {LATER_SECONDS} 200 & done
                taskset $cpu later /dev/cprng {LATER_SECONDS} 200 &
            done
            echo shutdown > /sys/power/disk
            cat /proc/sys/kernel/random/boot_id
            echo disk > /sys/power/state || fail hibernation
            echo back $(cat /proc/sys/kernel/random/boot_id)
            wait
            grep generation $D/cprng/status
            unload; pass""", cpus=2, name=name, modules=modules,
            devices=["-drive", f"file={disk},format=raw,if=virtio{drive}", *devices])

    # Requirements of one machine may also be those of the other.
    modules = dict.fromkeys(each.kernel.modules("virtio_pci") + each.kernel.modules("virtio_blk"))
    with boot("original") as machine:
        identity = machine.wait_for("^[0-9a-f-]{36}$").group()
        assert machine.wait() == 0, "it is not switched off"
        machine.close()
        machine.check_log()
    words = []
    for name in ("first", "second"):
        with boot(name, "-rtc", f"base={LATER}", drive=",snapshot=on") as machine:
            assert machine.wait_for("^back (.*)$").group(1) == identity
            # Once before anything runs, and again when the kernel reports it.
            machine.wait_for("^generation 2$")
            machine.finish()
            drawn = [line.split()[1:] for line in machine.console.all if line.startswith("later ")]
            assert len(drawn) == 6
            words.append(set(sum(drawn, [])))
            assert len(words[-1]) == 6 * 200
    common = words[0] & words[1]
    assert not common, f"{len(common)} words came twice"


GUIDS = ["33333333-3333-3333-3333-333333333333", "44444444-4444-4444-4444-444444444444",
         "55555555-5555-5555-5555-555555555555"]


def test_clones_differ(each, tmp_path):
    """Catches a word that two clones serve after the kernel has noticed.

    One state resumed three times.  With the identifier that it had, the machine cannot know, and what was buffered is
    served again: so the test would see it.  With others no clone has a word of another.
    """
    script = """
        # No key is replaced by age, which could hide the repetition.
        load reseed_ms=4000000 renew_ms=4000000
        cat $D/cprng_test/draw > /dev/null
        echo ready
        read generation
        until grep -q "^generation $generation$" $D/cprng/status; do :; done
        grep generation $D/cprng/status
        cat $D/cprng_test/draw
        echo strong $(dd if=/dev/cprng bs=64 count=1 2>/dev/null | hexdump -v -e '/1 "%02x"')
        pass"""
    state = tmp_path / "state"
    with each.boot(tmp_path, script, vmgenid=GUIDS[0]) as machine:
        machine.wait_for("^ready$")
        machine.save(state)
    clones = []
    for number, guid in enumerate([GUIDS[0], GUIDS[0], GUIDS[1], GUIDS[2]]):
        with each.boot(tmp_path, script, vmgenid=guid, incoming=state, name=f"clone{number}") as machine:
            machine.resume()
            if guid != GUIDS[0]:
                machine.wait_for_log("crng reseeded due to virtual machine fork$")
            machine.send("0" if guid == GUIDS[0] else "1")
            machine.wait_for(f"^generation {0 if guid == GUIDS[0] else 1}$")
            words = []
            for _ in range(CPUS):
                words += machine.wait_for(r"^[0-9a-f]{16}( [0-9a-f]{16})+$").group().split()
            words.append(machine.wait_for(r"^strong ([0-9a-f]+)$").group(1))
            machine.finish()
            clones.append(set(words))
    assert clones[0] & clones[1], "the test cannot see a repetition"
    for one, other in ((2, 3), (2, 0), (3, 0)):
        common = clones[one] & clones[other]
        assert not common, f"{len(common)} words of clone {one} are those of clone {other}"
