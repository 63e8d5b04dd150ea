# SPDX-License-Identifier: BSD-2-Clause
"""cprng-lab compare: a known change is found, none is not found more often than is promised, files fit together.

The figures are made here, from seeds; that of real runs is a smoke test.
"""

import copy
import itertools
import json
import math
import random
import statistics

import pytest
from commands import refused, run

MACHINE = {"time": "2026-01-01T00:00:00Z", "cpu": "a CPU", "cpus": 2, "caches": [1, 2, 3], "kernel": "Linux 6",
           "libc": "glibc 2.36", "compiler": "gcc 12", "clock": "a clock", "clock_ns_per_tick": 0.4,
           "cycles": "TSC cycles", "clock_cost_ns": 20.0, "cprng": "0.1.0"}  # fmt: skip


def spread(values):
    median = statistics.median(values) if values else 0
    return {"median": median, "least": min(values, default=0), "most": max(values, default=0),
            "deviation": statistics.median(abs(value - median) for value in values) if values else 0,
            "repetitions": len(values), "values": values}


def document_of(rows):
    """Rows are (engine, threads, values)."""
    table = {"title": "Made", "notes": [], "printed": [["-"] * 4] * len(rows),
             "columns": [{"key": "engine", "heading": "engine"}, {"key": "threads", "heading": "threads"},
                         {"key": "rate", "heading": "rate\nMB/s"}, {"key": "p99", "heading": "p99"}],
             "rows": [{"engine": engine, "threads": threads, "rate": spread(values), "p99": 1.5}
                      for engine, threads, values in rows]}  # fmt: skip
    return {"program": "cprng-lab", "command": "made", "machine": {**MACHINE}, "interrupted": False,
            "settings": {"seconds": 0.25, "repetitions": 7, "quick": False, "part": {"scale": 1}},
            "tables": {"made": table}, "repetitions": {}}  # fmt: skip


def noisy(source, median, n=7):
    """As repetitions are distributed: with a tail on one side."""
    return [median * (1 + 0.01 * source.gauss(0, 1) + 0.02 * source.expovariate(1)) for _ in range(n)]


@pytest.fixture(name="compare")
def compare_documents(tmp_path):
    """Runs the command for two documents: (result, the JSON of --json)."""
    def compare(before, after, *options):
        files = [tmp_path / name for name in ("A.json", "B.json", "out.json")]
        for file, document in zip(files, (before, after)):
            file.write_text(json.dumps(document))
        result = run("compare", files[0], files[1], "--json", files[2], *options)
        assert (result.returncode, result.stderr) == (0, "")
        return result, json.loads(files[2].read_text())
    return compare


def test_a_known_ratio_is_found(compare):
    """Catches a change that is not detected, or in the wrong direction.

    Each fourth figure is by 20 per cent more or less; the noise is of 2 per cent, so all of them are seen.
    """
    source = random.Random(1)
    ratios = [(1, 1.2, 1, 1 / 1.2)[i % 4] for i in range(200)]
    before = document_of([("e", i, noisy(source, 1000 + i)) for i in range(200)])
    after = document_of([("e", i, noisy(source, (1000 + i) * ratio)) for i, ratio in enumerate(ratios)])
    result, kept = compare(before, after)
    assert len(kept["figures"]) == 200
    for ratio, figure in zip(ratios, kept["figures"]):
        assert figure["ratio"] == pytest.approx(ratio, rel=0.06)
        assert figure["interval"]["least"] <= figure["ratio"] <= figure["interval"]["most"]
        if ratio != 1:
            assert figure["changed"] and figure["interval"]["least"] < ratio < figure["interval"]["most"]
    words = [line.split()[-1] for line in result.stdout.splitlines() if line.startswith("e, threads")]
    assert words.count("more") >= 50 and words.count("less") >= 50


def test_no_change_is_not_found_more_often_than_promised(compare):
    """Catches intervals that are narrower than their confidence, or much wider.

    2000 figures that have not changed: at 0.95 of seven and seven the exact odds of one are 0.0379.

    Binomial: 76 are expected, and more than 110 or less than 45 come in fewer than one of 10,000 seeds.  The widening
    to the ratio of medians can only make it fewer.
    """
    source = random.Random(2)
    rows = [[("e", i, noisy(source, 1000)) for i in range(2000)] for _ in range(2)]
    _, kept = compare(*map(document_of, rows), "--confidence", "0.95")
    changed = sum(figure["changed"] for figure in kept["figures"])
    assert 45 <= changed <= 110
    assert kept["changed"] == changed and kept["changed_by_chance"] == pytest.approx(2000 * 0.0379, rel=0.01)
    _, kept = compare(*map(document_of, rows))
    # At 0.99 the odds are 0.0070: 14.
    assert 2 <= sum(figure["changed"] for figure in kept["figures"]) <= 32


