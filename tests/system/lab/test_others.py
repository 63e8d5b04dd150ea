# SPDX-License-Identifier: BSD-2-Clause
"""cprng-lab others: every contender has its rows, with figures or the reason why there are none.

CPRNG_LAB   path of cprng-lab
"""

import os
import pathlib
import shutil
import subprocess

import pytest
from commands import TIMEOUT, document_of, kept_run, line, rows_of

CPUS = len(os.sched_getaffinity(0))

NAMES = ["cprng", "cprng-strong", "getentropy", "getrandom", "vdso", "arc4random", "arc4random-newer", "rdrand", "rdseed",
         "libsodium", "libsodium-internal", "openssl-rand", "openssl-ctr", "openssl-ctr-pool", "openssl-chacha20",
         "openssl-chacha20-pool", "rust-threadrng", "rust-random", "rust-aws-lc", "go-math-rand", "go-crypto-rand", "randp",
         "randp-design", "random-device", "mt19937", "mt19937-64", "xoshiro256pp", "xoshiro256pp-halves", "pcg32",
         "pcg64", "aegis128x4", "aegis256x4", "shishua"]  # fmt: skip
OTHER_LANGUAGES = ("rust-", "go-")
NOT_CRYPTOGRAPHIC = ["go-math-rand", "randp", "randp-design", "mt19937", "mt19937-64", "xoshiro256pp", "xoshiro256pp-halves",
                     "pcg32", "pcg64", "shishua"]  # fmt: skip
# For these a byte takes microseconds.
SLOW = ["rdseed", "random-device"]
ALWAYS_AVAILABLE = ["cprng", "cprng-strong", "getentropy", "getrandom", "random-device", "mt19937", "mt19937-64", "xoshiro256pp",
                    "xoshiro256pp-halves"]  # fmt: skip
TABLES = ["others", "others_fill", "others_threads", "others_start", "others_memory"]
QUICK_SIZES = [4**n for n in range(11)]
SOME = ["cprng", "libsodium-internal", "go-math-rand"]
LAYOUTS = ["0", "16", "32", "48"]


@pytest.fixture(scope="module", name="document")
def quick_run():
    return document_of("others")


def names_of(document, table):
    return list(dict.fromkeys(row["contender"] for row in rows_of(document, table)))


def absent(document):
    return [row["contender"] for row in rows_of(document, "others") if row["here"] != "here"]


def test_every_contender_is_in_every_table(document):
    """Catches a contender missing from a table, and an always available one that is reported absent."""
    for table in TABLES:
        nothing = ["nothing"] if table in ("others_start", "others_memory") else []
        assert names_of(document, table) == nothing + NAMES
    assert not set(absent(document)) & set(ALWAYS_AVAILABLE)


def test_figures_or_a_reason(document):
    """Catches a contender without a figure and without a reason."""
    for table in TABLES:
        for row in rows_of(document, table):
            where = f"{table}: {row}"
            values = [value for value in row.values() if not isinstance(value, str)]
            if row["contender"] in absent(document):
                assert row["here"].startswith("not here: ") and len(row["here"]) > len("not here: "), where
                assert all(value is None for value in values), where
            elif row["contender"] == "nothing":
                assert row["here"] == "draws nothing", where
            elif row["here"] == "here":
                missing = {"two_modes"}
                if row["contender"].startswith(OTHER_LANGUAGES):
                    missing |= {"thread", "second"}
                assert all(value is not None or key in missing for key, value in row.items()), where
            else:
                assert row["here"] in ("takes too long", "not measured: no threads of C"), where


def test_what_they_are(document):
    """Catches a row that hides its nature: rows name the C library, mark non-CSPRNGs, and give a library's or
    language's version."""
    rows = {row["contender"]: row for row in rows_of(document, "others")}
    assert [name for name, row in rows.items() if row["cryptographic"] == "no"] == NOT_CRYPTOGRAPHIC
    assert rows["arc4random"]["description"].startswith("glibc 2.") and "row vdso" in rows["arc4random"]["description"]
    for name, kept in document["settings"]["contenders"].items():
        if kept["here"] == "here" and name.startswith((*OTHER_LANGUAGES, "openssl-", "libsodium", "arc4random-newer")):
            assert any(c.isdigit() for c in kept["version"]), name


# Near the sizes of words, blocks, pools and pieces.
LENGTHS = [1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33, 63, 64, 65, 127, 255, 256, 257, 511, 513, 1000, 4095, 4096, 4097]
LONG_LENGTHS = [65535, 65537, 70001, 200003]
FILLS = 8
DRAWS = 64


