# SPDX-License-Identifier: BSD-2-Clause
"""Plotly figures for a table's plots."""

from __future__ import annotations

import dataclasses
import html
import itertools
import json
import math
import textwrap

import plotly.graph_objects as go
from run_file import CATEGORIES, PARAMETER, PERCENTILES, REQUEST_SIZE, THREADS, Plot, Table, figure_of, size_in_bytes, size_name

# Okabe and Ito's colours, distinct for colour-blind readers, with a contrast of 3 : 1 on white and on the dark page
# (WCAG 2.1, 1.4.11). The library has the first colour in each plot.
COLOURS = ("#d55e00", "#2f7fd6", "#00956d", "#b35fc0", "#8a8422", "#7d7d85")
SYMBOLS = ("circle", "square", "diamond", "triangle-up", "x", "cross")
LIBRARY = "cprng"

# From this ratio of the values on, a linear axis would hide the small ones.
LOGARITHMIC_FROM = 20
# Characters per line of a bar's label.
LABEL_WIDTH = 22
# An axis shows at most this many measured positions as ticks.
MOST_TICKS = 9

# Lines that are distinguishable in one plot; more are split into several plots, preferably by a column with few values.
MOST_LINES = len(COLOURS)
MOST_GROUPS = 4

AXIS_TITLES = {REQUEST_SIZE: "bytes a request", THREADS: "threads", PERCENTILES: "percentile"}


@dataclasses.dataclass
class Mark:
    place: float | str
    value: object  # of the cell
    text: str


@dataclasses.dataclass(frozen=True)
class Drawing:
    """A figure, and the inputs of its height."""

    title: str
    figure: go.Figure
    marks: int
    entries: list[str]  # of the legend
    height: int  # of all that is not legend

    def to_json(self) -> str:
        names = self.entries if len(self.entries) > 1 else []
        return json.dumps({**json.loads(self.figure.to_json()), "height": self.height, "entries": len(names),
                           "longest": max(map(len, names), default=0)}).replace("<", "\\u003c")


def names_of_rows(table: Table, beside: list[str], without: tuple[str, ...]) -> list[str]:
    """Each row's label among rows of equal `beside`: as few columns as distinguish it, text before numbers."""
    keys = [column.key for column in table.columns if column.key not in (*beside, *without)]
    candidates = [key for key in keys if table.is_words(key) or table.is_sizes(key)]
    candidates += [key for key in keys if table.is_numbers(key) and key not in candidates]
    chosen: list[str] = []

    def parts(row: int, of: list[str]) -> tuple[str, ...]:
        return tuple(table.text(row, key) for key in of)

    rows = range(len(table.rows))
    for key in candidates:
        if len({parts(row, beside + chosen) for row in rows}) == len(table.rows):
            break
        chosen.append(key)
    chosen = [key for key in chosen if len({parts(row, [key]) for row in rows}) > 1]

    def name(row: int, key: str) -> str:
        text = table.text(row, key)
        return f"{text} {table.column(key).heading}" if table.is_numbers(key) else text

    return [" · ".join(name(row, key) for key in chosen) for row in rows]


def percentile_of(key: str) -> str:
    """That of a column: "own_p99.9" has 99.9 %."""
    name = key.rpartition("_")[2]
    return name if name == "max" else name[1:] + " %"


def series_of(table: Table, plot: Plot) -> dict[str, list[Mark]]:
    """The lines, or the bars of one colour, by name."""
    series: dict[str, list[Mark]] = {}

    def add(name: str, place: float | str | None, row: int, key: str) -> None:
        value = table.rows[row][key]
        if place is not None and figure_of(value) is not None:
            series.setdefault(name, []).append(Mark(place, value, table.text(row, key)))

    if not plot.x:
        names = names_of_rows(table, [], plot.y)
        for row, key in itertools.product(range(len(table.rows)), plot.y):
            if plot.over == PERCENTILES:
                add(names[row], percentile_of(key), row, key)
            else:
                add(table.column(key).heading, names[row], row, key)
        return series
    names = names_of_rows(table, [plot.x], plot.y)
    for row, key in itertools.product(range(len(table.rows)), plot.y):
        value = table.rows[row][plot.x]
        if plot.over == CATEGORIES:
            place: float | str | None = table.text(row, plot.x)
        else:
            place = size_in_bytes(value) if isinstance(value, str) else figure_of(value)
        heading = table.column(key).heading if len(plot.y) > 1 else ""
        add(" · ".join(filter(None, (names[row], heading))), place, row, key)
    return series


def all_digits(value: object) -> str:
    """All digits, for the hover text."""
    if not isinstance(value, dict):
        return repr(value)
    return (f"median {value['median']!r}, ± {value['deviation']!r}, {value['least']!r} to {value['most']!r}, "
            f"{value['repetitions']} repetitions")


def plain(text: str) -> str:
    """Escapes text for plotly, which interprets a subset of HTML."""
    return html.escape(text, quote=False)


