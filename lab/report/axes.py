# SPDX-License-Identifier: BSD-2-Clause
"""Chooses a table's plots and their axes: as the table declares (lab/common/table.hpp), or by its columns."""

from __future__ import annotations

import dataclasses
import itertools
import re

from run_file import Table, size_in_bytes

REQUEST_SIZE, THREADS, PERCENTILES, PARAMETER, CATEGORIES = AXES = (
    "request size", "threads", "percentiles", "parameter", "categories")

SIZE_KEYS = {"size", "read", "request", "request_bytes", "read_bytes", "bytes", "length"}
THREAD_KEYS = {"threads", "readers", "ways"}
PARAMETER_KEYS = {"parameter", "value"}
# Columns that show that rows are not figures of one kind.
NOT_TO_BE_DRAWN = {"unit", "wanted"}

PERCENTILE = re.compile(r"(?:(.*)_)?(p[0-9.]+|max)")
THREAD_COUNT = re.compile(r"(?:threads|ways|readers)_([0-9]+)|([0-9]+)_(?:threads?|ways?|readers?)")

# The most plots for a table that declares none.
MOST_PLOTS = 6


@dataclasses.dataclass(frozen=True)
class Plot:
    over: str
    x: str  # a column, or nothing: then the columns y are the places on the axis, or (categories) rows name themselves
    y: tuple[str, ...]
    what: str

    @property
    def wide(self) -> bool:
        return not self.x and self.over != CATEGORIES


def place_of(table: Table, over: str, key: str) -> float | str | None:
    """A column's position on the axis."""
    if over == PERCENTILES:
        match = PERCENTILE.fullmatch(key)
        return match and (match[2] if match[2] == "max" else match[2][1:] + " %")
    if over == THREADS:
        match = THREAD_COUNT.fullmatch(key)
        return float(match[1] or match[2]) if match else None
    # "fill 64 KiB", "64_KiB"
    words = (" ".join(text.split()[-2:]) for text in (table.column(key).heading, key.replace("_", " ")))
    return next((size for size in map(size_in_bytes, words) if size is not None), None)


def distinct(table: Table, key: str) -> int:
    return len({str(value) for value in table.values(key) if value is not None})


def wide_plots(table: Table) -> list[Plot]:
    """Several columns of one quantity at different positions on an axis."""
    plots = []
    keys = [column.key for column in table.columns if not table.is_words(column.key)]
    for over in (REQUEST_SIZE, THREADS):
        group = tuple(key for key in keys if place_of(table, over, key) is not None)
        if len(group) >= 3:
            plots.append(Plot(over, "", group, table.title))
    percentiles: dict[str, list[str]] = {}
    for key in keys:
        if match := PERCENTILE.fullmatch(key):
            percentiles.setdefault(match[1] or "", []).append(key)
    plots += [Plot(PERCENTILES, "", tuple(group), prefix.replace("_", " ") or table.title)
              for prefix, group in percentiles.items() if len(group) >= 3]
    return plots


def axis_column(table: Table) -> tuple[str, str] | None:
    """An axis and its column: by a known name, else the numbers or sizes before the measured columns."""
    keys = [column.key for column in table.columns]
    for over, names in ((REQUEST_SIZE, SIZE_KEYS), (THREADS, THREAD_KEYS), (PARAMETER, PARAMETER_KEYS)):
        for key in keys:
            if key in names and (table.is_sizes(key) or table.is_numbers(key)) and distinct(table, key) >= 2:
                return over, key
    for key in itertools.takewhile(lambda key: not table.is_measured(key), keys):
        if (table.is_sizes(key) or table.is_numbers(key)) and distinct(table, key) >= 3 and \
                any(map(table.is_measured, keys)):
            return PARAMETER, key
    return None


def recognised(table: Table) -> list[Plot]:
    keys = [column.key for column in table.columns]
    if len(table.rows) < 2 or NOT_TO_BE_DRAWN & {*keys}:
        return []
    plots = wide_plots(table)
    drawn = set(itertools.chain.from_iterable(plot.y for plot in plots))
    axis = axis_column(table)
    measured = [key for key in keys if table.is_measured(key) and key not in drawn]
    if not measured and not plots:
        numbers = [key for key in keys if table.is_numbers(key) and (axis is None or key != axis[1])]
        measured = numbers[-1:] if axis else numbers
    over, x = axis or (CATEGORIES, "")
    plots += [Plot(over, x, (key,), table.column(key).heading) for key in measured]
    return plots[:MOST_PLOTS]


def plots_of(table: Table) -> list[Plot]:
    if not table.rows:
        return []
    if table.plots is None:
        return recognised(table)
    return [Plot(plot["over"], plot["x"], tuple(plot["y"]), plot["what"]) for plot in table.plots]
