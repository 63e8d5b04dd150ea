# SPDX-License-Identifier: BSD-2-Clause
"""The life of keys: their age, their replacement, and that no expired key is used."""

import re

import pytest

from conftest import CPUS, LEVELS

WORDS = r"^[0-9a-f]{16}( [0-9a-f]{16})+$"


def words_of_cpus(machine, cpus=CPUS):
    return [machine.wait_for(WORDS).group().split() for _ in range(cpus)]


def test_keys_are_replaced_as_they_should(each, tmp_path):
    """Catches a key that outlives a wake-up, a clone, or its number of refills.

    A machine that wakes with all its CPUs, and one that is cloned: each state of each CPU has a new key, and the generation
    is stepped after that.  What was under way is made again, a request as well as a key; a key that is being read is left
    alone; a young key is replaced after 4096 refills, and one that lay in its cell is as old as that.
    """
    with each.boot(tmp_path, """
        load reseed_ms=4000000 renew_ms=4000000
        cat $D/cprng_test/wake
        cat $D/cprng_test/clone
        cat $D/cprng_test/again
        cat $D/cprng_test/reading
        cat $D/cprng_test/limit
        cat $D/cprng_test/stale
        echo 1000 > /sys/module/cprng/parameters/reseed_ms
        cat $D/cprng_test/lain
        unload; pass""") as machine:
        every = CPUS * LEVELS
        new = rf"^steps (\d+), keys (\d+) of {every}, delivered after the step (\d+)$"
        assert machine.wait_for(new).groups() == ("1", str(every), "0"), "woken"
        assert machine.wait_for(new).groups() == ("1", str(every), "0"), "cloned"
        for what in ("long request", "strong request"):
            assert machine.wait_for(rf"^{what}: made (\d+) times$").group(1) == "2", what
        # One piece of a page, 256 bytes, or the page at once.
        assert int(machine.wait_for(r"^device read: made (\d+) times$").group(1)) == 2
        machine.wait_for("^what is read is kept, the next key is there$")
        machine.wait_for("^while it is written 1 is taken, the next key is there$")
        assert int(machine.wait_for(r"^replaced (\d+)$").group(1)) >= 1
        machine.wait_for("^keys made again 1$")
        machine.wait_for("^after a key that lay the next is there$")
        machine.finish()


def test_no_key_is_delivered_while_a_machine_goes_to_sleep(each, tmp_path):
    """Catches a key delivered between freezing and the image, which both copies would have.

    Draws ask for keys all the time; from when devices are suspended on, before which all is frozen, none comes.
    """
    with each.boot(tmp_path, """
        load reseed_ms=0
        echo 2 > /sys/module/suspend/parameters/pm_test_delay
        echo devices > /sys/power/pm_test
        cat $D/cprng_test/before_sleep
        echo mem > /sys/power/state || fail suspend
        cat $D/cprng_test/frozen
        unload; pass""") as machine:
        machine.wait_for("^drawing$")
        machine.wait_for("^asleep, keys delivered meanwhile 0$")
        machine.finish()


@pytest.mark.parametrize("uses", [0, 1])
def test_unloads_while_a_request_waits(each, uses, tmp_path):
    """Catches a module that is unloaded before the CPU whose request it holds, and secrets in freed memory.

    A CPU with interrupts off has asked for a key, or has used Fortuna after a rest: it must have been heard before the
    module is gone.
    """
    with each.boot(tmp_path, f"""
        insmod /m/cprng.ko reseed_ms=0 || fail insmod
        [ {uses} = 0 ] || until grep -q "^resting 1$" $D/cprng/status; do sleep 1; done
        insmod /m/cprng_late.ko uses={uses} || fail insmod
        rmmod cprng || fail rmmod
        until dmesg | grep -q "cprng_late: interrupts are on again"; do :; done
        # A timer that was started again would expire in this time, and find no module.
        [ {uses} = 0 ] || sleep 2
        pass""") as machine:
        machine.wait_for_log("cprng_late: it goes, and a request waits$")
        machine.wait_for_log("cprng_late: states (erased|LEFT)$")
        machine.wait_for_log("cprng_late: Fortuna (erased|LEFT)$")
        machine.finish()
        assert not any("LEFT" in line for line in machine.log.all)


def test_a_machine_at_rest_is_seldom_woken(each, tmp_path):
    """Catches a thread that runs when no reader needs it.

    Two turns of the thread, and not a hundred, for each time that all keys are replaced; ten a second when it is read.
    """
    with each.boot(tmp_path, """
        load
        count() { sed -n "s/^$1 //p" $D/cprng/status; }
        await() { until=$(($(count $1) + $2)); until [ $(count $1) -ge $until ]; do sleep 1; done; }
        await renewals 1
        look() { grep -e "^turns " -e "^renewals " $D/cprng/status; }
        look; await renewals 2; look
        dd if=/dev/cprng of=/dev/null bs=32 count=1 2>/dev/null
        turns=$(count turns); await turns 10
        echo awake
        unload; pass""", cpus=1) as machine:
        # The guest may look later than at the second renewal.
        renewals, turns, renewals_after, turns_after = (
            int(machine.wait_for(rf"^{what} (\d+)$").group(1)) for what in 2 * ["renewals", "turns"])  # fmt: skip
        assert turns_after - turns <= 6 * (renewals_after - renewals)
        machine.wait_for("^awake$")
        machine.finish()


