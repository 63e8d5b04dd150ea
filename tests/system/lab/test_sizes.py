# SPDX-License-Identifier: BSD-2-Clause
"""cprng-lab sizes: every size, and ratios to the fastest peers, which are computed here again from the repetitions.

CPRNG_LAB   path of cprng-lab
"""

import statistics
import subprocess

import pytest
from commands import TIMEOUT, document_of, kept_run, line, rows_of

CONSTANT = [1, 2, 4, 8, 12, 16, 24, 32, 48, 64]
SIZES = [*CONSTANT, 96, 128, 256, 512, *(1 << n for n in range(10, 21))]
SECURE = ["getrandom", "vdso", "arc4random", "arc4random-newer", "libsodium", "libsodium-internal", "openssl-rand",
          "rust-aws-lc", "go-crypto-rand"]  # fmt: skip
LEAVES_OUT = {
    "openssl-ctr-pool": "erases nothing, one key, ignores forks", "openssl-chacha20-pool": "erases nothing, one key, ignores forks",
    "rust-threadrng": "erases nothing, ChaCha12, ignores forks", "rust-random": "erases nothing, ChaCha12, ignores forks",
    "randp": "3 rounds of AES, one key for 256 KiB",
}  # fmt: skip
OTHERS = [*LEAVES_OUT]
TABLES = {"sizes_constant": CONSTANT, "sizes": SIZES}
# The calls of a table's peers: where the size is known, a program may make either.
CALLS = {"sizes_constant": ["sizes_constant_all", "sizes_all"], "sizes": ["sizes_all"]}


@pytest.fixture(scope="module", name="document")
def quick_run():
    return document_of("sizes")


def times(document, table, name, size):
    return [one["ns"] for one in document["repetitions"][table] if (one["contender"], one["bytes"]) == (name, size)]


def fastest_call(document, table, name, size):
    """The times of the faster call, or none."""
    calls = [times(document, call, name, size) for call in CALLS[table]]
    return min(filter(None, calls), key=statistics.median, default=[])


def ratio(ours, theirs):
    return statistics.median(a / b for a, b in zip(ours, theirs))


def test_contenders_and_sizes(document):
    """Catches a peer without its rows, a size that is left out, and a size that is said to be too long too early."""
    contenders = document["settings"]["contenders"]
    assert {*contenders} == {"cprng", "bare", *SECURE, *OTHERS}
    for table, sizes in (("sizes_constant_all", CONSTANT), ("sizes_all", SIZES)):
        for name, contender in contenders.items():
            rows = [row for row in rows_of(document, table) if row["contender"] == name]
            assert [row["bytes"] for row in rows] == (sizes if contender["here"] == "here" else [None])
            too_long = [row["here"] == "takes too long" for row in rows]
            assert too_long == sorted(too_long) and not any(too_long[:len(CONSTANT)])
            for row in rows:
                assert (row["ns"] is not None) == (row["here"] == "here")


@pytest.mark.parametrize("table", TABLES)
def test_ratios(document, table):
    """Catches a ratio that was not computed from repetitions, and a peer that is not the fastest of its kind."""
    rows = rows_of(document, table)
    assert [row["bytes"] for row in rows] == TABLES[table]
    for row in rows:
        size = row["bytes"]
        ours = times(document, CALLS[table][0], "cprng", size)
        assert row["cprng"]["median"] == pytest.approx(statistics.median(ours))
        for kind, names in (("secure", SECURE), ("other", OTHERS)):
            medians = {name: statistics.median(ns) for name in names if (ns := fastest_call(document, table, name, size))}
            if not medians:
                assert row[kind] is None and row[f"over_{kind}"] is None
                continue
            best = min(medians, key=medians.get)
            assert row[kind] == best
            assert row[f"{kind}_ns"]["median"] == pytest.approx(medians[best])
            theirs = fastest_call(document, table, best, size)
            assert row[f"over_{kind}"]["median"] == pytest.approx(ratio(ours, theirs))
            assert row[f"over_{kind}"]["repetitions"] == len(ours) == 2
        bare = fastest_call(document, table, "bare", size) if size % 16 == 0 else []
        assert (row["bare"] and row["bare"]["median"]) == (pytest.approx(statistics.median(bare)) if bare else None)