def label(text: str) -> str:
    """Wraps text so that it leaves room on a telephone."""
    return "<br>".join(map(plain, textwrap.wrap(text, LABEL_WIDTH))) or " "


def spread_of(marks: list[Mark], colour: str) -> dict | None:
    """Whiskers: the tables' ± values."""
    if not any(isinstance(mark.value, dict) for mark in marks):
        return None
    return {"type": "data", "array": [mark.value["deviation"] if isinstance(mark.value, dict) else 0 for mark in marks],
            "thickness": 1, "width": 3, "color": colour}


def is_logarithmic(values: list[float]) -> bool:
    return min(values) > 0 and max(values) / min(values) > LOGARITHMIC_FROM


def has_growing_steps(numbers: list[float]) -> bool:
    """Whether values are like 2, 4, 8, 16 of a sweep, which crowd one end of a linear axis."""
    return numbers[0] > 0 and len(numbers) > 2 and numbers[-1] - numbers[-2] >= 4 * (numbers[1] - numbers[0])


def value_axis(values: list[float], title: str, logarithmic: bool) -> dict:
    axis = {"title": {"text": plain(title)}, "exponentformat": "none", "fixedrange": True}
    if not logarithmic:
        return {**axis, "rangemode": "tozero"}
    decades = max(values) / min(values) > 1000
    return {**axis, "type": "log", "dtick": 1 if decades else "D2"}


def labels_of(table: Table, x: str) -> dict[float, str]:
    """Names of the positions, if the first column has one for each: "4 KiB", "as it is"."""
    first = table.columns[0].key
    pairs = {(figure_of(row[x]), table.text(number, first)) for number, row in enumerate(table.rows)
             if figure_of(row[x]) is not None}
    places, names = ({pair[side] for pair in pairs} for side in (0, 1))
    return dict(pairs) if first != x and len(places) == len(names) == len(pairs) else {}