def served(name, requests):
    result = subprocess.run(line("others-child", "serve", name), input="".join(f"{request}\n" for request in requests),
                            check=False, capture_output=True, text=True, timeout=TIMEOUT)
    assert (result.returncode, result.stderr) == (0, ""), name
    answers = result.stdout.splitlines()
    assert len(answers) == len(requests), name
    return answers


@pytest.mark.parametrize("name", NAMES)
def test_fills_all_of_a_buffer(document, name):
    """Catches a fill that leaves bytes unwritten, and a contender that repeats itself.

    Into zeros, again and again: no byte is the same in all of them, the last one included, and no two fills are alike.
    """
    if name in absent(document):
        pytest.skip(f"{name} is not here")
    lengths = LENGTHS + ([] if name in SLOW else LONG_LENGTHS)
    answers = iter(served(name, [f"bytes {length}" for length in lengths for _ in range(FILLS)]))
    for length in lengths:
        fills = [bytes.fromhex(next(answers)) for _ in range(FILLS)]
        assert {len(fill) for fill in fills} == {length}
        same = [i for i, column in enumerate(zip(*fills)) if len(set(column)) == 1]
        assert not same, f"{name}, {length} bytes: those at {same[:5]} are the same in {FILLS} fills"
        if length >= 8:
            assert len(set(fills)) == FILLS, f"{name}, {length} bytes: twice the same"


def resident(process):
    """Bytes."""
    return int(pathlib.Path(f"/proc/{process.pid}/statm").read_text(encoding="ascii").split()[1]) * os.sysconf("SC_PAGE_SIZE")


@pytest.mark.parametrize("command", [
    line("others-child", "serve", "cprng"),
    [f"{line()[0]}-rust", "serve", "kept"],
    [f"{line()[0]}-go", "serve", "math"],
], ids=["cprng-lab", "rust", "go"])
def test_memory_of_a_long_request_is_given_back(command):
    """Catches programs that each keep the longest request's memory until none is left."""
    if not os.path.exists(command[0]):
        pytest.skip(f"{command[0]} was not built")
    length = 1 << 26
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        def loop(bytes_each):
            process.stdin.write(f"loop 1 fill {bytes_each} 1\n")
            process.stdin.flush()
            return process.stdout.readline()

        assert loop(length).startswith("1 ")
        assert resident(process) > length
        assert loop(1).startswith("1 ")
        assert resident(process) < length
        process.stdin.close()
    assert process.returncode == 0