@pytest.mark.parametrize("table", TABLES)
def test_reasons(document, table):
    """Catches a cell above 1.0 without the reason or with another peer's, and a reason where there is nothing to explain."""
    for row in rows_of(document, table):
        above = row["over_other"] is not None and row["over_other"]["median"] > 1
        assert (row["why"] is not None) == above
        assert not above or row["why"] == LEAVES_OUT[row["other"]]


def test_picture(document):
    """Catches a picture without the library, the fastest peers or the bound."""
    for table in TABLES:
        kept = document["tables"][table]
        assert [(plot["over"], plot["x"], plot["y"]) for plot in kept["plots"]] == \
            [("request size", "bytes", ["cprng", "bare", "secure_ns", "other_ns"])]
        headings = {column["key"]: column["heading"] for column in kept["columns"]}
        assert [headings[key].replace("\n", " ") for key in kept["plots"][0]["y"]] == \
            ["cprng", "bare cipher", "best secure", "best other"]


def test_options(tmp_path):
    """Catches an option that is ignored, and a run without peers that fails."""
    _, document = kept_run(tmp_path, "sizes", "--only", "getrandom,cprng", "--seconds", "0.001", "--repetitions", "3", "--most", "2MiB")
    rows = rows_of(document, "sizes")
    assert [row["bytes"] for row in rows] == [*SIZES, 1 << 21]
    assert {(row["secure"], row["other"], row["bare"]) for row in rows} == {("getrandom", None, None)}
    assert {row["cprng"]["repetitions"] for row in rows} == {3}
    assert list(document["settings"]["contenders"]) == ["cprng", "getrandom"]
    _, document = kept_run(tmp_path, "sizes", "--only", "cprng", "--seconds", "0.001", "--repetitions", "1", "--most", "30")
    for table in TABLES:
        assert [row["bytes"] for row in rows_of(document, table)] == [1, 2, 4, 8, 12, 16, 24]


@pytest.mark.parametrize("name", ["cprng", "bare", "rust-threadrng", "rust-random", "rust-aws-lc"])
def test_fixed_lengths(document, name):
    """Catches a length that is measured although no code of that constant exists, and a constant without code."""
    if document["settings"]["contenders"][name]["here"] != "here":
        pytest.skip(f"{name} is not here")
    command = line("others-child", "serve", name)
    if name.startswith("rust-"):
        command = [f"{line()[0]}-rust", "serve", {"rust-threadrng": "kept", "rust-random": "random"}.get(name, "aws-lc")]

    def served(length):
        return subprocess.run(command, input=f"loop 5 fixed {length} 1\n", check=False, capture_output=True, text=True,
                              timeout=TIMEOUT)  # fmt: skip

    for length in CONSTANT:
        result = served(length)
        assert result.stdout.startswith("5 ") and result.returncode == 0, result.stderr
    for length in (0, 3, 17, 65):
        result = served(length)
        assert result.returncode == 1 and "a fixed length" in result.stderr.replace("no fixed", "a fixed")


def test_bare_cipher_fills(document):
    """Catches a bare cipher that leaves a part of a request unwritten."""
    assert document["settings"]["contenders"]["bare"]["here"] == "here"
    lengths = [1, 15, 16, 17, 63, 64, 65, 1000]
    result = subprocess.run(line("others-child", "serve", "bare"), check=True, capture_output=True, text=True,
                            input="".join(f"bytes {length}\n" * 8 for length in lengths), timeout=TIMEOUT)  # fmt: skip
    fills = [bytes.fromhex(answer) for answer in result.stdout.splitlines()]
    for i, length in enumerate(lengths):
        columns = list(zip(*fills[8 * i:8 * i + 8], strict=True))
        assert len(columns) == length and all(len(set(column)) > 1 for column in columns)
