# SPDX-License-Identifier: BSD-2-Clause
"""--seed and --stream: the commands' output agrees with the model of docs/streams-specification.md."""

import json
import sys

import pytest

from command import ENGINES, VECTORS, good, refused, run

sys.path.insert(0, str(VECTORS))

from stream_model import Stream  # noqa: E402

# The argument, and the seed that it means.
SEEDS = [("0", 0), ("42", 42), ("007", 7), (str(2**64 - 1), 2**64 - 1), ("experiment 7", "experiment 7"), ("4.2", "4.2"),
         ("-", "-"), ("text:042", "042"), ("text:-7", "-7"), ("text:text:x", "text:x"), ("Text:1", "Text:1"), ("1e3", "1e3"), ("Zahlen für Jürgen", "Zahlen für Jürgen")]  # fmt: skip


def options(seed, stream=None):
    return [f"--seed={seed}", *([] if stream is None else ["--stream", stream])]


def model(seed, stream=None, engine="chacha8"):
    made = Stream.of_seed(seed, engine)
    return made if stream is None else made.spawn(stream)


@pytest.mark.parametrize("text, seed", SEEDS)
def test_seeds_and_streams(text, seed):
    """Catches a seed that is interpreted differently than described, and a stream number without influence."""
    for stream in [None, 0, 1, 2**64 - 1]:
        wanted = model(seed, stream)
        assert good("stream", 100, *options(text, stream)) == wanted.read(100)


@pytest.mark.parametrize("arguments, value", [
    (["u8"], lambda s: s.bits(8)), (["u16"], lambda s: s.bits(16)), (["u32"], lambda s: s.bits(32)),
    (["u64"], lambda s: s.bits(64)),
    (["u8", "--below", 200], lambda s: s.uniform64(200)), (["u64", "--below", 3 << 61], lambda s: s.uniform64(3 << 61)),
    (["int", -3, 3], lambda s: s.int_range(-3, 3)), (["int", -(2**63), 2**63 - 1], lambda s: s.int_range(-(2**63), 2**63 - 1)),
    (["float"], lambda s: s.double()), (["normal"], lambda s: s.normal(0.0, 1.0)),
    (["exponential"], lambda s: s.exponential(1.0)), (["exponential", "--mean", "0.25"], lambda s: s.exponential(0.25)),
    (["int", "-3..3"], lambda s: s.int_range(-3, 3)), (["shuffle", "-r", "-i", "5-9"], lambda s: s.int_range(5, 9)),
    (["pick", "-r", "-i", "5-9"], lambda s: s.int_range(5, 9)), (["shuffle", "-r", "-i", f"5-{2**64 - 1}"], lambda s: 5 + s.uniform64(2**64 - 5)),
    (["pick", "-r", "-i", f"0-{2**64 - 1}"], lambda s: s.bits(64)),
    (["normal", "--mean", "100", "--deviation", "15.25"], lambda s: s.normal(100.0, 15.25)),
])  # fmt: skip
def test_numbers(arguments, value):
    """Catches a seed's number that differs from the specification."""
    for stream in [None, 3]:
        wanted = model(42, stream)
        found = good(*arguments, "-n", 400, *options(42, stream)).decode().split()
        assert [float(x) if arguments[0] in ("float", "normal", "exponential") else int(x) for x in found] == [
            value(wanted) for _ in range(400)
        ]


def test_shuffle(tmp_path):
    """Catches an order other than cprng_stream_shuffle's, and one that depends on the machine's memory."""
    lines = [str(i) for i in range(1000)]
    model(42).shuffle(lines)
    file = tmp_path / "lines"
    file.write_text("".join(f"{i}\n" for i in range(1000)))
    assert good("shuffle", file, *options(42)).decode().split() == lines
    assert good("shuffle", "-i", "0-999", *options(42)).decode().split() == lines
    for arguments in [[file], ["-i", "0..999"]]:
        assert good("shuffle", *arguments, "-n", 7, *options(42)).decode().split() == lines[:7]
    refused(run("shuffle", file, "--seed", 42, "--memory", "1M"), 2, "--memory", "--seed")


def test_pick(tmp_path):
    """Catches a choice other than that of cprng_stream_sample, and one that depends on where the lines come from."""
    file = tmp_path / "lines"
    file.write_text("".join(f"{i}\n" for i in range(1000)))
    for stream, count in [(None, 1), (3, 7), (None, 500), (3, 501), (None, 1000), (3, 2000)]:
        places = model(42, stream).sample(min(count, 1000), 1000)
        for lines in [[file], ["-i", "0-999"]]:
            assert [int(line) for line in good("pick", *lines, "-n", count, *options(42, stream)).split()] == places
    assert good("pick", *options(42), "-e", "anna", "bert", "carl") == b"%s\n" % [b"anna", b"bert", b"carl"][model(42).uniform64(3)]
    for low, high in [(-(2**63), 2**63 - 2), (1, 2**64 - 1), (1, 10**12)]:
        places = model("x", 1).sample(2, high - low + 1)
        found = good("pick", "-n", 2, "-i", f"{low}..{high}", "--json", *options("x", 1))
        assert json.loads(found) == [str(low + place) for place in places]
    assert good("pick", "-n", "inf", *options(1)) == good("pick", "-n", 0, "missing", *options(1)) == b""
    refused(run("pick", "-i", f"0-{2**64 - 1}", *options(1)), 2, "--input-range", "2^64 - 1 numbers")