@pytest.mark.parametrize("name", NAMES)
def test_numbers_differ(document, name):
    """Catches numbers with missing bits or repeats.

    Every bit is 0 and 1 in turn, no 32 bits come twice in a row, and a bound is kept.  libstdc++'s random_device may
    repeat: it has the 32-bit form of RDSEED, which on AMD's Zen 5 returns its last value again (AMD-SB-7055).
    """
    if name in absent(document):
        pytest.skip(f"{name} is not here")
    widths = (8, 16, 32, 64)
    answers = iter(map(int, served(name, [f"number {what} 7" for what in (*widths, "below") for _ in range(DRAWS)])))
    for width in widths:
        numbers = [next(answers) for _ in range(DRAWS)]
        ones = zeros = 0
        for number in numbers:
            ones |= number
            zeros |= ~number
        assert ones == 2**width - 1, f"{name}: bits of {width} that are never 1"
        assert zeros % 2**width == 2**width - 1, f"{name}: bits of {width} that are never 0"
        if width >= 32 and name != "random-device":
            assert all(one != other for one, other in zip(numbers, numbers[1:])), f"{name}: {width} bits twice"
            halves = [half for number in numbers for half in (number >> width // 2, number % 2 ** (width // 2))]
            assert width == 32 or len(set(halves)) == 2 * DRAWS, f"{name}: halves of 64 bits that are the same"
    below = {next(answers) for _ in range(DRAWS)}
    assert len(below) >= 4 and max(below) < 7


def test_sizes(document):
    """Catches a request size that is omitted or measured twice."""
    assert document["settings"]["largest_measured"] == QUICK_SIZES[-1]
    for name in NAMES:
        sizes = [row["bytes"] for row in rows_of(document, "others_fill") if row["contender"] == name]
        assert sizes == ([None] if name in absent(document) else QUICK_SIZES)


def test_what_is_too_long_is_told(document):
    """Catches a long size that is omitted although the shorter ones were quick.

    If a size was left out, so are all larger ones, and the size before it took long.
    """
    for name in NAMES:
        rows = [row for row in rows_of(document, "others_fill") if row["contender"] == name]
        left_out = [row["here"] == "takes too long" for row in rows]
        assert left_out == sorted(left_out)
        if any(left_out):
            last = rows[left_out.index(True) - 1]
            assert 4 * last["ns"]["most"] > 0.05e9


def test_figures_of_randp(document):
    """Catches figures of randp's document beside another row's.

    The published figures stand beside this run's figures of the same table.
    """
    rows = rows_of(document, "others_randp")
    assert {row["published"] for row in rows} == {199, 5154, 7905, 6.33, 14.5, 288, 1816, 6.32, 20.3, None}
    numbers = {row["contender"]: row for row in rows_of(document, "others")}
    for work, key in (("32 bits", "bits32"), ("below 1 to 2^20", "below_many")):
        for row in rows:
            if row["work"] == work:
                assert row["measured"] == numbers[row["contender"]][key]
    # A short run makes no requests of 4 GiB.
    assert all(row["measured"] is None for row in rows if row["work"] == "4 GiB")


def test_numbers_of_threads(document):
    """Catches a missing number of threads, and a factor relative to another row."""
    counts = document["settings"]["threads"]
    assert counts[0] == 1 and counts[-1] == 2 * CPUS and counts == sorted(set(counts))
    for name in set(NAMES) - set(absent(document)):
        for what in ("32 bits", "256 B"):
            rows = [row for row in rows_of(document, "others_threads") if (row["contender"], row["what"]) == (name, what)]
            assert [row["threads"] for row in rows] == counts
            assert rows[0]["factor"]["median"] == 1


def test_memory(document):
    """Catches a memory measurement that misses a thread's state.

    A Mersenne twister has 2.5 KB of state in each thread; the library's is a CPU's.
    """
    rows = {row["contender"]: row for row in rows_of(document, "others_memory")}
    assert rows["cprng"]["threads"] == 200
    assert rows["mt19937-64"]["more"] > rows["cprng"]["more"] + 2000


@pytest.fixture(scope="module", name="some")
def run_of_some(tmp_path_factory):
    """Contenders of this program, of this program run again, and of another one, with every option."""
    return kept_run(tmp_path_factory.mktemp("lab"), "others", "--only", ",".join(reversed(SOME)), "--seconds", "0.001", "--repetitions", "6",
                    "--largest", "16MiB", "--threads", "20")[1]  # fmt: skip


def test_some_of_them(some):
    """Catches an option that is ignored, and large requests that are measured once or twice.

    These are repeated as often as all others up to five times, and shown with the number and the range of the repetitions.
    """
    assert names_of(some, "others") == SOME
    fills = [row for row in rows_of(some, "others_fill") if row["contender"] == "cprng"]
    assert [(row["bytes"], row["repetitions"]) for row in fills] == [*((size, 6) for size in QUICK_SIZES), (1 << 22, 5), (1 << 24, 5)]
    for row in fills:
        assert (row["least"], row["most"]) == (row["rate"]["least"], row["rate"]["most"])
    assert {row["threads"] for row in rows_of(some, "others_memory") if row["contender"] in ("nothing", "cprng")} == {20}
    settings = some["settings"]
    assert (settings["largest"], settings["memory_threads"]) == (1 << 24, 20)


def test_layout_and_process_of_each_value(some):
    """Catches values of a single process or layout that stand for several.

    A repetition is a process of each layout; of a program of its own it is as many processes of that.
    """
    assert some["settings"]["layouts"] == LAYOUTS
    for row in rows_of(some, "others"):
        name = row["contender"]
        values = [one for one in some["repetitions"]["others"] if (one["contender"], one["what"]) == (name, "bits32")]
        if row["here"] != "here":
            assert not values
            continue
        assert [one["process"] for one in values] == [*range(24)]
        layouts = [one["layout"] for one in values]
        wanted = ["own"] if name.startswith("go-") else LAYOUTS
        assert {layout: layouts.count(layout) for layout in layouts} == {layout: 24 // len(wanted) for layout in wanted}
        assert (row["bits32_least"], row["bits32_most"]) == (row["bits32"]["least"], row["bits32"]["most"])
        assert row["bits32"]["values"] == [one["ns"] for one in values]


def test_without_the_other_programs(tmp_path):
    """Catches a run that fails or loses rows if the layouts or a language's program are missing.

    cprng-lab alone: processes of it, in its one layout; what is missing is reported, and the rest measured.
    """
    lonely = tmp_path / "cprng-lab"
    shutil.copy(line()[0], lonely)
    _, document = kept_run(tmp_path, "others", "--quick", "--only", "go-math-rand,rust-threadrng,cprng", program=lonely)
    assert absent(document) == ["rust-threadrng", "go-math-rand"]
    assert names_of(document, "others_start") == ["nothing", "cprng", "rust-threadrng", "go-math-rand"]
    assert document["settings"]["layouts"] == ["own"]
    assert {one["layout"] for one in document["repetitions"]["others"]} == {"own"}
