# SPDX-License-Identifier: BSD-2-Clause
"""Expressions of kept runs, as lab/targets.json has them: Python's, of numbers and of paths into a run.

    KIND.TABLE("VALUE", COLUMN="VALUE").COLUMN      the row that has these values; of a cell the median of its repetitions
    max(KIND.TABLE.COLUMN), min()                   of several rows
    KIND.machine.cpu                                what else the run has; ["own_p99.9"] where a name is no word
"""

from runs import Trouble


def written(value):
    """Three digits, in the lab's format (lab/common/table.cpp); integers unchanged."""
    if isinstance(value, int):
        return f"{value:,}"
    size = abs(value)
    if 0 < size < 0.0005:
        return f"{value:.4f}"
    return f"{value:,.{3 if size < 0.9995 else 2 if size < 9.995 else 1 if size < 99.95 else 0}f}"


class Found:
    """A path's target: JSON of a run, or rows of one of its tables."""

    def __init__(self, value, name):
        self.value, self.name = value, name

    def __call__(self, *values, **named):
        rows = [row for row in self.value if all(value in row.values() for value in values)
                and all(row.get(key) == value for key, value in named.items())]  # fmt: skip
        if not rows:
            raise Trouble(f"no row of {self.name} has {', '.join(map(str, [*values, *named.values()]))}")
        return Found(rows, self.name)

    def __getattr__(self, key):
        return self[key]

    def __getitem__(self, key):
        if isinstance(self.value, list):
            there = [cell for row in self.value if (cell := Found(row, self.name).child(key)) is not None]
            return there[0] if len(self.value) == len(there) == 1 else there
        return self.child(key)

    def child(self, key):
        tables = self.value.get("tables", {})
        if key not in tables and key not in self.value:
            raise Trouble(f"{self.name} has no {key}; there are: {', '.join([*tables, *self.value])}")
        value = tables[key]["rows"] if key in tables else self.value[key]
        if isinstance(value, dict) and "median" in value:
            return value["median"]
        return Found(value, f"{self.name}.{key}") if isinstance(value, (dict, list)) else value


class Paths:
    def __init__(self, kept):
        self.kept = kept

    def __getitem__(self, kind):
        return {"max": max, "min": min}.get(kind) or Found(self.kept[kind], kind)


def value(expression, kept):
    try:
        result = eval(expression, {"__builtins__": {}}, Paths(kept))  # pylint: disable=eval-used  # this repository's own text
    except (SyntaxError, TypeError, ArithmeticError) as error:
        raise Trouble(f"no expression: {error}") from None
    if not isinstance(result, (int, float, str)):
        raise Trouble(f"no figure, but a {type(result).__name__}")
    return result