def test_weighted_pick():
    """Catches lines other than those of cprng_stream_weighted, without those that repeat unless -r is given."""
    weights = [7, 0, 1, 12, 5, 300, 4, 4]
    lines = [f"{i}={weight}" for i, weight in enumerate(weights)]
    wanted = model(42, 3)
    places = [wanted.weighted(weights) for _ in range(50)]
    assert [int(line) for line in good("pick", "-w", "-r", "-n", 50, *options(42, 3), "-e", *lines).split()] == places
    # The line of the most weight is the first; then the table is of the others.
    for seed in range(9):
        wanted = model(seed)
        left, chosen = weights, []
        while len(chosen) < 3:
            rest = [0 if i in chosen else weight for i, weight in enumerate(weights)]
            left = rest if 2 * sum(rest) <= sum(left) else left
            place = wanted.weighted(left)
            chosen += [place] if place not in chosen else []
        assert [int(line) for line in good("pick", "-w", "-n", 3, *options(seed), "-e", *lines).split()] == chosen


# Fixed here for all time: the model could change together with the command.
@pytest.mark.parametrize("arguments, printed", [
    (["pick", "-n", 3, "-i", "1-49", *options(42)], "43|45|32"), (["pick", "-e", "anna", "bert", "carl", *options(42, 7)], "bert"),
    (["pick", "-r", "-n", 5, "-i", "1-6", *options(42)], "6|4|6|1|3"), (["pick", "-n", 3, "-e", "a", "b", "c", "d", *options(42)], "b|d|c"),
    (["shuffle", "-n", 3, "-i", "1-49", *options(42)], "48|36|27"), (["dice", "3d6+2", "-n", 4, *options(42)], "18|11|11|18"),
    (["dice", "2d%-1d4", "-v", *options("text:7", 1)], "47 (21 27 1)"), (["dice", "4d6k3", "-v", *options(1)], "7 (2 2 3, dropped 2)"),
    (["pick", "-w", "-n", 3, *options(3), "-e", "a=1", "b=1000000", "c=3", "d=0"], "b|c|a"),
    (["pick", "-w", "-r", "-n", 5, *options(1), "-e", "a=1", "b=2"], "a|a|b|a|b"),
])  # fmt: skip
def test_known_answers(arguments, printed):
    """Catches another output of a seed than in earlier versions."""
    assert good(*arguments).decode() == "".join(f"{line}\n" for line in printed.split("|"))


def test_dice():
    """Catches faces of a seed that are not those of cprng_stream_uniform64, in the order of the expression."""
    wanted = model(42, 3)
    kept = model(7)
    for one in json.loads(good("dice", "5d6k2", "-n", 20, "--json", *options(7))):
        faces = [1 + kept.uniform64(6) for _ in range(5)]
        assert sorted(one["faces"] + one["dropped"]) == sorted(faces) and one["sum"] == sum(sorted(faces)[3:])
    for one in json.loads(good("dice", "2d6-3d20+1d%+4", "-n", 200, "--json", *options(42, 3))):
        faces = [1 + wanted.uniform64(sides) for sides in [6, 6, 20, 20, 20, 100]]
        assert one == {"sum": sum(faces[:2]) - sum(faces[2:5]) + faces[5] + 4, "faces": faces}


@pytest.mark.parametrize("engine", ENGINES)
def test_engines_and_offsets(engine):
    """Catches a seed that gives two engines one key, and an offset that is omitted or applied twice."""
    wanted = model(42, 5, engine)
    wanted.seek(10**12)
    assert good("stream", 300_000, "--engine", engine, "--offset", 10**12, *options(42, 5))[:500] == wanted.read(500)


@pytest.mark.parametrize("arguments, culprits", [
    (["u32", "--stream", 1], ["--stream", "--seed"]), (["u32", "--seed", ""], ["--seed", "empty"]),
    (["u32", "--seed=-1"], ["--seed", "'-1'", "negative", "text:-1"]), (["u32", "--seed", "text:"], ["--seed", "empty"]), (["u32", "--seed", 2**64], ["--seed"]),
    (["u32", "--seed", 1, "--stream=-1"], ["--stream"]), (["u32", "--seed", 1, "--stream", "x"], ["--stream", "'x'"]),
    (["u32", "--seed", 1, "--stream", 2**64], ["--stream"]), (["u32", "--seed", 1, "--seed", 1], ["--seed", "more than once"]),
    (["stream", "--seed", 1, "--key", "00" * 32, 5], ["--seed", "--key"]),
    (["stream", "--seed", 1, "--key-file", "x", 5], ["--seed", "--key-file"]),
    (["stream", "--seed", 1, "--nonce", "00" * 8, 5], ["--seed", "--nonce"]),
    (["stream", "--seed", 1, "--engine", "chacha9", 5], ["--engine", "'chacha9'"]),
    (["stream", "--seed", 1, "--engine", "", 5], ["--engine"]),
    (["stream", "--seed", 1, "--offset", 2**64 - 1, 1], ["end of the stream"]),
    (["stream", "--stream", 1, 5], ["--stream", "--seed"]), (["uuid", "--seed", 1], ["unknown option '--seed'"]),
    (["password", "--seed", 1], ["unknown option '--seed'"]),
])  # fmt: skip
def test_refusals(arguments, culprits):
    """Catches an invalid seed or stream that is accepted, and a seed where secrets are made."""
    refused(run(*arguments), 2, *culprits)