def place_axis(plot: Plot, places: set, title: str, labels: dict[float, str]) -> dict:
    axis = {"title": {"text": plain(title)}, "fixedrange": True}
    if plot.over == PERCENTILES:
        return {**axis, "type": "category"}
    numbers = sorted(places)
    logarithmic = plot.over == REQUEST_SIZE or (
        plot.over == PARAMETER and (is_logarithmic(numbers) or has_growing_steps(numbers)))
    step = -(-len(numbers) // MOST_TICKS)
    ticks = numbers[::step]
    names = [plain(labels[number]) if number in labels else
             size_name(number) if plot.over == REQUEST_SIZE else f"{number:g}" for number in ticks]
    return {**axis, "type": "log" if logarithmic else "linear", "tickvals": ticks, "ticktext": names}


def is_library(name: str) -> bool:
    return name.split(" · ")[0] == LIBRARY


def values_of(series: dict[str, list[Mark]]) -> list[float]:
    return [figure_of(mark.value) for marks in series.values() for mark in marks]


def looks_of(series: dict[str, list[Mark]]) -> dict[str, int]:
    """The index of each line's colour and symbol."""
    first = next((name for name in series if is_library(name)), next(iter(series)))
    return {name: number for number, name in enumerate([first, *(name for name in series if name != first)])}


def range_of(values: list[float], logarithmic: bool) -> list[float]:
    """One range for all plots of a quantity, so that they compare."""
    if logarithmic:
        return [math.log10(min(values)) - 0.1, math.log10(max(values)) + 0.1]
    return [min(0, 1.06 * min(values)), 1.06 * max(values)]


def lines(table: Table, plot: Plot, series: dict[str, list[Mark]], values: list[float]) -> go.Figure:
    """VALUES: those of all plots among which the lines are divided."""
    figure = go.Figure()
    looks = looks_of(series)
    for name, marks in series.items():
        if plot.over != PERCENTILES:
            marks = sorted(marks, key=lambda mark: mark.place)
        look, colour = looks[name], COLOURS[looks[name]]
        figure.add_trace(go.Scatter(
            name=plain(name), x=[mark.place for mark in marks], y=[figure_of(mark.value) for mark in marks],
            mode="lines+markers", error_y=spread_of(marks, colour), line={"color": colour},
            marker={"color": colour, "symbol": SYMBOLS[look], "size": 7},
            customdata=[[plain(name), all_digits(mark.value)] for mark in marks],
            hovertemplate="<b>%{customdata[0]}</b>, %{x}<br>%{customdata[1]}<extra></extra>"))
    logarithmic = plot.over in (REQUEST_SIZE, PERCENTILES) and min(values) > 0 or is_logarithmic(values)
    figure.update_yaxes(value_axis(values, plot.what, logarithmic))
    if len(values_of(series)) < len(values):
        figure.update_yaxes(range=range_of(values, logarithmic))
    labels = labels_of(table, plot.x) if plot.over == PARAMETER and plot.x else {}
    title = AXIS_TITLES.get(plot.over) or table.columns[0 if labels else [c.key for c in table.columns].index(plot.x)].heading
    figure.update_xaxes(place_axis(plot, places_of(table, plot), title, labels))
    return figure


def bars(plot: Plot, series: dict[str, list[Mark]]) -> go.Figure:
    """Horizontal, for long names.  On a logarithmic axis bar lengths are meaningless, so points replace them."""
    figure = go.Figure()
    values = values_of(series)
    logarithmic = is_logarithmic(values)
    for number, (name, marks) in enumerate(series.items()):
        colour = COLOURS[number % len(COLOURS)]
        common = {
            "name": plain(name), "y": [label(mark.place) for mark in marks], "x": [figure_of(mark.value) for mark in marks],
            "customdata": [[plain(name), all_digits(mark.value)] for mark in marks],
            "hovertemplate": "<b>%{y}</b>, %{customdata[0]}<br>%{customdata[1]}<extra></extra>",
        }
        whiskers = spread_of(marks, colour if logarithmic else "#8a8a8a")
        if logarithmic:
            figure.add_trace(go.Scatter(mode="markers", error_x=whiskers, **common,
                                        marker={"color": colour, "size": 10, "symbol": SYMBOLS[number % len(SYMBOLS)]}))
        else:
            figure.add_trace(go.Bar(orientation="h", error_x=whiskers, marker={"color": colour}, **common))
    figure.update_xaxes(value_axis(values, plot.what, logarithmic))
    # The first row is at the top.
    figure.update_yaxes(autorange="reversed", automargin=True, fixedrange=True, type="category")
    return figure


def places_of(table: Table, plot: Plot) -> set:
    return {mark.place for marks in series_of(table, plot).values() for mark in marks}


def groups_of(table: Table, plot: Plot) -> list[Table]:
    """The table in parts, if it has too many lines for one plot."""
    if plot.over == CATEGORIES or len(series_of(table, plot)) <= MOST_LINES:
        return [table]
    for key in (column.key for column in table.columns if column.key != plot.x):
        if not (table.is_words(key) or table.is_sizes(key)):
            continue
        parts = [part(table, key, name) for name in dict.fromkeys(table.values(key)) if name is not None]
        parts = [one for one in parts if series_of(one, plot)]
        if 1 < len(parts) <= MOST_GROUPS and all(places_of(one, plot) == places_of(table, plot) for one in parts):
            return parts
    return [table]


def part(table: Table, key: str, name: str) -> Table:
    numbers = [number for number, value in enumerate(table.values(key)) if value == name]
    return dataclasses.replace(table, part=name, rows=[table.rows[number] for number in numbers],
                               printed=[table.printed[number] for number in numbers])


def panels_of(series: dict[str, list[Mark]]) -> list[dict[str, list[Mark]]]:
    """The lines in parts of about equal size, each with the library's lines for comparison."""
    ours = {name: marks for name, marks in series.items() if is_library(name)}
    ours = ours if len(ours) == 1 else {}
    names = [name for name in series if name not in ours]
    count = -(-len(names) // (MOST_LINES - len(ours)))
    size = -(-len(names) // max(count, 1)) or 1
    return [{**ours, **{name: series[name] for name in names[i:i + size]}} for i in range(0, len(names), size)] or [ours]


def drawings_of(table: Table, plot: Plot) -> list[Drawing]:
    return [drawing for one in groups_of(table, plot) if series_of(one, plot) for drawing in draw(one, plot)]


def draw(table: Table, plot: Plot) -> list[Drawing]:
    series = series_of(table, plot)
    if plot.over != CATEGORIES and len(table.rows) > 1 and all(len(marks) == 1 for marks in series.values()):
        # No lines between points.
        plot = dataclasses.replace(plot, over=CATEGORIES, x="")
        series = series_of(table, plot)
    title = ": ".join(filter(None, (table.part, plot.what)))
    if plot.over == CATEGORIES:
        places = places_of(table, plot)
        lines_of_label = max(label(place).count("<br>") + 1 for place in places)
        height = 90 + len(places) * (12 + 12 * max(min(len(series), 4), lines_of_label))
        return [drawing(title, bars(plot, series), series, height)]
    panels = panels_of(series) if len(series) > MOST_LINES else [series]
    return [drawing(title + (f" ({number} of {len(panels)})" if len(panels) > 1 else ""),
                    lines(table, plot, panel, values_of(series)), panel, 340) for number, panel in enumerate(panels, 1)]


def drawing(title: str, figure: go.Figure, series: dict[str, list[Mark]], height: int) -> Drawing:
    figure.update_layout(
        template="none", colorway=COLOURS, paper_bgcolor="rgba(0,0,0,0)", plot_bgcolor="rgba(0,0,0,0)",
        margin={"l": 60, "r": 16, "t": 12, "b": 52}, dragmode=False, hovermode="closest", bargap=0.25,
        showlegend=len(series) > 1, legend={"orientation": "h", "x": 0, "y": 1.02, "yanchor": "bottom"},
        hoverlabel={"align": "left"}, font={"family": "system-ui, sans-serif"})
    figure.layout.template = None  # the page has them, one for light and one for dark
    return Drawing(title, figure, sum(map(len, series.values())), [*series], height)
