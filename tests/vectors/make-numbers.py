#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Make numbers.json: the results of stream_model.py for streams, with which all languages compare theirs.

make-numbers.py > numbers.json

  seeds      engine, seed ("integer" in decimal, "string", or "bytes"), path (indexes of children): key, checkpoint at 0
  sequences  of such a stream, or of the children of one that is given by its checkpoint: a list of steps.  The last are those of
             borders.py.  A step is what is called, its arguments, and its result:
             "read", n, bytes          "seek", offset              "u8" ... "u64", result      "bool", result
             "float" or "double", r    "uniform32" or "uniform64", bound, result
             "range64" or "int_range", lo, hi, result              "shuffle", n, order of 0 ... n - 1
             "sample", k, n, result    "normal", mu, sigma, r      "exponential", mean, r
             "normals" or "exponentials" or "doubles" or "floats", n, SHA-256 of them as little-endian IEEE numbers
             "checkpoint", bytes       "tell", offset
  ends       such sequences where streams end.  The result of a step that is refused is "refused"
  functions  bits: the normal and the exponential of each
  choices    sequences and ends with more kinds of steps:
             "bernoulli", p, result    "bernoulli_ratio", numerator, denominator, result
             "weighted", weights, n, n results
             "text", length, bytes of the alphabet, bytes       "uuid4", text       "uuid7", milliseconds, text

