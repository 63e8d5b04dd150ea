#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Make fortuna.json: random sequences of events, times and reads, with the model's results.

make-fortuna.py [--seed=N] [--sequences=N] [--steps=N] > fortuna.json

A step is a list that begins with what is done:

  "time", nanoseconds
  "put", source, entropy_bits, payload
  "drain", number of events
  "add_events", [[source, entropy_bits, payload]...]
  "seed", bytes
  "read" or "try_read", length, output

The kept sequences are few: both engines, both paces, a full queue and a long read, so that the other architectures and a
machine without Python have something to compare with.  They are those of a seed that tells apart reseeds of half
the interval, of a nanosecond more or less, and of a clock that is set back.  play-fortuna.py plays many more, which are
new each time.

Bytes are hexadecimal; output of more than 48 bytes is its SHA-256 behind a "#", and null where there is none yet.  All
but the first two are followed by the state after them: reseeds so far, the entropy_bits of pool 0, events dropped.
"""

import argparse
import hashlib
import json
import random

import fortuna_model

SHORT = 48
MIB = 1 << 20


class Dice:
    """Uses only those parts of random.Random that are the same in all versions of Python."""

    def __init__(self, seed):
        self.bits = random.Random(seed).getrandbits

    def below(self, n):
        return self.bits(64) % n

    def one_of(self, *values):
        return values[self.below(len(values))]

    def bytes(self, n):
        return self.bits(8 * n).to_bytes(n, "big") if n else b""

    def chance(self, percent):
        return self.below(100) < percent


class Sequence:
    def __init__(self, dice, engine, long_reads):
        self.dice = dice
        self.engine = engine
        self.long_reads = long_reads
        self.pool_min = dice.one_of(16, 16, 16, 17, 31, 64)
        self.model = fortuna_model.Fortuna(engine, self.pool_min)
        self.sources = [dice.below(256) for _ in range(dice.one_of(1, 2, 5, 40, 40, 200))]
        self.generous = dice.one_of(20, 80, 100)  # percent of events that are long and of full entropy
        self.steps = []

    def event(self, tiny=False):
        dice = self.dice
        source = self.sources[dice.below(len(self.sources))]
        if tiny:
            length, entropy_bits = 1 + dice.below(2), dice.one_of(0, 0, 1, 8)
        elif dice.chance(self.generous):
            length, entropy_bits = 32, dice.one_of(256, 255, 128)
        else:
            length = 1 + dice.below(32)
            entropy_bits = dice.one_of(0, 1, 8 * length, dice.below(8 * length + 1))
        return source, entropy_bits, dice.bytes(length)

    def state(self):
        return [self.model.reseeds, self.model.entropy_bits[0], self.model.dropped]

    def time(self):
        dice = self.dice
        step = dice.one_of(0, 1, 99_999_999, 100_000_000, 100_000_000, 100_000_001, dice.below(1 << 30), 1 << 40)
        if dice.chance(15):  # the clock is set back
            step = -min(self.model.now, dice.one_of(1, 50_000_000, dice.below(1 << 31), 1 << 41))
        self.model.now += step
        self.steps.append(["time", self.model.now])

    def put(self, event):
        self.model.put(event)
        source, entropy_bits, payload = event
        self.steps.append(["put", source, entropy_bits, payload.hex()])

    def drain(self):
        self.steps.append(["drain", self.model.add_events([]), *self.state()])

    def add_events(self, events):
        self.model.add_events(events)
        self.steps.append(["add_events", [[s, c, p.hex()] for s, c, p in events], *self.state()])

    def seed(self):
        seed = self.dice.bytes(self.dice.one_of(1, 16, 32, 64, self.dice.below(200)))
        self.model.seed(seed)
        self.steps.append(["seed", seed.hex(), *self.state()])

    def read(self, length):
        if self.model.generator.counter == 0:
            length += 1
        out = self.model.read(length)
        out = None if out is None else self.shown(out)
        self.steps.append(["read", length, out, *self.state()])

    def try_read(self):
        """with the pools just looked after, so that it makes no difference that this need not do it"""
        self.drain()
        length = 1 + self.dice.below(300)
        out = self.model.generator.read(length)
        self.steps.append(["try_read", length, None if out is None else self.shown(out), *self.state()])

    def shown(self, out):
        return out.hex() if len(out) <= SHORT else "#" + hashlib.sha256(out).hexdigest()

    def length(self):
        dice = self.dice
        return dice.one_of(
            0, 1, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129, dice.below(300), dice.below(3000), dice.below(70000)
        )

    def long_length(self):
        dice = self.dice
        return dice.one_of(MIB - 1, MIB, MIB + 1, 2 * MIB, 2 * MIB + 17, 3 * MIB + 2 * dice.below(1000) + 1)

    def step(self):
        dice = self.dice
        kind = dice.below(100)
        if kind < 40:
            for _ in range(1 + dice.below(4)):
                self.put(self.event())
        elif kind < 60:
            self.time()
        elif kind < 70:
            self.drain()
        elif kind < 76:
            self.add_events([self.event() for _ in range(dice.below(4))])
        elif kind < 77:
            self.seed()
        elif kind < 80:
            self.try_read()
        else:
            self.read(self.length())

    def brisk_step(self):
        """mostly a reseed: every 2^i-th one with pool i"""
        dice = self.dice
        self.put((dice.below(256), 256, dice.bytes(32)))
        if dice.chance(30):
            self.put(self.event(tiny=True))
        self.model.now += 100_000_000
        self.steps.append(["time", self.model.now])
        if dice.chance(30):
            self.read(self.length())
        else:
            self.drain()

    def overflow(self):
        for _ in range(fortuna_model.QUEUE - 2 + self.dice.below(40)):
            self.put(self.event(tiny=True))

    def final(self):
        model = self.model
        pools = b"".join(fortuna_model.hd(message) for message in model.pools)
        return {
            "key": model.generator.key.hex(),
            "counter": f"{model.generator.counter:032x}",
            "reseeds": model.reseeds,
            "events": model.events,
            "dropped": model.dropped,
            "waiting": len(model.queue),
            "entropy_bits": model.entropy_bits,
            "pools": hashlib.sha256(pools).hexdigest(),
        }

    def make(self, number, brisk):
        if brisk:
            self.pool_min = self.model.pool_min = 16
        at = {self.dice.below(number): self.overflow} if self.dice.chance(25) else {}
        for i in range(number):
            at.get(i, self.brisk_step if brisk else self.step)()
        for _ in range(self.long_reads):
            self.read(self.long_length())
        return {
            "engine": self.engine,
            "pool_min": self.pool_min,
            "steps": self.steps,
            "final": self.final(),
        }


def dump(sequences):
    """JSON with a step on each line"""
    lines = ['{"about": "Made by make-fortuna.py, which says what the fields are.", "sequences": [']
    for i, sequence in enumerate(sequences):
        head = {key: sequence[key] for key in ("engine", "pool_min", "final")}
        lines.append(json.dumps(head)[:-1] + ', "steps": [')
        lines.extend(
            json.dumps(step, separators=(",", ":")) + ("," if j + 1 < len(sequence["steps"]) else "")
            for j, step in enumerate(sequence["steps"])
        )
        lines.append("]}" + ("," if i + 1 < len(sequences) else ""))
    return "\n".join([*lines, "]}"])


def make(seed, number, steps):
    dice = Dice(seed)
    sequences = []
    for i in range(number):
        engine = ("aes256-ctr", "chacha20")[i % 2]
        sequence = Sequence(dice, engine, long_reads=3 if i % 8 < 2 else 0)
        sequences.append(sequence.make(steps, brisk=i % 6 < 2))
    return sequences


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=251)
    parser.add_argument("--sequences", type=int, default=4)
    parser.add_argument("--steps", type=int, default=50)
    arguments = parser.parse_args()
    print(dump(make(arguments.seed, arguments.sequences, arguments.steps)))


if __name__ == "__main__":
    main()
