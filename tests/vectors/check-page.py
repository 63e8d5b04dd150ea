#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""check-page.py [--unit PROGRAM] [--command PROGRAM] [--count N] [--seed N]: is what the text of
docs/streams-specification.md makes (stream_model.py) what the library does and the command prints?

They are given COUNT streams of random steps, the borders of borders.py, and what the page refuses.  (numbers.json, which
make-numbers.py makes by the same model, is compared whole by the tests of each language.)"""

import argparse
import json
import os
import random
import re
import subprocess
import sys
import tempfile

import borders
import stream_model
from borders import steps_of
from stream_model import ENGINES, Refused, Stream


def check_examples():
    """Values that stand in sentences of the page."""
    split, = re.findall(r"0\.180625 .*the double (0x[0-9a-f.p+-]+)\)", stream_model.TEXT)
    assert float.fromhex(split) == 0.180625
    words = re.findall(r"0x([0-9a-f]{16}) (?:z|it) is (0x1\.[0-9a-f]+p\+\d)", stream_model.TEXT)
    assert [stream_model.standard_normal(int(word, 16)).hex() for word, _ in words] == [z for _, z in words]
    (less, z), (more, other) = words
    assert less < more and float.fromhex(z) > float.fromhex(other)


# ----------------------------------------------------------------------------------------------------- other sequences


def random_step(choose):
    big = choose.getrandbits(choose.choice((1, 4, 31, 32, 33, 63, 64)))
    small = choose.randrange(12)
    reals = [choose.choice((0.0, 1.0, -0.0, 1e-310, 3.7e300, choose.uniform(-9, 9))).hex() for _ in range(2)]
    ends = [str(choose.choice((-(2**63), 2**63 - 1, 0, choose.getrandbits(63) - 2**62, choose.randrange(-9, 9)))) for _ in range(2)]
    return choose.choice([
        ["read", choose.randrange(150)], ["seek", str(big)], ["u8"], ["u16"], ["u32"], ["u64"], ["bool"], ["float"], ["double"],
        ["uniform32", str(big % 2**32)], ["uniform64", str(big)], ["range64", str(big), str(choose.getrandbits(64))],
        ["int_range", *ends], ["shuffle", str(3 * small)], ["sample", str(small), str(big)], ["normal", *reals],
        ["exponential", reals[0]], ["normals", small], ["exponentials", small], ["doubles", small], ["floats", small],
        ["checkpoint"], ["tell"],
    ])  # fmt: skip


def with_key(engine, key, nonce, steps, path=()):
    """A row whose stream is given by key and nonce, or by no nonce."""
    row = {"engine": engine, "key": key.hex(), "path": list(map(str, path)), "steps": []}
    if nonce is not None:
        row["nonce"] = nonce.hex()
    try:
        stream = Stream(engine, key, nonce)
    except Refused:
        return row | {"refused": True}
    for index in path:
        stream = stream.spawn(index)
    row["steps"] += steps_of(stream, steps)
    return row


def random_rows(choose, count):
    for _ in range(count):
        engine = choose.choice(list(ENGINES))
        _, _, keys, nonces = ENGINES[engine]
        nonce = choose.choice([None, *(choose.randbytes(size) for size in nonces)])
        path = choose.choice([[], [], [choose.getrandbits(64)], [0, choose.randrange(5)]])
        yield with_key(engine, choose.randbytes(choose.choice(keys)), nonce, [random_step(choose) for _ in range(24)], path)


def sized_rows():
    """Every engine with every size of a key and a nonce."""
    for engine in ENGINES:
        for key in (0, 15, 16, 17, 24, 31, 32, 33):
            for nonce in (None, 7, 8, 9, 11, 12, 13, 15, 16, 17):
                begins = [["read", 80], ["u32"], ["checkpoint"]]
                for path in ((), (2**40,)):
                    nonce_bytes = None if nonce is None else bytes(range(nonce))
                    yield with_key(engine, bytes(range(key)), nonce_bytes, begins, path)


def ends():
    """The ends of streams, at which functions of C that return no error would end the program; distributions and samples that
    there are not."""
    for engine, (_, _, keys, nonces) in ENGINES.items():
        for size in nonces:
            end = 2**38 if size == 12 else 2**64 - 1
            yield with_key(engine, bytes(range(keys[0])), bytes(range(size)), [
                ["seek", str(end - 3)], ["read", 4], ["tell"], ["floats", 1], ["doubles", 1], ["normals", 1], ["exponentials", 1],
                ["tell"], ["read", 3], ["tell"], ["read", 0], ["read", 1], ["checkpoint"], ["seek", str(end)],
                ["seek", str(min(end + 1, 2**64 - 1))], ["seek", str(end - 8)], ["u64"], ["tell"], ["seek", str(end - 75)],
                ["read", 75], ["seek", str(end - 40)], ["doubles", 6], ["doubles", 5],
            ])  # fmt: skip
    good = [(0.0).hex(), (1.0).hex()]
    wrong = [x.hex() for x in (float("nan"), float("inf"), float("-inf"))]
    steps = [["normal", mu, good[1]] for mu in wrong] + [["exponential", mean] for mean in [*wrong, (-1e-320).hex()]]
    steps += [["normal", good[0], sigma] for sigma in [*wrong, (-1e-320).hex()]]
    steps += [["tell"], ["normal", good[0], (-0.0).hex()], ["exponential", (-0.0).hex()], ["normal", (1e308).hex(), (1.7e308).hex()]]
    steps += [["sample", "1", "0"], ["sample", "6", "5"], ["sample", "9", "3"], ["tell"], ["sample", "5", "5"], ["tell"]]
    yield with_key("chacha8", bytes(32), None, steps)


def check_library(program, choose, count):
    rows = [*random_rows(choose, count), *sized_rows(), *ends()]
    rows += [with_key(engine, key, nonce, steps, path) for engine, key, nonce, path, steps in borders.all_streams()]
    assert sum(bool(row.get("refused")) for row in rows) > 100
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(rows, file)
        file.flush()
        subprocess.run([program, "--no-colors=true", "--test-case=stream vectors: sequences of another file"], check=True,
                       env=os.environ | {"CPRNG_TEST_SEQUENCES": file.name})
    return sum(len(row["steps"]) for row in rows)


# --------------------------------------------------------------------------------------------------------- the command


def seed_of(text):
    return int(text) if text.isascii() and text.isdigit() else text


def check_command(program):
    """Numbers by seeds; bytes by keys and nonces, each chosen block among them."""
    def printed(*arguments):
        return subprocess.run([program, *map(str, arguments)], check=True, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL).stdout

    def listed(*arguments):
        return printed(*arguments).decode().split()

    compared = 0
    for text, index in (("0", None), ("42", 7), (str(2**64 - 1), 0), ("4.2", 2**64 - 1), ("größer", None)):
        options = [f"--seed={text}", *([] if index is None else [f"--stream={index}"])]

        def fresh():
            stream = Stream.of_seed(seed_of(text))
            return stream if index is None else stream.spawn(index)

        for width in (8, 16, 32, 64):
            stream = fresh()
            assert listed(f"u{width}", "-n", 30, *options) == [str(stream.bits(width)) for _ in range(30)]
            for bound in (1, 2, 3, 200, 2**width - 1, 2**width, 2**31 + 1, 2**32 - 1, 2**32 + 1, 2**63 + 1):
                if bound > min(2**width, 2**64 - 1):
                    continue
                stream = fresh()
                wanted = [stream.bits(width) if bound == 2**width else stream.uniform64(bound) for _ in range(30)]
                assert listed(f"u{width}", "-n", 30, "--below", bound, *options) == list(map(str, wanted)), (width, bound)
                compared += 1
        for lo, hi in ((-(2**63), 2**63 - 1), (-(2**63), 2**63 - 2), (0, 0), (-3, 3), (0, 2**32 - 1), (0, 2**32 - 2)):
            stream = fresh()
            assert listed("int", "-n", 30, *options, "--", lo, hi) == [str(stream.int_range(lo, hi)) for _ in range(30)], (lo, hi)
        stream = fresh()
        assert [float(x) for x in listed("float", "-n", 30, *options)] == [stream.double() for _ in range(30)]
        stream = fresh()
        found = listed("normal", "-n", 300, "--mean", "-2.5", "--deviation", "0.1", *options)
        assert [float(x) for x in found] == [stream.normal(-2.5, 0.1) for _ in range(300)]
        lines = [str(i) for i in range(40)]
        fresh().shuffle(lines)
        made = subprocess.run([program, "shuffle", *options], input="".join(f"{i}\n" for i in range(40)), check=True,
                              stdout=subprocess.PIPE, text=True).stdout  # fmt: skip
        assert made.split() == lines
    for text in ("-1", f"-{2**64}", str(2**64), ""):
        refused = subprocess.run([program, "u8", f"--seed={text}"], check=False, capture_output=True)
        assert refused.returncode == 2 and not refused.stdout, text
    rows = [(*row, 100, 0) for row in sized() if row] + [("aes128-ctr", borders.KEY, borders.nonce_for(block), 32, 0)
                                                         for block, _ in borders.chosen()]  # fmt: skip
    for engine, key, nonce, size, offset in rows:
        stream = Stream(engine, key, nonce)
        made = printed("stream", "--engine", engine, "--key", key.hex(), "--nonce", nonce.hex(), "--offset", offset, size)
        assert made == stream.read(size), (engine, key.hex(), nonce.hex())
        compared += 1
    return compared


def sized():
    """Each engine with each size that it takes."""
    for engine, (_, _, keys, nonces) in ENGINES.items():
        yield from ((engine, bytes(range(key)), bytes(range(nonce))) for key in keys for nonce in nonces)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--unit", metavar="PROGRAM")
    parser.add_argument("--command", metavar="PROGRAM")
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().getrandbits(64))
    arguments = parser.parse_args()
    check_examples()
    if arguments.unit:
        print(f"seed {arguments.seed}", flush=True)
        print(f"library: {check_library(arguments.unit, random.Random(arguments.seed), arguments.count)} steps")
    if arguments.command:
        print(f"command: {check_command(arguments.command)} lists")


if __name__ == "__main__":
    sys.exit(main())
