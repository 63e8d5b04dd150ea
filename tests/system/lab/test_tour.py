# SPDX-License-Identifier: BSD-2-Clause
"""cprng-lab tour: it shows numbers, measures, and judges targets only on request.

CPRNG_LAB   path of cprng-lab
"""

import json

from commands import printed_is_kept, refused, run

ALWAYS_AVAILABLE = ["cprng", "getrandom, system call", "xoshiro256++ [1]"]


def tour(file, *options):
    result = run("tour", "--quick", "--json", file, *options)
    assert result.returncode == 0, result.stderr
    document = json.loads(file.read_text())
    printed_is_kept(result.stdout, document)
    return result.stdout, document


def test_numbers_and_speeds(tmp_path):
    """Catches a generator missing from the tour, and targets judged without --targets."""
    out, document = tour(tmp_path / "tour.json")
    assert "as in RFC 8439, A.1, number 1" in out
    assert "Implementation on this machine" in out
    assert [*document["tables"]] == ["tour"] and "missed" not in out and "Targets" not in out
    rows = {row["generator"]: row for row in document["tables"]["tour"]["rows"]}
    for name in ALWAYS_AVAILABLE:
        assert rows[name]["bytes65536"]["median"] > 0
    assert rows["cprng"]["bits32_x"] == rows["cprng"]["bytes256_x"] == 1
    measured = [row for row in document["repetitions"]["tour"] if row["generator"] == "getrandom"]
    assert len(measured) == 4 * document["settings"]["repetitions"]


def test_targets(tmp_path):
    """Catches a missed target that is reported as met, or the reverse."""
    _, document = tour(tmp_path / "tour.json", "--targets")
    rows = document["tables"]["tour_targets"]["rows"]
    assert any(row["measured"] is not None for row in rows)
    for row in rows:
        sign, wanted = row["wanted"].split()
        if row["measured"] is None:
            assert row["met"] is None
        elif abs(row["measured"] / float(wanted) - 1) > 0.05:  # closer than the printed rounding
            met = row["measured"] <= float(wanted) if sign == "<=" else row["measured"] >= float(wanted)
            assert row["met"] == ("met" if met else "missed")


def test_numbers_alone(tmp_path):
    """Catches --no-measurements that measures, or hides the numbers."""
    out, document = tour(tmp_path / "tour.json", "--no-measurements")
    assert "cprng_shuffle" in out and document["tables"] == {}
    refused(run("tour", "--targets", "--no-measurements"), 2, "--no-measurements")
