#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Renders runs' JSON files as one HTML file: plots, tables, machines.  `cprng-lab report` starts it."""

from __future__ import annotations

import argparse
import base64
import gzip
import json
import os
import pathlib
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

try:
    import jinja2
    import plotly.io
    import plotly.offline
    from figures import all_digits, drawings_of
except ImportError as missing:
    sys.exit(f"cprng-lab: report: {sys.executable} has no {missing.name}: install python3-plotly and python3-jinja2, "
             "or run tools/setup report")

from run_file import Run, Table, Unusable, load, size_name

# In page order; entries that a run lacks are left out.
MACHINE = {"cpu": "CPU", "cpus": "CPUs", "caches": "caches", "architecture": "architecture", "kernel": "kernel",
           "kernel_build": "its build", "libc": "C library", "compiler": "compiler", "cprng": "cprng", "clock": "clock",
           "clock_cost_ns": "a reading takes", "cycles": "unit of draws", "cpu_signature": "family-model-stepping",
           "microcode": "microcode", "hypervisor": "under a hypervisor", "huge_pages": "huge pages",
           "frequency_governor": "frequency governor"}  # fmt: skip
BUILD = {"commit": "commit", "library_compiler": "library compiled with", "library_flags": "its flags",
         "lab_compiler": "lab compiled with", "lab_flags": "the lab's flags"}  # fmt: skip


def machine_of(run: Run) -> list[tuple[str, str]]:
    machine = run.document["machine"]
    written_as = {
        "caches": lambda sizes: ", ".join(size_name(size) for size in sizes if size),
        "clock_cost_ns": lambda ns: f"{ns:.1f} ns",
        "hypervisor": lambda there: {True: "yes", False: "no"}.get(there, str(there)),
    }
    return [(name, written_as.get(key, str)(machine[key])) for key, name in MACHINE.items() if key in machine]


def built_of(run: Run) -> list[tuple[str, str]]:
    """Commit, compilers, and the other generators' versions, which older runs lack."""
    build = run.document.get("build", {})
    return [(name, str(build[key])) for key, name in BUILD.items() if key in build] + \
        [(name, str(version)) for name, version in run.document.get("peers", {}).items()]


def settings_of(run: Run) -> list[tuple[str, str]]:
    """The common settings, then those of the parts."""
    settings = run.document["settings"]
    flat = {key: value for key, value in settings.items() if not isinstance(value, dict)}
    for part, own in settings.items():
        if isinstance(own, dict):
            flat.update({f"{part}: {key}": value for key, value in own.items()})
    return [(key.replace("_", " "), value if isinstance(value, str) else json.dumps(value)) for key, value in flat.items()]


def load_of(run: Run) -> str:
    def minute(load: list[float] | None) -> str:
        return f"{load[0]:.2f}" if load else "unknown"

    return f"{minute(run.document.get('load_before'))} before, {minute(run.document.get('load_after'))} after"


def cells_of(table: Table) -> list[list[tuple[str, str, bool]]]:
    """For each cell of a row: the printed text, all digits, and whether it is left-aligned."""
    words = [table.is_words(column.key) or table.is_sizes(column.key) for column in table.columns]
    return [[(text, "" if value is None or isinstance(value, str) else all_digits(value), left)
             for text, value, left in zip(printed, row.values(), words)]
            for printed, row in zip(table.printed, table.rows)]


# The tables of the summary, in this order: their generators, and the columns that are shown.
SUMMARY = {
    "others": ("cprng", "vdso", "getrandom", "arc4random", "openssl-rand", "rust-threadrng", "xoshiro256pp"),
    "tour": ("cprng", "getrandom, vDSO", "getrandom, system call", "OpenSSL RAND_bytes", "xoshiro256++ [1]"),
    "latency": ("nothing", "cprng", "chacha20-percpu", "arc4-percpu"),
}
SUMMARY_COLUMNS = ("bits32", "below", "below_one", "bytes256", "bytes65536", "mean", "mean_inlined", "came_p50", "came_p99.9")


def summaries_of(runs: list[Run]) -> list[dict]:
    """The main table of each run: its most important rows and columns."""
    found = []
    for number, run in enumerate(runs, 1):
        for table in run.tables:
            keys = [column.key for column in table.columns]
            shown = [i for i, key in enumerate(keys) if i == 0 or key in SUMMARY_COLUMNS]
            rows = [[row[i] for i in shown] for row in table.printed if row[0] in SUMMARY.get(table.name, ())]
            if rows:
                found.append({"name": table.name, "place": f"run{number}-{table.name}", "title": table.title, "rows": rows,
                              "headings": [table.columns[i].heading for i in shown]})
    return sorted(found, key=lambda one: list(SUMMARY).index(one["name"]))


def compressed(script: str) -> str:
    """Compresses from eight megabytes to two and a half; browsers can expand it since 2023."""
    return base64.b64encode(gzip.compress(script.encode(), mtime=0)).decode()


def theme(name: str) -> str:
    template = plotly.io.templates[name].to_plotly_json()
    # Only the trace types that are used: maps and others are most of the library.
    template["data"] = {kind: template["data"][kind] for kind in ("bar", "scatter")}
    return json.dumps(template, default=list)


def page_of(runs: list[Run]) -> str:
    sections = []
    for run in runs:
        drawn = [(table, cells_of(table), [(number, drawing) for number, plot in enumerate(table.plots) for drawing in drawings_of(table, plot)])
                 for table in run.tables]
        sections.append({"run": run, "machine": machine_of(run), "built": built_of(run), "settings": settings_of(run), "load": load_of(run),
                         "tables": drawn})
    environment = jinja2.Environment(loader=jinja2.FileSystemLoader(HERE), autoescape=True, trim_blocks=True,
                                     lstrip_blocks=True, undefined=jinja2.StrictUndefined)
    return environment.get_template("page.html.jinja").render(
        sections=sections, summaries=summaries_of(runs), style=(HERE / "page.css").read_text(), script=(HERE / "page.js").read_text(),
        library=compressed(plotly.offline.get_plotlyjs()), light=theme("plotly_white"), dark=theme("plotly_dark"))


def write(file: pathlib.Path, text: str) -> None:
    """Replaces the file only when the new one is complete."""
    directory = file.resolve().parent
    with tempfile.NamedTemporaryFile("w", dir=directory, prefix=f".{file.name}.", delete=False, encoding="utf-8") as out:
        try:
            out.write(text)
            out.flush()
            os.fchmod(out.fileno(), 0o644)
            os.replace(out.name, file)
        except BaseException:
            os.unlink(out.name)
            raise


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("runs", nargs="+", type=pathlib.Path, metavar="RUN.json")
    parser.add_argument("-o", "--output", required=True, type=pathlib.Path, metavar="FILE")
    arguments = parser.parse_args()
    try:
        write(arguments.output, page_of([load(file) for file in arguments.runs]))
    except Unusable as error:
        print(f"cprng-lab: {error}", file=sys.stderr)
        return 2
    except OSError as error:
        print(f"cprng-lab: cannot write {arguments.output}: {error.strerror}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