def odds_of_tail(m, n, out):
    """P(U < out), by enumerating the arrangements of ranks."""
    counts = [sum(rank - i for i, rank in enumerate(ranks)) for ranks in itertools.combinations(range(m + n), n)]
    return sum(u < out for u in counts) / math.comb(m + n, n)


@pytest.mark.parametrize("m, n", [(2, 2), (3, 5), (4, 4), (5, 5), (7, 7), (6, 9)])
@pytest.mark.parametrize("confidence", [0.9, 0.95, 0.99])
def test_interval_is_that_of_the_rank_test(compare, m, n, confidence):
    """Catches an interval with another rank than the exact distribution's."""
    source = random.Random(3)
    before, after = noisy(source, 100, m), noisy(source, 130, n)
    figure, = compare(document_of([("e", 1, before)]), document_of([("e", 1, after)]), "--confidence",
                      confidence)[1]["figures"]
    out = max(out for out in range(m * n // 2 + 1) if odds_of_tail(m, n, out) <= (1 - confidence) / 2)
    if out == 0:
        assert figure["interval"] is None and not figure["changed"]
        return
    ratios = sorted(y / x for x, y in itertools.product(before, after))
    ratio = statistics.median(after) / statistics.median(before)
    assert figure["interval"]["least"] == pytest.approx(min(ratios[out - 1], ratio))
    assert figure["interval"]["most"] == pytest.approx(max(ratios[-out], ratio))
    assert figure["interval"]["coverage"] == pytest.approx(1 - 2 * odds_of_tail(m, n, out))


def test_many_repetitions(compare):
    """Catches an interval that jumps where the normal approximation begins.

    There the normal distribution takes over; its interval of 2 x 21 is close to the exact one of 2 x 20.
    """
    source = random.Random(4)
    values = [[noisy(source, 100, n) for n in (20, 21)] for _ in range(2)]
    exact, normal = (compare(document_of([("e", 1, a)]), document_of([("e", 1, b)]))[1]["figures"][0]["interval"]
                     for a, b in zip(*values))
    assert exact["coverage"] == pytest.approx(0.99, abs=0.001) and normal["coverage"] == pytest.approx(0.99, abs=0.001)
    assert normal["most"] / normal["least"] == pytest.approx(exact["most"] / exact["least"], rel=0.02)


def test_rows_are_found_wherever_they_stand(compare):
    """Catches rows compared by position, and one that is silently omitted."""
    before = document_of([("a", 1, [1.0] * 7), ("a", 2, [2.0] * 7), ("b", 1, [4.0] * 7)])
    after = document_of([("b", 1, [4.0] * 7), ("a", 2, [3.0] * 7), ("c", 1, [1.0] * 7)])
    result, kept = compare(before, after)
    assert {figure["row"]: figure["ratio"] for figure in kept["figures"]} == {"a, threads 2": 1.5, "b, threads 1": 1}
    assert kept["before_only"] == ["made: a, threads 1, rate MB/s"]
    assert kept["after_only"] == ["made: c, threads 1, rate MB/s"]
    assert "Only in A:\n  made: a, threads 1, rate MB/s\n" in result.stdout
    assert "Only in B:\n  made: c, threads 1, rate MB/s\n" in result.stdout
    # The percentiles of the two rows.
    assert "\n2 more have no repetitions" in result.stdout


def test_a_whole_table_that_is_not_in_the_other(compare):
    """Catches a table that is silently omitted."""
    before = document_of([("a", 1, [1.0] * 7)])
    after = copy.deepcopy(before)
    after["tables"]["another"] = after["tables"].pop("made")
    _, kept = compare(before, after)
    assert (kept["before_only"], kept["after_only"]) == (["the table made, 1 figures"], ["the table another, 1 figures"])


def test_what_has_no_ratio_is_not_judged(compare):
    """Catches a division by zero, and an interval for figures that have none."""
    before = document_of([("zero", 1, [0.0] * 7), ("none", 1, []), ("negative", 1, [-1.0] + [1.0] * 6)])
    _, kept = compare(before, before)
    assert [figure["interval"] for figure in kept["figures"]] == [None] * 3
    assert [figure["ratio"] for figure in kept["figures"]] == [None, None, 1]


def test_different_machines_and_settings_are_told_first(compare):
    """Catches incomparable runs that are compared without a warning."""
    before = document_of([("a", 1, [1.0] * 7)])
    after = copy.deepcopy(before)
    result, kept = compare(before, after)
    assert kept["warnings"] == [] and "warning" not in result.stdout
    after["machine"].update(cpu="another CPU", time="later", clock_cost_ns=21.0)
    after["settings"].update(seconds=1, part={"scale": 2}, quick=True)
    after["interrupted"] = True
    result, kept = compare(before, after)
    assert [warning.replace(str(kept["after"]), "B") for warning in kept["warnings"]] == [
        "different machines: cpu: a CPU and another CPU", "different settings: seconds: 0.25 and 1",
        "different settings: quick: false and true", "different settings: part: scale: 1 and 2",
        "B was interrupted", "B was made with --quick, too short for figures"]  # fmt: skip
    assert result.stdout.startswith("warning: different machines: cpu")


def test_changed_alone(compare):
    """Catches --changed that hides a changed figure or shows an unchanged one."""
    before = document_of([("same", 1, [1.0] * 7), ("other", 1, [1.0] * 7)])
    after = document_of([("same", 1, [1.0] * 7), ("other", 1, [1.1] * 7)])
    result, kept = compare(before, after, "--changed")
    assert "other, " not in result.stdout.split("Made")[0] and "other" in result.stdout and "same" not in result.stdout
    assert [figure["changed"] for figure in kept["figures"]] == [False, True]


def test_smoke(tmp_path):
    """Catches a real table whose rows are not matched.

    Two short runs: every measured cell of the one finds that of the other; nothing depends on the time.
    """
    files = [tmp_path / "a.json", tmp_path / "b.json"]
    for file in files:
        assert run("latency", "--quick", "--json", file).returncode == 0
    result = run("compare", *files, "--json", tmp_path / "c.json")
    assert (result.returncode, result.stderr) == (0, "")
    kept = json.loads((tmp_path / "c.json").read_text())
    cells = [value for row in json.loads(files[0].read_text())["tables"]["latency"]["rows"] for value in row.values()]
    assert len(kept["figures"]) == sum(isinstance(cell, dict) for cell in cells) > 0
    assert kept["before_only"] == kept["after_only"] == []


def broken(what):
    document = document_of([("a", 1, [1.0] * 7)])
    what(document)
    return json.dumps(document)


@pytest.mark.parametrize("text, culprit", [
    ("", "not JSON"),
    ("{", "not JSON"),
    ("[]", "not made by cprng-lab"),
    ("{}", "not made by cprng-lab"),
    (broken(lambda d: d.update(program="other")), "not made by cprng-lab"),
    (broken(lambda d: d.update(program=1)), "B.json"),
    (broken(lambda d: d.pop("machine")), "not made by cprng-lab"),
    (broken(lambda d: d["machine"].pop("cpu")), "B.json"),
    (broken(lambda d: d["tables"]["made"].pop("columns")), "made by an older cprng-lab"),
    (broken(lambda d: d["tables"]["made"].update(rows=[3])), "B.json"),
    (broken(lambda d: d["tables"]["made"]["rows"][0]["rate"].pop("values")), "B.json"),
    (broken(lambda d: d["tables"]["made"]["rows"][0]["rate"].update(values="x")), "B.json"),
], ids=itertools.count())  # fmt: skip
def test_bad_file(tmp_path, text, culprit):
    """Catches a damaged file that is compared, or blamed on the other one."""
    good, bad = tmp_path / "A.json", tmp_path / "B.json"
    good.write_text(json.dumps(document_of([("a", 1, [1.0] * 7)])))
    bad.write_text(text)
    refused(run("compare", good, bad), 2, "B.json", culprit)
    refused(run("compare", bad, good), 2, "B.json", culprit)


def test_missing_file(tmp_path):
    """Catches a missing file, or a directory, that counts as an empty run."""
    refused(run("compare", tmp_path / "none.json", tmp_path / "none.json"), 2, "none.json")
    refused(run("compare", tmp_path, tmp_path), 2, str(tmp_path), "not JSON")


@pytest.mark.parametrize("arguments", [["a"], ["a", "b", "c"], ["a", "b", "--confidence", "1"], ["a", "b", "--x"]])
def test_bad_command_line(arguments):
    """Catches a wrong command line that is accepted."""
    refused(run("compare", *arguments), 2)