def test_a_rest_may_end_in_the_interrupt_of_its_timer(each, tmp_path):
    """Catches a timer that is forwarded while queued, about which the kernel warns.

    A program reads after a rest, in the moment in which the timer's interrupt is under way: it goes on, and is heard.
    """
    with each.boot(tmp_path, """
        load
        cat $D/cprng_test/timer
        count() { sed -n "s/^turns //p" $D/cprng/status; }
        until=$(($(count) + 3))
        until [ $(count) -ge $until ]; do sleep 1; done
        unload; pass""", cpus=2) as machine:
        machine.wait_for("^started in its own interrupt$")
        machine.finish()


CLONE = """
    load {parameters}
    cat $D/cprng_test/draw > /dev/null
    echo ready
    read what
    case $what in
    age)
        count() {{ sed -n "s/^renewals //p" $D/cprng/status; }}
        until=$(($(count) + 2))
        until [ $(count) -ge $until ]; do sleep 1; done ;;
    wake)
        cat $D/cprng_test/wake > /dev/null ;;
    esac
    cat $D/cprng_test/draw
    pass"""


def words_of_clones(kernel, directory, parameters, events):
    """The draws of two clones of one state, depending on the events before."""
    script = CLONE.format(parameters=parameters)
    state = directory / "state"
    with kernel.boot(directory, script) as machine:
        machine.wait_for("^ready$")
        machine.save(state)
    drawn = {}
    for what in events:
        machines = [kernel.boot(directory, script, incoming=state, name=f"{what}{number}") for number in (0, 1)]
        try:
            for machine in machines:
                machine.resume()
                machine.send(what)
            drawn[what] = [words_of_cpus(machine) for machine in machines]
            for machine in machines:
                machine.finish()
        finally:
            for machine in machines:
                machine.close()
    return drawn


def test_clones_of_an_idle_machine_differ(each, tmp_path):
    """Catches a state of any CPU that keeps its key when all keys are replaced.

    One state resumed again and again with the identifier that it had, so that no kernel can know.  Where no key is replaced
    by time, each clone draws what the others draw, from every state of every CPU: so the test would see it.  When all keys
    have been replaced, or the machine believes that it was asleep with all its CPUs, none has a word of another.
    """
    drawn = words_of_clones(each, tmp_path, "reseed_ms=4000000 renew_ms=4000000", ["nothing", "wake"])
    drawn |= words_of_clones(each, tmp_path, "", ["age"])
    for cpu in range(CPUS):
        same = sum(a == b for a, b in zip(*(d[cpu] for d in drawn["nothing"])))
        assert same == 2 * LEVELS, f"the test cannot see a repetition on CPU {cpu}"
        for what in ("age", "wake"):
            one, other = (set(d[cpu]) for d in drawn[what])
            assert not one & other, f"{what}: {len(one & other)} words of CPU {cpu} came twice"


def test_a_probe_draws_in_the_middle_of_draws(every, tmp_path):
    """Catches a draw that uses the interrupted draw's state.

    On the cipher, at the same depth as the draw that it is in; and each depth of NMIs, in each other's draws.  A draw from
    Fortuna has the lock there, for which the probe's must not wait.
    """
    with every.boot(tmp_path, """
        # No state that the first probes used is old when `depths` draws from it.
        load reseed_ms=4000000 renew_ms=4000000
        cat $D/cprng_test/probe > /tmp/words
        head -n 1 /tmp/words
        echo all $(wc -l < /tmp/words) different $(sort -u /tmp/words | wc -l)
        cat $D/cprng_test/probe_strong > /tmp/words
        head -n 1 /tmp/words
        echo strong $(wc -l < /tmp/words) different $(sort -u /tmp/words | wc -l)
        taskset 2 cat $D/cprng_test/depths > /tmp/words
        echo depths $(sort -u /tmp/words | wc -l)
        cat $D/cprng/status
        unload; pass""") as machine:
        found = machine.wait_for(r"^all (\d+) different (\d+)$")
        # 300 of the draws', of which at least every thirteenth refills.
        assert int(found.group(1)) >= 300 + 300 // 13, found.group()
        assert found.group(1) == found.group(2)
        # Each of them generates, so a probe runs in it.
        assert machine.wait_for(r"^strong (\d+) different (\d+)$").groups() == ("600", "600")
        assert machine.wait_for(r"^depths (\d+)$").group(1) == str(2 * LEVELS)
        machine.wait_for(rf"^cpu1 refills [1-9]\d* reseeds \d+ nested-refills (\d+) nested-reseeds {LEVELS - 1}$")
        machine.finish()


def test_requests_are_bounded(each, tmp_path):
    """Catches a long request that holds the vector registers or interrupts for all of it: it has a section for each 4 KiB."""
    with each.boot(tmp_path, """
        load
        grep sections $D/cprng/selftest
        cat $D/cprng_test/long
        grep sections $D/cprng/selftest
        unload; pass""") as machine:
        before = int(machine.wait_for(r"^sections in vectors: (\d+)$").group(1))
        machine.wait_for("^65536 bytes drawn$")
        after = int(machine.wait_for(r"^sections in vectors: (\d+)$").group(1))
        assert after - before == 16
        machine.finish()
        assert not any(re.search("WRONG", line) for line in machine.console.all)
