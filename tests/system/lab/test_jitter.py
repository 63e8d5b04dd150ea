# SPDX-License-Identifier: BSD-2-Clause
"""cprng-lab jitter: estimates are in their ranges, and raw samples are complete."""

from commands import document_of, rows_of, run


def test_estimates():
    """Catches an estimate out of its range."""
    document = document_of("jitter")
    samples = document["settings"]["samples"]
    for row in rows_of(document, "jitter"):
        for estimate in ("mcv", "markov", "successor", "lag", "restarts"):
            assert 0 <= row[estimate] <= 8
        assert row["mcv"] > 0 and 1 <= row["run"] < samples and 1 <= row["window"] <= 512


def test_raw_samples(tmp_path):
    """Catches samples that are missing or not raw, rows of restarts that are all the same row, and an ignored error."""
    file = tmp_path / "samples"
    result = run("jitter", "--samples", file)
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")
    samples, restarts = file.read_bytes(), (tmp_path / "samples-restarts").read_bytes()
    assert (len(samples), len(restarts)) == (1_000_000, 1_000_000)
    rows = {restarts[i : i + 1000] for i in range(0, len(restarts), 1000)}
    assert len(rows) == 1000 and len(set(samples)) > 8
    # Differences of times of a few accesses: some are more frequent than others, as in no random bytes.
    assert max(samples.count(value) for value in set(samples)) > 2 * len(samples) / 256
    result = run("jitter", "--samples", tmp_path / "none/samples")
    assert (result.returncode, result.stdout) == (1, "") and "No such file" in result.stderr
    assert run("jitter", "--samples", "/dev/full").returncode == 1
