# SPDX-License-Identifier: BSD-2-Clause
"""cprng-lab jitter: estimates are in their ranges, and raw samples are complete and as unequal as the library assumes."""

import collections
import math

from commands import document_of, rows_of, run


def test_estimates():
    """Catches an estimate out of its range."""
    document = document_of("jitter")
    samples = document["settings"]["samples"]
    for row in rows_of(document, "jitter"):
        for estimate in ("mcv", "markov", "successor", "lag", "restarts"):
            assert 0 <= row[estimate] <= 8
        assert row["mcv"] > 0 and 1 <= row["run"] < samples and 1 <= row["window"] <= 512


# Bits of min-entropy that the library credits for a sample (docs/decisions/0008-entropy-sources.md).
CREDIT = 1 / 8


def most_equal(entropy, samples=1000, vectors=2000):
    """The restart sanity test of SP 800-90B, 3.1.4.3: in no row and no column may one value occur more often than this.  Exceeded
    with probability 0.01 by samples of which the most frequent value has the probability 2^-entropy."""
    p, tail, count = 2**-entropy, 0.0, samples + 1
    while tail <= 1 - 0.99 ** (1 / vectors):
        count -= 1
        tail += math.comb(samples, count) * p**count * (1 - p) ** (samples - count)
    return count


def test_raw_samples(tmp_path):
    """Catches samples that are missing or not raw, rows of restarts that are all the same row, an ignored error, and a machine on
    which the samples after a restart have less entropy than the library credits."""
    file = tmp_path / "samples"
    result = run("jitter", "--samples", file)
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")
    samples, restarts = file.read_bytes(), (tmp_path / "samples-restarts").read_bytes()
    assert (len(samples), len(restarts)) == (1_000_000, 1_000_000)
    rows = {restarts[i : i + 1000] for i in range(0, len(restarts), 1000)}
    assert len(rows) == 1000 and len(set(samples)) > 8
    columns = {restarts[i::1000] for i in range(1000)}
    assert max(max(collections.Counter(vector).values()) for vector in rows | columns) <= most_equal(CREDIT)
    # Differences of times of a few accesses: some are more frequent than others, as in no random bytes.
    assert max(samples.count(value) for value in set(samples)) > 2 * len(samples) / 256
    result = run("jitter", "--samples", tmp_path / "none/samples")
    assert (result.returncode, result.stdout) == (1, "") and "No such file" in result.stderr
    assert run("jitter", "--samples", "/dev/full").returncode == 1
