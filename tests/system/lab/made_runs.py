# SPDX-License-Identifier: BSD-2-Clause
"""Runs for reports: the project's kept one, and one with a table of each kind."""

import pathlib
import statistics

KEPT = next((pathlib.Path(__file__).resolve().parents[3] / "lab/results").glob("lab-*.json"))

# Must be displayed literally.
HOSTILE = '</script><b class="evil">&amp;"\'<!--'


def spread(median):
    values = [median * factor for factor in (0.99, 1.0, 1.02)]
    return {"median": statistics.median(values), "least": min(values), "most": max(values),
            "deviation": statistics.median(abs(value - median) for value in values),
            "repetitions": 3, "values": values}  # fmt: skip


def printed(value):
    if value is None:
        return "-"
    if isinstance(value, dict):
        return f"{printed(value['median'])} ±{100 * value['deviation'] / value['median']:.0f}%"
    if isinstance(value, float):
        return f"{value:.{3 if value < 0.9995 else 2 if value < 9.995 else 1 if value < 99.95 else 0}f}"
    return str(value)


def table(title, columns, rows, **more):
    """Columns: key and heading."""
    keys = [key for key, _ in columns]
    return {"title": title, "columns": [{"key": key, "heading": heading} for key, heading in columns],
            "rows": [dict(zip(keys, row)) for row in rows],
            "printed": [[printed(value) for value in row] for row in rows], "notes": ["A note."], **more}  # fmt: skip


def tables():
    """The tables, by how a report must show their plots."""
    names = ["one", "two"]

    def over(axis, x, *y):
        return [{"over": axis, "x": x, "y": y, "what": axis}]

    return {
        "request_size": table("Fills", [("row", "row"), ("size", "a fill"), ("rate", "MB/s")], [
            [name, size, spread(10.0 * i + 1)] for name in names
            for i, size in enumerate(["1 B", "4 KiB", "1 MiB", "4 GiB"])], plots=over("request size", "size", "rate")),
        "threads": table("Scaling", [("row", "row"), ("threads", "threads"), ("rate", "MB/s")], [
            [name, n, spread(100.0 * n)] for name in names for n in (1, 2, 4)], plots=over("threads", "threads", "rate")),
        "percentiles": table("Latency", [("row", "row"), ("p50", "own\np50"), ("p99", "own\np99"), ("max", "own\nmax")], [
            [name, 10, 20, 4000] for name in names], plots=over("percentiles", "", "p50", "p99", "max")),
        "parameter": table("Sweep", [("design", "design"), ("reseed_countdown", "countdown"), ("ns", "ns")], [
            [name, n, spread(50.0 / n)] for name in names for n in (1, 16, 256, 4096)], plots=over("parameter", "reseed_countdown", "ns")),
        "labelled": table("Sweep of sizes", [("label", "buffer"), ("value", "as a number"), ("ns", "ns"), ("mark", "")], [
            [f"{n} B", n, spread(1000.0 / n), "default" if n == 64 else None] for n in (16, 64, 256)], plots=over("parameter", "value", "ns")),
        "not_to_be_joined": table("Two of them", [("label", "keys x rounds"), ("value", "product"), ("ns", "ns")], [
            ["1 x 2", 2, spread(1.0)], ["2 x 1", 2, spread(2.0)]], plots=over("parameter", "value", "ns")),
        "many": table("Many", [("row", "row"), ("what", "what"), ("threads", "threads"), ("rate", "M/s")], [
            [f"row {i}", what, n, spread(float(i * n))] for i in range(1, 11) for what in ("draw", "fill")
            for n in (1, 2)] + [["not here", what, None, None] for what in ("draw", "fill")],
            plots=over("threads", "threads", "rate")),
        "beside": table("Beside", [("row", "row"), ("threads", "threads"), ("rate", "M/s")], [
            [f"row {i}" if i != 8 else "cprng", n, spread(float(i * n))] for i in range(1, 10) for n in (1, 2)],
            plots=over("threads", "threads", "rate")),
        "categories": table("Others", [("row", "row"), ("ns", "ns a call"), ("state", "bytes")], [
            [name, None if name == "not here" else spread(1.0 * i), 8]
            for i, name in enumerate(["a", "b", "not here", "d"], 1)], plots=over("categories", "", "ns")),
        "declared": table("Declared " + HOSTILE, [("row", HOSTILE), ("ns", "ns"), ("other", "other")], [
            [HOSTILE, 1.5, 2.5], ["two", 2.5, 3.5]], plots=[
                {"over": "categories", "x": "row", "y": ["other"], "what": HOSTILE}]),
        "declared_nothing": table("Not to be drawn", [("row", ""), ("ns", "")], [["a", 1.0], ["b", 2.0]], plots=[]),
    }  # fmt: skip


def document():
    return {"program": "cprng-lab", "command": "made", "interrupted": True, "load_before": None, "load_after": [1, 2, 3],
            "machine": {"time": "2026-01-01T00:00:00Z", "cpu": "a CPU " + HOSTILE, "cpus": 2, "caches": [32768, 0, 0],
                        "clock_cost_ns": 20.0},
            "settings": {"seconds": 0.25, "quick": True, "part": {"ways": [1, 2]}}, "tables": tables(),
            "repetitions": {}, "texts": {"decision": "So it is.\n" + HOSTILE}}  # fmt: skip