Bytes are hexadecimal, integers above 2^53 decimal strings (all results and arguments of integer steps are strings), and
floating-point numbers the hexadecimal form of C and Python.
"""

import json
import random

from borders import ALPHABETS, PROBABILITIES, WEIGHTS, all_streams, choices, ends, steps_of, telling_words
from stream_model import ENGINES, VERSION, Stream, standard_exponential, standard_normal

SEEDS = [0, 1, 42, 255, 256, 2**32, 2**64 - 1, "42", "a seed", "Zahlen für Jürgen", bytes(16), bytes(range(40))]
PATHS = [[], [0], [1], [2**64 - 1], [0, 0], [7, 2**40]]


def describe(seed):
    if isinstance(seed, int):
        return {"integer": str(seed)}
    return {"string": seed} if isinstance(seed, str) else {"bytes": seed.hex()}


def stream_of(engine, seed, path):
    stream = Stream.of_seed(seed, engine)
    for index in path:
        stream = stream.spawn(index)
    return stream


def random_step(offset, choose):
    """A step from this offset on, without its result."""
    kind = choose.choice(
        "read seek u8 u16 u32 u64 bool float double uniform32 uniform64 range64 int_range shuffle sample normal exponential "
        "normals exponentials doubles floats checkpoint tell".split())
    big = choose.getrandbits(choose.choice((3, 10, 32, 33, 64)))
    if kind == "read":
        return [kind, choose.randrange(50)]
    if kind == "seek":
        return [kind, str(choose.choice((choose.getrandbits(12), choose.getrandbits(62), offset + choose.randrange(100))))]
    if kind in ("uniform32", "uniform64"):
        return [kind, str(big % 2**32 if kind == "uniform32" else big)]
    if kind == "range64":
        return [kind, str(big), str(choose.choice((0, 2**64 - 1, choose.getrandbits(64))))]
    if kind == "int_range":
        return [kind, *(str(choose.choice((-(2**63), 2**63 - 1, choose.getrandbits(63), -choose.getrandbits(20)))) for _ in range(2))]
    if kind == "shuffle":
        return [kind, str(choose.randrange(40))]
    if kind == "sample":
        n = choose.choice((choose.randrange(60), big))
        return [kind, str(choose.randrange(min(n, 30) + 1)), str(n)]
    if kind == "normal":
        return [kind, *(real.hex() for real in choose.choice(((0.0, 1.0), (-3.25, 0.1), (1e300, 1e299))))]
    if kind == "exponential":
        return [kind, choose.choice((1.0, 0.3, 1e-300)).hex()]
    if kind in ("normals", "exponentials", "doubles", "floats"):
        return [kind, choose.choice((0, 3, 17, 300))]
    return [kind]


def random_choice(choose):
    kind = choose.choice("read u32 bernoulli bernoulli_ratio weighted text uuid4 uuid7".split())
    if kind == "read":
        return [kind, choose.randrange(50)]
    if kind == "bernoulli":
        return [kind, choose.choice((*PROBABILITIES, choose.random())).hex()]
    if kind == "bernoulli_ratio":
        return [kind, *(str(choose.getrandbits(choose.choice((3, 33, 64)))) for _ in range(2))]
    if kind == "weighted":
        some = [choose.getrandbits(choose.choice((2, 10, 40))) + (i == 0) for i in range(choose.randrange(1, 30))]
        return [kind, list(map(str, choose.choice((*WEIGHTS, some, some, some)))), choose.randrange(1, 9)]
    if kind == "text":
        return [kind, choose.randrange(40), choose.choice(ALPHABETS).hex()]
    return [kind, str(choose.getrandbits(48))] if kind == "uuid7" else [kind]


def telling_bits(choose):
    """The borders, both tails to their ends, and the centre."""
    top = 1 << 63
    yield from telling_words()
    for shift in range(0, 64, 8):
        x = choose.getrandbits(64) >> shift
        yield from (x, x ^ top, 2**64 - 1 - x, (2**64 - 1 - x) ^ top)


def sequence_of(engine, key, nonce, path, steps):
    stream = Stream(engine, key, nonce)
    row = {"engine": engine, "checkpoint": stream.checkpoint().hex(), "path": list(map(str, path))}
    for index in path:
        stream = stream.spawn(index)
    return row | {"steps": list(steps_of(stream, steps))}


def make():
    choose = random.Random("numbers.json")
    seeds = []
    for number, engine in enumerate(ENGINES):
        for seed in SEEDS if engine == "chacha8" else SEEDS[number::3]:
            for path in PATHS if seed == 42 else PATHS[:2]:
                stream = stream_of(engine, seed, path)
                seeds.append({"engine": engine, **describe(seed), "path": list(map(str, path)), "key": stream.key.hex(),
                              "checkpoint": stream.checkpoint().hex()})
    sequences = []
    for engine, count in (("chacha8", 160), ("chacha20", 30), ("salsa20", 30), ("aes256-ctr", 30), ("aes128-ctr", 30)):
        stream = stream_of(engine, 42, [3])
        steps = [one for _ in range(count) for one in steps_of(stream, [random_step(stream.offset, choose)])]
        sequences.append({"engine": engine, "integer": "42", "path": ["3"], "steps": steps})
    sequences += [sequence_of(*row) for row in all_streams()]
    functions = [{"bits": str(x), "normal": standard_normal(x).hex(), "exponential": standard_exponential(x).hex()}
                 for x in telling_bits(choose)]
    ending = [sequence_of(engine, key, nonce, [], steps) for engine, key, nonce, steps in ends()]
    choosing = random.Random("choices")
    chosen = []
    for engine in ("chacha8", "aes256-ctr"):
        stream = stream_of(engine, 42, [3])
        steps = [one for _ in range(120) for one in steps_of(stream, [random_choice(choosing)])]
        chosen.append({"engine": engine, "integer": "42", "path": ["3"], "steps": steps})
    chosen += [sequence_of(*row) for row in choices()]
    return {"seeds": seeds, "sequences": sequences, "ends": ending, "functions": functions, "choices": chosen}


def main():
    about = "Streams, by make-numbers.py, which says what the fields are, " \
            f"from docs/streams-specification.md, version {VERSION}"
    parts = make()
    print('{\n "about": ' + json.dumps(about) + ",")
    for last, (name, rows) in enumerate(parts.items(), 1):
        print(f' "{name}": [')
        if name in ("sequences", "ends", "choices"):
            for i, row in enumerate(rows):
                head = json.dumps({key: value for key, value in row.items() if key != "steps"}, ensure_ascii=False)
                print(f'  {head[:-1]}, "steps": [')
                print(",\n".join("   " + json.dumps(entry) for entry in row["steps"]))
                print("  ]}" + ("," if i + 1 < len(rows) else ""))
        else:
            print(",\n".join("  " + json.dumps(row, ensure_ascii=False) for row in rows))
        print(" ]" + ("," if last < len(parts) else ""))
    print("}")


if __name__ == "__main__":
    main()
