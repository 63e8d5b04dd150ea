# SPDX-License-Identifier: BSD-2-Clause
"""Reads a run's JSON for the report."""

from __future__ import annotations

import dataclasses
import itertools
import json
import pathlib
import re

UNITS = {"B": 1, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "TiB": 2**40}
SIZE = re.compile(r"([0-9]+(?:\.[0-9]+)?) ?(" + "|".join(UNITS) + ")")

# The fields of a measured cell.
MEASURED = {"median", "deviation", "least", "most", "repetitions"}


class Unusable(Exception):
    """Not a run's file; the message is for the user."""


def size_in_bytes(text: object) -> float | None:
    match = SIZE.fullmatch(text.strip()) if isinstance(text, str) else None
    return float(match[1]) * UNITS[match[2]] if match else None


def size_name(size: float) -> str:
    unit = max((name for name, factor in UNITS.items() if factor <= max(size, 1)), key=UNITS.__getitem__)
    return f"{size / UNITS[unit]:g} {unit}"


def figure_of(value: object) -> float | None:
    """A cell's value to plot, if it is a figure."""
    if isinstance(value, dict):
        value = value["median"]
    return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else None


@dataclasses.dataclass(frozen=True)
class Column:
    key: str
    heading: str  # in one line


# What is on a plot's axis: the names of lab/common/table.cpp.
REQUEST_SIZE, THREADS, PERCENTILES, PARAMETER, CATEGORIES = ("request size", "threads", "percentiles", "parameter", "categories")


@dataclasses.dataclass(frozen=True)
class Plot:
    """As lab/common/table.hpp describes it; without x, columns y are places of percentiles, or (categories) rows name themselves."""

    over: str
    x: str
    y: tuple[str, ...]
    what: str


@dataclasses.dataclass(frozen=True)
class Table:
    name: str
    title: str
    columns: list[Column]
    rows: list[dict]
    printed: list[list[str]]
    notes: list[str]
    plots: list[Plot]
    part: str = ""  # which of it this is

    def values(self, key: str) -> list:
        return [row[key] for row in self.rows]

    def column(self, key: str) -> Column:
        return next(column for column in self.columns if column.key == key)

    def text(self, row: int, key: str) -> str:
        return self.printed[row][[column.key for column in self.columns].index(key)]

    def is_words(self, key: str) -> bool:
        return any(isinstance(value, str) for value in self.values(key)) and not self.is_sizes(key)

    def is_sizes(self, key: str) -> bool:
        """Whether some rows have something else there ("32 B, cold")."""
        return any(size_in_bytes(value) is not None for value in self.values(key))

    def is_measured(self, key: str) -> bool:
        return any(isinstance(value, dict) for value in self.values(key))

    def is_numbers(self, key: str) -> bool:
        return not self.is_measured(key) and any(figure_of(value) is not None for value in self.values(key))


@dataclasses.dataclass(frozen=True)
class Run:
    file: pathlib.Path
    document: dict
    tables: list[Table]

    @property
    def time(self) -> str:
        return self.document["machine"].get("time", "at a time unknown")


def columns_of(described: list[dict]) -> list[Column]:
    """Each heading in one line, without the hyphens of divided words."""
    return [Column(column["key"], re.sub("-\n", "", column["heading"]).replace("\n", " ")) for column in described]


def table_of(name: str, kept: dict) -> Table:
    missing = [member for member in ("title", "columns", "rows", "printed", "notes") if member not in kept]
    if missing:
        raise Unusable(f'table "{name}" has no "{missing[0]}": made by an older cprng-lab?')
    plots = [Plot(plot["over"], plot["x"], tuple(plot["y"]), plot["what"]) for plot in kept.get("plots", [])]
    table = Table(name, kept["title"], columns_of(kept["columns"]), kept["rows"], kept["printed"], kept["notes"], plots)
    keys = [column.key for column in table.columns]
    if any([*row] != keys for row in table.rows) or [len(row) for row in table.printed] != [len(keys)] * len(table.rows):
        raise Unusable(f'table "{name}": rows and columns do not fit together')
    for value in itertools.chain.from_iterable(row.values() for row in table.rows):
        if isinstance(value, dict) and not MEASURED <= value.keys():
            raise Unusable(f'table "{name}": a measured cell has no {", ".join(sorted(MEASURED - value.keys()))}')
    return table


def load(file: pathlib.Path) -> Run:
    try:
        document = json.loads(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise Unusable(f"{file}: {error.strerror}") from error
    except ValueError as error:
        raise Unusable(f"{file}: not JSON: {error}") from error
    if not isinstance(document, dict) or document.get("program") != "cprng-lab":
        raise Unusable(f"{file}: not made by cprng-lab --json")
    missing = [key for key in ("command", "machine", "settings", "tables") if key not in document]
    if missing:
        raise Unusable(f'{file}: it has no "{missing[0]}"')
    try:
        # The library's own tables come first; the table of 2014 is of historical interest.
        names = sorted(document["tables"], key=lambda name: name.startswith("cprng_fast"))
        return Run(file, document, [table_of(name, document["tables"][name]) for name in names])
    except Unusable as error:
        raise Unusable(f"{file}: {error}") from error
    except (KeyError, TypeError, AttributeError) as error:
        raise Unusable(f"{file}: not what cprng-lab --json writes: {type(error).__name__} {error}") from error
